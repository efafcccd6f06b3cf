import { ChatStore, ChatStoreFailed, ChatStoreUnusable, FIRST, MemoryChatStore, SqlChatStore } from "@boocode/chat"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { afterAll } from "vitest"
import * as NodeSqlite from "../apps/chat-server/src/database/NodeSqlite.ts"
import * as DatabasePostgres from "../apps/chat-server/src/database/Postgres.ts"
import * as RemovedPeople from "../apps/chat-server/test/support/RemovedPeople.ts"
import * as StoreSteps from "../packages/chat/test/support/StoreSteps.ts"
import * as StoreSuite from "../packages/chat/test/support/StoreSuite.ts"
import * as ModelServer from "./servers/ModelServer.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatCopies from "./support/ChatCopies.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as EarlierChats from "./support/EarlierChats.ts"
import * as EmptiedDatabase from "./support/EmptiedDatabase.ts"
import * as PartListener from "./support/PartListener.ts"
import * as People from "./support/People.ts"
import * as Postgres from "./support/Postgres.ts"
import * as Processes from "./support/Processes.ts"
import * as ServerDayStored from "./support/ServerDayStored.ts"
import { sized } from "./support/Size.ts"
import * as StoreFile from "./support/StoreFile.ts"
import * as UsageStored from "./support/UsageStored.ts"

const scope = Scope.makeUnsafe()
let postgres: Postgres.Postgres

beforeAll(async () => {
  postgres = await Effect.runPromise(Scope.provide(Postgres.start, scope))
}, 120_000)

afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)), 60_000)

/** Does it while the database of this file is killed; afterwards that is there again, for the next test too. */
const whileAway = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => Effect.acquireUseRelease(postgres.kill, () => effect, () => postgres.revive))

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "boocode-storage-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const served = (url: string) => DatabasePostgres.layer(Redacted.make(url), "server")

const onUrl = (url: string) => Layer.provideMerge(SqlChatStore.layer("test"), served(url))

/** Of a test that needs one, empty. */
const database = EmptiedDatabase.make(Effect.suspend(() => postgres.database))

const sqlite = Layer.unwrap(Effect.map(folder, (folder) => StoreFile.layer(join(folder, "chats.sqlite"))))
const postgresql = Layer.unwrap(Effect.map(database, onUrl))

const people = Layer.unwrap(Effect.map(database, (url) => Layer.provideMerge(RemovedPeople.layer, served(url))))

const databases = [["SQLite", sqlite], ["PostgreSQL", postgresql]] as const

