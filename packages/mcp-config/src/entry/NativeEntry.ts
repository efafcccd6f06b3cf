/** The native shape: `{ "mcpServers": { NAME: { … } } }`, and for `.mcprc` also the bare map of names. */
import { ToolGlob } from "@boocode/tool-glob"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { DEFAULTS, GENERAL, HTTP, type Option, OPTIONS, STDIO } from "../model/EntryKeys.ts"
import { nearest } from "../model/Nearest.ts"
import type {
  Declaration,
  EntryOptions,
  HttpEntry,
  Remark,
  ServerEntry,
  ShapeContent,
  StdioEntry
} from "../model/ServerEntry.ts"
import * as ServerName from "../model/ServerName.ts"
import { mismatch, type Trouble } from "../text/Field.ts"
import { byKey, type Fault, type JsonNode, type Member, type ObjectNode, repeatedKeys } from "../text/JsonNode.ts"
import { isLike, isOn, SWITCH_KEYS } from "./EnabledSwitch.ts"
import { EntryReader } from "./EntryReader.ts"
import { COUNTERPARTS, HTTP_KEYS, isLikeAudience, isSilent, NATIVE_KEYS, STDIO_KEYS } from "./NativeKeys.ts"
import * as OAuthEntry from "./OAuthEntry.ts"
import * as ProjectTightening from "./ProjectTightening.ts"

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
    const fault = mismatch(member.value, key, {
      wanted: "an object",
      hint: "write { \"command\": … } or { \"url\": … }"
    })
    const base = { name, at, key, transport: null, enabled: true, remarks: repetition, projectRemarks: [] }
    return { ...base, declaration: Result.fail([fault]) }
  }
  const reader = new EntryReader(key, member.value)
  const enabled = isOn(reader)
  const transport = readTransport(reader)
  const options = readOptions(reader)
  refuseOddAudience(reader)
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
    ...audienceOf(reader, options),
    declaration: settle(reader, transport, options),
    remarks: [...repetition, ...reader.remarks],
    projectRemarks: ProjectTightening.remarks(reader, options)
  }
}

/** Keeps an entry with a mistyped `for` from being used. */
const refuseOddAudience = (reader: EntryReader): void => {
  for (const { at, key, path } of reader.node.members) {
    if (!isLikeAudience(key)) continue
    const detail = "unknown key; did you mean for? The server is for nobody until that is clear"
    reader.troubles.push({
      at,
      key: path ?? `${reader.path}.${key}`,
      detail,
      hint: "write \"for\", or leave the key out"
    })
  }
}

/** A mistake must not show everybody a server that was meant for some. */
const audienceOf = (reader: EntryReader, options: EntryOptions): Pick<ServerEntry, "audience"> =>
  [...reader.keys.keys()].some((key) => key === "for" || isLikeAudience(key)) ? { audience: options.for ?? [] } : {}

const settle = (
  reader: EntryReader,
  transport: Declaration["transport"] | null,
  options: EntryOptions
): ServerEntry["declaration"] => {
  const [first, ...more] = reader.troubles.toSorted(byPlace)
  if (first !== undefined) return Result.fail([first, ...more])
  return transport === null ? Result.fail([neither(reader)]) : Result.succeed({ transport, options })
}

const byPlace = (a: Trouble, b: Trouble): number => a.at.line - b.at.line || a.at.column - b.at.column

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

const neither = (reader: EntryReader): Trouble => ({
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
  reader.read("type", GENERAL.type, null)
  const kind = kindOf(reader)
  if (kind === null) return null
  remarkMisplaced(reader, kind === "stdio" ? HTTP_KEYS : STDIO_KEYS, kind)
  return kind === "stdio" ? readStdio(reader) : readHttp(reader, kind)
}

const readStdio = (reader: EntryReader): StdioEntry | null => {
  const command = reader.text("command", STDIO.command)
  const stdio = {
    _tag: "stdio" as const,
    args: reader.texts("args", STDIO.args) ?? [],
    env: reader.textMap("env", STDIO.env),
    cwd: reader.text("cwd", STDIO.cwd),
    envFile: reader.text("envFile", STDIO.envFile),
    inheritEnv: reader.read("inheritEnv", STDIO.inheritEnv, [])
  }
  if (command !== null) return { ...stdio, command }
  if (reader.keys.has("command")) return null
  return reader.trouble("command", "a stdio server needs a command", "write the program to start as \"command\"")
}

const readHttp = (reader: EntryReader, kind: HttpEntry["_tag"]): HttpEntry | null => {
  const url = reader.text("url", HTTP.url)
  const http = {
    _tag: kind,
    ...(reader.keys.has("type") ? {} : { mayBeSse: true }),
    headers: reader.textMap("headers", HTTP.headers),
    headersHelper: reader.text("headersHelper", HTTP.headersHelper),
    ...OAuthEntry.read(reader),
    ...(reader.read("publicOnly", HTTP.publicOnly, false) ? { publicOnly: true } : {})
  }
  if (url === null) {
    return reader.keys.has("url")
      ? null
      : reader.trouble("url", "this type needs a url", "write the address as \"url\"")
  }
  if (url.text !== url.text.trim()) reader.remark("url", "spaces around the address are left out")
  return { ...http, url: { ...url, text: url.text.trim() } }
}

const readOptions = (reader: EntryReader): EntryOptions => {
  const read = <K extends keyof typeof OPTIONS>(key: K) => {
    const option: Option<unknown> = OPTIONS[key]
    return [key, reader.read(key, option.kind, option.default)] as const
  }
  const set = Struct.keys(OPTIONS).filter((key) => key !== "roots" && reader.keys.has(key))
  return {
    ...DEFAULTS,
    ...Object.fromEntries(set.map(read)),
    roots: reader.flagOrTexts("roots", OPTIONS.roots.kind)
  }
}

/** The settings as JSON has them, by key. */
export const encodeOptions = (options: EntryOptions): ReadonlyArray<readonly [keyof EntryOptions, Schema.Json]> =>
  Struct.keys(OPTIONS).map((key) => {
    const option: Option<unknown> = OPTIONS[key]
    const value = options[key]
    const texts = Array.isArray(value) ? value.map((item) => typeof item === "string" ? item : item.text) : value
    return [key, value === null ? null : option.kind.encode(texts)]
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
    if (!NATIVE_KEYS.includes(key) && !isSilent(key) && !isLike(member) && !isLikeAudience(key)) {
      reader.remark(key, OAuthEntry.unknown(key, NATIVE_KEYS, COUNTERPARTS.get(key)))
    }
  }
}
