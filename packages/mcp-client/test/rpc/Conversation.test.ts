import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Scheduler from "effect/Scheduler"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import type { Call } from "../../src/contract/Connection.ts"
import * as Revision from "../../src/contract/Revision.ts"
import { ConnectionLost, Exited, type McpErrorReason } from "../../src/errors/McpError.ts"
import * as ServerRequests from "../../src/host/ServerRequests.ts"
import { nobody } from "../../src/host/ServerRequests.ts"
import * as Conversation from "../../src/rpc/Conversation.ts"
import * as ScriptedChannel from "../support/ScriptedChannel.ts"

type Json = Schema.JsonObject

const INITIALIZED = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: "one", version: "1" }
}
const DISCOVERED = { resultType: "complete", supportedVersions: [Revision.MODERN], capabilities: { tools: {} } }
const NEW: Revision.Era = { kind: "modern", discover: DISCOVERED }

const answer = ({ id = null }: Json, result: Schema.Json): Json => ({ jsonrpc: "2.0", id, result })

/** A server that answers `initialize` so, and nothing else. */
const greeting = (result: Schema.Json) => (message: Json) =>
  message["method"] === "initialize" ? [answer(message, result)] : []

const refusing = (error: Json) => ({ id = null, method }: Json) =>
  method === "initialize" ? [{ jsonrpc: "2.0", id, error }] : []

const open = ({ channel }: ReturnType<typeof ScriptedChannel.make>, era: Revision.Era = Revision.OLD) =>
  Conversation.open({ channel, era, isRemembered: false, maxMessageBytes: 1000 })

const failure = (answers: (message: Json) => ReadonlyArray<Json>) =>
  Effect.flip(open(ScriptedChannel.make({ answer: answers })))

