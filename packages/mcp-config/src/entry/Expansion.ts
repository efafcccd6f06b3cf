/** `${VAR}` and `${VAR:-default}` in text, and the ways other applications write the same thing. */
import * as Result from "effect/Result"
import * as Template from "../text/Template.ts"

/** The variables to expand from. */
export type Variables = Readonly<Record<string, string | undefined>>

/** Why a text cannot be expanded. Neither form holds any part of the text but a variable's name. */
export type ExpansionFault =
  | { readonly _tag: "Unset"; readonly variable: string }
  | { readonly _tag: "Malformed"; readonly detail: string; readonly hint: string }

/** Is told each variable whose value became part of a text. */
export type OnFilled = (name: string, value: string) => void

/**
 * Expands `${VAR}` and `${VAR:-default}` once: a variable's value is taken as it is. As in a shell, the default stands
 * for a variable that is unset or empty, and may hold variables itself. `$${` gives `${`. Takes linear time.
 */
export const expand = (
  text: string,
  variables: Variables,
  onFilled: OnFilled = () => {}
): Result.Result<string, ExpansionFault> =>
  Result.flatMap(
    Result.mapError(Template.parse(text), (why): ExpansionFault => MALFORMED[why]),
    (template) => filled(template, variables, onFilled)
  )

const filled = (
  template: Template.Template,
  variables: Variables,
  onFilled: OnFilled
): Result.Result<string, ExpansionFault> => {
  const parts = template.map((part): Result.Result<string, ExpansionFault> => {
    if (part._tag !== "variable") return Result.succeed(part.text)
    const { fallback, name } = part
    const value = lookup(variables, name)
    if (fallback !== null && (value === undefined || value === "")) return filled(fallback, variables, onFilled)
    if (value === undefined) return Result.fail({ _tag: "Unset", variable: name })
    onFilled(name, value)
    return Result.succeed(value)
  })
  return Result.map(Result.all(parts), (texts) => texts.join(""))
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

const ESCAPE = "for the characters ${ themselves write $${"

const malformed = (detail: string, hint: string): ExpansionFault => ({ _tag: "Malformed", detail, hint })

const MALFORMED: Readonly<Record<Template.Malformed, ExpansionFault>> = {
  nameless: malformed(
    "a ${ is not followed by a variable's name",
    `write \${NAME} or \${NAME:-default}; ${ESCAPE}`
  ),
  unclosed: malformed("a ${NAME:- has no closing }", `write \${NAME:-default}; ${ESCAPE}`),
  deep: malformed("more than 20 defaults stand within each other", "set one of the variables and leave its default out")
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
