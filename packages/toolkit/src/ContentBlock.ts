/**
 * One block of an MCP result: the text a model reads for it, and the block as scripts and the page get it.
 */
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ResultFiles } from "./ResultFiles.ts"
import * as Utf8 from "./Utf8.ts"

/**
 * A block in both forms.
 *
 * @category models
 */
export interface RenderedBlock {
  readonly text: string
  readonly block: Schema.JsonObject
}

/**
 * Renders a block; never fails. Text stays text. An embedded resource is JSON indented by two spaces, its blob replaced
 * by `{bytes, mimeType, file}`. Images and audio stay blocks, and their text only says that they are there: base64 never
 * reaches text. A link to a resource and a block of an unknown type are one line each.
 *
 * @category rendering
 */
export const render = (block: Schema.JsonObject): Effect.Effect<RenderedBlock, never, ResultFiles> => {
  const { data, resource, text, type } = block
  if (type === "text" && typeof text === "string") return Effect.succeed({ text, block })
  if ((type === "image" || type === "audio") && typeof data === "string") {
    return Effect.succeed({ text: `[${type}: ${word(block["mimeType"])}, ${base64Bytes(data)} bytes]`, block })
  }
  if (type === "resource" && isJsonObject(resource)) return Effect.map(withoutBlob(resource), asResource)
  if (type === "resource_link" && typeof block["uri"] === "string") return Effect.succeed({ text: link(block), block })
  return Effect.succeed({ text: unknown(block), block })
}

const isJsonObject = Schema.is(Schema.JsonObject)

const asResource = (resource: Schema.JsonObject): RenderedBlock => ({
  text: JSON.stringify(resource, null, 2),
  block: { type: "resource", resource }
})

const withoutBlob = Effect.fnUntraced(function*(resource: Schema.JsonObject) {
  const { blob } = resource
  if (typeof blob !== "string") return resource
  const bytes = Base64.decode(blob)
  const file = Result.isSuccess(bytes) ? yield* (yield* ResultFiles).write(bytes.success) : null
  const length = Result.isSuccess(bytes) ? bytes.success.length : base64Bytes(blob)
  return { ...resource, blob: { bytes: length, mimeType: resource["mimeType"] ?? null, file } }
})

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

// What a server writes into one line stays in one line.
const word = (value: Schema.Json | undefined): string =>
  typeof value === "string" ? Utf8.prefix(value.replaceAll(/\s+/g, " ").trim(), WORD_BYTES) : "unknown"

const base64Bytes = (data: string): number => Math.floor((data.replace(/=+$/, "").length * 3) / 4)
