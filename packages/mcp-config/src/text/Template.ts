/** A text with variables in it, apart from the way an application writes them, and its native form. */
import * as Result from "effect/Result"

/** A piece of a text. */
export type Part =
  | { readonly _tag: "text"; readonly text: string }
  /** The value of a variable; the fallback stands for one that is unset or empty. */
  | { readonly _tag: "variable"; readonly name: string; readonly fallback: Template | null }
  /** A part that cannot be translated: it stays as written, and the expansion refuses it. */
  | { readonly _tag: "foreign"; readonly text: string }

/** A text in pieces. No two texts follow each other, and none is empty. */
export type Template = ReadonlyArray<Part>

/** The name of a variable. */
export const NAME = "[A-Za-z_][A-Za-z0-9_]*"

/** The prefix of a value that each person has for themselves: `${user:NAME}`. */
export const PERSONAL = "user:"

/** The variable for the folder in which a server works: `${workspace}`, that of the person where there are several. */
export const WORKSPACE = "workspace"

/** Whether a variable stands for a value of the person that a server works for. */
export const isPersonal = (name: string): boolean => name.startsWith(PERSONAL)

/** The name that a person knows it by; null for any other variable. */
export const personalName = (name: string): string | null => isPersonal(name) ? name.slice(PERSONAL.length) : null

/** A piece of plain text. */
export const text = (plain: string): Part => ({ _tag: "text", text: plain })

/** A variable without a fallback. */
export const variable = (name: string, fallback: Template | null = null): Part => ({ _tag: "variable", name, fallback })

/** Puts pieces together. */
export const joined = (parts: ReadonlyArray<Part>): Template => {
  const all: Array<Part> = []
  for (const part of parts) {
    const last = all.at(-1)
    if (part._tag === "text" && last?._tag === "text") all[all.length - 1] = text(last.text + part.text)
    else if (part._tag !== "text" || part.text !== "") all.push(part)
  }
  return all
}

/** Splits a text at every match of a pattern; `read` says what a match is, null that it is plain text. */
export const split = (
  whole: string,
  pattern: RegExp,
  read: (match: RegExpExecArray) => Part | null
): Template => {
  const parts: Array<Part> = []
  let from = 0
  for (const match of whole.matchAll(pattern)) {
    const part = read(match)
    if (part === null) continue
    parts.push(text(whole.slice(from, match.index)), part)
    from = match.index + match[0].length
  }
  return joined([...parts, text(whole.slice(from))])
}

const TOKEN = new RegExp(`\\$\\$\\{|\\$\\{((?:${PERSONAL})?${NAME})(:-|\\})|\\$\\{|\\}`, "g")

/** The limit of fallbacks within fallbacks. */
const MAX_DEPTH = 20

/** Why a text is not in the native form. */
export type Malformed = "nameless" | "unclosed" | "deep"

/** Reads the native form, `${NAME}` and `${NAME:-fallback}`, where `$${` stands for `${`. Takes linear time. */
export const parse = (whole: string): Result.Result<Template, Malformed> => {
  const open: Array<{ readonly name: string; readonly before: Array<Part> }> = []
  let parts: Array<Part> = []
  let from = 0
  for (const match of whole.matchAll(TOKEN)) {
    const [token, name, ending] = match
    parts.push(text(whole.slice(from, match.index)))
    from = match.index + token.length
    if (token === "$${") parts.push(text("${"))
    else if (token === "}") {
      const outer = open.pop()
      const closed = parts
      parts = outer?.before ?? parts
      parts.push(outer === undefined ? text("}") : variable(outer.name, joined(closed)))
    } else if (name === undefined) return Result.fail("nameless")
    else if (open.length > MAX_DEPTH) return Result.fail("deep")
    else if (ending === "}") parts.push(variable(name))
    else {
      open.push({ name, before: parts })
      parts = []
    }
  }
  return open.length > 0 ? Result.fail("unclosed") : Result.succeed(joined([...parts, text(whole.slice(from))]))
}

/**
 * A dollar sign where the native form would take one for something else. `$${` is the only escape it has; a variable
 * that nobody sets and that falls back to the sign does the rest.
 */
const DOLLAR = "${DOLLAR:-$}"

/** Writes the native form. */
export const print = (template: Template): string => {
  const written = template.map((part, index) => {
    if (part._tag === "foreign") return part.text
    if (part._tag === "variable") {
      return part.fallback === null ? `\${${part.name}}` : `\${${part.name}:-${print(part.fallback)}}`
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
