import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as Framing from "../../src/stdio/Framing.ts"
import * as Steps from "../support/Steps.ts"

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Cuts bytes into pieces of the given sizes, over and over. */
const cut = (bytes: Uint8Array, sizes: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const pieces: Array<Uint8Array> = []
  for (let from = 0, turn = 0; from < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    pieces.push(bytes.slice(from, from + size))
    from += size
  }
  return pieces
}

const decode = (pieces: ReadonlyArray<Uint8Array>, maxBytes: number): ReadonlyArray<Framing.Frame> => {
  const decoder = new Framing.Framing(maxBytes)
  return pieces.flatMap((piece) => decoder.push(piece))
}

const decoder1000 = (text: string) => new Framing.Framing(100, 1000).push(bytesOf(text))

const decodeText = (text: string, maxBytes = 1000) => decode([bytesOf(text)], maxBytes)

const line = (text: string): Framing.Frame => ({ _tag: "Line", text })

const Sizes = Arbitrary.array(Arbitrary.schema(Schema.Literals([1, 2, 3, 5, 7, 64, 1000])), {
  minLength: 1,
  maxLength: 6
})
const Word = Schema.Literals(["a", "é", "€", "😀", "👩‍💻", "\n", "\r", "\"", "\\", "{", "\u2028", "text ".repeat(50)])
const Text = Arbitrary.map(Arbitrary.array(Arbitrary.schema(Word), { maxLength: 8 }), (words) => words.join(""))
const Messages = Arbitrary.map(
  Arbitrary.array(Text, { maxLength: 6 }),
  (texts) => texts.map((result, id) => JSON.stringify({ jsonrpc: "2.0", id, result }))
)
const MANY = { arbitrary: { runs: 150 } }

const KIB = 1024
const MIB = 1024 * KIB

