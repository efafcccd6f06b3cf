/** Chats in a database, SQLite or PostgreSQL. */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { type ChatRecord, ChatTurn, KeptRecord } from "../model/Chat.ts"
import type { Part } from "../model/Part.ts"
import * as AwayDatabase from "./AwayDatabase.ts"
import * as ChatClaims from "./ChatClaims.ts"
import * as ChatSearch from "./ChatSearch.ts"
import {
  ASKING,
  type ChatHead,
  type ChatHit,
  ChatStore,
  ChatStoreFailed,
  type ChatStoreUnusable,
  type NewChat,
  type StoredChat,
  type TurnStart,
  type UnderWay
} from "./ChatStore.ts"
import * as Migrations from "./Migrations.ts"
import * as PartRows from "./PartRows.ts"
import { hitIn, Kind, type TextHit } from "./SearchHits.ts"
import { queryOf } from "./SearchWords.ts"

/** How long the database may take. Also where nothing else can be interrupted. */
const LIMIT = "15 seconds"

/** A whole chat may be 50 MB. */
const ADD_LIMIT = "60 seconds"

/** Parts that are read or added at once while others wait. */
const READ = 500

/** Rows that one statement may add: databases bound the number of parameters. */
const ROWS = 5000

const { parts: _, ...start } = ChatTurn.fields
const TurnRecord = Schema.Struct(start)