const FORM = { message: "Name?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } }

const call = (more: Partial<Call> = {}): Call => ({ tool: "x", args: {}, onProgress: () => {}, ...more })

const metaOf = (message: Json | undefined): unknown => Reflect.get(Object(message?.["params"]), "_meta")

describe("RpcConnection, until 2025-11-25", () => {
  it.effect("offers the newest revision, agrees on the server's, and says so before anything else is sent (R90)", () =>
    Effect.gen(function*() {
      const scripted = ScriptedChannel.make({ answer: greeting({ ...INITIALIZED, protocolVersion: "2025-03-26" }) })
      const connection = yield* open(scripted)
      assert.deepStrictEqual(scripted.sent.map(({ method, params }) => [method, params]), [
        ["initialize", {
          protocolVersion: "2025-11-25",
          capabilities: {},
          clientInfo: { name: "boocode", version: "0.1.0" }
        }],
        ["notifications/initialized", {}]
      ])
      assert.deepStrictEqual([connection.protocolVersion, scripted.revisions], ["2025-03-26", ["2025-03-26"]])
    }))

  it.effect("waits until the server has heard that the handshake is done, or did not", () =>
    Effect.gen(function*() {
      const scripted = ScriptedChannel.make({ accepts: false, pid: null, answer: greeting(INITIALIZED) })
      const heard = yield* Effect.forkChild(open(scripted))
      const refused = yield* Effect.forkChild(Effect.flip(open(scripted)))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([heard.pollUnsafe(), refused.pollUnsafe()], [undefined, undefined])
      const [first, second] = scripted.sendings.filter((sending) => sending?.onAccepted !== undefined)
      first?.onAccepted?.()
      second?.onFailed?.(new ConnectionLost({ detail: "no" }))
      assert.strictEqual((yield* Fiber.join(heard)).protocolVersion, "2025-11-25")
      assert.deepInclude(yield* Fiber.join(refused), { _tag: "ConnectionLost", detail: "no" })
    }))

  it.effect("names both sides when they have no revision in common, however the server says it (R90)", () =>
    Effect.gen(function*() {
      const answered = yield* failure(greeting({ ...INITIALIZED, protocolVersion: "1999-hunter2" }))
      assert.deepInclude(answered, { _tag: "ProtocolMismatch", offered: Revision.ALL, supported: ["1999-***"] })
      const refused = yield* failure(refusing({ code: -32602, message: "no", data: { supported: ["2026-07-28"] } }))
      // It was not offered, or there would be no mismatch.
      assert.deepInclude(refused, { offered: Revision.LEGACY, supported: ["2026-07-28"] })
    }))

  it.effect("takes a refusal for a failed handshake, with its code and the server's words", () =>
    Effect.gen(function*() {
      for (const [data, more] of [[null, ""], [{ supported: "all" }, `; data: {"supported":"all"}`]] as const) {
        const reason = yield* failure(refusing({ code: -32603, message: "no hunter2", data }))
        assert.deepInclude(reason, {
          _tag: "HandshakeFailed",
          method: "initialize",
          detail: `no ***${more}`,
          code: -32603
        })
      }
    }))

  it.effect("names the fields that an answer lacks or has wrong; null is nothing", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [Schema.Json, string]> = [
        [{}, "protocolVersion, capabilities, serverInfo"],
        [{ ...INITIALIZED, protocolVersion: 1, serverInfo: { version: "1" } }, "protocolVersion, serverInfo.name"],
        [{ ...INITIALIZED, capabilities: { tools: true } }, "capabilities.tools"],
        [{ ...INITIALIZED, instructions: [] }, "instructions"]
      ]
      for (const [result, fields] of cases) {
        const words = `its answer lacks what the protocol asks for, or has it wrong: ${fields}`
        assert.deepInclude(yield* failure(greeting(result)), { _tag: "HandshakeFailed", detail: words, code: null })
      }
      assert.deepInclude(yield* failure(greeting("hello")), { detail: "its answer is no JSON-RPC message" })
      const sloppy = { ...INITIALIZED, instructions: null, capabilities: { prompts: null } }
      const connection = yield* open(ScriptedChannel.make({ answer: greeting(sloppy) }))
      assert.deepStrictEqual([connection.instructions, connection.declares("prompts")], [null, false])
    }))

  it.effect("cancels no handshake that nobody waits for any more (2025-11-25, Cancellation)", () =>
    Effect.gen(function*() {
      const scripted = ScriptedChannel.make()
      const fiber = yield* Effect.forkChild(open(scripted), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(scripted.sent.map(({ method }) => method), ["initialize"])
    }))

  it.effect("answers a ping of the server, and refuses what it does not know; its notifications get no answer", () =>
    Effect.gen(function*() {
      const scripted = ScriptedChannel.make({ answer: greeting(INITIALIZED) })
      yield* open(scripted)
      const before = scripted.sent.length
      scripted.say({ jsonrpc: "2.0", id: "a", method: "ping" })
      scripted.say({ jsonrpc: "2.0", id: 1, method: "nobody/knows/this", params: 7 })
      scripted.say({ jsonrpc: "2.0", method: "notifications/nobody/knows/this" })
      scripted.say({ jsonrpc: "2.0", id: 999, result: {} })
      scripted.say({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "what?" } })
      assert.deepStrictEqual(scripted.sent.slice(before), [
        { jsonrpc: "2.0", id: "a", result: {} },
        { jsonrpc: "2.0", id: 1, error: { code: -32601, message: "Method not found" } }
      ])
    }))

  it.effect("answers nothing that has no id of the protocol's, however deep it is", () =>
    Effect.gen(function*() {
      const scripted = ScriptedChannel.make({ answer: greeting(INITIALIZED) })
      yield* open(scripted)
      const before = scripted.sent.length
      let deep: Schema.Json = []
      for (let level = 0; level < 100_000; level++) deep = [deep]
      for (const id of [deep, {}, true, null]) scripted.say({ jsonrpc: "2.0", id, method: "ping" })
      assert.lengthOf(scripted.sent, before)
    }))

  it.effect("tells every listener of a notification, and the first one of a change from before", () =>
    Effect.gen(function*() {
      const scripted = ScriptedChannel.make({ answer: greeting(INITIALIZED) })
      const connection = yield* open(scripted)
      const heard: Array<string> = []
      const say = (what: string, params: Json = {}) =>
        scripted.say({ jsonrpc: "2.0", method: `notifications/${what}`, params })
      say("tools/list_changed")
      for (const listener of ["one", "other"]) {
        connection.onToolsChanged(() => heard.push(`${listener}: tools`))
        connection.onListChanged((what) => heard.push(`${listener}: ${what}`))
        connection.onResourceUpdated((uri) => heard.push(`${listener}: ${uri}`))
        connection.onLog(({ data }) => heard.push(`${listener}: ${data}`))
      }
      assert.deepStrictEqual(heard.splice(0), ["one: tools"])
      say("tools/list_changed")
      say("prompts/list_changed")
      say("resources/updated", { uri: "file:///a" })
      say("message", { level: "info", data: "words" })
      assert.deepStrictEqual(
        heard,
        ["tools", "prompts", "file:///a", "words"].flatMap((what) => [`one: ${what}`, `other: ${what}`])
      )
    }))

  it.effect("goes on hearing the server when whoever is told of something breaks, and says so", () =>
    Effect.gen(function*() {
      const scripted = ScriptedChannel.make({ answer: greeting(INITIALIZED) })
      const connection = yield* open(scripted)
      connection.onLog(({ data }) => assert.fail(`broke over ${data}`))
      for (const data of ["hunter2", "another"]) {
        scripted.say({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data } })
      }
      const ping = yield* Effect.forkChild(connection.ping, { startImmediately: true })
      const { id = null } = scripted.of("ping")[0] ?? {}
      scripted.say({ jsonrpc: "2.0", id, result: {} })
      yield* Fiber.join(ping)
      assert.deepStrictEqual(connection.diagnostics(), [
        "2 messages of its could not be handled, first: broke over ***"
      ])
    }))

  it.effect("knows when the server said something last, and what it still owes", () =>
    Effect.gen(function*() {
      const scripted = ScriptedChannel.make({ answer: greeting(INITIALIZED) })
      const connection = yield* open(scripted)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(connection.traffic(), { heardAt: 0, waiting: 0 })
      yield* Effect.forkChild(connection.call(call()), { startImmediately: true })
      assert.deepStrictEqual(connection.traffic(), { heardAt: 0, waiting: 1 })
      scripted.say({ jsonrpc: "2.0", method: "notifications/nobody/knows/this" })
      assert.deepStrictEqual(connection.traffic(), { heardAt: 60_000, waiting: 1 })
      scripted.say(answer(scripted.of("tools/call")[0] ?? {}, {}))
      assert.deepStrictEqual(connection.traffic(), { heardAt: 60_000, waiting: 0 })
    }))

  it.effect("fails what waits when the program ends with how it ended", () =>
    Effect.gen(function*() {
      const scripted = ScriptedChannel.make({ answer: greeting(INITIALIZED) })
      const connection = yield* open(scripted)
      const waiting = yield* Effect.forkChild(Effect.flip(connection.call(call())), { startImmediately: true })
      const listing = yield* Effect.forkChild(Effect.flip(connection.listTools), { startImmediately: true })
      const exited = new Exited({ during: "its work", exitCode: 3, signal: null, stderr: "" })
      yield* scripted.end(exited)
      assert.strictEqual(yield* Fiber.join(waiting), exited)
      assert.strictEqual(yield* Fiber.join(listing), exited)
      assert.strictEqual(yield* connection.closed, exited)
      assert.deepInclude(yield* Effect.flip(connection.call(call())), { _tag: "ConnectionLost", unsent: true })
      assert.lengthOf(scripted.of("notifications/cancelled"), 0)
    }))

  it.effect("ends what waits when its scope closes, without a word to the server", () =>
    Effect.gen(function*() {
      const scripted = ScriptedChannel.make({ answer: greeting(INITIALIZED) })
      const scope = yield* Scope.make()
      const connection = yield* Scope.provide(open(scripted), scope)
      const waiting = yield* Effect.forkChild(Effect.flip(connection.call(call())), { startImmediately: true })
      const before = scripted.sent.length
      yield* Scope.close(scope, Exit.void)
      assert.deepInclude(yield* Fiber.join(waiting), { _tag: "ConnectionLost", unsent: false })
      assert.strictEqual((yield* connection.closed)._tag, "ConnectionLost")
      assert.lengthOf(scripted.sent, before)
    }))

  it.effect("asks nobody anything for a server whose connection was given up, at which step ever", () =>
    Effect.gen(function*() {
      for (const budget of [3, 4, 5, 6, 7, 8, 9]) {
        for (let steps = 0; steps < 30; steps++) {
          const asked: Array<string> = []
          const asker = {
            ...nobody,
            elicit: ({ message }: { readonly message: string }) =>
              Effect.andThen(Effect.sync(() => void asked.push(message)), Effect.never)
          }
          const host = { ...ServerRequests.CurrentHost.defaultValue(), elicitation: ["form" as const], asker }
          const scripted = ScriptedChannel.make({ answer: greeting(INITIALIZED) })
          const scope = yield* Scope.make()
          const opening = yield* Effect.forkChild(
            open(scripted).pipe(
              Scope.provide(scope),
              Effect.provideService(ServerRequests.CurrentHost, host),
              Effect.provideService(Scheduler.MaxOpsBeforeYield, budget)
            )
          )
          for (let step = 0; step < steps; step++) yield* Effect.yieldNow
          yield* Fiber.interrupt(opening)
          yield* Scope.close(scope, Exit.void)
          // Nobody may listen yet.
          Result.try(() => scripted.say({ jsonrpc: "2.0", id: 1, method: "elicitation/create", params: FORM }))
          for (let step = 0; step < 100; step++) yield* Effect.yieldNow
          assert.deepStrictEqual(asked, [], `with ${budget}, after ${steps} steps`)
        }
      }
    }))
})

