/**
 * The native shape: `{ "mcpServers": { NAME: { … } } }`, and for `.mcprc` also the bare map of names.
 */
import { ToolGlob } from "@boocode/tool-glob"
import type * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import { nearest, slips } from "../model/Nearest.ts"
import { LOG_LEVELS } from "../model/ServerConfig.ts"
import {
  type Declaration,
  DEFAULTS,
  type EntryOptions,
  type HttpEntry,
  type OAuthEntry,
  type OAuthText,
  type Remark,
  type ServerEntry,
  type ShapeContent,
  type StdioEntry
} from "../model/ServerEntry.ts"
import * as ServerName from "../model/ServerName.ts"
import * as Field from "../text/Field.ts"
import type { Fault, JsonNode, Member } from "../text/JsonNode.ts"
import { byKey, EntryReader, type ObjectNode, repeatedKeys } from "./EntryReader.ts"
import { COUNTERPARTS, HTTP_KEYS, isSilent, NATIVE_KEYS, STDIO_KEYS } from "./NativeKeys.ts"

/** Finds the entries of a file. Fails only when the top level is not what the shape asks for. Never throws. */
export const decode = (root: JsonNode, options: { readonly bare: boolean }): Result.Result<ShapeContent, Fault> => {
  if (root.type !== "object") return Result.fail({ ...root.at, detail: "expected an object with \"mcpServers\"" })
  const wrapped = byKey(root.members).get("mcpServers")
  if (options.bare && wrapped?.value.type !== "object") return Result.succeed(decodeServers(bareMap(root)))
  if (wrapped === undefined) return Result.succeed({ entries: [], remarks: [noServers(root)] })
  if (wrapped.value.type !== "object") {
    return Result.fail({ ...wrapped.value.at, detail: "\"mcpServers\" must be an object of servers by name" })
  }
  const { entries } = decodeServers(wrapped.value)
  const remarks = repeatedKeys(root.members).has("mcpServers") ? [twice(wrapped)] : []
  return Result.succeed({ entries, remarks })
}

/** Finds the entries of a map of servers by name. */
export const decodeServers = (servers: JsonNode): ShapeContent => {
  if (servers.type !== "object") return { entries: [], remarks: [] }
  const repeated = repeatedKeys(servers.members)
  const members = Array.from(byKey(servers.members).values())
  return { entries: members.map((member) => entry(member, repeated.has(member.key))), remarks: [] }
}

/** A bare map without what is said about the file itself, such as `$schema`. */
const bareMap = (root: ObjectNode): ObjectNode => ({
  ...root,
  members: root.members.filter(({ key, value }) => !key.startsWith("$") || value.type === "object")
})

const twice = ({ at, key }: Member): Remark => ({ at, key, detail: "is written more than once; the last one counts" })

const noServers = (root: ObjectNode): Remark => {
  const meant = nearest("mcpServers", root.members.map((member) => member.key), 1)
  const found = meant.length === 0 ? "" : `; "${meant.join()}" is not read, write "mcpServers" instead`
  return { at: root.at, key: "mcpServers", detail: `no mcpServers in this file, so no servers${found}` }
}

const entry = (member: Member, isRepeated: boolean): ServerEntry => {
  const name = ServerName.shown(member.key)
  const key = ServerName.shown(member.path ?? `mcpServers.${member.key}`)
  const { at } = member
  const repetition: ReadonlyArray<Remark> = isRepeated
    ? [{ at, key, detail: "this name is written more than once; the last entry counts" }]
    : []
  if (member.value.type !== "object") {
    const hint = "write { \"command\": … } or { \"url\": … }"
    const fault = Field.mismatch(member.value, key, "an object", hint)
    const base = { name, at, key, transport: null, enabled: true, remarks: repetition }
    return { ...base, declaration: Result.fail([fault]) }
  }
  const reader = new EntryReader(key, member.value)
  const enabled = isOn(reader)
  const transport = readTransport(reader)
  const options = readOptions(reader)
  if (member.key.trim() === "") {
    reader.troubles.push({ at, key, detail: "a server needs a name", hint: "write a name such as \"files\"" })
  }
  if (!ServerName.isPlain(member.key)) {
    const detail = "a name may not hold line breaks, control characters or marks of direction"
    reader.troubles.push({ at, key, detail, hint: "write the name without them" })
  }
  if (options.tools?.length !== 0 && options.tools?.every(ToolGlob.isDenial)) {
    reader.remark("tools", "denials alone allow no tool; put \"*\" first")
  }
  remarkKeys(reader)
  return {
    name,
    at,
    key,
    transport: kindOf(reader),
    enabled,
    declaration: settle(reader, transport, options),
    remarks: [...repetition, ...reader.remarks]
  }
}

