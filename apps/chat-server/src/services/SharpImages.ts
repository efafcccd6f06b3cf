/** Images made small enough for a model, by sharp. It is loaded when the first image needs it, never at the start. */
import { type ImageLimits, ImageResizer, type Picture } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type sharpModule from "sharp"
import type { Sharp } from "sharp"

/**
 * If sharp cannot be loaded, for instance because it has no build for the system, images stay as without this layer, and the
 * log says so once.
 */
export const layer: Layer.Layer<never> = Layer.effect(
  ImageResizer,
  Effect.gen(function*() {
    const without = ImageResizer.defaultValue()
    const loaded = yield* Effect.cached(load)
    return {
      fit: (picture: Picture, limits: ImageLimits) =>
        Effect.flatMap(
          loaded,
          (sharp) => sharp === null ? without.fit(picture, limits) : fitted(sharp, picture, limits)
        )
    }
  })
)

const load = Effect.tryPromise({
  try: () => import("sharp").then((loaded) => loaded.default),
  catch: (error) => error instanceof Error ? error.message.split("\n")[0] : String(error)
}).pipe(
  Effect.catch((why) => Effect.as(Effect.logWarning(`large images cannot be made smaller: ${why}`), null))
)

/** More are a bomb: a few kilobytes that decode to gigabytes. A screenshot of a very long page has 30 million. */
const MOST_PIXELS = 100_000_000
const MOST_SECONDS = 20
/** The qualities of the JPEG that replaces a PNG with too many bytes. The second one need not look good. */
const QUALITIES = [80, 50]

const fitted = Effect.fnUntraced(function*(sharp: typeof sharpModule, picture: Picture, limits: ImageLimits) {
  if (picture.width * picture.height > MOST_PIXELS) return tooMany(picture)
  const small = () =>
    sharp(picture.bytes, { limitInputPixels: MOST_PIXELS, failOn: "truncated", sequentialRead: true })
      .timeout({ seconds: MOST_SECONDS })
      .autoOrient()
      .resize({ width: limits.edge, height: limits.edge, fit: "inside", withoutEnlargement: true })
  const attempts = [
    ...(picture.mediaType === "image/jpeg" ? [] : [() => small().png()]),
    ...QUALITIES.map((quality) => () => small().flatten({ background: "#ffffff" }).jpeg({ quality }))
  ]
  for (const attempt of attempts) {
    const made = yield* run(attempt)
    if (Result.isFailure(made) || made.success.bytes.length <= limits.bytes) return made
  }
  return Result.fail("it has too many bytes, however small it is made")
})

const run = (attempt: () => Sharp): Effect.Effect<Result.Result<Picture, string>> =>
  Effect.tryPromise({
    try: () => attempt().toBuffer({ resolveWithObject: true }),
    catch: (error) => `it cannot be decoded (${error instanceof Error ? error.message.split("\n")[0] : String(error)})`
  }).pipe(
    Effect.map(({ data, info }): Picture => ({
      bytes: new Uint8Array(data),
      mediaType: info.format === "png" ? "image/png" : "image/jpeg",
      width: info.width,
      height: info.height
    })),
    Effect.result
  )

const tooMany = ({ height, width }: Picture) => Result.fail(`its ${width}x${height} pixels are too many to be decoded`)