const make: Effect.Effect<ChatStore["Service"], never, SqlClient.SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const index = yield* ChatSearch.make
  const claims = yield* ChatClaims.make
  const { checked, owning, writer } = claims
  const { isFenced = false } = writer
  const failing = failingAs(isFenced)

  const head = Effect.fnUntraced(function*(id: string) {
    const [row] = yield* sql<{ record: string; last_turn: number; last_seq: number }>`
      SELECT record, last_turn, COALESCE((SELECT MAX(seq) FROM parts WHERE chat = id), 0) AS last_seq
      FROM chats WHERE id = ${id}`
    if (row === undefined) return null
    const rows = yield* sql<{ record: string }>`SELECT record FROM turns WHERE chat = ${id} ORDER BY turn`
    const found: ChatHead = {
      record: yield* decodeRecord(row.record),
      turns: yield* Effect.forEach(rows, ({ record }) => decodeTurn(record)),
      lastSeq: row.last_seq,
      lastTurn: row.last_turn
    }
    return found
  })

  /** The head is read first: a later write is not in it, or as a whole. */
  const get = Effect.fnUntraced(function*(id: string) {
    const found = yield* head(id)
    if (found === null) return null
    const said = Map.groupBy(yield* partsUpTo(id, found.lastSeq), (part) => part.turn)
    const turns = found.turns.map((turn): ChatTurn => ({ ...turn, parts: said.get(turn.turn) ?? [] }))
    const stored: StoredChat = { ...found, turns }
    return stored
  })

  /** Some at a time: reading thousands at once would hold everybody else up. */
  const partsUpTo = Effect.fnUntraced(function*(id: string, last: number) {
    const all: Array<Part> = []
    for (let after = 0; after < last;) {
      const next = yield* parts(id, after, READ)
      for (const part of next) if (part.seq <= last) all.push(part)
      after = next.at(-1)?.seq ?? last
      yield* Effect.yieldNow
    }
    return all
  })

  const put = Effect.fnUntraced(function*(id: string, record: ChatRecord) {
    yield* sql`
      INSERT INTO chats ${
      sql.insert({ id, owner: key(record.owner), record: JSON.stringify(record), updated_at: record.updatedAt })
    }
      ON CONFLICT (id) DO UPDATE SET record = excluded.record, updated_at = excluded.updated_at`
    yield* index.write(id, 0, Kind.title, record.title)
  })

  const add = Effect.fnUntraced(function*({ files, record, turns }: NewChat) {
    const id = key(record.id)
    yield* put(id, record)
    for (const [file, data] of files) yield* putFile(id, key(file), data)
    for (const { parts: _, ...turn } of turns) yield* writeTurn(id, turn)
    for (const some of Arr.chunksOf(PartRows.ofTurns(turns), READ)) {
      yield* append(id, some, null)
      yield* Effect.yieldNow
    }
    yield* index.refresh(id)
  })

  const putTurn = Effect.fnUntraced(function*(id: string, turn: TurnStart) {
    yield* writeTurn(id, turn)
    if (turn.state === "ended") yield* index.refresh(id)
  })

  const writeTurn = Effect.fnUntraced(function*(id: string, turn: TurnStart) {
    yield* sql`
      INSERT INTO turns ${
      sql.insert({ chat: id, turn: turn.turn, state: turn.state, record: JSON.stringify(turn) })
    } ON CONFLICT (chat, turn) DO UPDATE SET state = excluded.state, record = excluded.record`
    yield* sql`UPDATE chats SET last_turn = ${turn.turn} WHERE id = ${id} AND last_turn < ${turn.turn}`
    yield* index.write(id, turn.turn, Kind.message, turn.text)
  })

  const removeTurn = Effect.fnUntraced(function*(id: string, turn: number) {
    yield* sql`DELETE FROM turns WHERE chat = ${id} AND turn = ${turn}`
    yield* sql`
      DELETE FROM search_texts WHERE chat = ${id} AND turn = ${turn} AND kind = ${Kind.message}`
  })

  /** The numbers of a chat that is this node's are no other's: they are there already where the answer of a write was lost. */
  const again = sql.literal(isFenced ? "ON CONFLICT (chat, seq) DO NOTHING" : "")
  const append = (id: string, parts: ReadonlyArray<Part>, at: number | null): Effect.Effect<unknown, SqlError> => {
    if (!Arr.isReadonlyArrayNonEmpty(parts)) return Effect.void
    const adding = Arr.map(
      Arr.chunksOf(parts, ROWS),
      (some) => sql`INSERT INTO parts ${sql.insert(Arr.map(some, (part) => PartRows.rowOf(id, part, at)))} ${again}`
    )
    const all = Effect.all(adding, { discard: true })
    // One statement is all or none by itself.
    return adding.length === 1 ? all : sql.withTransaction(all)
  }

  const putPart = (id: string, part: Part) =>
    sql`UPDATE parts SET part = ${JSON.stringify(part)} WHERE chat = ${id} AND seq = ${part.seq}`

  const parts = (id: string, after: number, limit: number, bytes?: number) => {
    const few = sql.literal(`ORDER BY seq LIMIT ${bounded(limit)}`)
    const near = sql`FROM parts WHERE chat = ${id} AND seq > ${bounded(after)}`
    // The lengths alone are read first: the rest of a long text may be many pages.
    const upTo = bytes === undefined ? sql.literal("") : sql`AND seq <= (
      SELECT MAX(seq) FROM (
        SELECT seq, SUM(size) OVER (ORDER BY seq) - FIRST_VALUE(size) OVER (ORDER BY seq) AS beyond
        FROM (SELECT seq, OCTET_LENGTH(part) AS size ${near} ${few}) AS sizes) AS sums
      WHERE beyond <= ${bounded(bytes)})`
    return Effect.flatMap(
      sql<PartRows.PartRow>`SELECT seq, turn, part ${near} ${upTo} ${few}`,
      (rows) => PartRows.decode(id, rows)
    )
  }

  const lastSeqs = Effect.fnUntraced(function*(ids: ReadonlyArray<string>) {
    if (ids.length === 0) return new Map<string, number>()
    const rows = yield* sql<{ id: string; last: number }>`
      SELECT id, COALESCE((SELECT MAX(seq) FROM parts WHERE chat = id), 0) AS last FROM chats WHERE ${
      sql.in("id", ids)
    }`
    return new Map(rows.map(({ id, last }) => [nameOf(`"${id}"`), last]))
  })

  const underWay = Effect.fnUntraced(function*(owner: string) {
    const open = sql`chats.owner = ${owner} AND turns.state <> 'ended'`
    const turns = yield* sql<{ chat: string } & Pick<TurnStart, "turn" | "state">>`
      SELECT chat, turn, state FROM turns JOIN chats ON chats.id = turns.chat WHERE ${open} ORDER BY turn`
    const rows = yield* sql<PartRows.PartRow & { chat: string }>`
      SELECT parts.chat, seq, parts.turn, part FROM parts
      JOIN turns ON turns.chat = parts.chat AND turns.turn = parts.turn JOIN chats ON chats.id = turns.chat
      WHERE ${open} AND ${sql.in("parts.type", ASKING)} ORDER BY seq`
    const asked = Map.groupBy(rows, ({ chat }) => chat)
    const chats = yield* Effect.forEach(
      Map.groupBy(turns, ({ chat }) => chat),
      ([chat, own]) =>
        Effect.map(PartRows.decode(chat, asked.get(chat) ?? []), (parts): readonly [string, UnderWay] => [
          nameOf(`"${chat}"`),
          { turns: own.map(({ state, turn }) => ({ turn, state })), parts }
        ])
    )
    return new Map(chats)
  })

  const unfinished = Effect.gen(function*() {
    if (!writer.recovers) return []
    const rows = yield* sql<{ id: string; writer: string }>`
      SELECT id, writer FROM chats WHERE id IN (SELECT chat FROM turns WHERE state <> 'ended')`
    return yield* Effect.filter(rows, ({ writer: other }) =>
      other === ChatClaims.NOBODY || other === writer.id
        ? Effect.succeed(true)
        : Effect.map(writer.isAlive(other), (isAlive) => !isAlive))
  })

  const search = Effect.fnUntraced(function*(owner: string, query: string, limit: number) {
    const words = queryOf(query)
    if (words.length === 0) return []
    const hits = yield* Effect.forEach(
      yield* index.find(key(owner), words, bounded(limit)),
      ({ excerpt, record }) =>
        Effect.map(readable(record), (records) => records.map((record): ChatHit => ({ record, excerpt })))
    )
    return hits.flat()
  })

  const find = Effect.fnUntraced(function*(owner: string, query: string, limit: number) {
    const words = queryOf(query)
    if (words.length === 0) return []
    const hits = yield* Effect.forEach(
      yield* index.findTexts(key(owner), words, bounded(limit)),
      ({ parts, record, text }) =>
        Effect.map(readable(record), (records) => records.map((record): TextHit => hitIn(record, text, words, parts)))
    )
    return hits.flat()
  })

  const putFile = (id: string, file: string, data: Uint8Array) =>
    sql`
      INSERT INTO files ${sql.insert({ chat: id, file, data })}
      ON CONFLICT (chat, file) DO UPDATE SET data = excluded.data`

  const file = (id: string, file: string) =>
    Effect.map(
      sql<{ data: Uint8Array }>`SELECT data FROM files WHERE chat = ${id} AND file = ${file}`,
      ([row]) => row === undefined ? null : new Uint8Array(row.data)
    )

  return {
    list: (owner) =>
      sql<{ record: string }>`SELECT record FROM chats WHERE owner = ${key(owner)}`.pipe(
        Effect.flatMap(Effect.forEach(({ record }) => readable(record))),
        Effect.map((records) => records.flat()),
        failing("list")
      ),
    ids: sql<{ id: string }>`SELECT id FROM chats`.pipe(
      Effect.map((rows) => rows.map(({ id }) => nameOf(`"${id}"`))),
      failing("list")
    ),
    owner: (id) =>
      sql<{ owner: string }>`SELECT owner FROM chats WHERE id = ${key(id)}`.pipe(
        Effect.map(([row]) => row === undefined ? null : nameOf(`"${row.owner}"`)),
        failing("owner")
      ),
    search: (owner, words, limit) => search(owner, words, limit).pipe(failing("search")),
    find: (owner, words, limit) => find(owner, words, limit).pipe(failing("find")),
    putPart: (id, part) => owning(key(id), putPart(key(id), part)).pipe(ifThere, failing("putPart")),
    get: (id) => get(key(id)).pipe(failing("get")),
    head: (id) => head(key(id)).pipe(failing("head")),
    add: (chat) => add(chat).pipe(sql.withTransaction, failing("add", ADD_LIMIT)),
    claim: (id) => claims.claim(key(id)).pipe(failing("claim")),
    put: (record) =>
      checked(key(record.id), put(key(record.id), record)).pipe(sql.withTransaction, failing("put"), Effect.asVoid),
    putTurn: (id, turn) =>
      sql.withTransaction(owning(key(id), putTurn(key(id), turn))).pipe(ifThere, failing("putTurn")),
    removeTurn: (id, turn) =>
      checked(key(id), removeTurn(key(id), turn)).pipe(sql.withTransaction, failing("removeTurn"), Effect.asVoid),
    append: (id, parts) =>
      Effect.flatMap(
        Clock.currentTimeMillis,
        (now) => owning(key(id), append(key(id), parts, now)).pipe(ifThere, failing("append"))
      ),
    parts: (id, after, limit, bytes) => parts(key(id), after, limit, bytes).pipe(failing("parts")),
    timed: (id, turn) => PartRows.timed(sql, key(id), turn).pipe(failing("timed")),
    lastSeqs: (ids) => lastSeqs(ids.map(key)).pipe(failing("lastSeqs")),
    underWay: (owner) => underWay(key(owner)).pipe(failing("underWay")),
    unfinished: unfinished.pipe(Effect.map((rows) => rows.map(({ id }) => nameOf(`"${id}"`))), failing("unfinished")),
    busy: (owner) =>
      sql<{ id: string }>`
        SELECT DISTINCT chat AS id FROM turns WHERE state <> 'ended'
          AND chat IN (SELECT id FROM chats WHERE owner = ${key(owner)})`.pipe(
        Effect.map((rows) => rows.map(({ id }) => nameOf(`"${id}"`))),
        failing("busy")
      ),
    putFile: (id, file, data) => checked(key(id), putFile(key(id), key(file), data)).pipe(ifThere, failing("putFile")),
    file: (id, name) => file(key(id), key(name)).pipe(failing("file")),
    removeFile: (id, name) =>
      Effect.asVoid(
        checked(key(id), sql`DELETE FROM files WHERE chat = ${key(id)} AND file = ${key(name)}`).pipe(
          failing("removeFile")
        )
      ),
    remove: (id) =>
      owning(key(id), sql`DELETE FROM chats WHERE id = ${key(id)}`).pipe(
        sql.withTransaction,
        Effect.tap(() => claims.forget(key(id))),
        failing("remove"),
        Effect.asVoid
      )
  }
})

