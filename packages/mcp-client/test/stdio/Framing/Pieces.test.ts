import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as Framing from "../../../src/stdio/Framing.ts"
import * as Steps from "../../support/Steps.ts"

const Size = Schema.Literals([0, 1, 13, 999, Framing.WORTH_KEEPING - 1, Framing.WORTH_KEEPING, 65_536])
const Sizes = Arbitrary.array(Arbitrary.schema(Size), { maxLength: 40 })

/** Each byte tells which piece it is of. */
const piece = (size: number, index: number) => new Uint8Array(size).fill(index + 1)

const all = (sizes: ReadonlyArray<number>) => sizes.flatMap((size, index) => [...piece(size, index)])

describe("Pieces", () => {
  it.prop("gives all bytes in order, also when small chunks are used again (R38)", [Sizes], ([sizes]) => {
    const pieces = Framing.makePieces()
    sizes.forEach((size, index) => {
      const bytes = piece(size, index)
      Framing.appendPiece(pieces, bytes)
      if (size < Framing.WORTH_KEEPING) bytes.fill(0)
    })
    assert.strictEqual(pieces.length, sizes.reduce((sum, size) => sum + size, 0))
    // Compared as a whole, a failure would print megabytes.
    assert.isTrue(Buffer.from(Framing.takePiece(pieces)).equals(Buffer.from(all(sizes))))
    assert.strictEqual(pieces.length, 0)
    assert.lengthOf(Framing.takePiece(pieces), 0)
    return true
  }, { arbitrary: { runs: 100 } })

  it("copies large pieces once and small ones twice at most, and a single one never (R37)", () => {
    const copied = (size: number, count: number) =>
      Steps.count(() => {
        const pieces = Framing.makePieces()
        for (let index = 0; index < count; index++) Framing.appendPiece(pieces, piece(size, 0))
        return Framing.takePiece(pieces)
      }).bytes
    assert.strictEqual(copied(65_536, 1), 0)
    assert.strictEqual(copied(65_536, 100), 100 * 65_536)
    assert.isAtMost(copied(1, 100_000), 2 * 100_000)
  })

  it("holds nothing once all was taken, so that an idle connection costs nothing", () => {
    const pieces = Framing.makePieces()
    for (const size of [1, 5000, 1]) Framing.appendPiece(pieces, piece(size, 0))
    Framing.takePiece(pieces)
    assert.deepStrictEqual(pieces, Framing.makePieces())
  })
})
