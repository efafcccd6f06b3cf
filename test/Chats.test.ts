/** The chats of real server processes, with a scripted model and real MCP servers. */
import type { Part } from "@boocode/chat"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync, statSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as ModelServer from "./servers/ModelServer.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as PartListener from "./support/PartListener.ts"
import * as Processes from "./support/Processes.ts"

const MARK = "BOOCODE_CHATS_TEST"
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** Waits, calls and says what the message asks for: `wait 300`, `call NAME {json}`, `say it slowly`. */
const script: ModelServer.Script = (request) => {
  const slowly = /^say (.*) slowly$/.exec(request.text)?.[1]
  if (slowly !== undefined && request.results.length === 0) {
    return slowly.split(" ").flatMap((word) => [ModelServer.text(`${word} `), ModelServer.wait(150)])
  }
  return ModelServer.echo(request)
}

/** A data folder, a scripted model, and servers over them one after the other; nothing is left of any of them. */
const setup = Effect.fnUntraced(function*(settings: object = { titles: "message" }) {
  const mark = randomUUID()
  const model = yield* ModelServer.make(script)
  const folder = yield* Command.folder({ "data/settings.json": JSON.stringify(settings), "data/mcp.json": "{}" })
  const ledger = join(folder, "calls.txt")
  const data = join(folder, "data")
  const patient = { ...FixtureServer.entry("Patient", ledger), env: { [MARK]: mark } }
  yield* Effect.promise(() => writeFile(join(data, "mcp.json"), JSON.stringify({ mcpServers: { patient } })))
  const env = { OPENAI_BASE_URL: `${model.url}/v1`, BOOCODE_MODEL: "openai/scripted", [MARK]: mark }
  return {
    model,
    start: AppServer.start(data, env),
    /** One that can be killed. */
    process: ChatServer.start(data, env),
    state: join(folder, "state"),
    /** Other MCP servers, for the next start. */
    declare: (mcpServers: object) =>
      Effect.promise(() => writeFile(join(data, "mcp.json"), JSON.stringify({ mcpServers }))),
    /** What happened at the MCP server. */
    calls: () => existsSync(ledger) ? readFileSync(ledger, "utf8").trim().split("\n") : [],
    nothingLeft: Effect.map(
      Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS),
      (left) => assert.deepStrictEqual(left, [])
    )
  }
})

const newChat = (server: ChatServer.ChatServer) =>
  Effect.map(server.post("/api/chats", null), ({ body }) => String(body["id"]))

const events = (server: ChatServer.ChatServer, chat: string, after = 0) =>
  PartListener.open(`${server.url}/api/chats/${chat}/events?after=${after}`)

const ends = (turn: number) => (parts: ReadonlyArray<Part>) =>
  parts.some((part) => part.type === "finish" && part.turn === turn)

const brief = (parts: ReadonlyArray<Part>) =>
  parts.reduce<ReadonlyArray<string>>((lines, part) => {
    const last = lines.at(-1) ?? ""
    if (part.type === "text-delta") {
      const words = `${part.turn} say `
      return last.startsWith(words) ? [...lines.slice(0, -1), last + part.text] : [...lines, words + part.text]
    }
    if (part.type === "tool-result") return [...lines, `${part.turn} result ${part.text}`]
    if (part.type === "warning") return [...lines, `${part.turn} warning ${part.message}`]
    return [...lines, part.type === "finish" ? `${part.turn} ${part.reason}` : `${part.turn} ${part.type}`]
  }, [])

const stored = (server: ChatServer.ChatServer, chat: string) =>
  Effect.map(server.get(`/api/chats/${chat}`), ({ body }) => {
    // The shape is the contract's, which other tests check.
    const turns = body["turns"] as ReadonlyArray<{ readonly parts: ReadonlyArray<Part> } & Record<string, unknown>>
    const parts = turns.flatMap((turn) => turn.parts).toSorted((one, other) => one.seq - other.seq)
    assert.deepStrictEqual(parts.map(({ seq }) => seq), parts.map((_, at) => at + 1))
    return { ...body, turns, parts }
  })

const request = (server: ChatServer.ChatServer, path: string, init: RequestInit) =>
  Effect.promise(() => fetch(`${server.url}${path}`, init))

const textOf = (response: Response) => Effect.promise(() => response.text())

