/** Chats of a fleet, and its files: real nodes over a real PostgreSQL. */
import { ChatStore, type Part, SqlChatStore, UndoStore } from "@boocode/chat"
import { Environment } from "@boocode/mcp-config"
import { ResultFiles } from "@boocode/toolkit"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll } from "vitest"
import * as DatabasePostgres from "../apps/chat-server/src/database/Postgres.ts"
import { SharedDocuments } from "../apps/chat-server/src/database/SharedDocuments.ts"
import * as AppRows from "../apps/chat-server/src/fleet/kept/AppRows.ts"
import * as ResultRows from "../apps/chat-server/src/fleet/kept/ResultRows.ts"
import * as UndoRows from "../apps/chat-server/src/fleet/kept/UndoRows.ts"
import { DataFolder } from "../apps/chat-server/src/settings/DataFolder.ts"
import * as StoreSuite from "../packages/chat/test/support/StoreSuite.ts"
import * as ModelServer from "./servers/ModelServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as FleetNodes from "./support/FleetNodes.ts"
import * as PartListener from "./support/PartListener.ts"
import * as Postgres from "./support/Postgres.ts"
import { IS_LONG, sized } from "./support/Size.ts"

const scope = Scope.makeUnsafe()
let postgres: Postgres.Postgres
let database: string
/** The file of the server that writes down what its calls do, and that which its entry names later. */
let calls: string
const begun = () => [calls, `${calls}-later`].flatMap(FleetNodes.lines).filter((line) => line.startsWith("begins "))
let start: Effect.Effect<FleetNodes.Node>
let first: FleetNodes.Node
let second: FleetNodes.Node

/** A word each 100 ms, so many. */
const words = (length: number) =>
  Array.from({ length }, (_, at) => [ModelServer.text(`${at} `), ModelServer.wait(100)]).flat()
const SLOW = 25
const LONG = 45

/** `count` calls a tool once, `look` calls a tool that waits for a person, all else is said back. */
const script: ModelServer.Script = ({ results, text }) =>
  text === "slow"
    ? words(SLOW)
    : text === "long"
    ? words(LONG)
    : text === "lasting"
    ? words(120)
    : text.startsWith("count")
    ? results.length === 0
      ? [ModelServer.call("patient_wait", { text, millis: 0 })]
      : [ModelServer.text("counted")]
    : text === "look" && results.length === 0
    ? [ModelServer.call("list_dir", {})]
    : [ModelServer.text(`you said ${text}`)]

beforeAll(() =>
  Effect.gen(function*() {
    postgres = yield* Postgres.start
    database = yield* postgres.database
    const model = yield* ModelServer.make(script)
    const fleet = yield* FleetNodes.make(database, (folder) => {
      const settings = { titles: "message", approvals: { ask: ["list_dir"] } }
      writeFileSync(join(folder, "data", "settings.json"), JSON.stringify(settings))
      calls = join(folder, "calls")
      return { patient: FixtureServer.entry("Patient", calls) }
    })
    const variables = { OPENAI_BASE_URL: `${model.url}/v1`, BOOCODE_MODEL: "openai/scripted" }
    start = Scope.provide(fleet.node(variables, true), scope)
    first = yield* fleet.node(variables)
    second = yield* start
  }).pipe(Scope.provide(scope), Effect.runPromise), 120_000)

afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)), 60_000)

