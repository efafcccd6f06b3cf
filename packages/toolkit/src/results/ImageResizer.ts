/** How images become small enough for a model. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Picture } from "./ImageHeader.ts"

/** How large an image may be. */
export interface ImageLimits {
  /** The longest side in pixels. */
  readonly edge: number
  /** Before base64. */
  readonly bytes: number
}

/**
 * The limits for a model: a longest side of 1568 pixels, beyond which Anthropic makes an image smaller itself before a
 * model sees it, and 3,750,000 bytes, which are the 5,000,000 of base64 that Anthropic takes. See
 * platform.claude.com/docs/en/build-with-claude/vision.
 */
export const LIMITS: ImageLimits = { edge: 1568, bytes: 3_750_000 }

/**
 * The limits of providers, for a program that cannot make an image smaller: 8000 pixels are Anthropic's limit for
 * requests with up to 20 images (there: General limits).
 */
const REFUSED_ABOVE: ImageLimits = { edge: 8000, bytes: 3_750_000 }

/** Makes images smaller. Without a layer nothing can: an image that providers would refuse is then left out. */
export const ImageResizer = Context.Reference<{
  /**
   * The image within the limits, one that moves as its first frame. Never fails: the words say why it cannot be had,
   * for instance because its data is damaged or it has too many pixels to be decoded.
   */
  readonly fit: (picture: Picture, limits: ImageLimits) => Effect.Effect<Result.Result<Picture, string>>
}>("toolkit/ImageResizer", {
  defaultValue: () => ({
    fit: (picture) =>
      Effect.succeed(
        isWithin(picture, REFUSED_ABOVE)
          ? Result.succeed(picture)
          : Result.fail("it is too large, and nothing here makes images smaller")
      )
  })
})

export const isWithin = ({ bytes, height, width }: Picture, limits: ImageLimits): boolean =>
  Math.max(width, height) <= limits.edge && bytes.length <= limits.bytes