describe("Each chat of a server", Deadline.TEST, () => {
  const scope = Scope.makeUnsafe()
  let shared: Effect.Success<ReturnType<typeof setup>> & { readonly server: ChatServer.ChatServer }

  beforeAll(async () => {
    const starting = Effect.gen(function*() {
      const made = yield* setup()
      return { ...made, server: yield* made.start }
    })
    shared = await Effect.runPromise(Scope.provide(starting, scope))
  })

  afterAll(async () => {
    await Effect.runPromise(shared.server.end("SIGTERM", "process"))
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await Effect.runPromise(shared.nothingLeft)
  })

  it.live("R97: a closed connection leaves the turn running, and a client that comes later sees the very same parts", () =>
    Effect.gen(function*() {
      const { server } = shared
      const chat = yield* newChat(server)
      const sender = yield* PartListener.send(server.url, chat, { text: "say one two three four five slowly" })
      yield* sender.until((parts) => parts.length > 0)
      const beside = yield* events(server, chat)
      yield* sender.leave
      const all = yield* beside.until(ends(1))
      assert.deepStrictEqual(brief(all), ["1 say one two three four five ", "1 stop"])
      assert.deepStrictEqual(all.slice(0, sender.heard.length), sender.heard)
      const late = yield* events(server, chat, 2)
      assert.deepStrictEqual(yield* late.until(ends(1)), all.slice(2))
      assert.deepStrictEqual((yield* stored(server, chat)).parts, [...all])
    }))

  it.live("answers messages that wait in their order, and drops the one that is taken back", () =>
    Effect.gen(function*() {
      const { server } = shared
      const chat = yield* newChat(server)
      const list = yield* PartListener.open<Record<string, unknown>>(`${server.url}/api/events`)
      yield* PartListener.send(server.url, chat, { text: "say one two three four five six seven eight slowly" })
      for (const text of ["two", "three", "four"]) {
        assert.strictEqual((yield* server.post(`/api/chats/${chat}/messages`, { text })).status, 202)
      }
      assert.strictEqual((yield* request(server, `/api/chats/${chat}/queue/3`, { method: "DELETE" })).status, 204)
      assert.strictEqual((yield* request(server, `/api/chats/${chat}/queue/3`, { method: "DELETE" })).status, 404)
      const refused = yield* server.post(`/api/chats/${chat}/messages`, { text: "again", replaces: 1 })
      assert.deepStrictEqual([refused.status, refused.body["_tag"]], [409, "TurnRunning"])
      const listener = yield* events(server, chat)
      assert.deepStrictEqual(brief(yield* listener.until(ends(4))), [
        "1 say one two three four five six seven eight ",
        "1 stop",
        "2 say You said: two",
        "2 stop",
        "4 say You said: four",
        "4 stop"
      ])
      const changes = yield* list.until((heard) =>
        heard.some((event) => event["type"] === "chat" && JSON.stringify(event["chat"]).includes("\"waiting\":3"))
      )
      assert.isTrue(changes.some((event) => JSON.stringify(event).includes("\"running\":1")))
      yield* request(server, `/api/chats/${chat}`, { method: "DELETE" })
      yield* list.until((heard) => heard.some(({ id, type }) => type === "chat-removed" && id === chat))
    }))

  it.live("sends an edited message in place of the old one: the model sees what is left, the chat keeps all", () =>
    Effect.gen(function*() {
      const { model, server } = shared
      const chat = yield* newChat(server)
      const send = (body: object) => server.stream(`/api/chats/${chat}/messages`, body)
      yield* send({ text: "first" })
      yield* send({ text: "secnod" })
      yield* send({ text: "third" })
      yield* send({ text: "second", replaces: 2 })
      const words = JSON.stringify(model.requests.at(-1)?.body)
      assert.include(words, "You said: first")
      assert.notMatch(words, /secnod|third/)
      const { turns } = yield* stored(server, chat)
      assert.deepStrictEqual(turns.map(({ replacedBy, text }) => [text, replacedBy]), [
        ["first", null],
        ["secnod", 4],
        ["third", 4],
        ["second", null]
      ])
    }))

  it.live("R97: stop in the middle of a call cancels it at the MCP server, and the next message goes on", () =>
    Effect.gen(function*() {
      const { calls, model, server } = shared
      const chat = yield* newChat(server)
      const sender = yield* PartListener.send(server.url, chat, {
        text:
          "call patient_wait {\"text\":\"long\",\"millis\":60000}\ncall patient_wait {\"text\":\"short\",\"millis\":1}"
      })
      yield* sender.until((parts) => parts.some(({ type }) => type === "tool-result"))
      assert.strictEqual((yield* server.post(`/api/chats/${chat}/stop`)).status, 204)
      const said = brief(yield* sender.end)
      assert.deepStrictEqual(said.slice(-3), [
        "1 result waited for short",
        "1 result patient_wait has no result: it was cancelled before it finished",
        "1 stopped"
      ])
      yield* ChatServer.until(Effect.sync(calls), (lines) => lines.includes("cancelled long"))
      assert.sameMembers(calls(), ["begins long", "begins short", "ends short", "cancelled long"])
      yield* server.stream(`/api/chats/${chat}/messages`, { text: "go on" })
      assert.strictEqual(model.requests.at(-1)?.problem, null)
    }))

  it.live("take a message once, however often a client repeats it", () =>
    Effect.gen(function*() {
      const { model, server } = shared
      const chat = yield* newChat(server)
      const before = model.requests.length
      const body = { text: "say once or never slowly", key: "k1" }
      const lost = yield* PartListener.send(server.url, chat, body)
      yield* lost.until((parts) => parts.length > 0)
      yield* lost.leave
      const again = yield* PartListener.send(server.url, chat, body)
      const parts = yield* again.end
      assert.deepStrictEqual(brief(parts), ["1 say once or never ", "1 stop"])
      assert.deepStrictEqual(
        yield* server.stream(`/api/chats/${chat}/messages`, body),
        parts.map((part) => ({ ...part }))
      )
      assert.strictEqual(model.requests.length, before + 1)
    }))

  it.live("keep images and give them to the model, and come out as a file and in again", () =>
    Effect.gen(function*() {
      const { model, server } = shared
      const chat = yield* newChat(server)
      const image = { kind: "image", name: "dot.png", data: PNG }
      yield* server.stream(`/api/chats/${chat}/messages`, { text: "look", attachments: [image] })
      assert.include(JSON.stringify(model.requests.at(-1)?.body), PNG)
      const file = yield* request(server, `/api/chats/${chat}/files/1-1`, {})
      const bytes = yield* Effect.promise(() => file.arrayBuffer())
      assert.strictEqual(Buffer.from(bytes).toString("base64"), PNG)
      assert.deepStrictEqual(
        ["content-type", "x-content-type-options"].map((name) => file.headers.get(name)),
        ["image/png", "nosniff"]
      )
      const svg = { kind: "image", name: "x.svg", data: Buffer.from("<svg/>").toString("base64") }
      const refused = yield* server.post(`/api/chats/${chat}/messages`, { text: "look", attachments: [svg] })
      assert.deepStrictEqual([refused.status, refused.body["_tag"]], [415, "AttachmentRefused"])
      const saved = yield* textOf(yield* request(server, `/api/chats/${chat}/export?format=json`, {}))
      const imported = yield* server.post("/api/chats/import", JSON.parse(saved))
      assert.strictEqual(imported.status, 201)
      const copy = yield* stored(server, String(imported.body["id"]))
      assert.deepStrictEqual(copy.turns, (yield* stored(server, chat)).turns)
      const again = yield* request(server, `/api/chats/${imported.body["id"]}/files/1-1`, {})
      assert.strictEqual(Buffer.from(yield* Effect.promise(() => again.arrayBuffer())).toString("base64"), PNG)
      const found = yield* server.get("/api/chats?q=look")
      assert.strictEqual((found.body["chats"] as ReadonlyArray<unknown>).length, 2)
    }))
})

