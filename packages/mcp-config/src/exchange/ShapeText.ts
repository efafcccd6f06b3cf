/** Changes to the text of another application's file, in whichever language it is written. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as ConfigText from "../text/ConfigText.ts"
import * as JsonEdit from "../text/JsonEdit.ts"
import type { JsonNode } from "../text/JsonNode.ts"
import * as JsonObjectText from "../text/JsonObjectText.ts"
import * as Nodes from "../text/Nodes.ts"

/** A language with its reader and writer. Unchanged parts stay as they are written, comments too. */
export interface Language {
  readonly read: ConfigText.Reader
  /** A text of its own. Null when the language has no way to write some value, such as half a surrogate pair. */
  readonly print: (value: Schema.JsonObject) => string | null
  /** Sets members of the object under a path, which is made where there is none. Null when that cannot be written. */
  readonly set: (text: string, path: JsonEdit.KeyPath, members: JsonEdit.Members) => string | null
  /** Removes a member of the object under a path. Null when the text would be another one without it. */
  readonly remove: (text: string, path: JsonEdit.KeyPath, key: string) => string | null
}

/** Gives a language. Those of TOML and YAML are loaded when a file needs them. */
export const language = (format: ConfigText.Format): Effect.Effect<Language> =>
  Effect.zipWith(ConfigText.reader(format), pen(format), (read, found) => ({ read, ...found }))

type Pen = Omit<Language, "read">

const pen = (format: ConfigText.Format): Effect.Effect<Pen> => {
  if (format === "json") return Effect.succeed({ print: printJson, set: setJson, remove: removeJson })
  const load = format === "toml"
    ? Effect.promise(() => import("../text/TomlText.ts"))
    : Effect.promise(() => import("../text/YamlNode.ts"))
  return Effect.map(load, ({ print, remove, set }) => ({
    print: (value) => Result.getOrNull(print(value)),
    set: (text, path, members) => Result.getOrNull(set(text, path, members)),
    remove: (text, path, key) => Result.getOrNull(remove(text, path, key))
  }))
}

const printJson = (value: Schema.JsonObject): string => `${JsonEdit.print(value, "", JsonEdit.PLAIN, 3)}\n`

const MARK = "\uFEFF"

/** JSON without its byte order mark, which stays. */
const inBody = (text: string, change: (body: string) => string): string =>
  text.startsWith(MARK) ? MARK + change(text.slice(MARK.length)) : change(text)

const setJson = (text: string, path: JsonEdit.KeyPath, members: JsonEdit.Members): string =>
  inBody(text, (body) => {
    const there = path.findIndex((key, at) => !isObject(JsonEdit.valueAt(body, path.slice(0, at), key)))
    if (there < 0) return JsonEdit.set(body, path, members, 1)
    const key = path[there] ?? ""
    const inner = path.slice(there + 1).reduceRight<Schema.JsonObject>(
      (value, name) => ({ [name]: value }),
      Object.fromEntries(members)
    )
    return JsonEdit.set(body, path.slice(0, there), [[key, inner]], path.length - there + 1)
  })

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null

const removeJson = (text: string, path: JsonEdit.KeyPath, key: string): string =>
  inBody(text, (body) => JsonEdit.remove(body, path, key))

/** The value of a tree with other members under a path; undefined removes one. */
export const withMembers = (
  value: Schema.Json,
  path: JsonEdit.KeyPath,
  members: ReadonlyArray<readonly [string, Schema.Json | undefined]>
): Schema.JsonObject => {
  const object = JsonObjectText.isObject(value) ? value : {}
  const [first, ...rest] = path
  if (first !== undefined) return { ...object, [first]: withMembers(object[first] ?? {}, rest, members) }
  const all = new Map([...Object.entries(object), ...members])
  return Object.fromEntries([...all].flatMap(([key, one]) => one === undefined ? [] : [[key, one] as const]))
}

/**
 * The keys that lead to the servers of a file; null for one that keeps them elsewhere, as settings of editors may.
 * opencode has two forms.
 */
export const homeOf = (root: JsonNode, path: JsonEdit.KeyPath): JsonEdit.KeyPath | null => {
  const value = path.reduce<JsonNode | undefined>((node, key) => Nodes.memberOf(node, key)?.value, root)
  if (root.type !== "object" || value !== undefined && value.type !== "object") return null
  return value !== undefined && isSecond(value) ? [...path, "servers"] : path
}

/** opencode's second form. */
const isSecond = (servers: JsonNode): boolean => {
  const inner = Nodes.objectAt(servers, ["servers"])
  return inner !== null && inner.members.every(({ value }) => value.type === "object")
}