describe.each(databases)("A store of chats in %s", Deadline.TEST, (_, layer) => {
  StoreSuite.all((title, run) => it.live(title, () => Effect.provide(run, layer)))

  it.live("adds all parts or none", () =>
    Effect.gen(function*() {
      const store = yield* ChatStore
      yield* store.put(StoreSuite.record("a"))
      yield* store.putTurn("a", StoreSuite.turn(1))
      const parts = StoreSuite.numbered(1, 0, Array.from({ length: 12_000 }, () => StoreSuite.said("x")))
      yield* store.append("a", parts.slice(11_000, 11_001))
      const error = yield* Effect.flip(store.append("a", parts))
      assert.instanceOf(error, ChatStoreFailed)
      assert.match(error.message, /unique/i)
      assert.deepStrictEqual(yield* store.parts("a", 0, 20_000), parts.slice(11_000, 11_001))
    }).pipe(Effect.provide(layer)))

  it.live("adds a whole chat or none of it", () =>
    Effect.gen(function*() {
      const store = yield* ChatStore
      const parts = StoreSuite.numbered(1, 0, Array.from({ length: 1200 }, () => StoreSuite.said("x")))
      const turns = [{ ...StoreSuite.turn(1, { state: "ended" }), parts: [...parts, ...parts.slice(-1)] }]
      const chat = { record: StoreSuite.record("a"), turns, files: new Map([["f", new Uint8Array([1])]]) }
      assert.match((yield* Effect.flip(store.add(chat))).message, /unique/i)
      assert.deepStrictEqual(yield* store.list(FIRST.id), [])
      assert.isNull(yield* store.file("a", "f"))
      assert.deepStrictEqual(yield* store.parts("a", 0, 10), [])
    }).pipe(Effect.provide(layer)))

  it.live("shows a warning in place of a part it cannot read, and the rest of the chat", () =>
    Effect.gen(function*() {
      const store = yield* ChatStore
      const sql = yield* SqlClient.SqlClient
      yield* store.put(StoreSuite.record("a"))
      yield* store.putTurn("a", StoreSuite.turn(1))
      yield* store.append("a", StoreSuite.numbered(1, 0, ["one", "two", "three", "four"].map(StoreSuite.said)))
      const newer = JSON.stringify({ type: "hologram", seq: 2, turn: 1, depth: 3 })
      const two = `${JSON.stringify(StoreSuite.said("x"))},${JSON.stringify(StoreSuite.said("y"))}`
      yield* sql`UPDATE parts SET part = ${newer} WHERE seq = 2`
      yield* sql`UPDATE parts SET part = ${two} WHERE seq = 3`
      const parts = yield* store.parts("a", 0, 10)
      assert.deepStrictEqual(parts.map(({ seq, turn, type }) => [type, seq, turn]), [
        ["text-delta", 1, 1],
        ["warning", 2, 1],
        ["warning", 3, 1],
        ["text-delta", 4, 1]
      ])
      assert.deepStrictEqual((yield* store.get("a"))?.turns[0]?.parts, parts)
    }).pipe(Effect.provide(layer)))

  it.live("reads a chat of a program that did not know a key yet", () =>
    Effect.gen(function*() {
      const store = yield* ChatStore
      const sql = yield* SqlClient.SqlClient
      yield* store.put(StoreSuite.record("a"))
      const { folder: _f, model: _m, off: _o, owner: _w, pinned: _p, ...older } = StoreSuite.record("a")
      yield* sql`UPDATE chats SET record = ${JSON.stringify(older)}`
      assert.deepStrictEqual(yield* store.list(FIRST.id), [StoreSuite.record("a")])
    }).pipe(Effect.provide(layer)))

  it.live("refuses a database that a newer program made, by its name", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO chat_migrations (migration_id, name) VALUES (99, 'later')`
      const error = yield* Effect.flip(Effect.scoped(Layer.build(Layer.fresh(SqlChatStore.layer("the chats of Boo")))))
      assert.instanceOf(error, ChatStoreUnusable)
      assert.match(error.message, /the chats of Boo.*newer BooCode/)
      assert.match(error.hint, /update/)
    }).pipe(Effect.provide(layer)))
})

describe("The stores of chats", Deadline.TEST, () => {
  let stores: ReadonlyArray<ChatStore["Service"]> = []

  beforeAll(async () => {
    stores = await Effect.runPromise(Effect.provideService(
      Effect.forEach(
        // For all steps of this test, beside the tests that empty theirs.
        [MemoryChatStore.layer, sqlite, Layer.unwrap(Effect.map(postgres.database, onUrl))],
        (layer) => Effect.map(Layer.build(layer), Context.get(ChatStore))
      ),
      Scope.Scope,
      scope
    ))
  })

  it.live.prop(
    "answer the same to the same steps, whatever they are",
    [StoreSteps.sequences],
    ([steps]) =>
      Effect.gen(function*() {
        const [expected, ...others] = yield* Effect.forEach(stores, (store) => StoreSteps.answers(store, steps))
        assert.strictEqual(others.length, 2)
        for (const other of others) assert.deepStrictEqual(other, expected)
      }),
    { arbitrary: { runs: sized(10, 300) }, timeout: Deadline.TEST.timeout }
  )
})

describe("Chats in a file", Deadline.TEST, () => {
  it.live("are there again after a restart, readable by this user alone", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "new", "state", "chats.sqlite")
      yield* Effect.provide(
        ChatStore.use((store) => {
          for (const name of [file, `${file}-wal`]) assert.strictEqual(statSync(name).mode & 0o777, 0o600)
          return store.put(StoreSuite.record("a"))
        }),
        StoreFile.layer(file)
      )
      const again = yield* Effect.provide(ChatStore.use((store) => store.list(FIRST.id)), StoreFile.layer(file))
      assert.deepStrictEqual(again, [StoreSuite.record("a")])
    }))

  it.live("are not replaced when the file or its log is damaged: an error names it and says what to do", () =>
    Effect.gen(function*() {
      const place = yield* folder
      const half = join(place, "half.sqlite")
      yield* Effect.provide(
        ChatStore.use((store) =>
          Effect.forEach(Array.from({ length: 300 }), (_, index) => store.put(StoreSuite.record(`chat ${index}`)))
        ),
        StoreFile.layer(half)
      )
      const { size } = statSync(half)
      const opened = openSync(half, "r+")
      writeSync(opened, Buffer.alloc(size - 8192, 0xaa), 0, size - 8192, 8192)
      closeSync(opened)
      const garbage = join(place, "garbage.sqlite")
      writeFileSync(garbage, "not a database at all, ".repeat(100))
      const empty = join(place, "empty.sqlite")
      writeFileSync(empty, "")
      const cut = join(place, "cut.sqlite")
      yield* Effect.provide(ChatStore.use((store) => store.put(StoreSuite.record("a"))), StoreFile.layer(cut))
      truncateSync(cut, statSync(cut).size - 4096)
      // As a kill leaves it: with all that was written in the log.
      const logs = yield* Effect.provide(
        ChatStore.use((store) =>
          Effect.gen(function*() {
            const logged = join(place, "logged.sqlite")
            for (let index = 0; index < 20; index++) yield* store.put(StoreSuite.record(`chat ${index}`))
            return ["start", "middle", "whole", "ended"].map((name) => {
              const copy = join(place, `${name}.sqlite`)
              for (const end of ["", "-wal"]) copyFileSync(`${logged}${end}`, `${copy}${end}`)
              return copy
            })
          })
        ),
        StoreFile.layer(join(place, "logged.sqlite"))
      )
      const [start = "", middle = "", whole = "", ended = ""] = logs
      const spoil = (file: string, at: number) => {
        const log = openSync(`${file}-wal`, "r+")
        writeSync(log, Buffer.alloc(16, 0xaa), 0, 16, at)
        closeSync(log)
      }
      spoil(start, 8)
      spoil(middle, 32 + 3 * 4120 + 500)
      truncateSync(`${ended}-wal`, statSync(`${ended}-wal`).size - 5000)
      for (const file of [whole, ended]) {
        const list = yield* Effect.provide(ChatStore.use((store) => store.list(FIRST.id)), StoreFile.layer(file))
        assert.isAbove(list.length, 10, file)
      }
      for (const file of [half, garbage, empty, cut, start, middle]) {
        const before = statSync(file).size
        const error = yield* Effect.flip(Effect.scoped(Layer.build(StoreFile.layer(file))))
        assert.include(error.message, file)
        assert.match(error.message, /damaged/)
        assert.match(error.hint, /backup/)
        assert.isFalse(error.isOutOfReach)
        assert.strictEqual(statSync(file).size, before)
      }
    }))

  it.live("cannot be kept where a folder cannot be made, and the error says so", () =>
    Effect.gen(function*() {
      const place = join(yield* folder, "file")
      writeFileSync(place, "in the way")
      chmodSync(place, 0o400)
      const error = yield* Effect.flip(Effect.scoped(Layer.build(StoreFile.layer(join(place, "chats.sqlite")))))
      assert.isTrue(error.isOutOfReach)
      assert.match(error.hint, /BOOCODE_STATE_DIR/)
    }))
})

describe("Chats in a file without room", Deadline.TEST, () => {
  it.live("keep what they have, and go on when there is room again", () =>
    Effect.gen(function*() {
      const store = yield* ChatStore
      const sql = yield* SqlClient.SqlClient
      yield* store.put(StoreSuite.record("a"))
      yield* store.putTurn("a", StoreSuite.turn(1))
      yield* sql`PRAGMA max_page_count = 60`
      const long = (seq: number) => StoreSuite.numbered(1, seq, [StoreSuite.said("long ".repeat(1000))])
      let added = 0
      const error = yield* Effect.flip(Effect.forever(Effect.tap(
        Effect.suspend(() => store.append("a", long(added))),
        () => Effect.sync(() => added++)
      )))
      assert.match(error.message, /full/)
      assert.isAbove(added, 5)
      assert.strictEqual((yield* store.get("a"))?.lastSeq, added)
      yield* sql`PRAGMA max_page_count = 6000`
      yield* store.append("a", long(added))
      assert.strictEqual((yield* store.get("a"))?.lastSeq, added + 1)
    }).pipe(Effect.provide(sqlite)))
})

describe.each([["a file", (place: string) => StoreFile.layer(join(place, "chats.sqlite"))], [
  "PostgreSQL",
  (_: string, url: string) => onUrl(url)
]])("Two programs with the same chats in %s", (_, layer) => {
  it.live("see each other's, and each chat has one writer until its program ends", () =>
    Effect.gen(function*() {
      const place = yield* folder
      const url = yield* database
      const open = Effect.fnUntraced(function*() {
        const scope = yield* Scope.fork(yield* Effect.scope)
        const services = yield* Layer.buildWithScope(Layer.fresh(layer(place, url)), scope)
        return { store: Context.get(services, ChatStore), close: Scope.close(scope, Exit.void) }
      })
      const [one, other] = yield* Effect.all([open(), open()], { concurrency: 2 })
      yield* one.store.put(StoreSuite.record("a"))
      yield* one.store.putTurn("a", StoreSuite.turn(1))
      yield* other.store.put(StoreSuite.record("b"))
      yield* other.store.putTurn("b", StoreSuite.turn(1))
      yield* one.store.append("a", StoreSuite.numbered(1, 0, [StoreSuite.said("hello")]))
      assert.sameMembers((yield* other.store.list(FIRST.id)).map(({ id }) => id), ["a", "b"])
      assert.deepStrictEqual((yield* other.store.search(FIRST.id, "hello", 5)).map(({ record }) => record.id), ["a"])
      // What runs elsewhere was not left behind.
      assert.deepStrictEqual(yield* other.store.unfinished, ["b"])
      const late = StoreSuite.numbered(1, 1, [StoreSuite.said("late")])
      const writes = [
        other.store.putTurn("a", StoreSuite.turn(2)),
        other.store.append("a", late),
        other.store.claim("a"),
        other.store.remove("a")
      ]
      for (const write of writes) assert.match((yield* Effect.flip(write)).message, /another BooCode/)
      yield* one.close
      assert.sameMembers([...yield* other.store.unfinished], ["a", "b"])
      yield* other.store.putTurn("a", StoreSuite.turn(2))
      assert.strictEqual((yield* other.store.get("a"))?.lastTurn, 2)
    }))
})

describe("Chats from before there were people", Deadline.TEST, () => {
  it.live("are the first person's, in a file", () => Effect.provide(EarlierChats.brought, NodeSqlite.layer(":memory:")))

  it.live("are the first person's, in PostgreSQL", () =>
    Effect.flatMap(database, (url) => Effect.provide(EarlierChats.brought, served(url))))
})

describe("The people of servers over one PostgreSQL", Deadline.TEST, () => {
  it.live("are the same, and each server notices within a second that there are people", () =>
    Effect.flatMap(database, People.areShared))

  it.live("leave no row with their id once they are removed, nor of what comes for them afterwards", () =>
    Effect.provide(Effect.andThen(RemovedPeople.whole, RemovedPeople.afterwards), people))

  it.live("see how their servers did over the day", () => Effect.provide(ServerDayStored.isKept, people))
  it.live("have their usage over days added up", () => Effect.provide(UsageStored.isAddedUp, people))
})

describe("A copy of the chats of PostgreSQL", Deadline.TEST, () => {
  it.live("is a file of SQLite, which takes the place of the chats of another database, all of them or none", () =>
    Effect.flatMap(folder, (folder) => ChatCopies.prove(postgres.database, join(folder, "chats.sqlite"))))
})

describe("Chats in PostgreSQL", Deadline.TEST, () => {
  it.live("are out of reach while it is down, and there again when it is back", () =>
    Effect.gen(function*() {
      const store = Context.get(yield* Layer.build(onUrl(yield* database)), ChatStore)
      yield* store.put(StoreSuite.record("a"))
      const lost = yield* whileAway(Effect.flip(store.put(StoreSuite.record("b"))))
      assert.instanceOf(lost, ChatStoreFailed)
      assert.notInclude(JSON.stringify(lost) + lost.message, postgres.password)
      yield* Effect.retry(store.put(StoreSuite.record("c")), { times: 20 })
      assert.sameMembers((yield* store.list(FIRST.id)).map(({ id }) => id), ["a", "c"])
    }))

  it.live("say which database it is and why, and never the password", () =>
    Effect.gen(function*() {
      const url = yield* database
      const wrong = url.replace(postgres.password, "letmein123")
      const absent = url.replace(/\/[^/]*$/, "/absent?application_name=letmein123")
      const errors = yield* Effect.forEach([wrong, absent, "mysql://u:letmein123@h/d", "letmein123"], (url) =>
        Effect.flip(Effect.scoped(Layer.build(onUrl(url)))))
      for (const error of errors) {
        assert.instanceOf(error, ChatStoreUnusable)
        assert.notInclude(
          `${error.message} ${error.hint} ${JSON.stringify(error)} ${String(error.cause)}`,
          "letmein123"
        )
      }
      assert.match(errors[0]?.message ?? "", /postgres:\/\/127\.0\.0\.1:\d+\/chats_\d+.*password/)
      assert.match(errors[1]?.message ?? "", /does not exist/)
      assert.match(errors[3]?.hint ?? "", /postgres:\/\/USER/)
    }))

  it.live("is waited for at start for a bounded time", () =>
    Effect.gen(function*() {
      const began = performance.now()
      const url = `postgres://u:p@127.0.0.1:1/none`
      const layer = DatabasePostgres.layer(Redacted.make(url), "command")
      const error = yield* Effect.flip(Effect.scoped(Layer.build(layer)))
      assert.match(error.message, /127\.0\.0\.1:1\/none/)
      assert.isTrue(error.isOutOfReach)
      assert.isAbove(performance.now() - began, 4000)
      assert.isBelow(performance.now() - began, Deadline.WAIT_MILLIS)
    }))
})