describe("The chats of a server", Deadline.TEST, () => {
  it.live(
    "keep everything over an end and over a kill: what ran has its end, what waited is answered",
    () =>
      Effect.gen(function*() {
        const { nothingLeft, process, start } = yield* setup()
        const call = "call patient_wait {\"text\":\"x\",\"millis\":60000}"
        let chat = ""
        for (const [signal, first] of [["SIGTERM", 1], ["SIGKILL", 3]] as const) {
          yield* Effect.scoped(Effect.gen(function*() {
            const server = yield* (signal === "SIGKILL" ? process : start)
            if (chat === "") chat = yield* newChat(server)
            const before = (yield* stored(server, chat)).parts
            yield* ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)
            const sender = yield* PartListener.send(server.url, chat, { text: call })
            yield* sender.until((parts) => parts.some(({ type }) => type === "tool-call"))
            assert.strictEqual(
              (yield* server.post(`/api/chats/${chat}/messages`, { text: `after ${signal}` })).status,
              202
            )
            yield* server.end(signal, "process")
            const shown = [...before, ...sender.heard]
            yield* Effect.scoped(Effect.gen(function*() {
              const again = yield* start
              const listener = yield* events(again, chat)
              const parts = yield* listener.until(ends(first + 1))
              assert.deepStrictEqual(parts.slice(0, shown.length), shown, "what was shown is there")
              // Whether the server of the call is there again before the model is asked is not told here.
              const lines = brief(parts).filter((line) => !line.includes(" warning ")).map((line) =>
                line.split("(A note")[0]
              )
              assert.deepStrictEqual(
                lines.filter((line) => line?.startsWith(`${first} `) || line?.startsWith(`${first + 1} `)).slice(2),
                [`${first} interrupted`, `${first + 1} say You said: after ${signal}`, `${first + 1} stop`]
              )
              yield* again.end("SIGTERM", "process")
            }))
          }))
        }
        yield* nothingLeft
      })
  )

  it.live("send a model the same history after a restart, byte for byte, which providers cache", () =>
    Effect.gen(function*() {
      const { model, nothingLeft, start, state } = yield* setup()
      let chat = ""
      const said = (text: string) =>
        Effect.scoped(Effect.gen(function*() {
          const server = yield* start
          yield* ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)
          if (chat === "") chat = yield* newChat(server)
          yield* server.stream(`/api/chats/${chat}/messages`, { text })
          yield* server.end("SIGTERM", "process")
          return JSON.stringify(model.requests.at(-1)?.body["messages"])
        }))
      const before = yield* said("call patient_wait {\"text\":\"x\",\"millis\":1}")
      assert.match(before, /<tool_result_\w{8} /)
      const after = yield* said("go on")
      assert.strictEqual(after.slice(0, before.length - 1), before.slice(0, -1))
      assert.strictEqual(statSync(join(state, "frame-key")).mode & 0o777, 0o600)
      yield* nothingLeft
    }))

  it.live("R98: open while every server is down or still connecting, and the next chat is told of each with its reason", () =>
    Effect.gen(function*() {
      const { declare, nothingLeft, start } = yield* setup()
      const chat = yield* Effect.scoped(Effect.gen(function*() {
        const server = yield* start
        const id = yield* newChat(server)
        yield* server.stream(`/api/chats/${id}/messages`, { text: "hello" })
        yield* server.end("SIGTERM", "process")
        return id
      }))
      yield* declare({
        dead: { command: process.execPath, args: ["-e", "process.exit(3)"] },
        // It takes what it is sent and never answers.
        mute: { command: "/bin/sleep", args: ["600"], startupTimeout: "10 minutes" },
        none: { command: "/no/such/command" }
      })
      yield* Effect.scoped(Effect.gen(function*() {
        const server = yield* start
        assert.deepStrictEqual(brief((yield* stored(server, chat)).parts), ["1 say You said: hello", "1 stop"])
        const listener = yield* events(server, chat)
        yield* listener.until(ends(1))
        const { body } = yield* server.get("/api/mcp/servers")
        const mute = Array.isArray(body["servers"]) ? body["servers"].find(({ name }) => name === "mute") : null
        assert.strictEqual(mute?.state, "connecting")
        const fresh = yield* newChat(server)
        const told = yield* PartListener.send(server.url, fresh, { text: "hello" })
        const parts = yield* told.end
        assert.deepStrictEqual(parts.flatMap((part) => part.type === "warning" ? [part.servers] : []), [[
          { name: "dead", reason: "failed" },
          { name: "mute", reason: "connecting" },
          { name: "none", reason: "failed" }
        ]])
        const said = brief(parts)
        assert.deepStrictEqual(said.slice(-2), ["1 say You said: hello", "1 stop"])
      }))
      yield* nothingLeft
    }))

  it.live("are named by their model after the first answer", () =>
    Effect.gen(function*() {
      const { model, nothingLeft, start } = yield* setup({})
      model.answer((request) =>
        request.system.startsWith("You name conversations")
          ? [ModelServer.text("\"A fine "), ModelServer.text("title.\"")]
          : ModelServer.echo(request)
      )
      yield* Effect.scoped(Effect.gen(function*() {
        const server = yield* start
        const chat = yield* newChat(server)
        yield* server.stream(`/api/chats/${chat}/messages`, { text: "hello there" })
        const named = yield* ChatServer.until(
          server.get(`/api/chats/${chat}`),
          ({ body }) => body["titledBy"] === "model"
        )
        assert.strictEqual(named.body["title"], "A fine title")
      }))
      yield* nothingLeft
    }))
})
