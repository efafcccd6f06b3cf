import { assert, describe, it, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as ModelServer from "./servers/ModelServer.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as Processes from "./support/Processes.ts"

const MARK = "BOOCODE_APPROVALS_TEST"
const LIMIT = 60_000

interface Part {
  readonly type: string
  readonly id: string
  readonly call: string
  readonly name: string
  readonly text: string
  readonly decision: string
  readonly reason: string | null
  readonly isError: boolean
  readonly annotations: object
  readonly isTrusted: boolean
}

/** A data folder whose servers ask before `write`; what was called at each, and how many run. */
const place = Effect.fnUntraced(function*(names: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) {
  const mark = randomUUID()
  const folder = yield* Command.folder({})
  const ledger = (name: string) => join(folder, `${name}.txt`)
  const entry = (name: string) => ({
    ...FixtureServer.entry("Ledger", ledger(name)),
    ask: ["write"],
    env: { ...Command.COMPILED, [MARK]: mark }
  })
  const data = yield* Command.folder({
    "data/mcp.json": JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, entry(name)])) }),
    "data/workspace/a.txt": "a\n",
    ...more
  })
  return {
    data: join(data, "data"),
    /** The calls that arrived at a server, in order. */
    calls: (name = "ledger") => existsSync(ledger(name)) ? readFileSync(ledger(name), "utf8").trim().split("\n") : [],
    count: Processes.count(MARK, mark)
  }
})

/** One chat server for the tests that do not kill it, with a server for each, and a model for the chats that name it. */
class Stage extends Context.Service<Stage>()("test/ApprovalsStage", {
  make: Effect.gen(function*() {
    const here = yield* place(["ledger", "kept", "twice"], {
      "data/settings.json": JSON.stringify({ approvals: { ask: ["view_file"] } })
    })
    const model = yield* ModelServer.make((request) =>
      request.results.length === 0
        ? [ModelServer.call("twice_write", { text: "same" }), ModelServer.call("twice_write", { text: "same" })]
        : [ModelServer.text(request.results.map(({ text }) => text).join(" / "))]
    )
    return { here, server: yield* started(here, { OPENAI_BASE_URL: `${model.url}/v1` }) }
  })
}) {
  static readonly layer = Layer.effect(Stage, Stage.make)
}

const chatOn = Effect.fnUntraced(function*(server: ChatServer.ChatServer, options: object = {}) {
  const { body } = yield* server.post("/api/chats", options)
  const id = String(body["id"])
  const partsNow = Effect.map(server.get(`/api/chats/${id}`), ({ body }) => {
    // A test reads what it asks for; a wrong shape is a failed assertion.
    const turns = body["turns"] as ReadonlyArray<{ readonly parts: ReadonlyArray<Part> }>
    return turns.flatMap(({ parts }) => parts)
  })
  const open = Effect.map(partsNow, (parts) => {
    const answered = new Set(parts.flatMap((part) => part.type === "approval-answer" ? [part.id] : []))
    return parts.filter((part) => part.type === "approval" && !answered.has(part.id))
  })
  return {
    id,
    parts: partsNow,
    /** Sends a message; its parts come when the turn is over. */
    send: (text: string) => server.stream(`/api/chats/${id}/messages`, { text }),
    /** The requests that wait, once there are so many. */
    waiting: (count: number) =>
      Effect.tap(
        ChatServer.until(open, (some) => some.length >= count),
        (some) => Effect.sync(() => assert.strictEqual(some.length, count))
      ),
    answer: (approval: string, decision: string, more: object = {}) =>
      server.post(`/api/chats/${id}/approvals/${approval}`, { decision, ...more })
  }
})

const only = <A>(list: ReadonlyArray<A>): A => {
  assert.lengthOf(list, 1)
  return list[0] ?? assert.fail("nothing")
}

const started = (
  place: { readonly data: string },
  env: Readonly<Record<string, string>> = {},
  start: (data: string, env: Readonly<Record<string, string>>) => ReturnType<typeof ChatServer.start> = AppServer.start
) =>
  Effect.tap(
    start(place.data, env),
    (server) => ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)
  )