describe("A server with DATABASE_URL", Deadline.TEST, () => {
  it.live(
    "keeps chats there, answers 503 while the database is away, and never shows the password",
    () =>
      Effect.gen(function*() {
        const data = join(yield* Command.folder({ "data/mcp.json": "{}" }), "data")
        const server = yield* AppServer.start(data, { DATABASE_URL: yield* database })
        const { body } = yield* server.post("/api/chats")
        const path = `/api/chats/${String(body["id"])}`
        const parts = yield* server.stream(`${path}/messages`, { text: "/" })
        const away = yield* whileAway(server.get("/api/chats"))
        assert.strictEqual(away.status, 503)
        assert.match(JSON.stringify(away.body), /cannot be kept or read/)
        const back = yield* ChatServer.until(server.get(path), ({ status }) => status === 200)
        assert.include(JSON.stringify(back.body), JSON.stringify(parts[0]?.["text"]))
        yield* server.stream(`${path}/messages`, { text: "/" })
        assert.strictEqual(yield* server.end("SIGTERM", "process"), 0)
        for (const text of [server.stdout(), server.stderr(), JSON.stringify(away)]) {
          assert.notInclude(text, postgres.password)
        }
      })
  )
})

/** Says back what it was told last; `look` calls a tool first, which waits for a person. */
const looking: ModelServer.Script = ({ results, text }) =>
  text === "look" && results.length === 0
    ? [ModelServer.call("list_dir", {})]
    : [ModelServer.text(`you said ${text}`)]

