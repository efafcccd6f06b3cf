import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as Outbox from "../../src/stdio/Outbox.ts"

const LIMIT = 1000
const message = (id: number) => ({ jsonrpc: "2.0", id, method: "m" })
const cancellation = (requestId: number) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId }
})
const text = (...ids: ReadonlyArray<number>) => ids.map((id) => `${JSON.stringify(message(id))}\n`).join("")

/** An outbox over a program whose ticks and whose pipe go on by hand. */
const opened = (limit = LIMIT) => {
  const written: Array<string> = []
  const failed: Array<string> = []
  const due: Array<() => void> = []
  const program = { hasRoom: true, isWritable: true, ends: 0 }
  const outbox = new Outbox.Outbox({
    write: (line) => {
      written.push(line)
      return program.hasRoom
    },
    isWritable: () => program.isWritable,
    end: () => void program.ends++,
    soon: (work) => void due.push(work)
  }, limit)
  return {
    outbox,
    program,
    written,
    failed,
    send: (id: number, isAlone = false) =>
      outbox.send(message(id), {
        isAlone,
        onFailed: (reason) => {
          const isUnsent = reason._tag === "ConnectionLost" && reason.unsent === true
          failed.push(`${id}: ${reason.message}${isUnsent ? "" : " (it may have left)"}`)
        }
      }),
    /** Ends the tick. Gives how much was to be done. */
    tick: () => due.splice(0).map((work) => work()).length,
    /** The pipe is empty again. */
    drain: () => {
      program.hasRoom = true
      outbox.drained()
    }
  }
}

const gone = (why: string) => `the connection was lost: ${why}`

const Step = Schema.Literals(["send", "send", "send alone", "cancel the last", "tick", "fill", "drain"])

