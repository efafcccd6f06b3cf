/** `${VAR}` and `${VAR:-default}` in text, and the ways other applications write the same thing. */
import * as Result from "effect/Result"

/** The variables to expand from. */
export type Variables = Readonly<Record<string, string | undefined>>

/** Why a text cannot be expanded. Neither form holds any part of the text but a variable's name. */
export type ExpansionFault =
  | { readonly _tag: "Unset"; readonly variable: string }
  | { readonly _tag: "Malformed"; readonly detail: string; readonly hint: string }

interface Frame {
  /** The value that wins over the default collected in `text`. */
  readonly value: string | undefined
  /** False inside a default that is not used: its variables need not be set. */
  readonly live: boolean
  text: string
}

const TOKEN = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(:-|\})|\$\{|\}/g

/** Is told each variable whose value became part of a text. */
export type OnFilled = (name: string, value: string) => void

/**
 * Expands `${VAR}` and `${VAR:-default}` once: what a variable holds is taken as it is. As in a shell, the default
 * stands for a variable that is unset or empty, and may hold variables itself. `$${` gives `${`. Takes linear time.
 */
export const expand = (
  text: string,
  variables: Variables,
  onFilled: OnFilled = () => {}
): Result.Result<string, ExpansionFault> => {
  const root: Frame = { value: undefined, live: true, text: "" }
  const open: Array<Frame> = []
  let top = root
  let from = 0
  for (const match of text.matchAll(TOKEN)) {
    const [token, name, ending] = match
    top.text += text.slice(from, match.index)
    from = match.index + token.length
    if (token === "$${") top.text += "${"
    else if (token === "}" && open.length === 0) top.text += "}"
    else if (token === "}") {
      const closed = top
      open.pop()
      top = open.at(-1) ?? root
      top.text += closed.value ?? closed.text
    } else if (name === undefined) return Result.fail(NAMELESS)
    else if (ending === "}") {
      const value = lookup(variables, name)
      if (value === undefined && top.live) return Result.fail({ _tag: "Unset", variable: name })
      if (value !== undefined && top.live) onFilled(name, value)
      top.text += value ?? ""
    } else {
      const value = lookup(variables, name) || undefined
      if (value !== undefined && top.live) onFilled(name, value)
      top = { value, live: top.live && value === undefined, text: "" }
      open.push(top)
    }
  }
  if (open.length > 0) return Result.fail(UNCLOSED)
  return Result.succeed(root.text + text.slice(from))
}

/** Tells which other application would read this text as a variable, and how it is written here; null for none. */
export const foreignSyntax = (text: string, variables: Variables): { detail: string; hint: string } | null => {
  const form = FOREIGN.find(({ pattern }) => pattern.test(text))
  if (form !== undefined) return { detail: `${form.looks} is how ${form.application} writes this`, hint: form.hint }
  const place = PLACES.find((name) => text.includes(`\${${name}}`) && lookup(variables, name) === undefined)
  if (place === undefined) return null
  return { detail: `\${${place}} is a variable of VS Code and Cursor`, hint: "write the path itself" }
}

const lookup = (variables: Variables, name: string): string | undefined =>
  Object.hasOwn(variables, name) ? variables[name] : undefined

const NAMELESS: ExpansionFault = {
  _tag: "Malformed",
  detail: "a ${ is not followed by a variable's name",
  hint: "write ${NAME} or ${NAME:-default}; for the characters ${ themselves write $${"
}

const UNCLOSED: ExpansionFault = {
  _tag: "Malformed",
  detail: "a ${NAME:- has no closing }",
  hint: "write ${NAME:-default}; for the characters ${ themselves write $${"
}

const FROM_ENVIRONMENT = "write ${NAME}, or ${NAME:-default} if it may be unset"

const FOREIGN = [
  {
    looks: "${env:…}",
    pattern: /\$\{env:/,
    application: "Cursor or VS Code",
    hint: FROM_ENVIRONMENT
  },
  {
    looks: "${input:…}",
    pattern: /\$\{input:/,
    application: "VS Code",
    hint: "there are no prompts here: set a variable and write ${NAME}"
  },
  { looks: "{env:…}", pattern: /\{env:/, application: "opencode", hint: FROM_ENVIRONMENT },
  {
    looks: "{file:…}",
    pattern: /\{file:/,
    application: "opencode",
    hint: "files are not read into values here: set a variable and write ${NAME}"
  },
  {
    looks: "$NAME without braces",
    pattern: /^\$[A-Za-z_][A-Za-z0-9_]*$/,
    application: "Gemini CLI or goose",
    hint: "write ${NAME}; a value that truly starts with $ can be held by a variable"
  }
]

const PLACES = ["workspaceFolder", "workspaceFolderBasename", "workspaceRoot", "userHome", "pathSeparator"]