describe("Framing", () => {
  it.prop("gives the same messages however their bytes are cut (R38)", [Messages, Sizes], ([messages, sizes]) => {
    const frames = decode(cut(bytesOf(messages.map((message) => `${message}\n`).join("")), sizes), MIB)
    assert.deepStrictEqual(frames, messages.map(line))
    return true
  }, MANY)

  it.prop(
    "gives the same frames with a small cap, whatever is above it (Decision 11, R37)",
    [Messages, Sizes],
    ([messages, sizes]) => {
      const frames = decode(cut(bytesOf(messages.map((message) => `${message}\n`).join("")), sizes), 100)
      assert.deepStrictEqual(
        frames,
        messages.map((message, id): Framing.Frame => {
          const bytes = bytesOf(message).length
          return bytes <= 100 ? line(message) : { _tag: "Oversized", bytes, id, isAnswer: true }
        })
      )
      return true
    },
    MANY
  )

  it("decodes 15 MiB in one line, in pieces from a byte to 64 KiB (R37)", () => {
    const message = `"${"€".repeat(5 * MIB)}"`
    const frames = decode(cut(bytesOf(`${message}\n{}\n`), [1, 64 * KIB, 13, 4 * KIB, 999]), 16 * MIB)
    assert.strictEqual(frames.length, 2)
    // Compared as a whole, a failure would print 15 MiB.
    assert.isTrue(frames[0]?._tag === "Line" && frames[0].text === message)
    assert.deepStrictEqual(frames[1], line("{}"))
  })

  it("takes time in proportion to the bytes, byte by byte too (R37)", () => {
    const decoder = new Framing.Framing(16 * MIB)
    const byte = bytesOf("x")
    // Were what is held copied at each byte, this would be 500 GB.
    for (let count = 0; count < MIB; count++) decoder.push(byte)
    const [frame] = decoder.push(bytesOf("\n"))
    assert.isTrue(frame?._tag === "Line" && frame.text.length === MIB)
  })

  it("lets a line have exactly as many bytes as the cap", () => {
    assert.deepStrictEqual(decodeText("€€€1\n", 10), [line("€€€1")])
    assert.deepStrictEqual(decode(cut(bytesOf("€€€1\n"), [1]), 10), [line("€€€1")])
    const [frame] = decodeText("€€€12\n", 10)
    assert.deepStrictEqual(frame, { _tag: "Oversized", bytes: 11, id: null, isAnswer: true })
  })

  it("tells size and id of a line above the cap once, when it ends, and decodes the next (Decision 11, R37)", () => {
    const decoder = new Framing.Framing(64)
    const long = `{"jsonrpc":"2.0","result":"${"x".repeat(5000)}","id":"é7"}`
    for (const piece of cut(bytesOf(long), [100])) assert.lengthOf(decoder.push(piece), 0)
    assert.deepStrictEqual(decoder.push(bytesOf("\n{\"id\":1}\n")), [
      { _tag: "Oversized", bytes: bytesOf(long).length, id: "é7", isAnswer: true },
      line("{\"id\":1}")
    ])
  })

  it("forgets the id of one line above the cap before the next", () => {
    const first = `{"id":1,"result":"${"x".repeat(100)}"}`
    const second = `{"result":"${"x".repeat(100)}"}`
    assert.deepStrictEqual(decodeText(`${first}\n${second}\n`, 50), [
      { _tag: "Oversized", bytes: first.length, id: 1, isAnswer: true },
      { _tag: "Oversized", bytes: second.length, id: null, isAnswer: true }
    ])
  })

  it("tells a request of the server above the cap from an answer", () => {
    const request = `{"id":1,"method":"m","params":"${"x".repeat(100)}"}`
    assert.deepStrictEqual(decodeText(`${request}\n`, 50), [
      { _tag: "Oversized", bytes: request.length, id: null, isAnswer: false }
    ])
  })

  it("holds nothing of what is above the cap (R37)", () => {
    const decoder = new Framing.Framing(4 * KIB)
    const piece = new Uint8Array(64 * KIB).fill(0x78)
    const before = process.memoryUsage().arrayBuffers
    for (let count = 0; count < 512; count++) decoder.push(piece)
    assert.isBelow(process.memoryUsage().arrayBuffers - before, MIB)
    const [frame] = decoder.push(bytesOf("\n"))
    assert.deepStrictEqual(frame, { _tag: "Oversized", bytes: 32 * MIB, id: null, isAnswer: true })
  })

  it("gives up a line that goes on beyond a bound, once, and looks at nothing that follows (R37)", () => {
    const decoder = new Framing.Framing(10, 1000)
    for (let count = 0; count < 10; count++) assert.lengthOf(decoder.push(bytesOf("x".repeat(100))), 0)
    assert.strictEqual(decoder.unfinished(), 1000)
    assert.deepStrictEqual(decoder.push(bytesOf("x")), [{ _tag: "Endless", bytes: 1001 }])
    const after = Steps.count(() => decoder.push(bytesOf(`${"x".repeat(10_000)}\n{"id":1}\n`)))
    assert.deepStrictEqual(after, { value: [], bytes: 0 })
  })

  it("gives the messages before a line without end, and waits for the end of one that only just has one", () => {
    const long = "x".repeat(1000)
    assert.deepStrictEqual(decoder1000(`{}\n${long}\n{"id":1}\n`), [
      line("{}"),
      { _tag: "Oversized", bytes: 1000, id: null, isAnswer: true },
      line("{\"id\":1}")
    ])
    assert.deepStrictEqual(decoder1000(`{}\n${long}x\n{"id":1}\n`), [line("{}"), { _tag: "Endless", bytes: 1001 }])
  })

  it("takes 16 times the cap for without end, and never less than 256 MiB (Decision 11)", () => {
    assert.strictEqual(Framing.dropAfter(1), 256 * MIB)
    assert.strictEqual(Framing.dropAfter(16 * MIB), 256 * MIB)
    assert.strictEqual(Framing.dropAfter(64 * MIB), 1024 * MIB)
  })

  it("copies, searches and decodes each byte of 16 MiB a few times at most, however they come (R37)", () => {
    for (const [megabytes, size] of [[4, 64 * KIB], [16, 64 * KIB], [0.25, 1]] as const) {
      const piece = new Uint8Array(size).fill(0x78)
      const { bytes, value } = Steps.count(() => {
        const decoder = new Framing.Framing(80 * MIB)
        for (let count = 0; count < megabytes * MIB / size; count++) decoder.push(piece)
        return decoder.push(bytesOf("\n"))
      })
      assert.isTrue(value[0]?._tag === "Line" && value[0].text.length === megabytes * MIB)
      // Each is searched for a line end, kept, moved once as the buffer doubles, and decoded.
      assert.isBelow(bytes, 5 * megabytes * MIB)
    }
  })

  it("does no more work for a message above the cap than for one below it (R37)", () => {
    const piece = new Uint8Array(64 * KIB).fill(0x78)
    const { bytes } = Steps.count(() => {
      const decoder = new Framing.Framing(MIB)
      for (let count = 0; count < 64 * 16; count++) decoder.push(piece)
      decoder.push(bytesOf("\n"))
    })
    assert.isBelow(bytes, 4 * 64 * MIB)
  })

  it("gives no frame for blank lines, and takes a carriage return for the end of a line (R39)", () => {
    assert.deepStrictEqual(decodeText("\n\r\n  \n\t\r\n{}\r\n\n{\"a\":1}\n"), [line("{}"), line("{\"a\":1}")])
  })

  it("knows whether any line has ended", () => {
    const decoder = new Framing.Framing(100)
    decoder.push(bytesOf("x"))
    assert.isFalse(decoder.hasLines())
    decoder.push(bytesOf("\n"))
    assert.isTrue(decoder.hasLines())
  })

  it("counts blank lines, which are no frames (R39)", () => {
    const decoder = new Framing.Framing(100)
    decoder.push(bytesOf("\n\r\n{}\n  \n"))
    assert.strictEqual(decoder.blanks(), 3)
  })

  it("waits for the newline", () => {
    const decoder = new Framing.Framing(100)
    assert.lengthOf(decoder.push(bytesOf("{}")), 0)
    assert.lengthOf(decoder.push(new Uint8Array(0)), 0)
    assert.deepStrictEqual(decoder.push(bytesOf("\n")), [line("{}")])
  })

  it("does not change a frame when the chunk it came in is used again", () => {
    const decoder = new Framing.Framing(100)
    const chunk = bytesOf("abc")
    decoder.push(chunk)
    chunk.fill(0x7a)
    assert.deepStrictEqual(decoder.push(bytesOf("d\n")), [line("abcd")])
  })

  it("puts the replacement character for bytes that are no UTF-8, and goes on", () => {
    const frames = decode([Uint8Array.of(0x61, 0xff, 0x0a), bytesOf("ok\n")], 100)
    assert.deepStrictEqual(frames, [line("a\ufffd"), line("ok")])
  })
})
