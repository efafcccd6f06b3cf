import { ImageResizer } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Result from "effect/Result"
import { vi } from "vitest"
import * as SharpImages from "../../src/services/SharpImages.ts"

const { loads } = vi.hoisted(() => ({ loads: { count: 0 } }))

vi.mock("sharp", () => {
  loads.count++
  throw new Error("Could not load the \"sharp\" module for this system")
})

const LIMITS = { edge: 1568, bytes: 3_750_000 }

const picture = (width: number, size = 10) => ({
  bytes: new Uint8Array(size),
  mediaType: "image/png" as const,
  width,
  height: 10
})

describe("SharpImages without sharp", () => {
  it.effect("starts, sends what providers take, leaves out the rest with a reason, and says once why (R63)", () => {
    const logged: Array<unknown> = []
    return Effect.gen(function*() {
      const resizer = yield* ImageResizer
      assert.strictEqual(loads.count, 0, "nothing is loaded before the first image")
      const fit = (width: number, size?: number) => resizer.fit(picture(width, size), LIMITS)
      assert.isTrue(Result.isSuccess(yield* fit(3000)))
      for (const tooLarge of [yield* fit(9000), yield* fit(100, 4_000_000)]) {
        assert.deepStrictEqual(tooLarge, Result.fail("it is too large, and nothing here makes images smaller"))
      }
      assert.strictEqual(logged.length, 1)
      assert.match(String(logged[0]), /^large images cannot be made smaller: /)
    }).pipe(
      Effect.provide(
        Layer.merge(SharpImages.layer, Logger.layer([Logger.make(({ message }) => void logged.push(message))]))
      )
    )
  })
})
