import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as Offers from "./servers/interop/Offers.ts"
import * as ModelServer from "./servers/ModelServer.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Compiled from "./support/Compiled.ts"
import * as Processes from "./support/Processes.ts"
import * as Pty from "./support/Pty.ts"

const MARK = "BOOCODE_QUESTIONS_TEST"
/** One of each era: the older asks while a call runs, the newer answers it with questions. */
const servers = (mark: string) => {
  const entry = (file: string, ...more: ReadonlyArray<string>) => ({
    command: process.execPath,
    args: [...Compiled.FLAGS, join(import.meta.dirname, "servers/interop", file), ...more],
    env: { [MARK]: mark }
  })
  return { older: entry("Sdk1.ts"), newer: entry("Sdk2.ts") }
}

interface Question {
  readonly id: string
  readonly chat: string | null
  readonly call: string | null
  readonly kind: string
  readonly url: string | null
  readonly message: string
  readonly sampling: { readonly messages: ReadonlyArray<{ readonly text: string }> } | null
}

type Part = Record<string, unknown>

/** A data folder whose one server asks in every way there is. */
const place = Effect.fnUntraced(function*(names: ReadonlyArray<keyof ReturnType<typeof servers>>) {
  const mark = randomUUID()
  const entries = servers(mark)
  const folder = yield* Command.folder({
    "data/mcp.json": JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, entries[name]])) }),
    "data/settings.json": JSON.stringify({ titles: "message" }),
    "data/workspace/a.txt": "a\n"
  })
  return { data: join(folder, "data"), count: Processes.count(MARK, mark) }
})

/** Calls what it is told to; without tools it is the server that asks. */
const script: ModelServer.Script = ({ results, text, tools }) => {
  if (tools.length === 0) return [ModelServer.text(`I was asked: ${text}`)]
  return results.length > 0 ? [ModelServer.text("Done.")] : [ModelServer.call(text, {})]
}

const only = <A>(list: ReadonlyArray<A>): A => {
  assert.lengthOf(list, 1)
  return list[0] ?? assert.fail("nothing")
}

const chatOn = Effect.fnUntraced(function*(server: ChatServer.ChatServer) {
  const id = String((yield* server.post("/api/chats", {})).body["id"])
  return { id, send: (text: string) => server.stream(`/api/chats/${id}/messages`, { text }) }
})

/** The one question that waits. */
const waiting = (server: ChatServer.ChatServer) =>
  Effect.map(
    ChatServer.until(
      Effect.map(server.get("/api/questions"), ({ body }) => body["questions"] as ReadonlyArray<Question>),
      (open) => open.length > 0
    ),
    only
  )

const answer = (server: ChatServer.ChatServer, { id }: Question, reply: object) =>
  server.post(`/api/questions/${id}`, reply)

const of = (parts: ReadonlyArray<Part>, type: string) => parts.filter((part) => part["type"] === type)

const resultOf = (parts: ReadonlyArray<Part>): string => String(only(of(parts, "tool-result"))["text"])

