/** The images of a tool's result as a model may get them. */
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as ImageHeader from "./ImageHeader.ts"
import { ImageResizer, isWithin, LIMITS } from "./ImageResizer.ts"

/** An image to send, or a line that says why it is not sent. */
export type ModelImage = Result.Result<ImageHeader.Picture, string>

/**
 * The images of a result's content, none larger than `ImageResizer.LIMITS` where there is a layer for that service. One
 * that providers would refuse, and the whole request with it, is a line in place of it. The bytes say of what kind an
 * image is, whatever the server declares. A picture that moves becomes its first frame.
 */
export const fromContent = (
  content: ReadonlyArray<Schema.JsonObject>
): Effect.Effect<ReadonlyArray<ModelImage>> =>
  Effect.forEach(
    content.flatMap(({ data, type }) => type === "image" && typeof data === "string" ? [data] : []),
    Effect.fnUntraced(function*(data: string) {
      const picture = decode(data)
      if (Result.isFailure(picture)) return Result.mapError(picture, leftOut)
      const { success } = picture
      if (success.mediaType !== "image/gif" && isWithin(success, LIMITS)) return picture
      return Result.mapError(yield* (yield* ImageResizer).fit(success, LIMITS), leftOut)
    })
  )

/** The image that base64 stands for. Fails, in words that end a sentence about it, when providers would refuse it. */
export const decode = (data: string): Result.Result<ImageHeader.Picture, string> => {
  const bytes = bytesOf(data)
  return bytes === null ? Result.fail("its data is not base64") : ImageHeader.read(bytes)
}

/** The bytes that base64 stands for, also in a `data:` URL; null when it is none. */
export const bytesOf = (data: string): Uint8Array | null =>
  Result.getOrNull(Base64.decode(data.slice(/^data:[^,]{0,200};base64,/i.exec(data)?.[0].length ?? 0)))

const leftOut = (why: string): string => `[an image was left out: ${why}]`
