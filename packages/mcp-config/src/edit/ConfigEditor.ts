/**
 * Changes to the text of a configuration file in the native shape. Everything else stays as it was
 * written: comments, order, indentation, line endings, a byte order mark, unknown keys.
 */
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Recognition from "../shapes/Recognition.ts"
import type { ShapeName } from "../shapes/Shape.ts"
import * as JsonEdit from "../text/JsonEdit.ts"
import * as JsonNode from "../text/JsonNode.ts"
import { byKey, type ObjectNode } from "../text/JsonNode.ts"
import * as EntryText from "./EntryText.ts"

/** Why a text was not changed. */
export type Refusal =
  /** The text is not JSON, or not an object of servers where one is needed. Lines and columns start at 1. */
  | { readonly _tag: "Unreadable"; readonly fault: JsonNode.Fault }
  /** The text is in another application's words, which a native entry would spoil or be lost in. */
  | { readonly _tag: "Foreign"; readonly shape: ShapeName }
  /** The name to add is there; `at` is where. */
  | { readonly _tag: "NameTaken"; readonly name: string; readonly at: JsonNode.Place }
  /** The name to change is not there; `names` are those that are. */
  | { readonly _tag: "NameUnknown"; readonly name: string; readonly names: ReadonlyArray<string> }

/** Facts about the file of a text. */
export interface EditOptions {
  /** True for a `.mcprc`: its servers may stand at the top. Default false. */
  readonly bare?: boolean
}

/**
 * Adds a server after all others. A text without anything in it becomes a whole file. Refuses a name that is there, unless
 * its entry is an example as it was shipped: that one is replaced.
 */
export const addServer = (
  text: string,
  name: string,
  entry: Schema.JsonObject,
  options: EditOptions = {}
): Result.Result<string, Refusal> => putServers(text, [{ name, entry, isNew: true }], options)

/**
 * Makes a server's entry say exactly this, whether it was there or not. An entry that was there keeps its place, the
 * order of its keys, and the text of every key whose value stays.
 */
export const setServer = (
  text: string,
  name: string,
  entry: Schema.JsonObject,
  options: EditOptions = {}
): Result.Result<string, Refusal> => putServers(text, [{ name, entry, isNew: false }], options)

/** A server to write. */
export interface Put {
  readonly name: string
  readonly entry: Schema.JsonObject
  /** True for a server that must not be there yet. */
  readonly isNew: boolean
}

/** Adds and changes servers, as `addServer` and `setServer` do, in linear time. Refuses all of them with the first. */
export const putServers = (
  text: string,
  servers: ReadonlyArray<Put>,
  options: EditOptions = {}
): Result.Result<string, Refusal> =>
  Result.flatMap(open(text, options), (file) => {
    const seen = new Set<string>()
    for (const { isNew, name } of servers) {
      const at = file.servers.get(name)?.at ?? (seen.has(name) ? JsonNode.START : undefined)
      if (isNew && at !== undefined && !isExample(file, name)) return Result.fail({ _tag: "NameTaken", name, at })
      seen.add(name)
      if (file.isThere && file.path.length === 0 && name === SERVERS) {
        return unreadable({
          ...JsonNode.START,
          detail: `a server called ${SERVERS} would hide all others of this file`
        })
      }
    }
    return Result.succeed(file.mark + put(file, servers))
  })

/**
 * Removes a server, however often its name is written. A comment on the lines of the entry goes with it, every other
 * comment stays. Refuses a name that is not there.
 */
export const removeServer = (text: string, name: string, options: EditOptions = {}): Result.Result<string, Refusal> =>
  Result.flatMap(open(text, options), (file) =>
    file.servers.has(name)
      ? Result.succeed(file.mark + JsonEdit.remove(file.body, file.path, name))
      : unknown(file, name))

/**
 * Enables or disables a server. The key that is there (`enabled` or `disabled`) is set, so that the two never disagree
 * afterwards; of both only `enabled` stays; without either only disabling writes one. Refuses a name that is not there.
 */
export const setEnabled = (
  text: string,
  name: string,
  isEnabled: boolean,
  options: EditOptions = {}
): Result.Result<string, Refusal> =>
  Result.flatMap(open(text, options), (file) => {
    const entry = file.servers.get(name)?.value
    if (entry === undefined) return unknown(file, name)
    if (entry.type !== "object") return unreadable({ ...entry.at, detail: `${name} is not an object` })
    return Result.succeed(file.mark + withFlag(file, name, byKey(entry.members), isEnabled))
  })

