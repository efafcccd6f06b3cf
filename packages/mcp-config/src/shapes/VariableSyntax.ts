/** How an application writes variables into its texts, from there and to there. */

/** A text in the native form, and what is worth saying about it. */
export interface Translated {
  readonly text: string
  readonly remarks: ReadonlyArray<string>
}

/** One application's way. */
export interface VariableSyntax {
  /** The application, as a person calls it. */
  readonly application: string
  /** From this way to the native one. Takes linear time. */
  readonly toNative: (text: string) => Translated
  /** From the pieces of a native text to this way; null when it has no way to say that. */
  readonly fromTemplate: (template: Template) => string | null
}

/** Where a file stands, for applications whose texts name places. */
export interface Surroundings {
  /** The folder of the project that a file belongs to; null for a file of a person's own. */
  readonly workspace: string | null
  readonly isWindows: boolean
}

/** Of a file that no project has: where texts are written, nothing depends on it. */
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
  fromTemplate: toNative
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
      if (kind === "env") return isName(name) ? variable(name) : foreign(whole)
      const holder = `FILE_${nameFor(name.replace(/^.*[/\\]/, ""))}`
      remark(`files are not read into values here: put what ${name} holds into the variable ${holder}`)
      return variable(holder)
    },
    write: (name) => `{env:${name}}`,
    isPlain: true
  })

/** Gemini CLI, goose, 1MCP: `$NAME`, `${NAME}`, and where there are fallbacks `${NAME:-fallback}`. */
export const dollar = (application: string, options: { readonly fallbacks: boolean }): VariableSyntax =>
  make(application, {
    pattern: new RegExp(`\\$(?:(${NAME})|\\{(${NAME})(?::-([^{}]*))?\\})`, "g"),
    read: ([, bare, braced = "", fallback]) =>
      variable(bare ?? braced, fallback === undefined ? null : templateOf([templateText(fallback)])),
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
      if (kind === "env" && name !== undefined && isName(name)) return variable(name)
      if (kind === "input" && name !== undefined && inputs !== null) return inputOf(name, inputs.get(name), remark)
      const place = name === undefined ? placeOf(kind, surroundings) : KINDS.has(kind) ? null : undefined
      if (place === null) remark(`what \${${kind}} stands for cannot be told from here: write that in its place`)
      return place === undefined ? null : place ?? foreign(whole)
    },
    write: (name, fallback) => fallback === null ? `\${env:${name}}` : null,
    isPlain: true
  })

const KINDS = new Set(["env", "input", "command", "config", "workspaceFolder", "extensionInstallFolder"])

/** What a place stands for: undefined for a name that is none, null for a place that cannot be told. */
const placeOf = (kind: string, { isWindows, workspace }: Surroundings): Part | null | undefined => {
  if (kind === "userHome") return variable(isWindows ? "USERPROFILE" : "HOME")
  if (kind === "pathSeparator" || kind === "/") return templateText(isWindows ? "\\" : "/")
  if (kind === "workspaceFolder" || kind === "workspaceRoot") {
    return workspace === null
      ? null
      : templateText(workspace)
  }
  if (kind !== "workspaceFolderBasename") return undefined
  return workspace === null ? null : templateText(workspace.replace(/[/\\]+$/, "").replace(/^.*[/\\]/, ""))
}

const inputOf = (id: string, input: Input | undefined, remark: (words: string) => void): Part => {
  // A name of its own: a question must not be answered by whatever variable happens to have the input's name.
  const name = `INPUT_${nameFor(id)}`
  const asked = input === undefined || input.description === null ? "" : ` (${input.description})`
  remark(`nobody is asked here: set the variable ${name}${asked}`)
  // A closing brace would end the fallback.
  const fallback = input?.fallback?.includes("}") === true ? null : input?.fallback ?? null
  return variable(name, fallback === null ? null : templateOf([templateText(fallback)]))
}

const foreign = (text: string): Part => ({ _tag: "foreign", text })

const isName = (text: string): boolean => new RegExp(`^${NAME}$`).test(text)

/** A variable's name that resembles a text. */
const nameFor = (text: string): string => text.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_+|_+$/g, "").toUpperCase()

interface Way {
  readonly pattern: RegExp
  readonly read: (match: RegExpExecArray, remark: (words: string) => void) => Part | null
  readonly write: (name: string, fallback: string | null) => string | null
  /** True where `${NAME}` is plain text. */
  readonly isPlain: boolean
}

const make = (application: string, way: Way): VariableSyntax => {
  const templateOf = (text: string, remark: (words: string) => void) =>
    splitTemplate(text, way.pattern, (match) => way.read(match, remark))
  return {
    application,
    toNative: (text) => {
      const remarks: Array<string> = []
      const template = templateOf(text, (words) => remarks.push(words))
      return { text: toNative(template), remarks: [...remarks, ...plainRemarks(application, way, template)] }
    },
    fromTemplate: (template) => {
      const written = template.map((part) => write(part, way))
      if (written.includes(null)) return null
      const text = written.join("")
      return isSame(templateOf(text, () => {}), template) ? text : null
    }
  }
}

const write = (part: Part, way: Way): string | null => {
  if (part._tag !== "variable") return part.text
  const fallback = part.fallback === null ? null : onlyText(part.fallback)
  return part.fallback !== null && fallback === null ? null : way.write(part.name, fallback)
}