describe("Outbox", () => {
  it("writes each message as one line", () => {
    const { outbox, tick, written } = opened()
    assert.isTrue(outbox.send({ jsonrpc: "2.0", method: "é\n😀" }))
    tick()
    assert.deepStrictEqual(written, ["{\"jsonrpc\":\"2.0\",\"method\":\"é\\n😀\"}\n"])
  })

  it("says of what its program takes no more that it has not left", () => {
    const { failed, outbox, program, send, tick, written } = opened(10 * LIMIT)
    send(1)
    program.isWritable = false
    tick()
    for (let id = 2; id <= Outbox.ENOUGH.messages + 2; id++) send(id)
    assert.deepStrictEqual(written, [])
    assert.deepStrictEqual(failed, [])
    outbox.close("it is gone")
    assert.lengthOf(failed, Outbox.ENOUGH.messages + 2)
    assert.strictEqual(failed[0], `1: ${gone("it is gone")}`)
  })

  it("writes as soon as enough messages wait, or long ones, and the rest at the end of the tick", () => {
    const { send, tick, written } = opened(10 * LIMIT)
    const { length, messages } = Outbox.ENOUGH
    const ids = Array.from({ length: messages }, (_, at) => at)
    for (const id of [...ids, messages]) send(id)
    assert.deepStrictEqual(written, [text(...ids)])
    tick()
    assert.deepStrictEqual(written, [text(...ids), text(messages)])

    const long = opened()
    long.outbox.send({ jsonrpc: "2.0", method: "x".repeat(length) })
    assert.strictEqual(long.written.length, 1)
  })

  it("writes the messages of one tick as one text, in order, at its end", () => {
    const { send, tick, written } = opened()
    for (const id of [1, 2, 3]) assert.isTrue(send(id))
    assert.deepStrictEqual(written, [])
    assert.strictEqual(tick(), 1)
    send(4)
    tick()
    assert.deepStrictEqual(written, [text(1, 2, 3), text(4)])
    assert.strictEqual(tick(), 0)
  })

  it("writes one that is alone at once, unless others wait or the program has enough", () => {
    const { drain, failed, outbox, program, send, tick, written } = opened()
    send(1, true)
    assert.deepStrictEqual(written, [text(1)])
    assert.strictEqual(tick(), 0)
    send(2)
    send(3, true)
    assert.deepStrictEqual(written, [text(1)])
    tick()
    assert.deepStrictEqual(written, [text(1), text(2, 3)])
    program.hasRoom = false
    send(4, true)
    send(5, true)
    tick()
    assert.deepStrictEqual(written.slice(2), [text(4)])
    drain()
    assert.deepStrictEqual(written.slice(2), [text(4), text(5)])
    program.isWritable = false
    send(6, true)
    outbox.close("it is gone")
    assert.deepStrictEqual(failed, [`6: ${gone("it is gone")}`])
  })

  it("writes nothing more while the program has enough, and what waited as one text then", () => {
    const { drain, program, send, tick, written } = opened()
    program.hasRoom = false
    send(1)
    tick()
    send(2)
    tick()
    send(3)
    assert.deepStrictEqual(written, [text(1)])
    drain()
    assert.deepStrictEqual(written, [text(1), text(2, 3)])
    send(4)
    tick()
    assert.deepStrictEqual(written.at(-1), text(4))
  })

  it("gives a program that reads again what waited for it piece by piece, each when the last was taken (R37)", () => {
    const { drain, outbox, program, send, tick, written } = opened(100 * Outbox.PIECE)
    program.hasRoom = false
    send(0)
    tick()
    const long = { jsonrpc: "2.0", method: "x".repeat(Outbox.PIECE / 3) }
    for (let count = 0; count < 9; count++) assert.isTrue(outbox.send(long))
    outbox.send({ jsonrpc: "2.0", method: "x".repeat(2 * Outbox.PIECE) })
    const lines = () => written.map((text) => text.split("\n").length - 1)
    outbox.drained()
    assert.deepStrictEqual(lines(), [1, 2])
    outbox.drained()
    assert.deepStrictEqual(lines(), [1, 2, 2])
    drain()
    // One that is longer than a piece leaves alone.
    assert.deepStrictEqual(lines(), [1, 2, 2, 2, 2, 1, 1])
  })

  it.prop(
    "loses, doubles and reorders nothing, and drops just what was cancelled before it left",
    [Arbitrary.array(Arbitrary.schema(Step), { maxLength: 24 })],
    ([steps]) => {
      const { drain, failed, outbox, program, send, tick, written } = opened()
      const kept: Array<number> = []
      let leaving = 0
      steps.forEach((step, id) => {
        if (step.startsWith("send") && send(id, step === "send alone")) kept.push(id)
        if (step === "fill") program.hasRoom = false
        if (step === "drain") drain()
        if (step === "tick") tick()
        leaving = written.join("").split("\n").length - 1
        const last = kept.at(-1)
        if (step === "cancel the last" && last !== undefined && kept.length > leaving) {
          outbox.send(cancellation(last))
          kept.pop()
        }
      })
      outbox.end()
      assert.strictEqual(written.join(""), text(...kept))
      assert.deepStrictEqual(failed, [])
      return true
    },
    { arbitrary: { runs: 150 } }
  )

  it("fails what did not leave when it closes, and all later sends, and says that nothing was sent (R6)", () => {
    const { failed, outbox, program, send, tick, written } = opened()
    program.hasRoom = false
    send(1)
    tick()
    send(2)
    outbox.close("the process has ended")
    outbox.close("something else")
    assert.isFalse(send(3))
    // What left is told by the end of the connection, with what is known of it.
    assert.deepStrictEqual(failed, [`2: ${gone("the process has ended")}`, `3: ${gone("the process has ended")}`])
    assert.deepStrictEqual(written, [text(1)])
    assert.strictEqual(program.ends, 1)
  })

  it("writes what waits before it ends the input, once", () => {
    const { failed, outbox, program, send, tick, written } = opened()
    send(1)
    outbox.end()
    assert.deepStrictEqual([written, program.ends], [[text(1)], 1])
    tick()
    outbox.end()
    outbox.close("the process has ended")
    assert.deepStrictEqual([written, program.ends, failed], [[text(1)], 1, []])
  })

  it("fails a send after the end at once", () => {
    const { failed, outbox, send } = opened()
    outbox.end()
    assert.isFalse(send(1))
    assert.deepStrictEqual(failed, [`1: ${gone("its standard input is closed")}`])
  })

  it("drops a message that was cancelled before it left, and its cancellation", () => {
    const { failed, outbox, send, tick, written } = opened()
    send(1)
    send(2)
    assert.isTrue(outbox.send(cancellation(1)))
    tick()
    assert.deepStrictEqual(written, [text(2)])
    assert.deepStrictEqual(failed, [])
    outbox.send(cancellation(2))
    tick()
    assert.strictEqual(written[1], `${JSON.stringify(cancellation(2))}\n`)
  })

  it("keeps what answers a request of the server's that has the number of a cancelled one of ours", () => {
    const { outbox, tick, written } = opened()
    const reply = { jsonrpc: "2.0", id: 1, result: {} }
    outbox.send(reply)
    outbox.send(cancellation(1))
    tick()
    assert.deepStrictEqual(written, [`${JSON.stringify(reply)}\n${JSON.stringify(cancellation(1))}\n`])
  })

  it("refuses more than its limit while nobody reads, and says that nothing was sent (R37)", () => {
    const { drain, failed, outbox, program, send, tick } = opened()
    program.hasRoom = false
    send(0)
    tick()
    const fits = Math.floor(LIMIT / text(1).length)
    for (let count = 0; count < fits; count++) assert.isTrue(send(1))
    assert.isFalse(send(2))
    assert.deepStrictEqual(failed, [`2: ${gone("the server does not read its standard input")}`])
    // One message above the limit leaves when nothing else waits.
    drain()
    assert.isTrue(outbox.send({ jsonrpc: "2.0", id: 3, method: "x".repeat(LIMIT) }))
    assert.isFalse(send(4))
  })
})