/**
 * Has a server's entry offer its writing tools (`"writes": "ask"`), or takes that out of it. An entry that says `"off"` is
 * left as it is by `off`. Refuses a name that is not there.
 */
export const setWrites = (
  text: string,
  name: string,
  writes: "off" | "ask",
  options: EditOptions = {}
): Result.Result<string, Refusal> =>
  Result.flatMap(open(text, options), (file) => {
    const entry = file.servers.get(name)?.value
    if (entry === undefined) return unknown(file, name)
    if (entry.type !== "object") return unreadable({ ...entry.at, detail: `${name} is not an object` })
    const said = byKey(entry.members).get(WRITES)?.value
    const path = [...file.path, name]
    if (said?.type === "string" && said.value === writes) return Result.succeed(text)
    if (writes === "ask") return Result.succeed(file.mark + JsonEdit.set(file.body, path, [[WRITES, writes]], 0))
    return Result.succeed(file.mark + (said === undefined ? file.body : JsonEdit.remove(file.body, path, WRITES)))
  })

const WRITES = "writes"

/** The text of a server's entry, comments and all. Refuses a name that is not there, and an entry that is no object. */
export const entryText = (
  text: string,
  name: string,
  options: EditOptions = {}
): Result.Result<EntryText.EntryText, Refusal> =>
  Result.flatMap(open(text, options), (file) => {
    const entry = file.servers.get(name)?.value
    const part = JsonEdit.textOf(file.body, file.path, name)
    if (entry === undefined || part === null) return unknown(file, name)
    if (entry.type !== "object") return unreadable({ ...entry.at, detail: `${name} is not an object` })
    return Result.succeed({ text: EntryText.shown(part.text), at: entry.at })
  })

/**
 * Writes the text of a server's entry, in the indentation of its file, and gives the server another name if one is given.
 * Every byte outside of the entry and its name stays. The text must be an entry (`EntryText.read`). Refuses a name that is
 * not there, and a new one that is.
 */
export const setEntryText = (
  text: string,
  name: string,
  entry: string,
  options: EditOptions & { readonly newName?: string } = {}
): Result.Result<string, Refusal> =>
  Result.flatMap(Result.andThen(entryText(text, name, options), open(text, options)), (file) => {
    const { newName = name } = options
    const taken = newName === name ? undefined : file.servers.get(newName)
    if (taken !== undefined) return Result.fail({ _tag: "NameTaken", name: newName, at: taken.at })
    const change = (part: string) =>
      EntryText.shown(part) === entry ? part : EntryText.placed(entry, part, JsonEdit.eolOf(file.body))
    const changed = JsonEdit.within(file.body, file.path, new Map([[name, change]]))
    return Result.succeed(
      file.mark + (newName === name ? changed : JsonEdit.rename(changed, file.path, name, newName))
    )
  })

/** The names of the servers in a text that are examples as they were shipped: nobody made them their own yet. */
export const examples = (text: string, options: EditOptions = {}): ReadonlyArray<string> =>
  Result.match(open(text, options), {
    onFailure: () => [],
    onSuccess: (file) => [...file.servers.keys()].filter((name) => isExample(file, name))
  })

/** The names of the servers in a text, in the order they are written. */
export const names = (text: string, options: EditOptions = {}): Result.Result<ReadonlyArray<string>, Refusal> =>
  Result.map(open(text, options), (file) => [...file.servers.keys()])

interface OpenFile {
  /** The byte order mark, or nothing. */
  readonly mark: string
  /** The text after it. */
  readonly body: string
  /** Where the servers stand. */
  readonly path: JsonEdit.KeyPath
  /** False when there is no object of servers yet. */
  readonly isThere: boolean
  readonly servers: ReadonlyMap<string, JsonNode.Member>
}

const SERVERS = "mcpServers"

const open = (text: string, options: EditOptions): Result.Result<OpenFile, Refusal> => {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : ""
  const body = text.slice(mark.length)
  const file = { mark, body, path: [SERVERS], isThere: false, servers: new Map<string, JsonNode.Member>() }
  if (body.trim() === "") return Result.succeed(file)
  const root = JsonNode.parse(body)
  if (Result.isFailure(root)) return unreadable(root.failure)
  const shape = Recognition.shapeOf(root.success, options.bare)
  if (shape !== "native") return Result.fail({ _tag: "Foreign", shape })
  if (root.success.type !== "object") return unreadable({ ...root.success.at, detail: "expected an object" })
  const wrapped = byKey(root.success.members).get(SERVERS)
  const bare = bareServers(root.success)
  if (options.bare === true && wrapped?.value.type !== "object" && bare.size > 0) {
    return Result.succeed({ ...file, path: [], isThere: true, servers: bare })
  }
  if (wrapped === undefined) return Result.succeed(file)
  if (wrapped.value.type === "object") {
    return Result.succeed({ ...file, isThere: true, servers: byKey(wrapped.value.members) })
  }
  return unreadable({ ...wrapped.value.at, detail: `"${SERVERS}" must be an object of servers by name` })
}

