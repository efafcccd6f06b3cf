/** One block of an MCP result: the text a model reads for it, and the block as scripts and the page get it. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { isObject } from "../schema/JsonSchema.ts"
import * as Utf8 from "../text/Utf8.ts"
import * as ModelImage from "./ModelImage.ts"

export interface RenderedBlock {
  readonly text: string
  readonly block: Schema.JsonObject
  /** The block with the handle of its file in place of its data; null when there is no such file. */
  readonly brief: Schema.JsonObject | null
}

/** Keeps bytes in a file and gives its handle; null when they could not be kept. */
export type Keep = (bytes: Uint8Array) => Effect.Effect<string | null>

/**
 * Renders a block; never fails, and says of the same block the same every time. Text stays text. An embedded resource
 * is JSON indented by two spaces. Images, audio and blobs are kept in files; their text says what they are and under
 * which handle, because base64 never reaches text. An image stays a block with its data; in the others, and in an image
 * that is none, `{bytes, mimeType, file}` takes its place. A link to a resource, a block of an unknown type and one
 * that lacks what its type needs are one line each.
 */
export const render = (block: Schema.JsonObject, keep: Keep): Effect.Effect<RenderedBlock> => {
  const { data, resource, text, type } = block
  if (type === "text" && typeof text === "string") return Effect.succeed({ text, block, brief: null })
  if (type === "image" && typeof data === "string") return image(block, data, keep)
  if (type === "audio" && typeof data === "string") return audio(block, data, keep)
  if (type === "resource" && isObject(resource)) return embedded(block, resource, keep)
  const line = type === "resource_link" && typeof block["uri"] === "string" ? link(block) : unknown(block)
  return Effect.succeed({ text: line, block, brief: null })
}

interface Kept {
  readonly bytes: number
  readonly mimeType: Schema.Json
  readonly file: string | null
}

const image = Effect.fnUntraced(function*(block: Schema.JsonObject, data: string, keep: Keep) {
  const picture = ModelImage.decode(data)
  const kept = yield* keepData(data, block["mimeType"], keep)
  if (Result.isFailure(picture)) {
    const words = `${picture.failure}; it is declared as ${word(block["mimeType"])}`
    return withoutData(block, kept, `[an image was left out: ${words}, ${sizeOf(kept)}]`)
  }
  const { height, mediaType, width } = picture.success
  return {
    text: `[image: ${mediaType}, ${width}x${height} pixels, ${sizeOf(kept)}]`,
    block: { ...block, mimeType: mediaType },
    brief: kept.file === null ? null : { ...block, mimeType: mediaType, data: { ...kept } }
  }
})

const audio = Effect.fnUntraced(function*(block: Schema.JsonObject, data: string, keep: Keep) {
  const kept = yield* keepData(data, block["mimeType"], keep)
  return withoutData(block, kept, `[audio: ${word(block["mimeType"])}, ${sizeOf(kept)}]`)
})

const withoutData = (block: Schema.JsonObject, kept: Kept, text: string): RenderedBlock => ({
  text,
  block: { ...block, data: { ...kept } },
  brief: null
})

const embedded = Effect.fnUntraced(function*(block: Schema.JsonObject, resource: Schema.JsonObject, keep: Keep) {
  const { blob, mimeType } = resource
  const shown = typeof blob === "string"
    ? { ...resource, blob: { ...(yield* keepData(blob, mimeType, keep)) } }
    : resource
  return { text: JSON.stringify(shown, null, 2), block: { ...block, resource: shown }, brief: null }
})

const keepData = Effect.fnUntraced(function*(data: string, mimeType: Schema.Json | undefined, keep: Keep) {
  const bytes = ModelImage.bytesOf(data)
  const file = bytes === null ? null : yield* keep(bytes)
  return { bytes: bytes?.length ?? base64Bytes(data), mimeType: mimeType ?? null, file } satisfies Kept
})

const sizeOf = ({ bytes, file }: Kept): string =>
  `${bytes} bytes, ${file === null ? "which could not be kept" : `kept as ${file}`}`

const link = (block: Schema.JsonObject): string => {
  const size = block["size"]
  const facts = [
    ...(block["name"] === undefined ? [] : [word(block["name"])]),
    word(block["uri"]),
    ...(block["mimeType"] === undefined ? [] : [word(block["mimeType"])]),
    ...(typeof size === "number" ? [`${size} bytes`] : [])
  ]
  const description = block["description"]
  return `[resource link: ${facts.join(", ")}${description === undefined ? "" : `: ${word(description)}`}]`
}

const unknown = (block: Schema.JsonObject): string =>
  `[left out: a block of type ${word(block["type"])} that is not understood, ${
    Utf8.byteLength(JSON.stringify(block))
  } bytes]`

const WORD_BYTES = 1000

// A line with words of a server stays one line.
const word = (value: Schema.Json | undefined): string =>
  typeof value === "string" ? Utf8.prefix(value.replaceAll(/\s+/g, " ").trim(), WORD_BYTES) : "unknown"

const base64Bytes = (data: string): number => {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0
  return Math.floor(((data.length - padding) * 3) / 4)
}