/**
 * Keeps chats in a database, SQLite or PostgreSQL, whose tables are brought up to date first. Errors call it
 * `database`. Where several programs use it, `ChatWriter` tells them apart.
 */
export const layer = (database: string): Layer.Layer<ChatStore, ChatStoreUnusable, SqlClient.SqlClient> =>
  Layer.effect(ChatStore, Effect.andThen(Migrations.run(database), make))

/** The nearest whole number that either database takes. */
const bounded = (amount: number): number => Math.trunc(Math.max(0, Math.min(amount, 2 ** 31 - 1)))

const decodeObject = Schema.decodeEffect(Schema.fromJsonString(Schema.JsonObject))

/** A key that an older program did not know yet is null, unless it may be left out or has a default. */
const decoder = <Fields extends Schema.Struct.Fields>(schema: Schema.Struct<Fields>) => {
  const absent = Object.fromEntries(
    Object.entries(schema.fields).flatMap(([key, field]) =>
      SchemaAST.isOptional(SchemaAST.toEncoded(field.ast)) ? [] : [[key, null]]
    )
  )
  const decode = Schema.decodeUnknownEffect(schema)
  return (json: string) => Effect.flatMap(decodeObject(json), (found) => decode({ ...absent, ...found }))
}

const decodeRecord = decoder(KeptRecord)
const decodeTurn = decoder(TurnRecord)

