import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import process from "node:process"
import * as Sse from "../../src/http/Sse.ts"
import * as Steps from "../support/Steps.ts"

/** Processor time so far in milliseconds, to which other programs of the machine do not add. */
const worked = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

const encoder = new TextEncoder()
const bytes = (text: string) => encoder.encode(text)

const split = (whole: Uint8Array, sizes: ReadonlyArray<number>) => {
  const chunks: Array<Uint8Array> = []
  for (let at = 0, turn = 0; at < whole.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    chunks.push(whole.slice(at, at + size))
    at += size
  }
  return chunks
}

/** Everything that is told of a stream in these pieces; the data of messages, in order, with what takes their place. */
const run = (chunks: ReadonlyArray<Uint8Array>, maxBytes: number) => {
  const oversized: Array<Sse.Oversized> = []
  const told: Array<string> = []
  const events = new Sse.SseParser({
    maxBytes,
    onEvent: (data, name) => {
      if (Sse.isMessage(name)) told.push(data)
    },
    onOversized: (found) => {
      oversized.push(found)
      told.push(`too large: ${found.id}`)
    }
  })
  for (const chunk of chunks) events.push(chunk)
  events.end()
  return { events, oversized, told }
}

const answer = (id: number, length: number) => JSON.stringify({ result: "x".repeat(length), jsonrpc: "2.0", id })

