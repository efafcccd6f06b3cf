import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import type { Sending } from "../../src/contract/Channel.ts"
import { ConnectionLost, type McpErrorReason } from "../../src/errors/McpError.ts"
import * as Requests from "../../src/rpc/Requests.ts"
import * as ScriptedChannel from "../support/ScriptedChannel.ts"

type Json = Schema.JsonObject

const KINDS = ["begin", "begin", "answer", "asText", "refuse", "interrupt", "end", "fail", "tooLarge", "close"] as const

/** What happens, and to which of the requests so far. */
const Step = Arbitrary.all({
  kind: Arbitrary.schema(Schema.Literals(KINDS)),
  which: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 7 })))
})
const Course = Arbitrary.array(Step, { maxLength: 40 })

/** A request, and what became of it as far as anybody should know. */
interface Begun {
  readonly id: number
  readonly fiber: Fiber.Fiber<Json, McpErrorReason>
  readonly sending: Sending | undefined
  readonly end: (reason: McpErrorReason) => void
  expected: string | null
}

const seenOf = (exit: Exit.Exit<Json, McpErrorReason>): string => {
  if (Exit.isSuccess(exit)) return `answered ${String(exit.value["of"])}`
  if (Exit.hasInterrupts(exit)) return "interrupted"
  const reason = Exit.findErrorOption(exit)
  return reason._tag === "None" ? "defect" : reason.value.message
}

const play = Effect.fnUntraced(function*(course: ReadonlyArray<{ kind: (typeof KINDS)[number]; which: number }>) {
  const sent: Array<readonly [Json, Sending | undefined]> = []
  const requests = new Requests.Requests({
    channel: {
      nextId: ScriptedChannel.ids(),
      send: (message, sending) => void sent.push([message, sending]),
      abandon: () => false,
      scrub: (text) => text
    },
    maxMessageBytes: 10,
    meta: () => null
  })
  const all: Array<Begun> = []
  let isClosed = false
  let cancelled = 0
  const over = (begun: Begun, expected: string) => {
    begun.expected ??= expected
  }
  const begin = Effect.gen(function*() {
    let end = (_: McpErrorReason): void => {}
    const request = requests.send({ method: "tools/call", params: {}, onStarted: (handed) => void (end = handed) })
    const fiber = yield* Effect.forkChild(request, { startImmediately: true })
    if (isClosed) return assert.strictEqual(seenOf(yield* Fiber.await(fiber)), "the connection was lost: it was closed")
    const [message, sending] = sent.at(-1) ?? assert.fail("nothing was sent")
    all.push({ id: Number(message["id"]), fiber, sending, end: (reason) => end(reason), expected: null })
  })
  for (const { kind, which } of course) {
    const begun = all[which]
    if (kind === "begin") yield* begin
    if (kind === "close") {
      isClosed = true
      requests.close(Requests.CLOSED)
      for (const open of all) over(open, "the connection was lost: it was closed")
    }
    if (begun === undefined) continue
    const { end, fiber, id, sending } = begun
    const isOpen = begun.expected === null
    switch (kind) {
      case "answer":
      case "asText":
        requests.answered({ jsonrpc: "2.0", id: kind === "answer" ? id : String(id), result: { of: id } })
        over(begun, `answered ${id}`)
        break
      case "refuse":
        requests.answered({ jsonrpc: "2.0", id, error: { code: 1, message: "no" } })
        over(begun, "tools/call: no (1)")
        break
      case "interrupt":
        if (isOpen) cancelled++
        over(begun, "interrupted")
        yield* Fiber.interrupt(fiber)
        break
      case "end":
        if (isOpen) cancelled++
        end(new ConnectionLost({ detail: "ended" }))
        over(begun, "the connection was lost: ended")
        break
      case "fail":
        sending?.onFailed?.(new ConnectionLost({ detail: "failed" }))
        over(begun, "the connection was lost: failed")
        break
      case "tooLarge":
        requests.oversized(11, id)
        over(begun, "the answer has 11 bytes, more than the 10 a message may have")
    }
    assert.strictEqual(requests.waiting(), all.filter(({ expected }) => expected === null).length)
  }
  for (const { expected, fiber } of all) {
    if (expected === null) assert.isUndefined(fiber.pollUnsafe())
    else assert.strictEqual(seenOf(yield* Fiber.await(fiber)), expected)
  }
  assert.lengthOf(sent.filter(([{ method }]) => method === "notifications/cancelled"), cancelled)
})

describe("Requests", () => {
  it.effect.prop(
    "each comes to one end, the first there is, and is told as cancelled when nobody but us ended it (R29, R95, R107)",
    [Course],
    ([course]) => play(course),
    { arbitrary: { runs: 150 } }
  )
})