/** One chat that cannot be read is no reason to show none. */
const readable = (record: string): Effect.Effect<ReadonlyArray<ChatRecord>> =>
  decodeRecord(record).pipe(
    Effect.map((record) => [record]),
    Effect.catch((error) => Effect.as(Effect.logWarning("a chat cannot be read", error), []))
  )

/** A name without what a database cannot hold in a text; an ordinary one is its own key. */
const key = (name: string): string => JSON.stringify(name).slice(1, -1)

const nameOf = Schema.decodeSync(Schema.fromJsonString(Schema.String))

/** A write to a chat that was removed does nothing: what belongs to it refers to it. */
const ifThere = <A, E>(write: Effect.Effect<A, SqlError | E>): Effect.Effect<void, SqlError | E> =>
  Effect.asVoid(write).pipe(
    Effect.catchIf(
      (error): error is SqlError => isSqlError(error) && error.reason._tag === "ConstraintError",
      () => Effect.void
    )
  )

/** A node of a fleet waits for a database that is away, as long as it may take. */
const failingAs =
  (isPatient: boolean) =>
  (operation: string, limit: string & Duration.Input = LIMIT) =>
  <A>(effect: Effect.Effect<A, SqlError | Schema.SchemaError | ChatStoreFailed>): Effect.Effect<A, ChatStoreFailed> =>
    (isPatient ? AwayDatabase.patiently(effect) : effect).pipe(
      Effect.mapError((error) => error._tag === "ChatStoreFailed" ? error : failed(operation, error)),
      Effect.timeoutOrElse({ duration: limit, orElse: () => Effect.fail(late(operation, limit)) })
    )

const failed = (operation: string, error: SqlError | Schema.SchemaError): ChatStoreFailed =>
  new ChatStoreFailed({ operation, why: isSqlError(error) ? wordsOf(error) : error.message, cause: error })

const wordsOf = ({ message, reason }: SqlError): string =>
  reason.cause instanceof Error && reason.cause.message !== "" ? reason.cause.message : message

const late = (operation: string, limit: string): ChatStoreFailed =>
  new ChatStoreFailed({ operation, why: `the database did not answer within ${limit}` })
