import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ImageResizer, ModelImage } from "../../src/index.ts"

const bytesOf = (...values: ReadonlyArray<number | string>) =>
  Uint8Array.from(
    values.flatMap((value) => typeof value === "string" ? [...value].map((c) => c.charCodeAt(0)) : [value])
  )
const u32 = (value: number) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]

const png = (width: number, height: number, comment = 0) =>
  bytesOf(
    "\x89PNG\r\n\x1a\n",
    ...u32(13),
    "IHDR",
    ...u32(width),
    ...u32(height),
    8,
    2,
    0,
    0,
    0,
    "crc!",
    ...u32(comment),
    "tEXt",
    "a".repeat(comment),
    "crc!",
    ...u32(0),
    "IEND",
    "crc!"
  )
const jpeg = bytesOf(
  0xff,
  0xd8,
  0xff,
  0xe0,
  0,
  4,
  1,
  2,
  0xff,
  0xc2,
  0,
  11,
  8,
  0,
  30,
  0,
  40,
  1,
  1,
  0x11,
  0,
  7,
  0xff,
  0xd9,
  0
)
const gif = bytesOf("GIF89a", 40, 0, 30, 0, 0, 0, 0, 0x3b)
const webp = (form: string, ...rest: ReadonlyArray<number>) =>
  bytesOf("RIFF", 4 + 8 + rest.length, 0, 0, 0, `WEBPVP8${form}`, rest.length, 0, 0, 0, ...rest)
const webps = [
  webp("X", 0, 0, 0, 0, 39, 0, 0, 29, 0, 0),
  webp(" ", 0, 0, 0, 0x9d, 0x01, 0x2a, 40, 0, 30, 0),
  webp("L", 0x2f, 39, 29 << 6 & 255, 29 >> 2, 0)
]

const sizeOf = (bytes: Uint8Array) =>
  Result.map(ModelImage.decode(Base64.encode(bytes)), ({ height, mediaType, width }) => [mediaType, width, height])
const block = (bytes: Uint8Array) => ({ type: "image", data: Base64.encode(bytes), mimeType: "image/png" })

describe("ModelImage", () => {
  it("knows kind and size of a PNG, JPEG, GIF and WebP by their bytes (R63)", () => {
    assert.deepStrictEqual(sizeOf(png(40, 30)), Result.succeed(["image/png", 40, 30]))
    assert.deepStrictEqual(sizeOf(jpeg), Result.succeed(["image/jpeg", 40, 30]))
    const padded = Uint8Array.from([...jpeg.subarray(0, 8), 0xff, 0xff, ...jpeg.subarray(8)])
    assert.deepStrictEqual(sizeOf(padded), Result.succeed(["image/jpeg", 40, 30]), "any number of FF before a marker")
    assert.deepStrictEqual(sizeOf(gif), Result.succeed(["image/gif", 40, 30]))
    for (const bytes of webps) assert.deepStrictEqual(sizeOf(bytes), Result.succeed(["image/webp", 40, 30]))
  })

  it("finds what breaks off, wherever it does (R63)", () => {
    for (const whole of [png(40, 30), jpeg.subarray(0, -1), gif, ...webps]) {
      for (let length = 0; length < whole.length - 4; length++) {
        assert.isTrue(Result.isFailure(sizeOf(whole.subarray(0, length))), `${whole[0]} ${length}`)
      }
    }
  })

  it("takes no image without pixels, and nothing that is none (R63)", () => {
    assert.deepStrictEqual(sizeOf(png(0, 30)), Result.fail("it has no pixels"))
    assert.deepStrictEqual(sizeOf(bytesOf("<svg/>")), Result.fail("its data is no PNG, JPEG, GIF or WebP"))
    assert.deepStrictEqual(ModelImage.decode("not base64!"), Result.fail("its data is not base64"))
    const declared = Result.getOrThrow(ModelImage.decode(`data:image/jpeg;base64,${Base64.encode(png(1, 2))}`))
    assert.strictEqual(declared.mediaType, "image/png")
  })

  it.prop("never throws, whatever follows the first bytes", [Schema.Uint8Array, Schema.Int], ([rest, seed]) => {
    const start = [png(9, 9).subarray(0, 8), jpeg.subarray(0, 4), gif.subarray(0, 6), webps[0]?.subarray(0, 12) ?? []]
    const bytes = Uint8Array.from([...start[Math.abs(seed) % 4] ?? [], ...rest])
    return Result.isResult(ModelImage.decode(Base64.encode(bytes)))
  })

  it.effect("sends what is small enough as it is, and has the rest made smaller (R63)", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const small = ModelImage.fromContent([
        block(png(1568, 20)),
        block(png(1569, 20)),
        block(png(9, 9, 3_750_000)),
        block(gif)
      ])
      const images = yield* Effect.provideService(small, ImageResizer, {
        fit: (picture, { bytes, edge }) => {
          asked.push(`${picture.mediaType} ${picture.width} ${edge} ${bytes}`)
          return Effect.succeed(Result.succeed({ ...picture, width: edge }))
        }
      })
      assert.deepStrictEqual(images.map((image) => Result.isSuccess(image) ? image.success.width : image), [
        1568,
        1568,
        1568,
        1568
      ])
      assert.deepStrictEqual(asked, [
        "image/png 1569 1568 3750000",
        "image/png 9 1568 3750000",
        // One that moves is refused by OpenAI, and Gemini takes none.
        "image/gif 40 1568 3750000"
      ])
    }))

  it.effect("leaves out what providers refuse when nothing makes images smaller, and says so (R63)", () =>
    Effect.gen(function*() {
      const images = yield* ModelImage.fromContent([
        block(png(8000, 20)),
        block(png(8001, 20)),
        block(png(9, 9, 3_750_000))
      ])
      const why = "[an image was left out: it is too large, and nothing here makes images smaller]"
      assert.deepStrictEqual(images.map((image) => Result.isSuccess(image) ? image.success.width : image.failure), [
        8000,
        why,
        why
      ])
    }))
})