describe("SseParser", () => {
  it.prop(
    "tells each event below the cap as it was sent, whatever the chunks and the line ends (R37, R38)",
    {
      texts: Schema.Array(Schema.String.check(Schema.isMaxLength(30))),
      sizes: Schema.NonEmptyArray(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 }))),
      newline: Schema.Literals(["\n", "\r\n", "\r"])
    },
    ({ newline, sizes, texts }) => {
      const stream = texts.map((text, index) =>
        `: ping${newline}id: ${index}${newline}data: ${JSON.stringify(text)}${newline}data:2nd${newline}${newline}`
      ).join("")
      const { oversized, told } = run(split(bytes(stream), sizes), 1000)
      assert.deepStrictEqual(told, texts.map((text) => `${JSON.stringify(text)}\n2nd`))
      assert.deepStrictEqual(oversized, [])
    }
  )

  it.prop(
    "discards only the events above the cap and finds the ids in them, whatever the chunks and the line ends (R37)",
    {
      large: Schema.NonEmptyArray(Schema.Boolean),
      sizes: Schema.NonEmptyArray(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 300 }))),
      newline: Schema.Literals(["\n", "\r\n", "\r"])
    },
    ({ large, newline, sizes }) => {
      const stream = large.map((isLarge, id) => `data: ${answer(id, isLarge ? 300 : 3)}${newline}${newline}`).join("")
      const { oversized, told } = run(split(bytes(stream), sizes), 200)
      assert.deepStrictEqual(oversized.map(({ id }) => id), large.flatMap((isLarge, id) => isLarge ? [id] : []))
      assert.deepStrictEqual(told, large.map((isLarge, id) => isLarge ? `too large: ${id}` : answer(id, 3)))
    }
  )

  it("counts each event by itself, not the stream (Decision 11)", () => {
    const event = bytes(`data: ${answer(1, 900)}\n\n`)
    const { oversized } = run(Array.from({ length: 200 }, () => event), 1000)
    assert.deepStrictEqual(oversized, [])
  })

  it("says nothing of a large event that is no answer, and of one that is no message", () => {
    const notification = JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: "x".repeat(300) })
    const { oversized, told } = run(
      [bytes(`data: ${notification}\n\nevent: other\ndata: ${answer(1, 300)}\n\ndata: 1\n\n`)],
      100
    )
    assert.deepStrictEqual(oversized, [])
    assert.deepStrictEqual(told, ["1"])
  })

  it("tells of a large answer as soon as its result shows, and of no notification whose method comes last", () => {
    const long = "x".repeat(300)
    const early = (start: string, rest: string) => {
      const oversized: Array<Sse.Oversized> = []
      const onOversized = (found: Sse.Oversized) => void oversized.push(found)
      const events = new Sse.SseParser({ maxBytes: 100, isOwn: true, onEvent: () => assert.fail(), onOversized })
      events.push(bytes(`data: ${start}${long}`))
      events.push(bytes(long))
      const before = oversized.map(({ id }) => id)
      events.push(bytes(`${rest}\n\n`))
      return [before, oversized.map(({ id }) => id)]
    }
    assert.deepStrictEqual(early(`{"id":1,"result":"`, `"}`), [[1], [1]])
    assert.deepStrictEqual(early(`{"id":1,"error":{"message":"`, `"}}`), [[1], [1]])
    assert.deepStrictEqual(early(`{"params":{"result":"`, `"},"method":"notifications/message"}`), [[], []])
    assert.deepStrictEqual(early(`{"id":1,"params":{"result":"`, `"},"method":"ping"}`), [[], []])
    assert.deepStrictEqual(early(`{"id":1,"_meta":"`, `","result":{}}`), [[], [1]])
  })

  it("begins behind a byte order mark", () => {
    const { told } = run([new Uint8Array([0xef, 0xbb, 0xbf]), bytes("data: 1\n\n")], 100)
    const { told: inOne } = run([new Uint8Array([0xef, 0xbb, 0xbf, ...bytes("data: 1\n\n")])], 100)
    const { told: inBytes } = run(split(new Uint8Array([0xef, 0xbb, 0xbf, ...bytes("data: 1\n\n")]), [1]), 100)
    assert.deepStrictEqual([told, inOne, inBytes], [["1"], ["1"], ["1"]])
  })

  it("keeps nothing of a comment, a field and a line that never end, and tells of the last one that it is endless", () => {
    for (const start of [": ", "nothing", "id: ", "data: "]) {
      const events = new Sse.SseParser({
        maxBytes: 1000,
        endlessBytes: 5000,
        onEvent: () => assert.fail(),
        onOversized: () => assert.fail()
      })
      const push = (text: string) => {
        events.push(bytes(text))
        return events.isEndless
      }
      const told = [start, ...Array.from({ length: 100 }, () => "x".repeat(100))].map(push)
      assert.strictEqual(told.includes(true), start !== ": ", start)
    }
  })

  it("is not confused by comments that come without events for hours", () => {
    const pings = Array.from({ length: 1000 }, () => bytes(": ping\n"))
    const { oversized, told } = run([...pings, bytes("data: 1\n\n")], 100)
    assert.deepStrictEqual([oversized, told], [[], ["1"]])
  })

  it("knows the last event that was complete, and the pause that the server asked for (R86)", () => {
    const { events } = run([bytes("id: 7\nretry: 250\ndata:\n\nid: 8\ndata: {"), bytes("}")], 100)
    assert.strictEqual(events.lastEventId, "7")
    assert.strictEqual(events.retryMillis, 250)
  })

  it.prop(
    "reads events that come whole as it reads those that come byte by byte, whatever is in them (R86)",
    {
      lines: Schema.Array(Schema.Literals([
        "data: {}",
        "data:  two",
        "data:",
        "data",
        ": ping",
        "id: 7",
        "id",
        "id:8 ",
        "event: other",
        "event:message",
        "retry: 20",
        "retry: soon",
        "nothing: here",
        " data: 1",
        "\ufeffdata: 2",
        "data: ä€😀",
        ""
      ]))
    },
    ({ lines }) => {
      const whole = bytes(`${lines.join("\n")}\n\n`)
      const [byText, byBytes] = [run([bytes("\n\n"), whole], 1000), run([bytes("\n\n"), ...split(whole, [1])], 1000)]
      assert.deepStrictEqual(byText.told, byBytes.told)
      assert.strictEqual(byText.events.lastEventId, byBytes.events.lastEventId)
      assert.strictEqual(byText.events.retryMillis, byBytes.events.retryMillis)
    }
  )

  it("takes no id that could not be sent back in a header, and goes on from the one before (R86)", () => {
    for (const id of ["a\u0000b", "a\u0007", "✓", "x".repeat(1100)]) {
      const stream = bytes(`id: 7\ndata: 1\n\nid: ${id}\ndata: 2\n\n`)
      for (const chunks of [[stream], split(stream, [5])]) {
        const { events, told } = run(chunks, 10_000)
        assert.deepStrictEqual([events.lastEventId, told], ["7", ["1", "2"]])
      }
    }
  })

  it("copies, searches and decodes each byte of 16 MiB a few times at most, let through or not (R37)", () => {
    const MIB = 1024 * 1024
    const filler = (size: number) => new Uint8Array(size).fill(0x78)
    for (
      const [megabytes, size, maxBytes] of [[4, 65_536, 80], [16, 65_536, 80], [16, 65_536, 1], [0.25, 1, 80]] as const
    ) {
      const made = new Sse.SseParser({ maxBytes: maxBytes * MIB, onEvent: () => {}, onOversized: () => {} })
      const piece = filler(size)
      const counted = Steps.count(() => {
        made.push(bytes(`data: {"id":1,"result":"`))
        for (let count = 0; count < megabytes * MIB / size; count++) made.push(piece)
        made.push(bytes(`"}\n\n`))
      })
      // Each is searched for two line ends, and for the end of its text once it is in doubt.
      assert.isBelow(counted.bytes, 4.5 * megabytes * MIB, `${megabytes} ${size} ${maxBytes}`)
    }
  })

  it("searches a chunk of many short lines once, not once for each (R37)", () => {
    for (const newline of ["\n", "\r", "\r\n"]) {
      const chunk = bytes(`: ping${newline}`.repeat(8000))
      const { bytes: counted } = Steps.count(() =>
        new Sse.SseParser({ maxBytes: 1000, onEvent: () => {}, onOversized: () => {} }).push(chunk)
      )
      assert.isBelow(counted, 6 * chunk.length)
    }
  })

  it("needs time in proportion to the bytes (R37)", () => {
    const once = (megabytes: number) => {
      const chunk = new Uint8Array(64 * 1024).fill(0x78)
      const chunks = [bytes(`data: {"id":1,"result":"`), ...Array.from({ length: megabytes * 16 }, () => chunk)]
      const started = worked()
      run([...chunks, bytes(`"}\n\n`)], 128 * 1024 * 1024)
      return worked() - started
    }
    // The best of several: a collection of garbage takes its time where it likes.
    const millis = (megabytes: number) => Math.min(...[1, 2, 3].map(() => once(megabytes)))
    once(4)
    const [small, large] = [millis(2), millis(16)]
    assert.isBelow(large, 40 * small + 200)
    assert.isBelow(large, 5000)
  })
})