describe("Nodes that share no folder", Deadline.TEST, () => {
  it.live("have the servers and agents that were written at any of them", () =>
    Effect.gen(function*() {
      const entry = FixtureServer.entry("Echo")
      const added = yield* first.post("/api/mcp/servers", { name: "mirror", entry })
      assert.strictEqual(added.body["state"], "ready", JSON.stringify(added.body))
      const called = yield* ChatServer.until(
        FleetNodes.call(second, "mirror_echo", { text: "across" }),
        ({ status }) => status === 200
      )
      assert.strictEqual(called.body["text"], "across", JSON.stringify(called.body))
      const made = yield* second.post("/api/agents", { name: "Visitor", prompt: "You visit." })
      assert.strictEqual(made.status, 201, JSON.stringify(made.body))
      const agents = yield* ChatServer.until(
        first.get("/api/agents"),
        ({ body }) => JSON.stringify(body).includes("You visit.")
      )
      assert.include(JSON.stringify(agents.body), "You visit.")
    }))

  it.live("have their configuration written out and brought in by commands, and keep its versions", () =>
    Effect.gen(function*() {
      const place = yield* Command.folder({})
      const env = { ...FleetNodes.variablesOf(database, "127.0.0.1:1"), BOOCODE_STATE_DIR: join(place, "state") }
      const out = join(place, "out")
      const written = yield* Command.run(["fleet", "export", out, "--json", "--data", place], { env })
      assert.deepStrictEqual([written.code, written.stderr], [0, ""])
      assert.include(readFileSync(join(out, "mcp.json"), "utf8"), "mirror")
      writeFileSync(join(out, "AGENTS.md"), "---\nname: Brought\n---\n\nYou were brought in.\n")
      const brought = yield* Command.run(["fleet", "import", "--json", "--data", out], { env })
      assert.deepInclude(JSON.parse(brought.stdout), { written: ["AGENTS.md"] }, brought.stderr)
      const agents = yield* ChatServer.until(
        second.get("/api/agents"),
        ({ body }) => JSON.stringify(body).includes("You were brought in.")
      )
      assert.include(JSON.stringify(agents.body), "You were brought in.")
      const { stdout } = yield* Command.run(["fleet", "history", "mcp.json", "--json", "--data", place], { env })
      const { versions } = JSON.parse(stdout)
      assert.deepStrictEqual(versions.map(({ version }: { readonly version: number }) => version), [2, 1])

      const compared = yield* second.get("/api/fleet/configuration/compare?name=mcp.json&version=1")
      assert.include(String(compared.body["before"]), "mirror", JSON.stringify(compared.body))
      assert.notInclude(String(compared.body["after"]), "mirror")
      const restored = { name: "mcp.json", version: 1, newest: 2 }
      const answers = yield* Effect.all([
        second.post("/api/fleet/configuration/restore", restored),
        second.post("/api/fleet/configuration/restore", { ...restored, version: 2 })
      ])
      assert.deepStrictEqual(answers.map(({ status }) => status), [200, 409], JSON.stringify(answers))
      const servers = yield* ChatServer.until(
        first.get("/api/mcp/servers"),
        ({ body }) => !JSON.stringify(body).includes("mirror")
      )
      assert.notInclude(JSON.stringify(servers.body), "mirror", "every node has the older version")
      const kept = yield* first.get("/api/fleet/configuration")
      assert.include(
        JSON.stringify(kept.body),
        JSON.stringify({ name: "mcp.json", version: 3, removed: false }).slice(0, -1)
      )
    }).pipe(Effect.scoped))

  it.live("let in at one the MCP clients of another, until they are removed there", () =>
    Effect.gen(function*() {
      const { body, status } = yield* first.post("/api/clients", { name: "editor" })
      assert.strictEqual(status, 201, JSON.stringify(body))
      const begin = FleetNodes.beginningAt(second, String(body["token"]))
      assert.strictEqual(yield* ChatServer.until(begin, (answer) => answer === 200), 200)
      yield* Effect.promise(() => fetch(`${first.url}/api/clients/editor`, { method: "DELETE" }))
      assert.strictEqual(yield* ChatServer.until(begin, (answer) => answer === 401), 401)
    }))

  it.live("read the long results of another by their handles", () =>
    Effect.gen(function*() {
      const [one, other] = yield* Effect.all([resultsOf, resultsOf])
      const text = "long ".repeat(100_000)
      const handle = (yield* one.write(text)) ?? assert.fail("it is not kept")
      assert.strictEqual(yield* other.read(handle), text)
      assert.strictEqual(yield* one.keep(text), yield* other.keep(text))
      assert.strictEqual(
        yield* other.read((yield* one.write(new Uint8Array([255]))) ?? ""),
        "(1 bytes that are not text)"
      )
    }).pipe(Effect.scoped))

  it.live("send the documents of apps that another showed", () =>
    Effect.gen(function*() {
      const [one, other] = yield* Effect.all([appsOf, appsOf])
      yield* one?.put("word", "{}") ?? assert.fail("it is no node")
      assert.strictEqual(yield* other?.get("word") ?? assert.fail("it is no node"), "{}")
    }).pipe(Effect.scoped))

  it.live("keep all that sealed, and read what an older BooCode kept unsealed", () =>
    Effect.gen(function*() {
      const [files, apps, undo] = yield* Effect.all([resultsOf, appsOf, undoOf])
      const handle = (yield* files.write("a private result")) ?? assert.fail("it is not kept")
      yield* apps?.put("private", "{\"html\":\"a private page\"}") ?? assert.fail("it is no node")
      const change = { kind: "file", root: "/w", path: "private.txt", isNew: false, left: "h", folders: [] } as const
      const { id } = yield* undo.keep(change, new TextEncoder().encode("a private text"))
      const sql = yield* rowsOf
      const rows = yield* Effect.all([
        sql`SELECT encode(content, 'escape') AS text FROM kept_results WHERE handle = ${handle}`,
        sql`SELECT document AS text FROM app_documents WHERE id = 'private'`,
        sql`SELECT line || encode(before, 'escape') AS text FROM undo_records WHERE id = ${id}`
      ])
      assert.deepStrictEqual(rows.map(({ length }) => length), [1, 1, 1])
      assert.notInclude(JSON.stringify(rows), "private")
      yield* sql`UPDATE kept_results SET content = 'an old one' WHERE handle = ${handle}`
      yield* sql`UPDATE app_documents SET document = '{}' WHERE id = 'private'`
      assert.strictEqual(yield* files.read(handle), "an old one")
      assert.strictEqual(yield* apps?.get("private") ?? assert.fail("it is no node"), "{}")
    }).pipe(Effect.scoped))

  it.live("undo at one what was written at another, once", () =>
    Effect.gen(function*() {
      const [one, other] = yield* Effect.all([undoOf, undoOf])
      const change = { kind: "file", root: "/w", path: "a.txt", isNew: false, left: "hash", folders: [] } as const
      const before = new Uint8Array([0, 255])
      const { id } = yield* one.keep(change, before)
      const kept = yield* other.get(id ?? "")
      assert.deepStrictEqual([kept.change, [...kept.before]], [change, [...before]])
      yield* other.close(id ?? "")
      assert.strictEqual((yield* Effect.flip(one.get(id ?? "")))._tag, "AlreadyUndone")
      yield* one.drop(id ?? "")
      assert.strictEqual((yield* Effect.flip(other.get(id ?? "")))._tag, "NothingToUndo")
    }).pipe(Effect.scoped))
})