/** The servers of a file that has them at the top, where `$schema` and the like are none. */
const bareServers = (root: ObjectNode): ReadonlyMap<string, JsonNode.Member> =>
  byKey(root.members.filter(({ key, value }) => !key.startsWith("$") || value.type === "object"))

const isExample = ({ servers }: OpenFile, name: string): boolean => {
  const entry = servers.get(name)
  return entry !== undefined && isUntouched(name, JsonNode.toValue(entry.value))
}

const unreadable = (fault: JsonNode.Fault): Result.Result<never, Refusal> => Result.fail({ _tag: "Unreadable", fault })

const unknown = (file: OpenFile, name: string): Result.Result<never, Refusal> =>
  Result.fail({ _tag: "NameUnknown", name, names: [...file.servers.keys()] })

const put = (file: OpenFile, servers: ReadonlyArray<Put>): string => {
  const { body, path } = file
  const members = servers.map(({ entry, name }) => [name, entry] as const)
  if (members.length === 0) return body
  if (body.trim() === "") {
    const style = { ...JsonEdit.PLAIN, eol: JsonEdit.eolOf(body) }
    return JsonEdit.print({ [SERVERS]: Object.fromEntries(members) }, "", style, 3) + style.eol
  }
  if (!file.isThere) return JsonEdit.set(body, [], [[SERVERS, Object.fromEntries(members)]], 2)
  const isObject = ([name]: readonly [string, unknown]) => file.servers.get(name)?.value.type === "object"
  const change = ([name, entry]: readonly [string, Schema.JsonObject]) =>
    [name, (part: string, around: JsonEdit.Around) => reconciled(part, entry, around)] as const
  const changed = JsonEdit.within(body, path, new Map(members.filter(isObject).map(change)))
  return JsonEdit.set(changed, path, members.filter((member) => !isObject(member)), 1)
}

/** The text of an entry that says exactly this. Changes only the keys whose value changes. */
export const reconciled = (text: string, entry: Schema.JsonObject, around?: JsonEdit.Around): string => {
  const old = Result.getOrElse(JsonNode.parse(text), () => null)
  const keys = old?.type === "object" ? [...byKey(old.members).keys()] : []
  const gone = keys.filter((key) => !Object.hasOwn(entry, key))
  const kept = gone.reduce((left, key) => JsonEdit.remove(left, [], key), text)
  const changed = Object.entries(entry).filter(([key, value]) => !Equal.equals(JsonEdit.valueAt(kept, [], key), value))
  return JsonEdit.set(kept, [], changed, 0, around)
}

const withFlag = (
  file: OpenFile,
  name: string,
  keys: ReadonlyMap<string, JsonNode.Member>,
  isEnabled: boolean
): string => {
  const path = [...file.path, name]
  const set = (key: string, value: boolean) => {
    const before = keys.get(key)?.value
    const isSaid = before?.type === "boolean" && before.value === value
    return isSaid ? file.body : JsonEdit.set(file.body, path, [[key, value]], 0)
  }
  if (keys.has("enabled")) return JsonEdit.remove(set("enabled", isEnabled), path, "disabled")
  if (keys.has("disabled")) return set("disabled", !isEnabled)
  return isEnabled ? file.body : set("enabled", false)
}

/** The examples by name, as they are shipped. */
export const shipped: Readonly<Record<string, Schema.JsonObject>> = {
  context7: {
    type: "streamableHttp",
    url: "https://mcp.context7.com/mcp",
    headers: { "X-API-Key": "${CONTEXT7_API_KEY:-}" },
    enabled: false
  },
  codecontext: {
    type: "stdio",
    command: "/usr/local/bin/codecontext",
    args: ["--mcp"],
    env: { WORKSPACE: "/opt" },
    enabled: false
  }
}

/** True for an example that still says what it said when it was shipped; comments and layout do not count. */
const isUntouched = (name: string, entry: Schema.Json): boolean =>
  Object.hasOwn(shipped, name) && Equal.equals(shipped[name], entry)