describe.each(
  [
    ["a file", Effect.succeed({})],
    ["PostgreSQL", Effect.map(database, (url) => ({ DATABASE_URL: url }))]
  ] as const
)("A server whose chats are in %s", Deadline.TEST, (_, env) => {
  it.live("takes a waiting message into its turn, forks the chat, finds words where they stand, and keeps it all", () =>
    Effect.gen(function*() {
      const model = yield* ModelServer.make(looking)
      const settings = { titles: "message", approvals: { ask: ["list_dir"] } }
      const files = { "data/settings.json": JSON.stringify(settings), "data/mcp.json": "{}" }
      const data = join(yield* Command.folder(files), "data")
      const start = AppServer.start(data, {
        OPENAI_BASE_URL: `${model.url}/v1`,
        BOOCODE_MODEL: "openai/scripted",
        ...yield* env
      })
      const server = yield* start
      const id = String((yield* server.post("/api/chats")).body["id"])
      const path = `/api/chats/${id}`
      const turn = yield* PartListener.send(server.url, id, { text: "look" })
      const heard = yield* turn.until((parts) => parts.some(({ type }) => type === "approval"))
      for (const text of ["later", "a draft", "dropped"]) yield* server.post(`${path}/messages`, { text })
      assert.strictEqual((yield* server.patch(`${path}/queue/3`, { text: "the blue elephant" })).status, 204)
      assert.strictEqual((yield* server.post(`${path}/queue/3/now`)).status, 204)
      const dropped = Effect.promise(() => fetch(`${server.url}${path}/queue/4`, { method: "DELETE" }))
      assert.strictEqual((yield* dropped).status, 204)
      assert.strictEqual((yield* server.post(`${path}/fork`, { turn: 1 })).status, 409)
      const approval = heard.find(({ type }) => type === "approval")
      const approved = `${path}/approvals/${approval?.type === "approval" ? approval.id : ""}`
      yield* server.post(approved, { decision: "chat" })
      const said = (yield* turn.end).flatMap((part) => part.type === "text-delta" ? [part.text] : [])
      assert.strictEqual(said.join(""), "you said the blue elephant")
      yield* ChatServer.until(server.get(path), ({ body }) => body["running"] === null && body["waiting"] === 0)
      assert.deepStrictEqual(model.requests.map(({ problem }) => problem), [null, null, null])

      const changed = { pinned: true, folder: "Zoo", off: { tools: ["view_*"] } }
      const kept = { pinned: true, folder: "Zoo", off: { servers: [], tools: ["view_*"] } }
      assert.deepInclude((yield* server.patch(path, changed)).body, kept)
      const fork = (yield* server.post(`${path}/fork`, { turn: 1 })).body
      assert.deepInclude(fork, { title: "look (fork)", pinned: false, folder: "Zoo" })
      const copied = JSON.stringify((yield* server.get(`/api/chats/${String(fork["id"])}`)).body)
      assert.include(copied, "\"decision\":\"once\"", "a yes for the chat holds where it was said")
      assert.notInclude(copied, "\"decision\":\"chat\"")
      const answer = yield* server.stream(`/api/chats/${String(fork["id"])}/messages`, { text: "and the red one?" })
      let end = 0
      const ends = answer.filter(({ type }) => type === "text-delta").map(({ seq, text }) => {
        end += String(text).length
        return { seq, end }
      })
      assert.notInclude(JSON.stringify(model.requests.at(-1)?.body), "later")
      assert.include(JSON.stringify(model.requests.at(-1)?.body), "the blue elephant")

      const found = (of: ChatServer.ChatServer, words: string) =>
        Effect.map(of.get(`/api/chats/search?q=${encodeURIComponent(words)}`), ({ body }) => body["hits"])
      const hits = yield* found(server, "red")
      assert.deepStrictEqual(
        hits,
        [
          { role: "user", seq: null, excerpt: "and the red one?", marks: [[8, 11]] },
          {
            role: "assistant",
            seq: ends.find(({ end }) => end > 17)?.seq,
            excerpt: "you said and the red one?",
            marks: [[17, 20]]
          }
        ].map((hit) => ({ chat: fork["id"], title: "look (fork)", turn: 4, ...hit }))
      )
      const elephants = yield* found(server, "BLUE eleph")
      assert.strictEqual(Array.isArray(elephants) ? elephants.length : 0, 4, "message and answer in both chats")
      yield* server.end("SIGTERM", "process")
      const again = yield* start
      assert.deepStrictEqual(yield* found(again, "red"), hits)
      assert.deepInclude((yield* again.get(path)).body, kept)
      yield* again.end("SIGTERM", "process")
    }))
})

