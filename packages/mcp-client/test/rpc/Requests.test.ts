import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import type * as Schema from "effect/Schema"
import type { CallProgress } from "../../src/contract/CallResult.ts"
import type { Sending } from "../../src/contract/Channel.ts"
import { ConnectionLost, type McpErrorReason } from "../../src/errors/McpError.ts"
import * as Requests from "../../src/rpc/Requests.ts"
import * as ScriptedChannel from "../support/ScriptedChannel.ts"

type Json = Schema.JsonObject

/** Requests over a channel that keeps what is sent; `tellsByItself` is one whose server notices what is given up. */
const conversation = (options: { readonly tellsByItself?: boolean; readonly meta?: Json } = {}) => {
  const sent: Array<Json> = []
  const sendings: Array<Sending | undefined> = []
  const abandoned: Array<string | number> = []
  const requests = new Requests.Requests({
    channel: {
      nextId: ScriptedChannel.ids(),
      send: (message, sending) => {
        sent.push(message)
        sendings.push(sending)
      },
      abandon: (id) => {
        abandoned.push(id)
        return options.tellsByItself === true
      },
      scrub: (text) => text.replaceAll("hunter2", "***")
    },
    maxMessageBytes: 1000,
    meta: () => options.meta ?? null
  })
  const begin = (request: Partial<Requests.Request> = {}) =>
    Effect.forkChild(Effect.result(requests.send({ method: "tools/call", params: {}, ...request })), {
      startImmediately: true
    })
  return { sent, sendings, abandoned, requests, begin }
}

/** An object in so many others. */
const nested = (levels: number): Json => {
  let value: Json = {}
  for (let level = 0; level < levels; level++) value = { value }
  return value
}

const answer = (id: Schema.Json, result: Schema.Json): Json => ({ jsonrpc: "2.0", id, result })
const refusal = (id: Schema.Json, error: Json): Json => ({ jsonrpc: "2.0", id, error })
const idOf = (message: Json | undefined) => message?.["id"] ?? assert.fail("nothing was sent")

/** What became of a request that is over. */
const outcome = Effect.fnUntraced(function*(fiber: Fiber.Fiber<unknown>) {
  assert.isDefined(fiber.pollUnsafe(), "it still waits")
  return yield* Fiber.join(fiber)
})
const success = (value: Json) => ({ _tag: "Success", success: value })
const reasonOf = (result: unknown): McpErrorReason => Reflect.get(Object(result), "failure")