const plainRemarks = (application: string, way: Way, template: Template): ReadonlyArray<string> => {
  const isLike = (part: Part) =>
    part._tag === "text" && new RegExp(`\\$\\{${NAME}(?::-|\\})|^\\$${NAME}$`).test(part.text)
  if (!way.isPlain || !template.some(isLike)) return []
  const form = way.write("NAME", null)
  const advice = form === null ? "" : `; ${application} writes a variable ${form}`
  return [`what looks like a variable is plain text in ${application}, and stays that here${advice}`]
}

// A text with variables in it, apart from the way an application writes them.

/** A piece of a text. */
export type Part =
  | { readonly _tag: "text"; readonly text: string }
  /** The value of a variable; the fallback stands for one that is unset or empty. */
  | { readonly _tag: "variable"; readonly name: string; readonly fallback: Template | null }
  /** What cannot be translated: it stays as it is written, so that whoever reads it refuses it. */
  | { readonly _tag: "foreign"; readonly text: string }

/** A text in pieces. No two texts follow each other, and none is empty. */
export type Template = ReadonlyArray<Part>

/** The name of a variable. */
export const NAME = "[A-Za-z_][A-Za-z0-9_]*"

/** A piece of plain text. */
export const templateText = (text: string): Part => ({ _tag: "text", text })

/** A variable without a fallback. */
export const variable = (name: string, fallback: Template | null = null): Part => ({ _tag: "variable", name, fallback })

/** Puts pieces together. */
export const templateOf = (parts: ReadonlyArray<Part>): Template => {
  const joined: Array<Part> = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part._tag === "text" && last?._tag === "text") joined[joined.length - 1] = templateText(last.text + part.text)
    else if (part._tag !== "text" || part.text !== "") joined.push(part)
  }
  return joined
}

/** Splits a text at every match of a pattern; `read` says what a match is, null that it is plain text. */
export const splitTemplate = (
  whole: string,
  pattern: RegExp,
  read: (match: RegExpExecArray) => Part | null
): Template => {
  const parts: Array<Part> = []
  let from = 0
  for (const match of whole.matchAll(pattern)) {
    const part = read(match)
    if (part === null) continue
    parts.push(templateText(whole.slice(from, match.index)), part)
    from = match.index + match[0].length
  }
  return templateOf([...parts, templateText(whole.slice(from))])
}

const TOKEN = new RegExp(`\\$\\$\\{|\\$\\{(${NAME})(:-|\\})|\\$\\{|\\}`, "g")

/** Fallbacks within fallbacks; nobody writes more. */
const MAX_DEPTH = 20

interface Open {
  readonly name: string
  readonly before: Array<Part>
}

/** Reads the native form, `${NAME}` and `${NAME:-fallback}`; null when it cannot be read. Takes linear time. */
export const fromNative = (whole: string): Template | null => {
  const open: Array<Open> = []
  let parts: Array<Part> = []
  let from = 0
  for (const match of whole.matchAll(TOKEN)) {
    const [token, name, ending] = match
    parts.push(templateText(whole.slice(from, match.index)))
    from = match.index + token.length
    if (token === "$${") parts.push(templateText("${"))
    else if (token === "}") {
      const outer = open.pop()
      if (outer === undefined) parts.push(templateText("}"))
      else {
        outer.before.push(variable(outer.name, templateOf(parts)))
        parts = outer.before
      }
    } else if (name === undefined || open.length > MAX_DEPTH) return null
    else if (ending === "}") parts.push(variable(name))
    else {
      open.push({ name, before: parts })
      parts = []
    }
  }
  return open.length > 0 ? null : templateOf([...parts, templateText(whole.slice(from))])
}

/**
 * A dollar sign where the native form would take one for something else. `$${` is the only escape it has; a variable
 * that nobody sets and that falls back to the sign does the rest.
 */
const DOLLAR = "${DOLLAR:-$}"

/** Writes the native form. */
export const toNative = (template: Template): string => {
  const written = template.map((part, index) => {
    if (part._tag === "foreign") return part.text
    if (part._tag === "variable") {
      return part.fallback === null ? `\${${part.name}}` : `\${${part.name}:-${toNative(part.fallback)}}`
    }
    const escaped = part.text.replaceAll("${", () => "$${")
    const isBeforeVariable = template[index + 1]?._tag === "variable"
    return isBeforeVariable ? escaped.replace(/\$+$/, (signs) => DOLLAR.repeat(signs.length)) : escaped
  }).join("")
  const isPlain = template.length === 1 && template[0]?._tag === "text"
  return isPlain && new RegExp(`^\\$${NAME}$`).test(written) ? DOLLAR + written.slice(1) : written
}

/** True when two templates mean the same. */
export const isSame = (a: Template, b: Template): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The one variable that a template is, without a fallback; null for anything else. */
export const onlyVariable = (template: Template): string | null => {
  const [part, ...more] = template
  return part?._tag === "variable" && part.fallback === null && more.length === 0 ? part.name : null
}

/** The text of a template without variables; null for one that has some. */
export const onlyText = (template: Template): string | null =>
  template.every((part) => part._tag === "text") ? template.map((part) => part.text).join("") : null