describe("Questions of servers", () => {
  it.live(
    "R56: forms, addresses and samplings of servers of both eras are asked in the chat whose call runs, and any client answers",
    () =>
      Effect.gen(function*() {
        const here = yield* place(["older", "newer"])
        const model = yield* ModelServer.make(script)
        const environment = { OPENAI_BASE_URL: `${model.url}/v1`, BOOCODE_MODEL: "openai/scripted" }
        const server = yield* ChatServer.start(here.data, environment)
        yield* ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)
        const { body: status } = yield* server.get("/api/mcp/servers")
        assert.deepStrictEqual(
          (status["servers"] as ReadonlyArray<Part>).map((one) => [one["name"], one["protocolVersion"]]),
          [["newer", "2026-07-28"], ["older", "2025-11-25"]]
        )
        for (const era of ["older", "newer"]) {
          const chat = yield* chatOn(server)
          // A form: what does not fit is named and the question waits; defaults fill what is left out.
          const filling = yield* Effect.forkChild(chat.send(`${era}_ask`))
          const form = yield* waiting(server)
          assert.deepInclude(form, { chat: chat.id, kind: "form", message: "Who are you?" })
          const wrong = yield* answer(server, form, { action: "accept", content: { age: "old" } })
          assert.strictEqual(wrong.status, 400)
          const problems = wrong.body["problems"] as ReadonlyArray<{ readonly field: string }>
          assert.deepStrictEqual(problems.map(({ field }) => field).toSorted(), ["age", "name"])
          const filled = { action: "accept", content: { name: "Ada" } }
          assert.strictEqual((yield* answer(server, form, filled)).status, 204)
          assert.strictEqual((yield* answer(server, form, filled)).status, 409)
          const parts = yield* Fiber.join(filling)
          assert.deepStrictEqual(JSON.parse(resultOf(parts)), { action: "accept", content: { name: "Ada", age: 30 } })
          assert.deepInclude(only(of(parts, "question")), { id: form.id, call: only(of(parts, "tool-call"))["id"] })

          // An address: shown, never fetched.
          const visiting = yield* Effect.forkChild(chat.send(`${era}_visit`))
          const visit = yield* waiting(server)
          assert.deepInclude(visit, { kind: "url", url: Offers.PAGE })
          yield* answer(server, visit, { action: "decline" })
          assert.deepStrictEqual(JSON.parse(resultOf(yield* Fiber.join(visiting))), { action: "decline" })

          // Words of the chat's model: once with a yes for the chat, then without another.
          const sampling = yield* Effect.forkChild(chat.send(`${era}_sample`))
          const asked = yield* waiting(server)
          assert.deepStrictEqual(asked.sampling?.messages.map(({ text }) => text), ["Say boo"])
          yield* answer(server, asked, { action: "accept", scope: "chat" })
          assert.strictEqual(resultOf(yield* Fiber.join(sampling)), "I was asked: Say boo")
          const again = yield* chat.send(`${era}_sample`)
          assert.strictEqual(resultOf(again), "I was asked: Say boo")
          assert.deepInclude(only(of(again, "question-answer")), { action: "accept" })
          assert.lengthOf(of(again, "sampling-result"), 1)
          const roots = JSON.parse(resultOf(yield* chat.send(`${era}_roots`)))
          assert.deepStrictEqual(roots, [pathToFileURL(join(here.data, "workspace")).href])
        }
        assert.lengthOf(model.requests.filter(({ body }) => body["tools"] === undefined), 4)
        assert.isTrue(model.requests.every(({ problem }) => problem === null))
        assert.strictEqual((yield* server.post("/api/questions/nobody", { action: "decline" })).status, 404)

        const chat = yield* chatOn(server)
        // A turn that is stopped cancels its question.
        const stopped = yield* Effect.forkChild(chat.send("older_ask"))
        const open = yield* waiting(server)
        yield* server.post(`/api/chats/${chat.id}/stop`)
        assert.deepInclude(only(of(yield* Fiber.join(stopped), "question-answer")), { id: open.id, action: "cancel" })

        // A call outside chats: a listener to /api/events can be asked.
        const listener = new AbortController()
        const events = yield* Effect.promise(() => fetch(`${server.url}/api/events`, { signal: listener.signal }))
        const call = yield* Effect.forkChild(server.post("/api/tools/older_ask/call", {}))
        const outside = yield* waiting(server)
        assert.deepInclude(outside, { chat: null, kind: "form" })
        yield* answer(server, outside, { action: "decline" })
        assert.include(String((yield* Fiber.join(call)).body["text"]), "decline")
        listener.abort()
        assert.strictEqual(events.status, 200)

        // A killed program leaves a question; the next one ends it.
        yield* Effect.forkChild(Effect.ignore(Effect.exit(chat.send("older_ask"))))
        const left = yield* waiting(server)
        yield* server.end("SIGKILL", "process")
        const next = yield* AppServer.start(here.data, environment)
        const { body } = yield* ChatServer.until(
          next.get(`/api/chats/${chat.id}`),
          ({ body }) => body["running"] === null && body["questions"] === 0
        )
        const turns = body["turns"] as ReadonlyArray<{ readonly parts: ReadonlyArray<Part> }>
        const end = turns.at(-1)?.parts ?? []
        assert.deepInclude(only(of(end, "question-answer")), { id: left.id, action: "cancel" })
        assert.deepInclude(end.at(-1), { type: "finish", reason: "interrupted" })
        assert.deepStrictEqual((yield* next.get("/api/questions")).body["questions"], [])
        yield* next.end("SIGTERM", "process")
        assert.strictEqual(yield* ChatServer.until(here.count, (count) => count === 0), 0)
      }),
    60_000
  )

  it.live(
    "R56: a command asks in its terminal, field by field, with what stands there by default",
    () =>
      Effect.gen(function*() {
        const here = yield* place(["older"])
        const args = ["mcp", "call", "older_ask", "--data", here.data]
        const terminal = yield* Pty.start(args, { cwd: here.data })
        yield* terminal.shows("older asks for this:")
        yield* terminal.shows("Name: ")
        yield* terminal.types("Ada\r")
        yield* terminal.shows("Age (optional) [30]: ")
        yield* terminal.types("\r")
        yield* terminal.shows("send this? [y]es, [n]o: ")
        yield* terminal.types("y\r")
        yield* terminal.shows(JSON.stringify({ action: "accept", content: { name: "Ada", age: 30 } }))
        assert.strictEqual(yield* terminal.exitCode, 0)
        assert.strictEqual(yield* ChatServer.until(here.count, (count) => count === 0), 0)
      }),
    60_000
  )
})