/** What one more node keeps in rows. */
const keptBy = Effect.suspend(() =>
  Layer.build(
    Layer.mergeAll(ResultRows.layer, UndoRows.layer, AppRows.layer).pipe(
      Layer.provide(DataFolder.layer({ dataDir: "/nowhere", configFile: null })),
      Layer.provide(Environment.layer({ ...FleetNodes.variablesOf(database, "127.0.0.1:1"), HOME: "/nowhere" })),
      Layer.provide(NodeServices.layer)
    )
  )
)
const resultsOf = Effect.map(keptBy, (services) => Context.get(services, ResultFiles))
const appsOf = Effect.map(keptBy, (services) => Context.get(services, SharedDocuments))
const undoOf = Effect.map(keptBy, (services) => Context.get(services, UndoStore))
const rowsOf = Effect.suspend(() =>
  Effect.map(
    Layer.build(DatabasePostgres.layerPool(Redacted.make(database))),
    (services) => Context.get(services, SqlClient.SqlClient)
  )
)

const newChat = (node: ChatServer.ChatServer) => Effect.map(node.post("/api/chats"), ({ body }) => String(body["id"]))

const eventsOf = (node: ChatServer.ChatServer, chat: string) =>
  PartListener.open(`${node.url}/api/chats/${chat}/events`)