describe("A store of chats with much in it", Deadline.TEST, () => {
  const slack = 5
  const [CHATS, PARTS] = sized([200, 2000] as const, [1000, 20_000] as const)
  /** Processor time of one, to which other programs do not add. */
  const timed = Effect.fnUntraced(function*<A, E, R>(times: number, effect: Effect.Effect<A, E, R>) {
    const before = process.cpuUsage()
    for (let index = 0; index < times; index++) yield* effect
    const { system, user } = process.cpuUsage(before)
    return (system + user) / 1000 / times
  })

  it.live(`adds a part, lists ${CHATS} chats and gives ${PARTS} parts in no time`, () =>
    Effect.gen(function*() {
      const store = yield* ChatStore
      yield* Effect.forEach(Array.from({ length: CHATS }), (_, index) => store.put(StoreSuite.record(`chat ${index}`)))
      yield* store.putTurn("chat 0", StoreSuite.turn(1))
      let seq = 0
      const append = Effect.suspend(() =>
        store.append("chat 0", StoreSuite.numbered(1, seq++, [StoreSuite.said("w ")]))
      )
      const adding = yield* timed(PARTS, append)
      const listing = yield* timed(9, store.list(FIRST.id))
      const getting = yield* timed(9, store.get("chat 0"))
      console.log(`append ${adding.toFixed(3)} ms, list ${listing.toFixed(1)} ms, get ${getting.toFixed(1)} ms`)
      assert.isBelow(adding, 0.2 * slack)
      assert.isBelow(listing / CHATS, 0.05 * slack)
      assert.isBelow(getting / PARTS, 0.01 * slack)
    }).pipe(Effect.provide(sqlite)))
})

// The last of this file: it takes the database away.
describe("The PostgreSQL of these tests", Deadline.TEST, () => {
  it.live("is gone with its processes, its memory and its folder", () =>
    Effect.gen(function*() {
      const { folder } = postgres
      assert.isAbove(yield* Processes.count(Postgres.MARK, folder), 1)
      // Its seventh line has key and id of the segment that System V keeps for it.
      const [, segment = ""] = (readFileSync(join(folder, "data/postmaster.pid"), "utf8").split("\n")[6] ?? "").trim()
        .split(/ +/)
      const segments = () =>
        existsSync("/proc/sysvipc/shm") ? readFileSync("/proc/sysvipc/shm", "utf8").match(/^ *\d+ +\d+/gm) ?? [] : []
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* Processes.leftAfter(Postgres.MARK, folder, Deadline.GONE_MILLIS), [])
      assert.isFalse(existsSync(folder))
      assert.match(segment, /^\d+$/)
      assert.isFalse(segments().some((line) => line.trim().endsWith(` ${segment}`)))
    }))
})
