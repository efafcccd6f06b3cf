/** A program or an address as people see it: without secrets. */
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"

/** Stands for a value that may be a secret. */
export const HIDDEN = "<redacted>"

/** The name of a variable is no secret; a literal value or a default may be one. */
export const variable = (value: Redacted.Redacted<string> | undefined): string => {
  const [, scheme = "", name, ending] = VARIABLE.exec(value === undefined ? "" : Redacted.value(value)) ?? []
  if (name === undefined) return HIDDEN
  return `${scheme}\${${name}${ending === "" || ending === ":-" ? ending : `:-${HIDDEN}`}}`
}

const VARIABLE = /^((?:Bearer|Basic|Token) )?\$\{([A-Za-z_]\w*)((?::-[^{}]*)?)\}$/

/** Command, arguments and address of an entry that is to be written, shown as a report shows them. */
export const shownProgram = (entry: Schema.JsonObject) => {
  const { args, command, url } = entry
  const texts = Array.isArray(args) ? args.filter((one) => typeof one === "string") : []
  return {
    command: typeof command === "string" ? withoutLogins(command) : null,
    args: typeof command === "string" ? texts.map((text) => Redacted.make(text)).map(argument) : null,
    url: typeof url === "string" ? origin(url) : null,
    hasHeadersHelper: typeof entry["headersHelper"] === "string"
  }
}

/** An argument as the file has it. The value of an option for a secret is hidden. */
export const argument = (
  value: Redacted.Redacted<string>,
  index: number,
  all: ReadonlyArray<Redacted.Redacted<string>>
): string => {
  const text = Redacted.value(value)
  const before = all[index - 1]
  const [, option] = /^(-[^=]*)=/.exec(text) ?? []
  if (option !== undefined && SECRET.test(option)) {
    return `${option}=${variable(Redacted.make(text.slice(option.length + 1)))}`
  }
  const isValue = !text.startsWith("-") && before !== undefined
  return isValue && SECRET.test(Redacted.value(before)) ? variable(value) : withoutLogins(text)
}

/** Hides user, password and query values of each address in a text. */
const withoutLogins = (text: string): string =>
  text.replace(ADDRESS, (address) =>
    address
      .replace(/(:\/\/)([^/@]+)(?=@)/, (_, start: string, login: string) => start + unlessVariables(login))
      .replace(/([?&][^=&#]*=)([^&#]+)/g, (_, name: string, value: string) => name + unlessVariables(value)))

const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s"']+/gi

const unlessVariables = (text: string): string => /^(?:\$\{[A-Za-z_]\w*\}:?)+$/.test(text) ? text : HIDDEN

const SECRET = /^-.*(token|key|secret|passw|pwd|auth|credential|header)/i

/** Only the origin of an address whose variables are filled in: some services put their key into path or query. */
export const origin = (url: string): string => {
  const parsed = URL.parse(url)
  if (parsed === null) return HIDDEN
  const isBare = parsed.pathname === "/" && parsed.search === "" && parsed.hash === ""
  return `${parsed.protocol}//${parsed.host}/${isBare ? "" : HIDDEN}`
}
