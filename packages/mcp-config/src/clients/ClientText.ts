/** The text of another application's file with BooCode's entry in it, and back. All else stays as it is written. */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as NativeEntry from "../entry/NativeEntry.ts"
import * as OwnEntry from "../entry/OwnEntry.ts"
import * as ConfigExport from "../exchange/ConfigExport.ts"
import * as ShapeText from "../exchange/ShapeText.ts"
import type { ServerEntry } from "../model/ServerEntry.ts"
import * as ConfigShape from "../shapes/ConfigShape.ts"
import type { KeyPath } from "../text/JsonEdit.ts"
import * as JsonNode from "../text/JsonNode.ts"
import * as Nodes from "../text/Nodes.ts"
import type { Client } from "./Clients.ts"

/** The name of BooCode's entry in files of other applications. */
export const NAME = "boocode"

/** A server that was switched off there, with what brings it back. */
export interface Switched {
  readonly name: string
  /** The entry itself; null for one that stays and has a switch. */
  readonly entry: Schema.Json | null
  /** The value that the switch had; null for none. */
  readonly was: Schema.Json | null
}

/** The content of a file, as far as it matters here. */
export interface Look {
  /** BooCode's entry, whichever installation it starts; null for none. */
  readonly own: { readonly value: Schema.Json; readonly args: ReadonlyArray<string> } | null
  /** The other servers of the person, in the order of the file. */
  readonly servers: ReadonlyArray<ServerEntry>
}

/** Reads and changes the files of one application. */
export interface ClientText {
  /** Fails when the text is not the application's. */
  readonly look: (text: string) => Result.Result<Look, JsonNode.Fault>
  /** The text with BooCode's entry, and without the servers of these names or with them switched off. */
  readonly connect: (
    text: string,
    entry: Schema.JsonObject,
    off: ReadonlyArray<string>
  ) => Result.Result<{ readonly text: string; readonly switched: ReadonlyArray<Switched> }, JsonNode.Fault>
  /**
   * The text without BooCode's entry, and with the servers that were switched off. `left` are the names of those that a
   * person has changed since, which stay as they are.
   */
  readonly disconnect: (
    text: string,
    switched: ReadonlyArray<Switched>
  ) => Result.Result<{ readonly text: string; readonly left: ReadonlyArray<string> }, JsonNode.Fault>
  /** BooCode's entry in the application's words. */
  readonly encode: (entry: Schema.JsonObject) => Schema.JsonObject
}

/** Gives what changes the files of an application. */
export const make = Effect.fnUntraced(function*(client: Client) {
  const shape = ConfigShape.named(client.shape)
  const file: File = { client, shape, language: yield* ShapeText.language(shape.format) }
  return {
    look: (text) => Result.map(open(file, text), ({ own, servers }) => ({ own, servers })),
    connect: (text, entry, off) => connect(file, text, entry, off),
    disconnect: (text, switched) => disconnect(file, text, switched),
    encode: (entry) => ConfigExport.encode(entriesOf({ [NAME]: entry }), client.shape)[0]?.value ?? entry
  } satisfies ClientText
})

interface File {
  readonly client: Client
  readonly shape: ConfigShape.Shape
  readonly language: ShapeText.Language
}

interface Opened extends Look {
  readonly root: Schema.Json
  /** The keys that lead to the servers. */
  readonly path: KeyPath
  readonly values: ReadonlyMap<string, Schema.Json>
}

const CONTEXT: ConfigShape.Context = { workspace: null, isWindows: false, isBare: false, standing: [] }

const entriesOf = (servers: Schema.JsonObject): ReadonlyArray<ServerEntry> =>
  NativeEntry.decodeServers(JsonNode.fromValue(servers)).entries

const open = (file: File, text: string): Result.Result<Opened, JsonNode.Fault> => {
  if (text.trim() === "") return Result.succeed({ ...NOTHING, path: file.shape.path })
  return Result.flatMap(file.language.read(text), (node) => {
    const path = ShapeText.homeOf(node, file.shape.path)
    if (path === null) return Result.fail(elsewhere(node, file))
    return Result.map(ConfigShape.find(node, file.client.shape, CONTEXT), ({ servers }) => {
      const map = Nodes.objectAt(node, path)?.members ?? []
      const values = new Map(map.map(({ key, value }) => [key, JsonNode.toValue(value)] as const))
      const entries = servers.flatMap((member) =>
        ConfigShape.contentOf({ servers: [member], notes: [], skipped: [] }).entries.map((entry) => ({
          entry,
          key: member.key
        }))
      )
      const own = entries.find(({ entry, key }) => key === NAME && OwnEntry.isOwn(entry))?.entry
      return {
        ...{ root: JsonNode.toValue(node), path, values },
        own: own === undefined ? null : { value: values.get(NAME) ?? null, args: argsOf(own) },
        servers: entries.map(({ entry }) => entry).filter((entry) => !OwnEntry.isOwn(entry))
      }
    })
  })
}