const settle = (
  reader: EntryReader,
  transport: Declaration["transport"] | null,
  options: EntryOptions
): ServerEntry["declaration"] => {
  const [first, ...more] = reader.troubles.toSorted(byPlace)
  if (first !== undefined) return Result.fail([first, ...more])
  return transport === null ? Result.fail([neither(reader)]) : Result.succeed({ transport, options })
}

const byPlace = (a: Field.Trouble, b: Field.Trouble): number => a.at.line - b.at.line || a.at.column - b.at.column

const TYPES = new Map<string, ServerEntry["transport"]>([
  ["stdio", "stdio"],
  ["streamableHttp", "streamableHttp"],
  ["streamable-http", "streamableHttp"],
  ["http", "streamableHttp"],
  ["sse", "sse"]
])

/** The transport an entry asks for, as far as that can be told. */
const kindOf = (reader: EntryReader): ServerEntry["transport"] => {
  const written = reader.keys.get("type")?.value
  const named = written?.type === "string" ? TYPES.get(written.value) : undefined
  if (named !== undefined) return named
  if (reader.keys.has("command")) return reader.keys.has("url") ? null : "stdio"
  return reader.keys.has("url") ? "streamableHttp" : null
}

const neither = (reader: EntryReader): Field.Trouble => ({
  at: reader.node.at,
  key: reader.path,
  detail: "there is neither \"command\" nor \"url\"",
  hint: "write \"command\" to start a program, or \"url\" to talk to a server"
})

const readTransport = (reader: EntryReader): Declaration["transport"] | null => {
  if (reader.keys.has("command") && reader.keys.has("url")) {
    return reader.trouble(
      "url",
      "\"command\" and \"url\" together",
      "keep one: a server is started or talked to, not both"
    )
  }
  if (reader.keys.has("type")) reader.read("type", readType, null)
  const kind = kindOf(reader)
  if (kind === null) return null
  remarkMisplaced(reader, kind === "stdio" ? HTTP_KEYS : STDIO_KEYS, kind)
  return kind === "stdio" ? readStdio(reader) : readHttp(reader, kind)
}

const readType: Field.Decoder<null> = (node, key) => {
  const known = node.type === "string" ? TYPES.has(node.value) : false
  if (known) return Result.succeed(null)
  const hint = "write \"stdio\", \"streamableHttp\" or \"sse\", or leave it out"
  return node.type === "string"
    ? Result.fail({ at: node.at, key, detail: "expected stdio, streamableHttp (or http) or sse", hint })
    : Result.fail(Field.mismatch(node, key, "a text", hint))
}

const readStdio = (reader: EntryReader): StdioEntry | null => {
  const command = reader.read("command", Field.text, null)
  const stdio = {
    _tag: "stdio" as const,
    args: reader.read("args", Field.texts, []),
    env: reader.read("env", Field.textMap, []),
    cwd: reader.read("cwd", Field.text, null),
    envFile: reader.read("envFile", Field.text, null),
    inheritEnv: reader.read("inheritEnv", Field.names, [])
  }
  if (command !== null) return { ...stdio, command }
  if (reader.keys.has("command")) return null
  return reader.trouble("command", "a stdio server needs a command", "write the program to start as \"command\"")
}

const readHttp = (reader: EntryReader, kind: HttpEntry["_tag"]): HttpEntry | null => {
  const url = reader.read("url", Field.text, null)
  const http = {
    _tag: kind,
    ...(reader.keys.has("type") ? {} : { mayBeSse: true }),
    headers: reader.read("headers", Field.textMap, []),
    headersHelper: reader.read("headersHelper", Field.text, null),
    ...readOAuth(reader),
    ...(reader.read("publicOnly", Field.flag, false) ? { publicOnly: true } : {})
  }
  if (url === null) {
    return reader.keys.has("url")
      ? null
      : reader.trouble("url", "this type needs a url", "write the address as \"url\"")
  }
  if (url.text !== url.text.trim()) reader.remark("url", "spaces around the address are left out")
  return { ...http, url: { ...url, text: url.text.trim() } }
}

const ping: Field.Decoder<Duration.Duration | null> = (node, key) =>
  node.type === "boolean" && !node.value ? Result.succeed(null) : Field.duration(node, key)

/** The text of a message is one string, and no string has more than 2^29 characters. */
const MOST_BYTES = 500_000_000