const resultOf = (parts: ReadonlyArray<Record<string, unknown>>) =>
  parts.find((part) => part["type"] === "tool-result") ?? assert.fail("no result")

describe("Approvals of a running server", () => {
  layer(Stage.layer, { excludeTestServices: true, timeout: LIMIT })((it) => {
    it.effect(
      "R73: ask about what the entry names, whatever the server's hints say, and call nothing before a yes",
      () =>
        Effect.gen(function*() {
          const { here, server } = yield* Stage
          const chat = yield* chatOn(server)
          const turn = yield* Effect.forkChild(chat.send(`/ledger_write {"text": "one"}`))
          const request = only(yield* chat.waiting(1))
          assert.deepStrictEqual(request.annotations, { readOnlyHint: true, destructiveHint: false })
          const { body } = yield* server.get("/api/approvals")
          assert.deepStrictEqual(
            (body["pending"] as ReadonlyArray<Record<string, unknown>>).map(({ chat, id }) => [chat, id]),
            [[chat.id, request.id]]
          )
          assert.deepStrictEqual(here.calls(), [])
          assert.strictEqual((yield* chat.answer(request.id, "once")).status, 204)
          const parts = yield* Fiber.join(turn)
          assert.deepStrictEqual(
            parts.map((part) => part["type"]),
            ["tool-call", "approval", "approval-answer", "tool-result", "finish"]
          )
          assert.deepStrictEqual(here.calls(), ["write one"])
          // What is not named needs no yes, and a person's own call is one.
          yield* chat.send("/ledger_look")
          const own = yield* server.post("/api/tools/ledger_write/call", { args: { text: "by hand" } })
          assert.strictEqual(own.status, 200)
          assert.deepStrictEqual(here.calls(), ["write one", "look ", "write by hand"])
          // Somebody was quicker; nobody asked; no such chat.
          assert.strictEqual((yield* chat.answer(request.id, "once")).status, 409)
          assert.strictEqual((yield* chat.answer("nobody", "once")).status, 404)
          assert.strictEqual(
            (yield* server.post(`/api/chats/x/approvals/${request.id}`, { decision: "once" })).status,
            404
          )
          assert.strictEqual((yield* chat.answer(request.id, "perhaps")).status, 400)
        })
    )

    it.effect(
      "hold for the chat, or always until the tool changes; a no reaches the model with its reason",
      () =>
        Effect.gen(function*() {
          const { here, server } = yield* Stage
          const chat = yield* chatOn(server)
          const asked = Effect.fnUntraced(function*(text: string, decision: string, more: object = {}) {
            const turn = yield* Effect.forkChild(chat.send(text))
            const request = only(yield* chat.waiting(1))
            assert.strictEqual((yield* chat.answer(request.id, decision, more)).status, 204)
            return resultOf(yield* Fiber.join(turn))
          })
          const denied = yield* asked("/kept_write", "deny", { reason: "not on Sundays" })
          assert.strictEqual(
            denied["text"],
            "kept_write was not called: the person who was asked said no: not on Sundays"
          )
          assert.strictEqual((yield* asked(`/view_file {"path": "a.txt"}`, "once"))["isError"], false)
          const bad = yield* Effect.forkChild(chat.send("/kept_write"))
          const request = only(yield* chat.waiting(1))
          assert.strictEqual((yield* chat.answer(request.id, "once", { args: { text: [1] } })).status, 400)
          assert.strictEqual((yield* chat.answer(request.id, "chat", { args: { text: "mine" } })).status, 204)
          yield* Fiber.join(bad)
          yield* chat.send(`/kept_write {"text": "free"}`)
          assert.deepStrictEqual(here.calls("kept"), ["write mine", "write free"])
          // Another chat asks; from then on none does.
          const other = yield* chatOn(server)
          const turn = yield* Effect.forkChild(other.send(`/kept_write {"text": "other"}`))
          yield* other.answer(only(yield* other.waiting(1)).id, "always")
          yield* Fiber.join(turn)
          yield* (yield* chatOn(server)).send(`/kept_write {"text": "always"}`)
          assert.deepStrictEqual(here.calls("kept").slice(2), ["write other", "write always"])
          const { body } = yield* server.get("/api/approvals")
          assert.deepStrictEqual(body["pending"], [])
          assert.deepStrictEqual(
            (body["granted"] as ReadonlyArray<Record<string, unknown>>).map((
              { name, server, tool }
            ) => [server, tool, name]),
            [["kept", "write", "kept_write"]]
          )
          const revoke = (name: string) =>
            Effect.promise(() => fetch(`${server.url}/api/approvals/granted/${name}`, { method: "DELETE" }))
          assert.strictEqual((yield* revoke("kept_write")).status, 204)
          assert.strictEqual((yield* revoke("kept_write")).status, 404)
          const last = yield* chatOn(server)
          const stopped = yield* Effect.forkChild(last.send("/kept_write"))
          const late = only(yield* last.waiting(1))
          yield* server.post(`/api/chats/${last.id}/stop`)
          assert.strictEqual((yield* Fiber.join(stopped)).at(-1)?.["reason"], "stopped")
          assert.strictEqual((yield* last.answer(late.id, "once")).status, 409)
          assert.lengthOf(here.calls("kept"), 4)
        })
    )

    it.effect(
      "R106: are two for two calls of one tool in one answer, each answered by itself",
      () =>
        Effect.gen(function*() {
          const { here, server } = yield* Stage
          const chat = yield* chatOn(server, { model: "openai/m" })
          const turn = yield* Effect.forkChild(chat.send("write twice"))
          const [one, two] = yield* chat.waiting(2)
          if (one === undefined || two === undefined) return assert.fail("two calls, two requests")
          assert.notStrictEqual(one.id, two.id)
          assert.notStrictEqual(one.call, two.call)
          yield* chat.answer(two.id, "once")
          yield* chat.answer(one.id, "deny", { reason: "once is enough" })
          const parts = yield* Fiber.join(turn)
          assert.deepStrictEqual(here.calls("twice"), ["write same"])
          const said = parts.filter((part) => part["type"] === "text-delta").map((part) => part["text"]).join("")
          assert.include(said, "once is enough")
          assert.include(said, "write is done")
        })
    )
  })

  it.live(
    "survive the death of the server: answered afterwards, the call is made exactly once",
    () =>
      Effect.gen(function*() {
        const here = yield* place(["ledger"])
        const model = yield* ModelServer.make(({ body }) =>
          JSON.stringify(body).includes("write is done")
            ? [ModelServer.text("It is written.")]
            : [ModelServer.text("I will write. "), ModelServer.call("ledger_write", { text: "late" })]
        )
        const env = { OPENAI_BASE_URL: `${model.url}/v1`, BOOCODE_MODEL: "openai/m" }
        const first = yield* started(here, env, ChatServer.start)
        const before = yield* chatOn(first)
        yield* Effect.forkChild(Effect.exit(before.send("write it")))
        const request = only(yield* before.waiting(1))
        yield* first.end("SIGKILL", "process")
        const second = yield* AppServer.start(here.data, env)
        const answer = (decision: string) =>
          second.post(`/api/chats/${before.id}/approvals/${request.id}`, { decision })
        // Asked for at once, while its server still connects.
        assert.strictEqual((yield* answer("once")).status, 204)
        assert.strictEqual((yield* answer("once")).status, 409)
        const after = yield* ChatServer.until(
          second.get(`/api/chats/${before.id}`),
          ({ body }) => body["running"] === null
        )
        const turns = after.body["turns"] as ReadonlyArray<
          { readonly state: string; readonly parts: ReadonlyArray<Part> }
        >
        const { parts, state } = only(turns)
        assert.strictEqual(state, "ended")
        assert.deepStrictEqual(here.calls(), ["write late"])
        assert.deepStrictEqual(
          parts.map(({ type }) => type).filter((type) => type !== "text-delta"),
          ["tool-call", "approval", "approval-answer", "tool-result", "finish"]
        )
        assert.include(
          parts.flatMap(({ text, type }) => type === "text-delta" ? [text] : []).join(""),
          "It is written."
        )
        yield* second.end("SIGTERM", "process")
        assert.strictEqual(yield* here.count, 0)
      }),
    LIMIT
  )
})
