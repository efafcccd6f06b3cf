/** Secrets that stand in an entry as they are, moved out of it: the entry names variables in their place. */
import type * as Schema from "effect/Schema"
import { isKey } from "../edit/HiddenValues.ts"
import * as JsonNode from "../text/JsonNode.ts"

/** An entry without its secrets, and the values of the variables that it names instead. */
export interface Moved {
  readonly entry: Schema.JsonObject
  readonly values: Readonly<Record<string, string>>
}

/** Whether a variable may get a value: it is not set, or has this value already. */
export type IsFree = (variable: string, value: string) => boolean

/**
 * Moves the literal values of `env` and `headers` with the names of secrets, those of options such as `--api-key`, of
 * queries in an address, and whatever looks like a key. Variables of `env` and `headers` have the name of the value, others
 * begin with that of the server. One that is not free gets the name of the server as well, then a number.
 */
export const move = (server: string, entry: Schema.JsonObject, isFree: IsFree): Moved => {
  const values = new Map<string, string>()
  const variable = (name: string, value: string): string => {
    const plain = asVariable(name)
    const own = asVariable(`${server}_${name}`)
    const names = [plain, own, ...Array.from({ length: 100 }, (_, at) => `${own}_${at + 2}`)]
    const free = names.find((one) => values.get(one) === value || !values.has(one) && isFree(one, value)) ?? own
    values.set(free, value)
    return `\${${free}}`
  }
  const ofServer: ToVariable = (name, value) => variable(`${server}_${name}`, value)
  const maps = ["env", "headers"].flatMap((key) => {
    const map = entry[key]
    return isObject(map) ? [[key, inMap(server, map, variable)] as const] : []
  })
  const { args, url } = entry
  return {
    entry: {
      ...entry,
      ...Object.fromEntries(maps),
      ...(Array.isArray(args) ? { args: inArgs(args, ofServer) } : {}),
      ...(typeof url === "string" ? { url: inAddress(url, ofServer) } : {})
    },
    values: Object.fromEntries(values)
  }
}

/** Moves the secrets of an entry that was read from a file. A value that is no object stays as it is. */
export const inMember = (
  member: JsonNode.Member,
  isFree: IsFree
): { readonly member: JsonNode.Member; readonly values: Moved["values"] } => {
  const value = JsonNode.toValue(member.value)
  if (!isObject(value)) return { member, values: {} }
  const { entry, values } = move(member.key, value, isFree)
  const isSame = Object.keys(values).length === 0
  return { member: isSame ? member : { ...member, value: JsonNode.fromValue(entry) }, values }
}

type ToVariable = (name: string, value: string) => string

const isObject = (value: Schema.Json | undefined): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const SECRET = /token|key|secret|passw|pwd|auth|credential|cookie/i

/** `$${` is plain text. */
const VARIABLE = /(?<!\$)\$\{/

const isSecret = (name: string, value: string): boolean =>
  value !== "" && !VARIABLE.test(value) && (SECRET.test(name) || isKey(value))

const asVariable = (name: string): string =>
  name.toUpperCase().replace(/[^A-Z0-9]+/g, "_").replace(/^_+|_+$/g, "").replace(/^(?=\d)/, "_") || "SECRET"

/** The text as it is meant: an entry writes `${` as `$${`. */
const meant = (text: string): string => text.replaceAll("$${", () => "${")

const inMap = (server: string, map: Schema.JsonObject, variable: ToVariable): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(map).map(([key, value]) => {
      if (typeof value !== "string" || !isSecret(key, value)) return [key, value]
      const [scheme = ""] = /^(?:Bearer|Basic|Token) +/i.exec(value) ?? []
      const name = /^authorization$/i.test(key) ? `${server}_TOKEN` : key
      return [key, scheme + variable(name, meant(value.slice(scheme.length)))]
    })
  )

const OPTION = /^--?([A-Za-z][\w-]*)(?:=([^]*))?$/

const inArgs = (args: ReadonlyArray<Schema.Json>, variable: ToVariable): ReadonlyArray<Schema.Json> =>
  args.map((arg, at) => {
    if (typeof arg !== "string") return arg
    const [, name = "", value] = OPTION.exec(arg) ?? []
    if (value !== undefined) {
      return isSecret(name, value) ? arg.slice(0, -value.length) + variable(name, meant(value)) : arg
    }
    const before = args[at - 1]
    const [, option = "", given] = OPTION.exec(typeof before === "string" ? before : "") ?? []
    const isValue = !arg.startsWith("-") && given === undefined
    if (isValue && isSecret(option, arg)) return variable(option === "" ? "KEY" : option, meant(arg))
    return arg.includes("://") ? inAddress(arg, variable) : arg
  })

/** Values of a query, as they are written; they may be encoded. */
const inAddress = (address: string, variable: ToVariable): string =>
  address.replace(
    /([?&])([^=&#]+)=([^&#]+)/g,
    (whole, start: string, name: string, value: string) =>
      isSecret(name, value) ? `${start}${name}=${variable(name, meant(value))}` : whole
  )