const readOptions = (reader: EntryReader): EntryOptions => ({
  startupTimeout: reader.read("startupTimeout", Field.duration, DEFAULTS.startupTimeout),
  timeout: reader.read("timeout", Field.duration, DEFAULTS.timeout),
  maxTotalTimeout: reader.read("maxTotalTimeout", Field.duration, DEFAULTS.maxTotalTimeout),
  maxConcurrency: reader.read("maxConcurrency", Field.count, DEFAULTS.maxConcurrency),
  maxMessageBytes: reader.read("maxMessageBytes", Field.countUpTo(MOST_BYTES), DEFAULTS.maxMessageBytes),
  maxResultBytes: reader.read("maxResultBytes", Field.count, DEFAULTS.maxResultBytes),
  restart: reader.read("restart", Field.choice(["never", "on-failure"]), DEFAULTS.restart),
  results: reader.read("results", Field.choice(["content", "structured"]), DEFAULTS.results),
  retry: reader.read("retry", Field.choice(["never", "idempotent"]), DEFAULTS.retry),
  ping: reader.read("ping", ping, DEFAULTS.ping),
  tools: reader.read("tools", Field.names, DEFAULTS.tools),
  alwaysLoad: reader.read("alwaysLoad", Field.flagOrNames, DEFAULTS.alwaysLoad),
  ask: reader.read("ask", Field.names, DEFAULTS.ask),
  protocol: reader.read("protocol", Field.choice(["auto", "legacy", "2026-07-28"]), DEFAULTS.protocol),
  lazy: reader.read("lazy", Field.flag, DEFAULTS.lazy),
  idleTtl: reader.read("idleTtl", Field.duration, DEFAULTS.idleTtl),
  pin: reader.read("pin", Field.choice(["block", "warn", "off"]), DEFAULTS.pin),
  roots: reader.read("roots", Field.flagOrTexts, DEFAULTS.roots),
  logLevel: reader.read("logLevel", Field.choice(LOG_LEVELS), DEFAULTS.logLevel),
  instructions: reader.read("instructions", Field.flag, DEFAULTS.instructions)
})

const remarkMisplaced = (reader: EntryReader, misplaced: ReadonlyArray<string>, kind: string): void => {
  for (const key of misplaced.filter((name) => reader.keys.has(name))) {
    reader.remark(key, `has no meaning for a ${kind} server and is not read`)
  }
}

const remarkKeys = (reader: EntryReader): void => {
  for (const key of repeatedKeys(reader.node.members)) {
    const rule = SWITCH_KEYS.includes(key) ? "if one of them says off, the server is off" : "the last one counts"
    reader.remark(key, `is written more than once; ${rule}`)
  }
  for (const [key, member] of reader.keys) {
    if (!NATIVE_KEYS.includes(key) && !isSilent(key) && !isLike(member)) reader.remark(key, unknown(key))
  }
}

const unknown = (key: string): string => {
  const counterpart = COUNTERPARTS.get(key)
  const meant = counterpart === undefined ? nearest(key, NATIVE_KEYS, 1) : [counterpart]
  return `unknown key, not read${meant.length === 0 ? "" : `; did you mean ${meant.join()}?`}`
}

// The key `oauth` of a native entry: false, or how to sign in.

/** The keys whose value is a text. */
export const TEXTS: ReadonlyArray<OAuthText> = [
  "clientId",
  "clientSecret",
  "clientMetadataUrl",
  "redirectUri",
  "resource",
  "issuer",
  "privateKey",
  "algorithm"
]

const KEYS: ReadonlyArray<string> = [...TEXTS, "scopes", "callbackPort", "grant"]

/** What the entry says about signing in; nothing where it says nothing, or something wrong, which is noted. */
export const readOAuth = (entry: EntryReader): Pick<HttpEntry, "oauth"> => {
  const value = entry.keys.get("oauth")?.value
  if (value === undefined || (value.type === "boolean" && value.value)) return {}
  if (value.type === "boolean") return { oauth: false }
  if (value.type !== "object") {
    entry.read("oauth", wrong, null)
    return {}
  }
  const path = entry.keys.get("oauth")?.path ?? `${entry.path}.oauth`
  const reader = new EntryReader(path, value)
  const oauth = readObject(reader)
  for (const key of reader.keys.keys()) if (!KEYS.includes(key)) reader.remark(key, unknownOAuthKeys(key))
  entry.troubles.push(...reader.troubles)
  entry.remarks.push(...reader.remarks)
  return { oauth }
}

const readObject = (reader: EntryReader): OAuthEntry => {
  const has = (key: string) => reader.keys.has(key)
  const grant = reader.read("grant", Field.choice(["authorization_code", "client_credentials"]), "authorization_code")
  if (grant === "client_credentials") {
    if (!has("clientId")) reader.trouble("clientId", NEEDS_ID, `write "clientId": "…"`)
    if (!has("clientSecret") && !has("privateKey")) {
      reader.trouble("clientSecret", NEEDS_SECRET, `write "clientSecret" or "privateKey", best as a variable`)
    }
  } else if (has("clientSecret") && !has("clientId")) {
    reader.trouble("clientSecret", "there is no clientId that it belongs to", `write "clientId": "…"`)
  }
  return {
    texts: TEXTS.flatMap((key) => {
      const text = reader.read(key, Field.text, null)
      return text === null ? [] : [[key, text] as const]
    }),
    scopes: reader.read("scopes", scopes, null),
    callbackPort: reader.read("callbackPort", port, null),
    grant
  }
}

