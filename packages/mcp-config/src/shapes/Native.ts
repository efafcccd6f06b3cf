/**
 * The native shape: `{ "mcpServers": { NAME: { … } } }`, and for `.mcprc` also the bare map of names.
 */
import { ToolGlob } from "@boocode/tool-glob"
import type * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Field from "../Field.ts"
import type { Fault, JsonNode, Member } from "../JsonNode.ts"
import { nearest } from "../Nearest.ts"
import { LOG_LEVELS } from "../ServerConfig.ts"
import type {
  Declaration,
  EntryOptions,
  HttpEntry,
  Remark,
  ServerEntry,
  ShapeContent,
  StdioEntry
} from "../ServerEntry.ts"
import * as ServerName from "../ServerName.ts"
import { DEFAULTS } from "./Defaults.ts"
import { byKey, EntryReader, type ObjectNode, repeatedKeys } from "./EntryReader.ts"
import { COUNTERPARTS, HTTP_KEYS, isSilent, NATIVE_KEYS, STDIO_KEYS } from "./NativeKeys.ts"
import * as OAuthKeys from "./OAuthKeys.ts"
import * as Switch from "./Switch.ts"

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
  const enabled = Switch.isOn(reader)
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
    ...OAuthKeys.read(reader),
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
    const rule = Switch.KEYS.includes(key) ? "if one of them says off, the server is off" : "the last one counts"
    reader.remark(key, `is written more than once; ${rule}`)
  }
  for (const [key, member] of reader.keys) {
    if (!NATIVE_KEYS.includes(key) && !isSilent(key) && !Switch.isLike(member)) reader.remark(key, unknown(key))
  }
}

const unknown = (key: string): string => {
  const counterpart = COUNTERPARTS.get(key)
  const meant = counterpart === undefined ? nearest(key, NATIVE_KEYS, 1) : [counterpart]
  return `unknown key, not read${meant.length === 0 ? "" : `; did you mean ${meant.join()}?`}`
}