describe("RpcConnection, 2026-07-28", () => {
  it.effect("needs no handshake, and says with each message who sends it", () =>
    Effect.gen(function*() {
      const scripted = ScriptedChannel.make()
      const host = { ...ServerRequests.CurrentHost.defaultValue(), sampling: true }
      const connection = yield* Effect.provideService(open(scripted, NEW), ServerRequests.CurrentHost, host)
      assert.deepStrictEqual([scripted.sent, scripted.revisions], [[], [Revision.MODERN]])
      const fiber = yield* Effect.forkChild(connection.call(call()), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      const [called, cancelled] = scripted.sent
      const envelope = {
        "io.modelcontextprotocol/protocolVersion": Revision.MODERN,
        "io.modelcontextprotocol/clientInfo": { name: "boocode", version: "0.1.0" },
        "io.modelcontextprotocol/clientCapabilities": { sampling: {} }
      }
      assert.deepStrictEqual(metaOf(called), { ...envelope, progressToken: called?.["id"] ?? null })
      assert.deepStrictEqual([cancelled?.["method"], metaOf(cancelled)], ["notifications/cancelled", envelope])
    }))

  it.effect("gives no answer to what no server of that revision asks", () =>
    Effect.gen(function*() {
      const scripted = ScriptedChannel.make()
      yield* open(scripted, NEW)
      for (const method of ["ping", "sampling/createMessage", "nobody/knows/this"]) {
        scripted.say({ jsonrpc: "2.0", id: 1, method })
      }
      assert.deepStrictEqual(scripted.sent, [])
    }))

  it.effect("tells over HTTP by closing the response that a call is given up", () =>
    Effect.gen(function*() {
      const scripted = ScriptedChannel.make({ pid: null, tellsByItself: true })
      const connection = yield* open(scripted, NEW)
      yield* Fiber.interrupt(yield* Effect.forkChild(connection.call(call()), { startImmediately: true }))
      assert.deepStrictEqual(scripted.sent.map(({ id, method }) => [id, method]), [[
        scripted.abandoned[0],
        "tools/call"
      ]])
    }))

  it.effect("ends a call from outside whatever it is waiting for, by what was handed out last", () =>
    Effect.gen(function*() {
      const scripted = ScriptedChannel.make()
      const connection = yield* open(scripted, NEW)
      const ends: Array<(reason: McpErrorReason) => void> = []
      const begin = Effect.forkChild(
        Effect.flip(connection.call(call({ onStarted: (end) => void ends.push(end) }))),
        { startImmediately: true }
      )
      const busy = { resultType: "input_required", requestState: "s" }
      const tooLong = new ConnectionLost({ detail: "too long" })
      // Once in the pause before a round, and once while the round is under way.
      for (const millis of [0, 300]) {
        const fiber = yield* begin
        scripted.say(answer(scripted.of("tools/call").at(-1) ?? {}, busy))
        yield* TestClock.adjust(millis)
        assert.isUndefined(fiber.pollUnsafe())
        ends.at(-1)?.(tooLong)
        assert.strictEqual(yield* Fiber.join(fiber), tooLong)
        assert.strictEqual(connection.traffic().waiting, 0)
      }
      assert.deepStrictEqual(
        scripted.sent.map(({ method }) => method),
        ["tools/call", "tools/call", "tools/call", "notifications/cancelled"]
      )
    }))
})
