/** How an application writes variables into its texts, from there and to there. */

import * as Template from "../text/Template.ts"

/** A text in the native form, and what is worth saying about it. */
export interface Translated {
  readonly text: string
  readonly remarks: ReadonlyArray<string>
}

export interface VariableSyntax {
  readonly application: string
  /** From this way to the native one. Takes linear time. */
  readonly toNative: (text: string) => Translated
  /** From the pieces of a native text to this way; null when it has no way to say that. */
  readonly fromTemplate: (template: Template.Template) => string | null
}

/** Where a file stands, for applications whose texts name places. */
export interface Surroundings {
  /** The folder of the project that a file belongs to; null for a file of a person's own. */
  readonly workspace: string | null
  readonly isWindows: boolean
}

/** For texts that are written: they depend on no place. */
const NOWHERE: Surroundings = { workspace: null, isWindows: false }

/** A value that an editor asks a person for. */
export interface Input {
  readonly description: string | null
  readonly fallback: string | null
}

/** `${NAME}` and `${NAME:-fallback}`, as here. */
export const same = (application: string): VariableSyntax => ({
  application,
  toNative: (text) => ({ text, remarks: [] }),
  fromTemplate: Template.print
})

/** No variables at all. */
export const literal = (application: string): VariableSyntax =>
  make(application, {
    pattern: /(?!)/g,
    read: () => null,
    write: () => null,
    isPlain: true
  })

/** opencode: `{env:NAME}` and `{file:path}`. */
export const opencode = (): VariableSyntax =>
  make("opencode", {
    pattern: /\{(env|file):([^{}]*)\}/g,
    read: ([whole, kind, name = ""], remark) => {
      if (kind === "env") return isName(name) ? Template.variable(name) : foreign(whole)
      const holder = `FILE_${nameFor(name.replace(/^.*[/\\]/, ""))}`
      remark(`files are not read into values here: put what ${name} holds into the variable ${holder}`)
      return Template.variable(holder)
    },
    write: (name) => `{env:${name}}`,
    isPlain: true
  })

/** Gemini CLI, goose, 1MCP: `$NAME`, `${NAME}`, and where there are fallbacks `${NAME:-fallback}`. */
export const dollar = (application: string, options: { readonly fallbacks: boolean }): VariableSyntax =>
  make(application, {
    pattern: new RegExp(`\\$(?:(${Template.NAME})|\\{(${Template.NAME})(?::-([^{}]*))?\\})`, "g"),
    read: ([, bare, braced = "", fallback]) =>
      Template.variable(bare ?? braced, fallback === undefined ? null : Template.joined([Template.text(fallback)])),
    write: (name, fallback) => {
      if (fallback === null) return `\${${name}}`
      return options.fallbacks ? `\${${name}:-${fallback}}` : null
    },
    isPlain: false
  })

/** VS Code and what is made from it: `${env:NAME}`, `${input:id}` and the names of places. */
export const editor = (
  application: string,
  surroundings: Surroundings = NOWHERE,
  inputs: ReadonlyMap<string, Input> | null = null
): VariableSyntax =>
  make(application, {
    pattern: /\$\{([A-Za-z]+|\/)(?::([^{}]*))?\}/g,
    read: ([whole, kind = "", name], remark) => {
      if (kind === "env" && name !== undefined && isName(name)) return Template.variable(name)
      if (kind === "input" && name !== undefined && inputs !== null) return inputOf(name, inputs.get(name), remark)
      const place = name === undefined ? placeOf(kind, surroundings) : KINDS.has(kind) ? null : undefined
      if (place === null) remark(`what \${${kind}} stands for cannot be told from here: write that in its place`)
      return place === undefined ? null : place ?? foreign(whole)
    },
    write: (name, fallback) => fallback === null ? `\${env:${name}}` : null,
    isPlain: true
  })

const KINDS = new Set(["env", "input", "command", "config", "workspaceFolder", "extensionInstallFolder"])

/** The text that the name of a place stands for: undefined for other names, null for an unknown place. */
const placeOf = (kind: string, { isWindows, workspace }: Surroundings): Template.Part | null | undefined => {
  if (kind === "userHome") return Template.variable(isWindows ? "USERPROFILE" : "HOME")
  if (kind === "pathSeparator" || kind === "/") return Template.text(isWindows ? "\\" : "/")
  if (kind === "workspaceFolder" || kind === "workspaceRoot") {
    return workspace === null
      ? null
      : Template.text(workspace)
  }
  if (kind !== "workspaceFolderBasename") return undefined
  return workspace === null ? null : Template.text(workspace.replace(/[/\\]+$/, "").replace(/^.*[/\\]/, ""))
}

const inputOf = (id: string, input: Input | undefined, remark: (words: string) => void): Template.Part => {
  // A name of its own: a question must not be answered by whatever variable happens to have the input's name.
  const name = `INPUT_${nameFor(id)}`
  const asked = input === undefined || input.description === null ? "" : ` (${input.description})`
  remark(`boocode does not ask for inputs: set the variable ${name}${asked}`)
  // A closing brace would end the fallback.
  const fallback = input?.fallback?.includes("}") === true ? null : input?.fallback ?? null
  return Template.variable(name, fallback === null ? null : Template.joined([Template.text(fallback)]))
}

const foreign = (text: string): Template.Part => ({ _tag: "foreign", text })

const isName = (text: string): boolean => new RegExp(`^${Template.NAME}$`).test(text)

/** A variable's name that resembles a text. */
const nameFor = (text: string): string => text.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_+|_+$/g, "").toUpperCase()

interface Way {
  readonly pattern: RegExp
  readonly read: (match: RegExpExecArray, remark: (words: string) => void) => Template.Part | null
  readonly write: (name: string, fallback: string | null) => string | null
  /** True where `${NAME}` is plain text. */
  readonly isPlain: boolean
}

const make = (application: string, way: Way): VariableSyntax => {
  const templateOf = (text: string, remark: (words: string) => void) =>
    Template.split(text, way.pattern, (match) => way.read(match, remark))
  return {
    application,
    toNative: (text) => {
      const remarks: Array<string> = []
      const template = templateOf(text, (words) => remarks.push(words))
      return { text: Template.print(template), remarks: [...remarks, ...plainRemarks(application, way, template)] }
    },
    fromTemplate: (template) => {
      const written = template.map((part) => write(part, way))
      if (written.includes(null)) return null
      const text = written.join("")
      return Template.isSame(templateOf(text, () => {}), template) ? text : null
    }
  }
}

const write = (part: Template.Part, way: Way): string | null => {
  if (part._tag !== "variable") return part.text
  // No other application has values of several people.
  if (Template.isPersonal(part.name)) return null
  const fallback = part.fallback === null ? null : Template.onlyText(part.fallback)
  return part.fallback !== null && fallback === null ? null : way.write(part.name, fallback)
}

const plainRemarks = (application: string, way: Way, template: Template.Template): ReadonlyArray<string> => {
  const isLike = (part: Template.Part) =>
    part._tag === "text" && new RegExp(`\\$\\{${Template.NAME}(?::-|\\})|^\\$${Template.NAME}$`).test(part.text)
  if (!way.isPlain || !template.some(isLike)) return []
  const form = way.write("NAME", null)
  const advice = form === null ? "" : `; ${application} writes a variable ${form}`
  return [`what looks like a variable is plain text in ${application}, and stays that here${advice}`]
}