const NOTHING = { root: {}, values: new Map<string, Schema.Json>(), own: null, servers: [] }

const argsOf = ({ declaration }: ServerEntry): ReadonlyArray<string> => {
  if (Result.isFailure(declaration)) return []
  const { transport } = declaration.success
  return transport._tag === "stdio" ? transport.args.map(({ text }) => text) : []
}

const elsewhere = (root: JsonNode.JsonNode, { shape }: File): JsonNode.Fault => ({
  ...root.at,
  detail: `this is not a file of ${shape.title} with its servers under "${shape.path.join(".")}"`
})

const connect: (file: File, ...args: Parameters<ClientText["connect"]>) => ReturnType<ClientText["connect"]> = (
  file,
  text,
  entry,
  off
) =>
  Result.flatMap(open(file, text), (opened) => {
    if (opened.own === null && opened.values.has(NAME)) return Result.fail(taken(file, text))
    const key = file.client.off === null
      ? null
      : opened.path.length > file.shape.path.length
      ? "disabled"
      : file.client.off
    const switched = off.flatMap((name) => {
      const value = opened.values.get(name)
      return value === undefined || name === NAME ? [] : [switchOf(name, value, key)]
    })
    const edits = [
      ...switched.map(({ entry, name }): Edit =>
        entry === null && key !== null
          ? { path: [...opened.path, name], key, value: key === "disabled" }
          : { path: opened.path, key: name, value: undefined }
      ),
      ...(Equal.equals(opened.values.get(NAME), entry) ? [] : [{ path: opened.path, key: NAME, value: entry }])
    ]
    return Result.map(applied(file, text, opened.root, edits), (changed) => ({ text: changed, switched }))
  })

const switchOf = (name: string, value: Schema.Json, key: string | null): Switched => {
  const has = (one: Schema.Json): one is Schema.JsonObject => typeof one === "object" && one !== null
  if (key === null || !has(value)) return { name, entry: value, was: null }
  return { name, entry: null, was: value[key] ?? null }
}

const taken = ({ shape }: File, text: string): JsonNode.Fault => {
  const line = text.slice(0, Math.max(0, text.indexOf(NAME))).split("\n").length
  return {
    line,
    column: 1,
    detail: `${shape.title} has another server called ${NAME}; give that one another name`
  }
}

const disconnect: (file: File, ...args: Parameters<ClientText["disconnect"]>) => ReturnType<ClientText["disconnect"]> =
  (
    file,
    text,
    switched
  ) =>
    Result.flatMap(open(file, text), (opened) => {
      const back = switched.map((one) => ({ one, edit: editBack(file, opened, one) }))
      const edits = back.flatMap(({ edit }) => edit === null ? [] : [edit])
      const own: ReadonlyArray<Edit> = opened.own === null ? [] : [{ path: opened.path, key: NAME, value: undefined }]
      return Result.map(applied(file, text, opened.root, [...own, ...edits]), (changed) => ({
        text: changed,
        left: back.filter(({ edit }) => edit === null).map(({ one }) => one.name)
      }))
    })

/** Brings back what a person has not changed since. */
const editBack = (file: File, { path, values }: Opened, { entry, name, was }: Switched): Edit | null => {
  const now = values.get(name)
  if (entry !== null) return now === undefined ? { path, key: name, value: entry } : null
  const key = path.length > file.shape.path.length ? "disabled" : file.client.off ?? "enabled"
  const isOff = typeof now === "object" && now !== null && Reflect.get(now, key) === (key === "disabled")
  return isOff ? { path: [...path, name], key, value: was ?? undefined } : null
}

/** A member to set, or to remove where there is no value. */
interface Edit {
  readonly path: KeyPath
  readonly key: string
  readonly value: Schema.Json | undefined
}

/** Makes the changes one by one, and reads the text again: it must hold just them. */
const applied = (
  { language, shape }: File,
  text: string,
  root: Schema.Json,
  edits: ReadonlyArray<Edit>
): Result.Result<string, JsonNode.Fault> => {
  if (edits.length === 0) return Result.succeed(text)
  const wanted = edits.reduce(
    (value, { key, path, value: one }) => ShapeText.withMembers(value, path, [[key, one]]),
    root
  )
  if (text.trim() === "") return orUnsound(language.print(ShapeText.withMembers(wanted, [], [])))
  const changed = edits.reduce<string | null>(
    (left, { key, path, value }) =>
      left === null
        ? null
        : value === undefined
        ? language.remove(left, path, key)
        : language.set(left, path, [[key, value]]),
    text
  )
  const again = changed === null ? null : Result.getOrNull(language.read(changed))
  const isSound = again !== null && Equal.equals(JsonNode.toValue(again), wanted)
  return orUnsound(isSound ? changed : null, shape.title)
}

const orUnsound = (text: string | null, title = "it"): Result.Result<string, JsonNode.Fault> =>
  text === null
    ? Result.fail({
      ...JsonNode.START,
      detail: `this text of ${title} cannot be changed without harm; change it by hand`
    })
    : Result.succeed(text)
