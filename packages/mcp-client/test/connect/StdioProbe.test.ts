import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import type { Incoming, Message } from "../../src/base/JsonRpc.ts"
import * as StdioProbe from "../../src/connect/StdioProbe.ts"
import type { Channel, Receiver } from "../../src/contract/Channel.ts"
import { ConnectionLost, Exited } from "../../src/errors/McpError.ts"
import * as ScriptedChannel from "../support/ScriptedChannel.ts"

const CLIENT = { name: "boocode", version: "1" }

const EXITED = new Exited({ during: "its work", exitCode: 1, signal: null, stderr: "" })

/** A channel whose other side answers a message as the script says; `end` is the end of its process. */
const scripted = (answers: (message: Message) => ReadonlyArray<Message>) => {
  let onClosed = (_: Exited) => {}
  const sent: Array<Message> = []
  let receiver: Receiver = () => assert.fail("nobody listens")
  const channel: Channel = {
    pid: 1,
    nextId: ScriptedChannel.ids(),
    send: (message) => {
      sent.push(message)
      for (const answer of answers(message)) receiver({ _tag: "Message", message: answer }, null)
    },
    abandon: () => false,
    agreed: () => {},
    listen: (next) => {
      receiver = next
    },
    stderr: () => "",
    scrub: (text) => text,
    diagnostics: () => [],
    onClosed: (listener) => {
      onClosed = listener
      return () => {}
    }
  }
  const hear = (incoming: Incoming) => Effect.sync(() => receiver(incoming, null))
  return { end: Effect.sync(() => onClosed(EXITED)), hear, sent, channel }
}

const probe = Effect.fnUntraced(function*(answers: (message: Message) => ReadonlyArray<Message>) {
  const { channel } = scripted(answers)
  return yield* StdioProbe.ask(channel, CLIENT)
})

const methodsOf = (messages: ReadonlyArray<Message>) => messages.map(({ method }) => method)

const idOf = (message: Message): Schema.Json => message["id"] ?? assert.fail("the probe has no id")

const result = (result: Schema.Json) => (message: Message) => [{ jsonrpc: "2.0", id: idOf(message), result }]
const error = (code: number, data: Schema.Json = null) => (message: Message) => [
  { jsonrpc: "2.0", id: idOf(message), error: { code, message: "no", data } }
]

const DISCOVER = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, serverInfo: CLIENT }