const NEEDS_ID = "signing in as this program needs a clientId"
const NEEDS_SECRET = "signing in as this program needs a secret, or a key"

const wrong: Field.Decoder<null> = (node, key) =>
  Result.fail(Field.mismatch(node, key, "false, or an object", `write "oauth": { "clientId": "…" }, or leave it out`))

/** One text may hold several, as OAuth itself writes them. */
const scopes: Field.Decoder<ReadonlyArray<Field.Written>> = (node, key) =>
  node.type === "string" ? Result.map(Field.text(node, key), (written) => [written]) : Field.texts(node, key)

const port: Field.Decoder<number> = (node, key) =>
  node.type === "number" && Number.isInteger(node.value) && node.value > 0 && node.value < 65536
    ? Result.succeed(node.value)
    : Result.fail(Field.mismatch(node, key, "a port from 1 to 65535", "write a number such as 8123"))

const unknownOAuthKeys = (key: string): string => {
  const meant = nearest(key, KEYS, 1)
  return `unknown key, not read${meant.length === 0 ? "" : `; did you mean ${meant.join()}?`}`
}

// Whether an entry is on. A server that was meant to be off must not start because something about its switch is wrong.

/** The keys that switch a server on and off. */
export const SWITCH_KEYS: ReadonlyArray<string> = ["enabled", "disabled"]

/** True for a member that only a slip of the pen can have made of a switch. */
export const isLike = (member: Member): boolean => !SWITCH_KEYS.includes(member.key) && slipOf(member) !== null

/** Reads the switches. Either is honoured, and off wins; what is wrong with one keeps the entry from being used. */
export const isOn = (reader: EntryReader): boolean => {
  const enabled = reader.read("enabled", Field.flag, undefined)
  const disabled = reader.read("disabled", Field.flag, undefined)
  if (enabled !== undefined && enabled === disabled) {
    reader.remark("disabled", "contradicts \"enabled\"; the server is disabled")
  }
  refuseOdd(reader)
  return !says(reader, "enabled", false) && !says(reader, "disabled", true)
}

const says = (reader: EntryReader, wanted: string, flag: boolean): boolean =>
  reader.node.members.some(({ key, value }) => key === wanted && value.type === "boolean" && value.value === flag)

/** Mistyped switches, unless they say on, and those of several of one name that are neither true nor false. */
const refuseOdd = (reader: EntryReader): void => {
  for (const member of reader.node.members) {
    const { at, key, value } = member
    const path = member.path ?? `${reader.path}.${key}`
    const slip = slipOf(member)
    if (SWITCH_KEYS.includes(key)) {
      const isHidden = reader.keys.get(key) !== member && value.type !== "boolean"
      if (isHidden) reader.troubles.push(Field.mismatch(value, path, "true or false", "write the key once"))
    } else if (slip !== null && !slip.isOn) {
      const detail = `unknown key; did you mean ${slip.meant}? The server does not start until that is clear`
      reader.troubles.push({ at, key: path, detail, hint: `write "${slip.meant}", or leave the key out` })
    }
  }
}

/** Which switch a member was meant to be, and whether it says on, whichever was meant. */
const slipOf = ({ key, value }: Member): { readonly meant: string; readonly isOn: boolean } | null => {
  const [inner] = value.type === "object" && value.members.length === 1 ? value.members : []
  // In TOML a stray dot makes two keys of one.
  const words = [...meantBy(key), ...(inner === undefined ? [] : meantBy(`${key}${inner.key}`))]
  const [meant] = words
  if (meant === undefined) return null
  return { meant, isOn: words.every((word) => value.type === "boolean" && value.value === (word === "enabled")) }
}

/** The switches that a key may have been meant to be, the nearest first; one alone when only its capitals are odd. */
const meantBy = (key: string): ReadonlyArray<string> => {
  if (key.length > MAX_LENGTH) return []
  const letters = key.toLowerCase()
  const near = SWITCH_KEYS.filter((word) => missing(letters, word) <= MAX_SLIPS)
    .map((word) => ({ word, count: slips(letters, word) }))
    .toSorted((a, b) => a.count - b.count)
  const limit = near[0]?.count === 0 ? 0 : MAX_SLIPS
  return near.filter(({ count }) => count <= limit).map(({ word }) => word)
}

/** How many letters of a word a key has nowhere: no fewer slips make it of the key, and counting those takes long. */
const missing = (key: string, word: string): number => [...word].filter((letter) => !key.includes(letter)).length

const MAX_SLIPS = 3
const MAX_LENGTH = 11