const isEnd = (turn: number) => (parts: ReadonlyArray<Part>) =>
  parts.some((part) => part.turn === turn && part.type === "finish")

const wordsOf = (parts: ReadonlyArray<Part>, turn: number) =>
  parts.flatMap((part) => part.turn === turn && part.type === "text-delta" ? [part.text] : []).join("")

const reasons = (parts: ReadonlyArray<Part>) => parts.flatMap((part) => part.type === "finish" ? [part.reason] : [])

/** A new node takes the place of one that ended. */
const replace = Effect.fnUntraced(function*(gone: FleetNodes.Node) {
  const joined = yield* start
  if (gone === first) first = joined
  else second = joined
})

const partsOf = Effect.fnUntraced(function*(node: FleetNodes.Node, chat: string) {
  const { turns } = (yield* node.get(`/api/chats/${chat}`)).body
  return (turns as ReadonlyArray<{ readonly parts: ReadonlyArray<Part> }>).flatMap(({ parts }) => parts)
})

/** A turn that called its tool once, ended once, and of which no part is missing or there twice. */
const assertCounted = (parts: ReadonlyArray<Part>, text: string) => {
  assert.deepStrictEqual(parts.map(({ seq }) => seq), parts.map((_, at) => at + 1))
  assert.deepStrictEqual(reasons(parts), ["stop"], text)
  assert.strictEqual(wordsOf(parts, 1), "counted")
  const results = parts.filter(({ type }) => type === "tool-result")
  assert.lengthOf(results, 1)
  assert.include(JSON.stringify(results), `waited for ${text}`)
  assert.lengthOf(begun().filter((line) => line === `begins ${text}`), 1)
}

/** How many turns a node runs. */
const running = (node: ChatServer.ChatServer) =>
  Effect.promise(async () => {
    const text = await (await fetch(`${node.url}/metrics`)).text()
    return Number(/^boocode_turns_running(?:\{[^}]*\})? (\d+)/m.exec(text)?.[1] ?? 0)
  })

/** How many turns ended at a node. */
const ended = (node: FleetNodes.Node) =>
  Effect.promise(async () => {
    const text = await (await fetch(`${node.url}/metrics`)).text()
    return [...text.matchAll(/^boocode_turns_total\{[^}]*\} (\d+)/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0
    )
  })

/** The nodes, the one that runs the only turn first. */
const runnerFirst = Effect.gen(function*() {
  const counts = yield* ChatServer.until(Effect.all([running(first), running(second)]), (all) => all.includes(1))
  assert.sameMembers(counts, [0, 1])
  return counts[0] === 1 ? [first, second] as const : [second, first] as const
})

/** The request did not reach a node that would act on it. */
const isUnsent = (cause: Cause.Cause<never>) => /ECONNREFUSED|not ready/.test(Cause.pretty(cause))

const isDone = (fiber: Fiber.Fiber<unknown, unknown>) => fiber.pollUnsafe() !== undefined