describe("Requests", () => {
  it.effect("says of a request that nothing else is on its way, where that is so", () =>
    Effect.gen(function*() {
      const { begin, requests, sendings, sent } = conversation()
      yield* begin({ method: "subscriptions/listen" })
      yield* begin()
      yield* begin()
      requests.answered(answer(idOf(sent[1]), {}))
      requests.answered(answer(idOf(sent[2]), {}))
      yield* begin()
      assert.deepStrictEqual(sendings.map((sending) => sending?.isAlone), [false, true, false, true])
    }))

  it.effect("gives the result as the server wrote it", () =>
    Effect.gen(function*() {
      const { begin, requests, sent } = conversation()
      const call = yield* begin({ params: { name: "x", arguments: {} } })
      assert.deepStrictEqual(sent, [
        { jsonrpc: "2.0", id: idOf(sent[0]), method: "tools/call", params: { name: "x", arguments: {} } }
      ])
      const raw = { content: [{ type: "hologram", data: 1 }], own: [null] }
      requests.answered(answer(idOf(sent[0]), raw))
      assert.deepInclude(yield* outcome(call), success(raw))
    }))

  it.effect("matches answers to requests whatever their order, and forgets them (R95, R107)", () =>
    Effect.gen(function*() {
      const { begin, requests, sent } = conversation()
      const calls = [yield* begin(), yield* begin(), yield* begin()]
      assert.strictEqual(requests.waiting(), 3)
      const ids = sent.map(idOf)
      assert.strictEqual(new Set(ids).size, 3)
      for (const id of ids.toReversed()) requests.answered(answer(id, { id }))
      for (const [index, call] of calls.entries()) {
        assert.deepInclude(yield* outcome(call), success({ id: ids[index] ?? null }))
      }
      assert.strictEqual(requests.waiting(), 0)
    }))

  it.effect("takes an id that comes back as text for the number it is", () =>
    Effect.gen(function*() {
      const { begin, requests, sent } = conversation()
      const told: Array<number> = []
      const call = yield* begin({ onProgress: ({ progress }) => void told.push(progress) })
      requests.progressed({ progressToken: String(idOf(sent[0])), progress: 1 })
      requests.answered(answer(String(idOf(sent[0])), { x: 1 }))
      assert.deepInclude(yield* outcome(call), success({ x: 1 }))
      assert.deepStrictEqual(told, [1])
    }))

  it.effect("settles a request once, and drops what comes for it later", () =>
    Effect.gen(function*() {
      const { begin, requests, sendings, sent } = conversation()
      const call = yield* begin()
      requests.answered(answer(idOf(sent[0]), { first: true }))
      requests.answered(answer(idOf(sent[0]), { first: false }))
      sendings[0]?.onFailed?.(new ConnectionLost({ detail: "late" }))
      assert.deepInclude(yield* outcome(call), success({ first: true }))
      assert.lengthOf(sent, 1)
    }))

  it.effect("tells progress at once, also when the answer comes right behind it, and none after it (R25)", () =>
    Effect.gen(function*() {
      const { begin, requests, sent } = conversation()
      const told: Array<CallProgress> = []
      yield* begin({ onProgress: (progress) => void told.push(progress) })
      const [token, other] = [idOf(sent[0]), 99]
      assert.deepStrictEqual(sent[0]?.["params"], { _meta: { progressToken: token } })
      requests.progressed({ progressToken: token, progress: 1 })
      requests.progressed({ progressToken: other, progress: 9 })
      requests.progressed({ progressToken: token, progress: 2, total: 3, message: "soon" })
      requests.answered(answer(token, {}))
      requests.progressed({ progressToken: token, progress: 3 })
      requests.progressed({})
      assert.deepStrictEqual(told, [
        { progress: 1, total: null, message: null },
        { progress: 2, total: 3, message: "soon" }
      ])
    }))

  it.effect("cancels once when it is interrupted, and its late answer is nobody's (R29, R30, R107)", () =>
    Effect.gen(function*() {
      const { begin, requests, sent } = conversation()
      const call = yield* begin({ params: { arguments: { secret: "word" } } })
      const other = yield* begin()
      const [first, second] = sent.map(idOf)
      yield* Fiber.interrupt(call)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(call)))
      assert.deepStrictEqual(sent.slice(2), [{
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: first ?? null, reason: "the client cancelled the call" }
      }])
      requests.answered(answer(first ?? null, {}))
      assert.strictEqual(requests.waiting(), 1)
      requests.answered(answer(second ?? null, {}))
      assert.deepInclude(yield* outcome(other), success({}))
      assert.strictEqual(requests.waiting(), 0)
    }))

  it.effect("waits for nothing after an interruption at any step, and cancels what was sent (R29, R107)", () =>
    Effect.gen(function*() {
      const { requests, sent } = conversation()
      const request = requests.send({ method: "tools/call", params: {} })
      for (const budget of [2, 3, 4, 5]) {
        for (let steps = 0; steps < 12; steps++) {
          const fiber = yield* Effect.forkChild(Effect.provideService(request, Scheduler.MaxOpsBeforeYield, budget))
          for (let step = 0; step < steps; step++) yield* Effect.yieldNow
          yield* Fiber.interrupt(fiber)
          assert.strictEqual(requests.waiting(), 0, `with ${budget}, after ${steps} steps`)
        }
      }
      const [calls, cancellations] = ["tools/call", "notifications/cancelled"].map((name) =>
        sent.filter(({ method }) => method === name).length
      )
      assert.isAbove(calls ?? 0, 0)
      assert.strictEqual(cancellations, calls)
    }))

  it.effect("sends no cancellation where giving up the answer tells the server, nor for the handshake", () =>
    Effect.gen(function*() {
      const modern = conversation({ tellsByItself: true })
      yield* Fiber.interrupt(yield* modern.begin())
      assert.deepStrictEqual([modern.sent.length, modern.abandoned], [1, modern.sent.map(idOf)])
      const legacy = conversation()
      yield* Fiber.interrupt(yield* legacy.begin({ method: "initialize" }))
      assert.deepStrictEqual([legacy.sent.length, legacy.abandoned.length], [1, 1])
    }))

  it.effect("ends with a reason from outside, and cancels at the server, once", () =>
    Effect.gen(function*() {
      const { begin, requests, sent } = conversation()
      let end = (_: McpErrorReason): void => assert.fail("not handed out")
      const call = yield* begin({ onStarted: (handed) => void (end = handed) })
      end(new ConnectionLost({ detail: "too slow" }))
      end(new ConnectionLost({ detail: "again" }))
      assert.strictEqual(reasonOf(yield* outcome(call)).message, "the connection was lost: too slow")
      assert.deepStrictEqual(sent.map(({ method }) => method), ["tools/call", "notifications/cancelled"])
      assert.strictEqual(requests.waiting(), 0)
    }))

  it.effect("gives a refusal with its code and its words, without what is secret", () =>
    Effect.gen(function*() {
      const { begin, requests, sent } = conversation()
      const errors = [{ code: -32602, message: "no hunter2 here" }, { code: "x" }, {}]
      for (const [index, error] of errors.entries()) {
        const call = yield* begin()
        requests.answered(refusal(idOf(sent[index]), error))
        const words = ["tools/call: no *** here (-32602)", ...Array(2).fill("tools/call: no reason given (-32603)")]
        assert.strictEqual(reasonOf(yield* outcome(call)).message, words[index])
      }
    }))

  it.effect("fails with the words of an error in a shape of its own, and where there are none", () =>
    Effect.gen(function*() {
      const told = Effect.fnUntraced(function*(error: Schema.Json) {
        const { begin, requests, sent } = conversation()
        const call = yield* begin()
        requests.answered({ jsonrpc: "2.0", id: idOf(sent[0]), error })
        return reasonOf(yield* outcome(call)).message
      })
      assert.strictEqual(yield* told("no, hunter2"), "tools/call: no, *** (-32603)")
      assert.strictEqual(yield* told({ code: "x", message: 7 }), "tools/call: no reason given (-32603)")
      assert.strictEqual(yield* told([]), "the connection was lost: the answer was none that the protocol knows")
    }))

  it.effect("fails where a result is none, or asks for something that nobody goes on with", () =>
    Effect.gen(function*() {
      for (const result of [null, "x", 7, [], { resultType: "input_required" }, { resultType: "later" }]) {
        const { begin, requests, sent } = conversation()
        const call = yield* begin()
        requests.answered(answer(idOf(sent[0]), result))
        assert.match(reasonOf(yield* outcome(call)).message, /none that the protocol knows/)
      }
    }))

  it.effect("goes on with what is no answer yet, where somebody does", () =>
    Effect.gen(function*() {
      const { begin, requests, sent } = conversation()
      const further: Requests.Further = {
        unfinished: (_, { resultType }) => Effect.succeed({ wanted: resultType ?? null }),
        refused: (_, { code }) => code === -32042 ? Effect.succeed({ wanted: code }) : null
      }
      const calls = [yield* begin({ further }), yield* begin({ further }), yield* begin({ further })]
      const [asking, visit, error] = sent.map(idOf)
      requests.answered(answer(asking ?? null, { resultType: "input_required" }))
      requests.answered(refusal(visit ?? null, { code: -32042, message: "go there first" }))
      requests.answered(refusal(error ?? null, { code: -32000, message: "no" }))
      const [first, second, third] = yield* Effect.forEach(calls, outcome)
      assert.deepInclude(first, success({ wanted: "input_required" }))
      assert.deepInclude(second, success({ wanted: -32042 }))
      assert.strictEqual(reasonOf(third).message, "tools/call: no (-32000)")
    }))

  it.effect("fails the one request whose answer is too large, and any that it may belong to (R37)", () =>
    Effect.gen(function*() {
      const { begin, requests, sent } = conversation()
      const calls = [yield* begin(), yield* begin(), yield* begin()]
      requests.oversized(2000, Number(idOf(sent[1])))
      assert.deepInclude(reasonOf(yield* outcome(calls[1] ?? assert.fail())), { _tag: "MessageTooLarge", bytes: 2000 })
      assert.strictEqual(requests.waiting(), 2)
      requests.oversized(3000, null)
      for (const call of [calls[0], calls[2]]) {
        assert.deepInclude(reasonOf(yield* outcome(call ?? assert.fail())), { bytes: 3000, limitBytes: 1000 })
      }
      assert.strictEqual(requests.waiting(), 0)
    }))

  it.effect("fails at once, and waits for nothing, where its arguments cannot be written", () =>
    Effect.gen(function*() {
      const requests = new Requests.Requests({
        channel: {
          nextId: ScriptedChannel.ids(),
          send: (message) => void JSON.stringify(message),
          abandon: () => false,
          scrub: (text) => text
        },
        maxMessageBytes: 1000,
        meta: () => null
      })
      const endless: Record<string, Schema.Json> = {}
      endless["itself"] = endless
      for (const args of [nested(100_000), endless]) {
        const sent = requests.send({ method: "tools/call", params: { name: "x", arguments: args } })
        assert.deepInclude(yield* Effect.flip(sent), { _tag: "InvalidArguments", tool: "x" })
        assert.strictEqual(requests.waiting(), 0)
      }
    }))

  it.effect("fails with what the channel says of it, and everything when the channel closes (R107)", () =>
    Effect.gen(function*() {
      const { begin, requests, sendings, sent } = conversation()
      const calls = [yield* begin(), yield* begin()]
      const unsent = new ConnectionLost({ detail: "its input is closed", unsent: true })
      sendings[0]?.onFailed?.(unsent)
      assert.strictEqual(reasonOf(yield* outcome(calls[0] ?? assert.fail())), unsent)
      requests.close(Requests.CLOSED)
      assert.deepInclude(reasonOf(yield* outcome(calls[1] ?? assert.fail())), { _tag: "ConnectionLost", unsent: false })
      const later = yield* begin()
      assert.deepInclude(reasonOf(yield* outcome(later)), { _tag: "ConnectionLost", unsent: true })
      assert.deepStrictEqual([sent.length, requests.waiting()], [2, 0])
    }))

  it.effect("says with every message what the revision asks for", () =>
    Effect.gen(function*() {
      const { begin, requests, sent } = conversation({ meta: { who: "me" } })
      yield* begin({ onProgress: () => {} })
      requests.notify("notifications/roots/list_changed", {})
      const metas = sent.map(({ params }) => Reflect.get(Object(params), "_meta"))
      assert.deepStrictEqual(metas, [{ who: "me", progressToken: idOf(sent[0]) }, { who: "me" }])
    }))

  it.effect("tells a request for news what the server says of it, and counts it as no work", () =>
    Effect.gen(function*() {
      const { begin, requests, sent } = conversation()
      const notices: Array<string> = []
      const onNotice = ({ kind }: Requests.Notice) => void notices.push(kind)
      yield* begin({ method: "subscriptions/listen", onNotice })
      yield* begin({ onNotice })
      const [news, call] = sent.map(idOf)
      assert.strictEqual(requests.waiting(), 1)
      assert.isTrue(requests.noticed("acknowledged", news, {}))
      assert.isTrue(requests.noticed("cancelled", news, {}))
      // Other requests may have the number of one of the server's own, which it may give up as well.
      assert.isFalse(requests.noticed("cancelled", call, {}))
      assert.isFalse(requests.noticed("acknowledged", undefined, {}))
      assert.deepStrictEqual(notices, ["acknowledged", "cancelled"])
    }))
})