describe("StdioProbe", () => {
  it.effect("asks server/discover once, with the revision and who asks (R91)", () =>
    Effect.gen(function*() {
      const { sent, channel } = scripted(result(DISCOVER))
      yield* StdioProbe.ask(channel, CLIENT)
      assert.lengthOf(sent, 1)
      const [request = {}] = sent
      assert.strictEqual(request["jsonrpc"], "2.0")
      assert.strictEqual(request["method"], "server/discover")
      assert.deepStrictEqual(request["params"], {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": CLIENT,
          "io.modelcontextprotocol/clientCapabilities": {}
        }
      })
    }))

  it.effect("takes a result that names our revision for the modern era, and hands it on (R91)", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* probe(result(DISCOVER)), { era: "modern", discover: DISCOVER })
      const several = { ...DISCOVER, supportedVersions: ["2025-11-25", "2026-07-28", "2027-01-01"] }
      assert.deepStrictEqual(yield* probe(result(several)), { era: "modern", discover: several })
    }))

  it.effect("falls back on every other answer, not on one code alone (R91)", () =>
    Effect.gen(function*() {
      const answers = [
        error(-32601),
        error(-32022, { supported: ["2027-01-01"] }),
        error(-32602),
        error(-32600),
        error(-32000),
        error(-32603),
        error(1),
        result({}),
        result(null),
        result("2026-07-28"),
        result({ supportedVersions: [] }),
        result({ supportedVersions: "2026-07-28" }),
        result({ supportedVersions: ["2025-11-25"] })
      ]
      for (const answer of answers) assert.strictEqual((yield* probe(answer)).era, "legacy")
    }))

  it.effect("hands on which revisions a server names that does not speak ours (R90)", () =>
    Effect.gen(function*() {
      const later: StdioProbe.Verdict = { era: "legacy", supported: ["2027-01-01", "2025-11-25"] }
      const supported = ["2027-01-01", 7, "2025-11-25"]
      assert.deepStrictEqual(yield* probe(error(-32022, { supported })), later)
      assert.deepStrictEqual(yield* probe(result({ supportedVersions: supported })), later)
      assert.deepStrictEqual(yield* probe(error(-32601)), { era: "legacy", supported: [] })
    }))

  it.effect("waits no longer when the server says that it could not read the question", () =>
    Effect.gen(function*() {
      const complaint = { jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } }
      assert.deepStrictEqual(yield* probe(() => [complaint]), { era: "silent" })
    }))

  it.effect("falls back after five seconds of silence, not before (R91)", () =>
    Effect.gen(function*() {
      const { channel, sent } = scripted(() => [])
      const fiber = yield* Effect.forkChild(StdioProbe.ask(channel, CLIENT), { startImmediately: true })
      yield* TestClock.adjust(4999)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* Fiber.join(fiber), { era: "silent" })
      assert.deepStrictEqual(methodsOf(sent), ["server/discover", "ping"])
    }))

  it.effect("asks a program that is silent for a second for a ping, in words of our revision (R91)", () =>
    Effect.gen(function*() {
      const { channel, sent } = scripted(() => [])
      yield* Effect.forkChild(StdioProbe.ask(channel, CLIENT), { startImmediately: true })
      yield* TestClock.adjust(999)
      assert.deepStrictEqual(methodsOf(sent), ["server/discover"])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(methodsOf(sent), ["server/discover", "ping"])
      // A program of both eras that gets a ping without these words is one of the old era from then on.
      assert.deepStrictEqual(sent[1]?.["params"], sent[0]?.["params"])
    }))

  it.effect("falls back a second after a program answered the ping, whatever it answered, and not its question (R91)", () =>
    Effect.gen(function*() {
      for (const pong of [result({}), error(-32601)]) {
        const fiber = yield* Effect.forkChild(
          probe((message) => message["method"] === "ping" ? pong(message) : []),
          { startImmediately: true }
        )
        yield* TestClock.adjust(1999)
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* Fiber.join(fiber), { era: "silent" })
      }
    }))

  it.effect("takes the answer of a program that answers the ping before it (R91)", () =>
    Effect.gen(function*() {
      const { channel, hear, sent } = scripted((message) => message["method"] === "ping" ? error(-32601)(message) : [])
      const fiber = yield* Effect.forkChild(StdioProbe.ask(channel, CLIENT), { startImmediately: true })
      yield* TestClock.adjust(1900)
      const [message = {}] = result(DISCOVER)(sent[0] ?? assert.fail("nothing was asked"))
      yield* hear({ _tag: "Message", message })
      assert.strictEqual((yield* Fiber.join(fiber)).era, "modern")
    }))

  it.effect("takes no other message for the answer to the ping", () =>
    Effect.gen(function*() {
      const { channel, hear, sent } = scripted(() => [])
      const fiber = yield* Effect.forkChild(StdioProbe.ask(channel, CLIENT), { startImmediately: true })
      yield* TestClock.adjust(1000)
      const { id = 0 } = sent[1] ?? {}
      yield* hear({ _tag: "Message", message: { jsonrpc: "2.0", method: "notifications/message", params: {} } })
      yield* hear({ _tag: "Message", message: { jsonrpc: "2.0", id, method: "ping" } })
      yield* TestClock.adjust(3999)
      assert.isUndefined(fiber.pollUnsafe())
    }))

  it.effect("waits a fifth of a shorter limit each time, and asks for no ping where it waits without limit (R91)", () =>
    Effect.gen(function*() {
      const quick = scripted((message) => message["method"] === "ping" ? result({})(message) : [])
      const fiber = yield* Effect.forkChild(StdioProbe.ask(quick.channel, CLIENT, Duration.millis(500)), {
        startImmediately: true
      })
      yield* TestClock.adjust(200)
      assert.deepStrictEqual(yield* Fiber.join(fiber), { era: "silent" })
      const patient = scripted(() => [])
      yield* Effect.forkChild(StdioProbe.ask(patient.channel, CLIENT, Duration.infinity), { startImmediately: true })
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(methodsOf(patient.sent), ["server/discover"])
    }))

  it.effect("waits for its own answer among other messages", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(
        probe((message) => [
          { jsonrpc: "2.0", method: "notifications/message", params: {} },
          { jsonrpc: "2.0", id: "other", result: {} },
          { jsonrpc: "2.0", id: 1, method: "ping" },
          ...result(DISCOVER)(message)
        ]),
        { startImmediately: true }
      )
      assert.strictEqual((yield* Fiber.join(fiber)).era, "modern")
    }))

  it.effect("still takes an answer that comes late", () =>
    Effect.gen(function*() {
      const { hear, sent, channel } = scripted(() => [])
      const fiber = yield* Effect.forkChild(StdioProbe.ask(channel, CLIENT), { startImmediately: true })
      yield* TestClock.adjust("4 seconds")
      const [message = {}] = result(DISCOVER)(sent[0] ?? assert.fail("nothing was asked"))
      yield* hear({ _tag: "Oversized", bytes: 9, id: null, isAnswer: true })
      yield* hear({ _tag: "Message", message })
      assert.strictEqual((yield* Fiber.join(fiber)).era, "modern")
    }))

  it.effect("knows its own question when it comes back: that is no MCP server", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* probe((message) => [message]), { era: "echo" })
    }))

  it.effect("tells that the process ended, whenever it does", () =>
    Effect.gen(function*() {
      const { end, channel } = scripted(() => [])
      const fiber = yield* Effect.forkChild(StdioProbe.ask(channel, CLIENT), { startImmediately: true })
      yield* TestClock.adjust("3 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* end
      assert.strictEqual((yield* Fiber.join(fiber)).era, "ended")
    }))

  it.effect("waits for the end of the process when its input is broken", () =>
    Effect.gen(function*() {
      const { end, channel } = scripted(() => [])
      const broken: Channel = {
        ...channel,
        send: (_, sending) => sending?.onFailed?.(new ConnectionLost({ detail: "closed", unsent: true }))
      }
      const fiber = yield* Effect.forkChild(StdioProbe.ask(broken, CLIENT), { startImmediately: true })
      yield* Effect.yieldNow
      assert.isUndefined(fiber.pollUnsafe())
      yield* end
      assert.strictEqual((yield* Fiber.join(fiber)).era, "ended")
    }))
})