describe("The chats of a fleet", { timeout: sized(Deadline.TEST.timeout, 1_800_000) }, () => {
  it.live("are read live at one node while another runs them, in pieces of at least 50 ms", () =>
    Effect.gen(function*() {
      const chat = yield* newChat(first)
      const [one, other] = yield* Effect.all([eventsOf(first, chat), eventsOf(second, chat)])
      yield* PartListener.send(second.url, chat, { text: "slow" })
      const heard = yield* one.until(isEnd(1))
      assert.deepStrictEqual(yield* other.until(isEnd(1)), heard)
      assert.deepStrictEqual(heard.map(({ seq }) => seq), heard.map((_, at) => at + 1))
      assert.strictEqual(wordsOf(heard, 1), Array.from({ length: SLOW }, (_, at) => `${at} `).join(""))
      assert.isAtLeast((one.times.at(-1) ?? 0) - (one.times[0] ?? 0), SLOW * 50, "they came while they were made")
    }))

  it.live("take an answer to an approval at any node, and show at any what waits", () =>
    Effect.gen(function*() {
      const chat = yield* newChat(first)
      const [one, other] = yield* Effect.all([eventsOf(first, chat), eventsOf(second, chat)])
      yield* PartListener.send(first.url, chat, { text: "look" })
      for (const [node, listener] of [[first, one], [second, other]] as const) {
        const asked = (yield* listener.until((parts) => parts.some(({ type }) => type === "approval")))
          .find((part) => part.type === "approval")
        const { body } = yield* node.get("/api/approvals")
        assert.include(JSON.stringify(body), asked?.type === "approval" ? asked.id : "none")
      }
      const asked = one.heard.find((part) => part.type === "approval")
      // One of both is not the chat's node.
      const answers = yield* Effect.forEach([second, first], (node) =>
        node.post(`/api/chats/${chat}/approvals/${asked?.id}`, { decision: "always" }))
      assert.deepStrictEqual(
        answers.map(({ status }) =>
          status
        ),
        [204, 409]
      )
      for (const node of [first, second]) {
        const { granted } = (yield* node.get("/api/approvals")).body
        assert.include(JSON.stringify(granted), "list_dir", "what is always allowed holds at every node")
      }
      const heard = yield* one.until(isEnd(1))
      assert.deepStrictEqual(reasons(heard), ["stop"])
      assert.strictEqual(wordsOf(heard, 1), "you said look")
    }))

  it.live("lose no part and repeat none when their node is killed: the turn is mended, and the queue goes on", () =>
    Effect.gen(function*() {
      const chat = yield* newChat(first)
      yield* PartListener.send(first.url, chat, { text: "slow" })
      yield* first.post(`/api/chats/${chat}/messages`, { text: "and then", key: "k" })
      const [victim, left] = yield* runnerFirst
      const listener = yield* eventsOf(left, chat)
      yield* listener.until((parts) => wordsOf(parts, 1).includes("5 "))
      yield* victim.end("SIGKILL", "group")
      const killed = performance.now()
      const heard = yield* listener.until(isEnd(2))
      const resumed = Math.round((listener.times[heard.findIndex(({ type }) => type === "finish")] ?? 0) - killed)
      assert.isBelow(resumed, Deadline.late(5000))
      assert.deepStrictEqual(heard.map(({ seq }) => seq), heard.map((_, at) => at + 1))
      assert.deepStrictEqual(reasons(heard), ["interrupted", "stop"])
      assert.strictEqual(wordsOf(heard, 2), "you said and then")
      yield* left.stream(`/api/chats/${chat}/messages`, { text: "and then", key: "k" })
      const stored = yield* left.get(`/api/chats/${chat}`)
      assert.lengthOf(stored.body["turns"] as ReadonlyArray<unknown>, 2)
      yield* replace(victim)
    }))

  it.live("go on at another node when theirs is told to end, and answer what is sent meanwhile", () =>
    Effect.gen(function*() {
      const chat = yield* newChat(second)
      yield* PartListener.send(first.url, chat, { text: sized("slow", "lasting") })
      const [victim, left] = yield* runnerFirst
      const listener = yield* eventsOf(left, chat)
      yield* listener.until((parts) => wordsOf(parts, 1).includes("3 "))
      const ending = yield* Effect.forkScoped(victim.end("SIGTERM", "process"))
      yield* left.stream(`/api/chats/${chat}/messages`, { text: "meanwhile", key: "m" })
      const heard = yield* listener.until(isEnd(2))
      assert.deepStrictEqual(reasons(heard), [sized("stop", "interrupted"), "stop"])
      assert.strictEqual(wordsOf(heard, 2), "you said meanwhile")
      yield* Fiber.join(ending)
      yield* replace(victim)
    }))

  it.live("answer every message, and every call, while their entry changes and one node after the other is restarted", () =>
    Effect.gen(function*() {
      let nodes: ReadonlyArray<FleetNodes.Node> = [first, second, ...IS_LONG ? [yield* start] : []]
      yield* FleetNodes.settled(nodes)
      let isOver = false
      let asked = 0
      const finished: Array<string> = []
      /** As a proxy does: to the next node that is ready, and to another where no connection is made. */
      const balanced = <A>(request: (node: FleetNodes.Node) => Effect.Effect<A>): Effect.Effect<A> =>
        Effect.suspend(() => {
          const node = nodes[asked++ % nodes.length] ?? assert.fail("there is no node")
          // One that has just closed its port may reset the connection.
          const answered = Effect.catchCause(node.get("/api/health?ready=1"), () => Effect.succeed({ status: 0 }))
          return Effect.flatMap(
            answered,
            ({ status }) => status === 200 ? request(node) : Effect.die(new Error("not ready"))
          )
        }).pipe(
          Effect.sandbox,
          Effect.retry({ times: 200, while: isUnsent, schedule: Schedule.spaced("20 millis") }),
          Effect.catch(Effect.failCause)
        )
      const calling = Effect.gen(function*() {
        for (let at = 0; !isOver; at++) {
          const { body } = yield* balanced((node) =>
            Effect.tap(
              node.post("/api/tools/patient_wait/call", { args: { text: `call ${at}`, millis: 100 } }),
              // It says that the call was not sent, and a proxy asks another node.
              ({ status }) => status === 503 ? Effect.die(new Error("not ready")) : Effect.void
            )
          )
          assert.strictEqual(body["text"], `waited for call ${at}`, JSON.stringify(body))
          finished.push(`call ${at}`)
        }
      })
      const chatting = Effect.gen(function*() {
        for (let at = 0; !isOver; at++) {
          const text = `count rolling ${at}`
          const chat = yield* balanced(newChat)
          yield* balanced((node) => PartListener.send(node.url, chat, { text, key: text }).pipe(Effect.scoped))
          const parts = yield* ChatServer.until(balanced((node) => partsOf(node, chat)), isEnd(1))
          assertCounted(parts, text)
          finished.push(text)
        }
      })
      const work = yield* Effect.forkScoped(Effect.all([calling, chatting], { concurrency: 2 }))
      // The nodes that are there take it over, and those that come have it from the beginning.
      const newer = `${calls}-later`
      assert.strictEqual(yield* FleetNodes.putEntry(first, "patient", FixtureServer.entry("Patient", newer)), 200)
      for (const old of sized([second], nodes)) {
        const before = finished.length
        yield* old.end("SIGTERM", "process")
        nodes = [...nodes.filter((node) => node !== old), yield* start]
        yield* FleetNodes.settled(nodes)
        yield* ChatServer.until(Effect.sync(() => finished.length), (now) => now > before + 5 || isDone(work))
      }
      isOver = true
      yield* Fiber.join(work)
      assert.lengthOf(
        begun().filter((line) => line.startsWith("begins call ")),
        finished.filter((text) => text.startsWith("call")).length
      )
      assert.include(FleetNodes.lines(newer).join(), "begins call ")
      assert.include(finished.join(), "count rolling")
      const [one, two, third] = nodes
      first = one ?? assert.fail("no node is left")
      second = two ?? assert.fail("one node is left")
      if (third !== undefined) yield* third.end("SIGTERM", "process")
    }))

  it.live("are spread over all nodes, and each of many answers once with one call of a tool", () =>
    Effect.gen(function*() {
      const nodes = [first, second, ...IS_LONG ? [yield* start] : []]
      yield* FleetNodes.settled(nodes)
      const began = performance.now()
      const chats = yield* Effect.forEach(
        Array.from({ length: sized(12, 1000) }, (_, at) => at),
        Effect.fnUntraced(function*(at) {
          const node = nodes[at % nodes.length] ?? first
          const chat = yield* newChat(node)
          yield* node.stream(`/api/chats/${chat}/messages`, { text: `count ${at}` })
          return { at, chat }
        }),
        { concurrency: 24 }
      )
      const took = Math.round(performance.now() - began)
      for (const { at, chat } of chats) {
        assertCounted(yield* partsOf(nodes[(at + 1) % nodes.length] ?? second, chat), `count ${at}`)
      }
      const ran = yield* Effect.forEach(nodes, ended)
      assert.isTrue(ran.every((count) => count >= sized(1, 200)), `${ran} turns ran at the nodes, in ${took} ms`)
    }))

  it.live("lose no part while the database is away in the middle of a turn, also when their node ends right after", () =>
    Effect.gen(function*() {
      const chat = yield* newChat(first)
      yield* PartListener.send(first.url, chat, { text: "long" })
      const [ending, left] = yield* runnerFirst
      const listener = yield* eventsOf(left, chat)
      yield* listener.until((parts) => wordsOf(parts, 1).includes("5 "))
      yield* postgres.kill
      yield* Effect.sleep(sized(500, 5000))
      yield* postgres.revive
      // The locks of the node are forgotten, and nobody else is to take its chats before it has given them away.
      const gone = yield* Effect.forkScoped(ending.end("SIGTERM", "process"))
      const heard = yield* listener.until(isEnd(1))
      assert.deepStrictEqual(heard.map(({ seq }) => seq), heard.map((_, at) => at + 1))
      assert.deepStrictEqual(reasons(heard), ["stop"])
      assert.strictEqual(wordsOf(heard, 1), Array.from({ length: LONG }, (_, at) => `${at} `).join(""))
      assert.deepStrictEqual(yield* partsOf(left, chat), heard)
      yield* Fiber.join(gone)
    }))

  it.live("are written by the node that took them last, and by no other", () =>
    Effect.gen(function*() {
      const storeOf = Effect.map(
        Layer.build(
          Layer.provide(SqlChatStore.layer("test"), DatabasePostgres.layer(Redacted.make(database), "node"))
        ),
        (services) => Context.get(services, ChatStore)
      )
      const [frozen, taker] = yield* Effect.all([storeOf, storeOf])
      const id = "fenced"
      yield* frozen.put(StoreSuite.record(id))
      yield* frozen.claim(id)
      // The nodes of this test would take up a chat whose turn has not ended.
      yield* frozen.putTurn(id, StoreSuite.turn(1, { state: "ended" }))
      yield* frozen.append(id, StoreSuite.numbered(1, 0, [StoreSuite.said("before")]))
      const writing = Effect.forEach(Array.from({ length: 5000 }, (_, at) => at + 1), (at) =>
        frozen.append(id, StoreSuite.numbered(1, at, [StoreSuite.said(`${at}`)])))
      const race = yield* Effect.forkChild(Effect.exit(writing))
      yield* taker.claim(id)
      // All that the first one wrote is there now, and it writes no more.
      const { lastSeq = 0 } = (yield* taker.head(id)) ?? {}
      yield* taker.append(id, StoreSuite.numbered(1, lastSeq, [StoreSuite.said("after")]))
      assert.isTrue(Exit.isFailure(yield* Fiber.join(race)))
      const writes = [
        frozen.append(id, StoreSuite.numbered(1, lastSeq + 1, [StoreSuite.said("late")])),
        frozen.put(StoreSuite.record(id, { title: "late" })),
        frozen.putTurn(id, StoreSuite.turn(2)),
        frozen.removeTurn(id, 1),
        frozen.putPart(id, { ...StoreSuite.said("late"), turn: 1, seq: 1 }),
        frozen.putFile(id, "late", new Uint8Array([1])),
        frozen.remove(id)
      ]
      for (const write of writes) {
        assert.strictEqual((yield* Effect.flip(write))._tag, "ChatStoreFailed")
      }
      const stored = (yield* taker.get(id)) ?? assert.fail("it is gone")
      const said = stored.turns.flatMap(({ parts }) =>
        parts
      ).map((part) => part.type === "text-delta" ? part.text : "")
      assert.strictEqual(said[0], "before")
      assert.strictEqual(said.at(-1), "after")
      assert.lengthOf(said, lastSeq + 1)
      assert.notStrictEqual(stored.record.title, "late")
      yield* taker.remove(id)
    }).pipe(Effect.scoped))
})
