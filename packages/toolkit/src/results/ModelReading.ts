/** The text and the images of a result for a model. */
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as ModelImage from "./ModelImage.ts"
import * as ModelText from "./ModelText.ts"
import type { ResultFiles } from "./ResultFiles.ts"
import type { ToolResult } from "./ToolResult.ts"

export interface ModelReading {
  readonly text: string
  /** Base64, without a prefix. */
  readonly images: ReadonlyArray<{ readonly mediaType: string; readonly data: string }>
}

/**
 * The text of a result as `ModelText` cuts it and, for a model that sees, its images. One that providers would refuse
 * is a line of the text. Errors have no images.
 */
export const fromResult = (
  result: ToolResult,
  seesImages: boolean
): Effect.Effect<ModelReading, never, ResultFiles> => {
  const text = ModelText.fromResult(result)
  return seesImages && !result.isError && result.content.some(({ type }) => type === "image")
    ? Effect.flatMap(text, (text) => withImages(text, result))
    : Effect.mapEager(text, (text) => ({ text, images: NONE }))
}

const NONE: ModelReading["images"] = []

const withImages = Effect.fnUntraced(function*(
  text: string,
  { content }: ToolResult
): Effect.fn.Return<ModelReading> {
  const found = yield* ModelImage.fromContent(content)
  const notes = found.flatMap((image) => Result.isFailure(image) ? [image.failure] : [])
  const seen = found.flatMap((image) => Result.isSuccess(image) ? [image.success] : [])
  return {
    text: [text, ...notes].join("\n"),
    images: seen.map(({ bytes, mediaType }) => ({ mediaType, data: Base64.encode(bytes) }))
  }
})
