import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import type * as Schema from "effect/Schema"
import * as SessionRenewal from "../../src/connect/SessionRenewal.ts"
import type { Call } from "../../src/contract/Connection.ts"
import * as Revision from "../../src/contract/Revision.ts"
import type { McpErrorReason } from "../../src/errors/McpError.ts"
import * as Conversation from "../../src/rpc/Conversation.ts"
import * as ScriptedChannel from "../support/ScriptedChannel.ts"

const INITIALIZED = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "one", version: "1" } }

const answer = ({ id = null, method }: Schema.JsonObject) =>
  id === null ? [] : [{ jsonrpc: "2.0", id, result: method === "initialize" ? INITIALIZED : { content: [] } }]

/** A server that answers at once, on a session that is over or is not. */
const session = (isLost: () => boolean) =>
  Effect.gen(function*() {
    const { channel } = ScriptedChannel.make({ answer, pid: null })
    const options = { channel, era: Revision.OLD, isRemembered: false, maxMessageBytes: 1000 }
    const connection = yield* Conversation.open(options)
    return { connection, endsSession: () => false, isLost }
  })

/** A server that refuses all calls on a session that is over. */
const refusing = (isLost: boolean) =>
  Effect.gen(function*() {
    const gone = (id: Schema.Json) => [{ jsonrpc: "2.0", id, error: { code: -32000, message: "who are you" } }]
    const { channel } = ScriptedChannel.make({
      pid: null,
      answer: (message) => isLost && message["method"] === "tools/call" ? gone(message["id"] ?? null) : answer(message)
    })
    const options = { channel, era: Revision.OLD, isRemembered: false, maxMessageBytes: 1000 }
    const connection = yield* Conversation.open(options)
    return { connection, endsSession: () => isLost, isLost: () => isLost }
  })

const call: Call = { tool: "x", args: {}, onProgress: () => {} }

describe("SessionRenewal", () => {
  it.effect("opens the next session whoever found the old one gone, and at which step ever they were interrupted (R22)", () =>
    Effect.gen(function*() {
      for (const budget of [2, 3, 4, 5]) {
        for (let steps = 0; steps < 25; steps++) {
          const renewing = SessionRenewal.open({
            first: session(() => true),
            next: session(() => false),
            limit: Duration.seconds(1)
          })
          const connection = yield* renewing
          const first = yield* Effect.forkChild(
            Effect.provideService(connection.call(call), Scheduler.MaxOpsBeforeYield, budget)
          )
          for (let step = 0; step < steps; step++) yield* Effect.yieldNow
          yield* Fiber.interrupt(first)
          const second = yield* Effect.forkChild(connection.call(call))
          for (let step = 0; step < 500; step++) yield* Effect.yieldNow
          assert.isDefined(second.pollUnsafe(), `with ${budget}, after ${steps} steps`)
          assert.deepStrictEqual(yield* Fiber.join(second), { content: [] })
        }
      }
    }).pipe(Effect.scoped))

  it.effect("tells the first listener of a change of the tools from before", () =>
    Effect.gen(function*() {
      const { channel, say } = ScriptedChannel.make({ answer, pid: null })
      const first = Effect.map(
        Conversation.open({ channel, era: Revision.OLD, isRemembered: false, maxMessageBytes: 1000 }),
        (connection) => ({ connection, endsSession: () => false, isLost: () => false })
      )
      const connection = yield* SessionRenewal.open({ first, next: first, limit: Duration.seconds(1) })
      say({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })
      const told: Array<string> = []
      for (const listener of ["one", "other"]) connection.onToolsChanged(() => void told.push(listener))
      assert.deepStrictEqual(told, ["one"])
    }).pipe(Effect.scoped))

  it.effect("opens a third session for a request that finds the second one gone while it still opens (R22)", () =>
    Effect.gen(function*() {
      let opened = 0
      const opening = Effect.suspend(() => refusing(++opened < 3))
      const connection = yield* SessionRenewal.open({ first: opening, next: opening, limit: Duration.seconds(1) })
      const fork = Effect.runForkWith(yield* Effect.context<never>())
      const told: Array<string> = []
      connection.onToolsChanged(() => void told.push("a listener from before"))
      const during: Array<Fiber.Fiber<Schema.JsonObject, McpErrorReason>> = []
      connection.onToolsChanged(() => void during.push(fork(connection.call(call))))
      assert.strictEqual((yield* Effect.exit(connection.call(call)))._tag, "Failure")
      const [first = assert.fail("the second session was not told of")] = during
      assert.deepStrictEqual(yield* Fiber.join(first), { content: [] })
      assert.strictEqual(opened, 3)
      assert.lengthOf(told, 2)
      yield* Fiber.awaitAll(during)
    }).pipe(Effect.scoped))

  it.effect("closes the session that is over, at which step ever the requests on it were interrupted (R22)", () =>
    Effect.gen(function*() {
      for (const budget of [2, 3, 4, 5]) {
        for (let steps = 0; steps < 25; steps++) {
          const old = { isLost: false, isClosed: false }
          const closing = Effect.addFinalizer(() =>
            Effect.sync(() => {
              old.isClosed = true
            })
          )
          const connection = yield* SessionRenewal.open({
            first: Effect.andThen(closing, session(() => old.isLost)),
            next: session(() => false),
            limit: Duration.seconds(1)
          })
          const first = yield* Effect.forkChild(
            Effect.provideService(connection.call(call), Scheduler.MaxOpsBeforeYield, budget)
          )
          for (let step = 0; step < steps; step++) yield* Effect.yieldNow
          yield* Fiber.interrupt(first)
          old.isLost = true
          yield* connection.call(call)
          for (let step = 0; step < 100; step++) yield* Effect.yieldNow
          assert.isTrue(old.isClosed, `with ${budget}, after ${steps} steps`)
        }
      }
    }).pipe(Effect.scoped))
})
