/** Connects other applications to BooCode: one entry in the application's own file, and the way back. */
import { Clients, ClientText } from "@boocode/mcp-config/Exchange"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as ClientFile from "./ClientFile.ts"
import * as ConnectionRecord from "./ConnectionRecord.ts"
import * as GatewayEntry from "./GatewayEntry.ts"

/** An application and its file, as they are. */
export interface State {
  readonly client: Clients.Client
  /** Absolute. */
  readonly file: string
  /** Whether the application seems to be on this machine. */
  readonly isFound: boolean
  /** The profile that its entry chooses; null where it has no entry of BooCode. */
  readonly profile: string | null
  /** Its other servers that are on. */
  readonly servers: ReadonlyArray<string>
}

/** Looks at an application. Fails with `ConnectionRefused` when its file cannot be read. Changes nothing. */
export const look = Effect.fnUntraced(function*(client: Clients.Client) {
  const { file, isFound } = yield* located(client)
  const text = yield* ClientText.make(client)
  const found = yield* inFile(file, text.look((yield* ClientFile.read(file)).text ?? ""))
  return {
    ...{ client, file, isFound },
    profile: found.own === null ? null : GatewayEntry.profileOf(found.own.args),
    servers: found.servers.filter(({ enabled }) => enabled).map(({ name }) => name)
  } satisfies State
})

/** Fails with `ConnectionRefused` where `connect` would, because of what kind of file it is. Changes nothing. */
export const checked = (client: Clients.Client) => Effect.flatMap(located(client), ({ file }) => ClientFile.check(file))

/** The outcome of connecting. */
export interface Connected {
  readonly file: string
  /** False for a file that said all of it already. */
  readonly isChanged: boolean
  /** The entry, in the application's words. */
  readonly entry: Schema.JsonObject
  /** The servers that were switched off. */
  readonly switched: ReadonlyArray<string>
  /** Where the old file is kept; null where there was none, and where nothing was changed. */
  readonly kept: string | null
}

/**
 * Writes the entry for a profile into the application's file, and switches off the servers of these names there. The
 * record with which to undo it is kept in the state folder before the file is changed. Fails with `ConnectionRefused`.
 */
export const connect = Effect.fnUntraced(function*(
  client: Clients.Client,
  profile: string,
  off: ReadonlyArray<string> = []
) {
  const { file } = yield* located(client)
  yield* ClientFile.check(file)
  const text = yield* ClientText.make(client)
  const now = (yield* ClientFile.read(file)).text
  const entry = text.encode(yield* GatewayEntry.make(profile))
  const changed = yield* inFile(file, text.connect(now ?? "", entry, off))
  const names = changed.switched.map(({ name }) => name)
  if (changed.text === now) return { file, isChanged: false, entry, switched: names, kept: null } satisfies Connected
  const old = yield* oldRecord(client, file)
  const before = old !== null && old.after === now
    ? old.before
    : now === null
    ? null
    : (yield* inFile(file, text.disconnect(now, old?.switched ?? []))).text
  const earlier = old?.switched.filter(({ name }) => !names.includes(name)) ?? []
  const record = { file, before, after: changed.text, switched: [...earlier, ...changed.switched] }
  const kept = yield* keep(client, record)
  yield* Effect.onError(
    ClientFile.replace(file, now, changed.text),
    () =>
      old === null ? ConnectionRecord.remove(client.id, file) : Effect.ignore(ConnectionRecord.write(client.id, old))
  )
  return { file, isChanged: true, entry, switched: names, kept } satisfies Connected
})

/** The outcome of disconnecting. */
export interface Disconnected {
  readonly file: string
  /**
   * `restored`: the file is as it was before, byte by byte. `merged`: it was changed since, so only the entry was taken out
   * and the servers put back. `absent`: there was no entry of BooCode in it.
   */
  readonly outcome: "restored" | "merged" | "absent"
  /** The servers that are on again. */
  readonly back: ReadonlyArray<string>
  /** Servers that somebody changed since they were switched off; they stay as they are. */
  readonly left: ReadonlyArray<string>
  /** Where the old file is still kept, because of those; null where it is not. */
  readonly kept: string | null
}

/** Takes the entry out of the application's file and brings back what it was. Fails with `ConnectionRefused`. */
export const disconnect = Effect.fnUntraced(function*(client: Clients.Client) {
  const record = yield* ConnectionRecord.read(client.id)
  const file = record?.file ?? (yield* located(client)).file
  yield* ClientFile.check(file)
  const now = (yield* ClientFile.read(file)).text
  const base = { file, back: record?.switched.map(({ name }) => name) ?? [], left: [], kept: null }
  if (record !== null && now === record.after) {
    yield* record.before === null ? removed(file) : ClientFile.replace(file, now, record.before)
    yield* ConnectionRecord.remove(client.id, file)
    return { ...base, outcome: "restored" } satisfies Disconnected
  }
  const text = yield* ClientText.make(client)
  const there = yield* inFile(file, text.look(now ?? ""))
  const { left, text: after } = yield* inFile(file, text.disconnect(now ?? "", record?.switched ?? []))
  const isSame = now === null || after === now
  if (!isSame) yield* ClientFile.replace(file, now, after)
  const isKept = left.length > 0 && record !== null && record.before !== null
  const kept = isKept ? yield* keep(client, record) : null
  if (!isKept) yield* ConnectionRecord.remove(client.id, file)
  const back = isSame ? [] : base.back.filter((name) => !left.includes(name))
  return {
    ...base,
    outcome: isSame && there.own === null ? "absent" : "merged",
    back,
    left,
    kept
  } satisfies Disconnected
})

const oldRecord = (client: Clients.Client, file: string) =>
  Effect.map(ConnectionRecord.read(client.id), (record) => record?.file === file ? record : null)

const keep = (client: Clients.Client, record: ConnectionRecord.ConnectionRecord) =>
  Effect.mapError(
    ConnectionRecord.write(client.id, record),
    ({ message }) =>
      ClientFile.refused(record.file, `cannot be kept in the state folder: ${message}`, "check BOOCODE_STATE_DIR")
  )

const removed = (file: string) =>
  FileSystem.FileSystem.use((fs) => fs.remove(file)).pipe(
    Effect.mapError(({ message }) => ClientFile.refused(file, `cannot be removed: ${message}`, "remove it by hand"))
  )

const located = Effect.fnUntraced(function*(client: Clients.Client) {
  const found = yield* Clients.locate(client)
  if (found !== null) return found
  return yield* new ClientFile.ConnectionRefused({
    file: "",
    message: `there is no place for the file of ${client.title}: no home folder is set`,
    hint: "set HOME (USERPROFILE on Windows)"
  })
})

/** Reads a text, or says why its file is refused. */
const inFile = <A>(
  file: string,
  result: Result.Result<A, { readonly line: number; readonly column: number; readonly detail: string }>
) =>
  Effect.mapError(Effect.fromResult(result), ({ column, detail, line }) =>
    new ClientFile.ConnectionRefused({
      file,
      message: `${file}:${line}:${column}: ${detail}`,
      hint: "correct the file at that place; nothing was changed"
    }))
