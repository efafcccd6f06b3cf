import { ImageResizer, type Picture } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import sharp, { type Sharp } from "sharp"
import * as SharpImages from "../../src/services/SharpImages.ts"

const LIMITS = { edge: 100, bytes: 20_000 }

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: { r: 200, g: 30, b: 30, alpha: 0.5 } } })

/** What no PNG of 20,000 bytes can hold. */
const noise = (width: number, height: number) => {
  let seed = 1
  const next = () => (seed = (seed * 48_271) % 2_147_483_647) & 255
  return sharp(Uint8Array.from({ length: width * height * 3 }, next), { raw: { width, height, channels: 3 } })
}

const picture = Effect.fnUntraced(
  function*(made: Sharp, mediaType: Picture["mediaType"], width: number, height: number) {
    const bytes = new Uint8Array(yield* Effect.promise(() => made.toBuffer()))
    return { bytes, mediaType, width, height } satisfies Picture
  }
)

const fit = (given: Picture, limits = LIMITS) =>
  Effect.flatMap(ImageResizer, (resizer) => resizer.fit(given, limits)).pipe(
    Effect.map(Result.map(({ bytes, height, mediaType, width }) => ({ mediaType, width, height, size: bytes.length }))),
    Effect.provide(SharpImages.layer)
  )

describe("SharpImages", () => {
  it.effect("makes an image as small as asked and keeps its sides' proportion and its kind (R63)", () =>
    Effect.gen(function*() {
      const png = Result.getOrThrow(yield* fit(yield* picture(plain(400, 200).png(), "image/png", 400, 200)))
      assert.deepInclude(png, { mediaType: "image/png", width: 100, height: 50 })
      const jpeg = Result.getOrThrow(yield* fit(yield* picture(plain(200, 400).jpeg(), "image/jpeg", 200, 400)))
      assert.deepInclude(jpeg, { mediaType: "image/jpeg", width: 50, height: 100 })
    }))

  it.effect("makes a JPEG of a PNG that has too many bytes (R63)", () =>
    Effect.gen(function*() {
      const given = yield* picture(noise(90, 90).png(), "image/png", 90, 90)
      assert.isAbove(given.bytes.length, LIMITS.bytes)
      const made = Result.getOrThrow(yield* fit(given))
      assert.deepInclude(made, { mediaType: "image/jpeg", width: 90, height: 90 })
      assert.isAtMost(made.size, LIMITS.bytes)
      assert.deepStrictEqual(
        yield* fit(given, { edge: 100, bytes: 100 }),
        Result.fail("it has too many bytes, however small it is made")
      )
    }))

  it.effect("takes the first frame of a picture that moves (R63)", () =>
    Effect.gen(function*() {
      const frames = yield* Effect.promise(() =>
        Promise.all([40, 40, 40].map((side) => noise(side, side).png().toBuffer()))
      )
      const given = yield* picture(sharp(frames, { join: { animated: true } }).gif(), "image/gif", 40, 40)
      assert.deepInclude(Result.getOrThrow(yield* fit(given)), { mediaType: "image/png", width: 40, height: 40 })
    }))

  it.effect("says so when an image is damaged, or has too many pixels to be decoded (R63)", () =>
    Effect.gen(function*() {
      const given = yield* picture(noise(90, 90).png(), "image/png", 90, 90)
      const damaged = { ...given, bytes: given.bytes.map((byte, index) => index > 200 && index < 2000 ? 7 : byte) }
      assert.match(Result.getOrThrow(Result.flip(yield* fit(damaged))), /^it cannot be decoded \(/)
      assert.deepStrictEqual(
        yield* fit({ ...given, width: 50_000, height: 50_000 }),
        Result.fail("its 50000x50000 pixels are too many to be decoded")
      )
    }))
})
