/**
 * The images of a tool's result as a model may get them. Pure.
 */
import type { ToolResult } from "@boocode/toolkit"
import * as Prompt from "effect/ai/Prompt"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"

/** An image to send, or a line that says why it is not sent. @category models */
export type ResultImage = Result.Result<Prompt.FilePart, string>

/**
 * The images of a result. One that providers would refuse, and the whole request with it, is a line in place of it:
 * data that is not base64 or more than 5,000,000 characters, and bytes that are no PNG, JPEG, GIF or WebP. The bytes say
 * which of these it is, whatever the server declares.
 *
 * @category decoding
 */
export const fromContent = (content: ToolResult.ToolResult["content"]): ReadonlyArray<ResultImage> =>
  content.flatMap(({ data, mimeType, type }) =>
    type === "image" && typeof data === "string"
      ? [decode(data, typeof mimeType === "string" ? mimeType : "nothing")]
      : []
  )

const MAX_CHARACTERS = 5_000_000

const decode = (data: string, declared: string): ResultImage => {
  if (data.length > MAX_CHARACTERS) return leftOut(`it has more than ${MAX_CHARACTERS} characters of base64`)
  const bytes = Base64.decode(data.replace(/^data:[^,]*;base64,/i, ""))
  if (Result.isFailure(bytes)) return leftOut("its data is not base64")
  const mediaType = kindOf(bytes.success)
  return mediaType === null
    ? leftOut(`its data is no PNG, JPEG, GIF or WebP; it is declared as ${declared.slice(0, 100)}`)
    : Result.succeed(Prompt.filePart({ mediaType, data: Base64.encode(bytes.success) }))
}

const leftOut = (why: string) => Result.fail(`[an image was left out: ${why}]`)

const MAGIC = [
  ["image/png", /^\x89PNG\r\n\x1a\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[^]{4}WEBP/]
] as const

const kindOf = (bytes: Uint8Array): string | null => {
  const start = String.fromCharCode(...bytes.subarray(0, 12))
  return MAGIC.find(([, magic]) => magic.test(start))?.[0] ?? null
}
