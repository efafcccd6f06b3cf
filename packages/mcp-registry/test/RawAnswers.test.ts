import { assert, describe, it } from "@effect/vitest"
import type * as Schema from "effect/Schema"
import * as RawAnswers from "../src/sdk/RawAnswers.ts"

/** One request on its way, with what its sender was given. */
const send = (answers: RawAnswers.RawAnswers, id: string | number, method: string, params: Schema.JsonObject = {}) => {
  const results: Array<Schema.JsonObject> = []
  const told: Array<Schema.JsonObject> = []
  const ticket = answers.ticket({
    settle: (result) => void results.push(result),
    progress: (params) => void told.push(params)
  })
  const sent = answers.outgoing({ jsonrpc: "2.0", id, method, params: { ...params, _meta: { ...ticket.meta } } })
  return { results, told, sent, drop: ticket.drop }
}

const answer = (id: string | number, result: Schema.Json): Schema.JsonObject => ({ jsonrpc: "2.0", id, result })

describe("RawAnswers", () => {
  it("gives the sender the result as the server wrote it, and the SDK one that it understands", () => {
    const answers = RawAnswers.make()
    const call = send(answers, 1, "tools/call")
    const list = send(answers, "b", "tools/list")
    const raw = { content: [{ type: "hologram", data: 1 }], own: [null] }
    assert.deepStrictEqual(answers.incoming(answer(1, raw)), answer(1, { content: [] }))
    assert.deepStrictEqual(answers.incoming(answer("b", { tools: [7] })), answer("b", { tools: [] }))
    assert.deepStrictEqual(call.results, [raw])
    assert.deepStrictEqual(list.results, [{ tools: [7] }])
  })

  it("sends no trace of the ticket", () => {
    const { sent } = send(RawAnswers.make(), 1, "tools/call", { name: "x", arguments: {} })
    assert.deepStrictEqual(sent, { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "x", arguments: {} } })
  })

  it("sends the other keys of _meta, such as the progress token (R25)", () => {
    const answers = RawAnswers.make()
    const { meta } = answers.ticket({ settle: () => {}, progress: () => {} })
    const sent = answers.outgoing({ id: 1, method: "tools/call", params: { _meta: { ...meta, progressToken: 5 } } })
    assert.deepStrictEqual(sent, { id: 1, method: "tools/call", params: { _meta: { progressToken: 5 } } })
  })

  it("tells progress at once, also when the answer comes right behind it, and none after it (R25)", () => {
    const answers = RawAnswers.make()
    const call = send(answers, 1, "tools/call")
    const progress = (progressToken: number, step: number) =>
      answers.incoming({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: step } })
    progress(1, 1)
    progress(2, 9)
    progress(1, 2)
    answers.incoming(answer(1, { content: [] }))
    progress(1, 3)
    assert.deepStrictEqual(call.told, [{ progressToken: 1, progress: 1 }, { progressToken: 1, progress: 2 }])
  })

  it("matches answers to requests whatever their order (R95)", () => {
    const answers = RawAnswers.make()
    const calls = [1, 2, 3].map((id) => send(answers, id, "tools/call"))
    for (const id of [3, 1, 2]) answers.incoming(answer(id, { content: [], id }))
    assert.deepStrictEqual(calls.map(({ results }) => results), [1, 2, 3].map((id) => [{ content: [], id }]))
  })

  it("takes an id that comes back as text for the number it is, as the SDK does", () => {
    const answers = RawAnswers.make()
    const call = send(answers, 1, "tools/call")
    answers.incoming(answer("1", { content: [], x: 1 }))
    assert.deepStrictEqual(call.results, [{ content: [], x: 1 }])
  })

  it("settles a request once", () => {
    const answers = RawAnswers.make()
    const call = send(answers, 1, "tools/call")
    answers.incoming(answer(1, { content: [] }))
    const late = answer(1, { content: [{ type: "text", text: "again" }] })
    assert.strictEqual(answers.incoming(late), late)
    assert.lengthOf(call.results, 1)
  })

  it("leaves an error to the SDK", () => {
    const answers = RawAnswers.make()
    const call = send(answers, 1, "tools/call")
    const error = { jsonrpc: "2.0", id: 1, error: { code: -32602, message: "no" } }
    assert.strictEqual(answers.incoming(error), error)
    assert.deepStrictEqual(call.results, [])
  })

  it("leaves a result that is not complete to the SDK, and what is no object", () => {
    for (const result of [{ resultType: "input_required", inputRequests: {} }, null, "x", 7, []]) {
      const answers = RawAnswers.make()
      const call = send(answers, 1, "tools/call")
      assert.deepStrictEqual(answers.incoming(answer(1, result)), answer(1, result))
      assert.deepStrictEqual(call.results, [])
    }
  })

  it("keeps the type of a result in the stand-in, as revision 2026-07-28 asks for", () => {
    const answers = RawAnswers.make()
    send(answers, 1, "tools/call")
    const result = { resultType: "complete", content: [7] }
    assert.deepStrictEqual(answers.incoming(answer(1, result)), answer(1, { content: [], resultType: "complete" }))
  })

  it("lets everything else pass as it is", () => {
    const answers = RawAnswers.make()
    send(answers, 1, "tools/call")
    const messages: ReadonlyArray<Schema.JsonObject> = [
      answer(2, { content: [] }),
      { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } },
      // A request of the server may have the id of one of ours.
      { jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params: {} }
    ]
    for (const message of messages) assert.strictEqual(answers.incoming(message), message)
    const requests: ReadonlyArray<Schema.JsonObject> = [
      { jsonrpc: "2.0", id: 2, method: "tools/list" },
      { jsonrpc: "2.0", id: 3, method: "tools/call", params: { _meta: { progressToken: 1 } } },
      { jsonrpc: "2.0", method: "notifications/initialized" }
    ]
    for (const request of requests) assert.strictEqual(answers.outgoing(request), request)
  })

  it("leaves nothing of a notification that means nothing to anybody (R37)", () => {
    const answers = RawAnswers.make()
    send(answers, 1, "tools/call")
    const notifications: ReadonlyArray<Schema.JsonObject> = [
      { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } },
      { jsonrpc: "2.0", method: "notifications/nobody/knows/this" },
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 2, progress: 1 } },
      { jsonrpc: "2.0", method: "notifications/progress" }
    ]
    for (const notification of notifications) assert.deepStrictEqual(answers.incoming(notification), {})
    const wanted = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1 } }
    assert.strictEqual(answers.incoming(wanted), wanted)
  })

  it("hands on one report of progress of those that come at once, and tells of all (R25, R37)", async () => {
    const answers = RawAnswers.make()
    const call = send(answers, 1, "tools/call")
    const report = (progress: number) =>
      answers.incoming({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress } })
    const handedOn = [report(1), report(2), report(3)].map((message) => "method" in message)
    await Promise.resolve()
    assert.deepStrictEqual([...handedOn, "method" in report(4)], [true, false, false, true])
    assert.lengthOf(call.told, 4)
  })

  it("still answers a request whose id a request of the server has too", () => {
    const answers = RawAnswers.make()
    const call = send(answers, 1, "tools/call")
    answers.incoming({ jsonrpc: "2.0", id: 1, method: "ping" })
    answers.incoming(answer(1, { content: [] }))
    assert.deepStrictEqual(call.results, [{ content: [] }])
  })

  it("forgets a dropped request, and its late answer is the SDK's (R29, R107)", () => {
    const answers = RawAnswers.make()
    const call = send(answers, 1, "tools/call")
    const other = send(answers, 2, "tools/call")
    call.drop()
    const late = answer(1, { content: [7] })
    assert.strictEqual(answers.incoming(late), late)
    assert.deepStrictEqual(call.results, [])
    answers.incoming(answer(2, { content: [] }))
    assert.lengthOf(other.results, 1)
  })
})
