/**
 * What a model reads of a result: all of it, or its head and tail with a notice between them.
 */
import * as Effect from "effect/Effect"
import { ResultFiles } from "./ResultFiles.ts"
import type { ToolResult } from "./ToolResult.ts"
import * as Utf8 from "./Utf8.ts"

/**
 * How many bytes of UTF-8 of one result a model reads, if nothing else is said.
 *
 * @category constants
 */
export const DEFAULT_MAX_BYTES = 100_000

/**
 * The text of a result for a model, at most `maxBytes` of UTF-8 (100,000 by default). What is longer keeps its head
 * and its tail, cut on character boundaries, and the notice between them says how much is missing and gives the handle
 * under which `view_file` reads the whole. Never empty.
 *
 * @category rendering
 */
export const fromResult = Effect.fnUntraced(function*(
  result: Pick<ToolResult, "text" | "truncated" | "origin">,
  options?: { readonly maxBytes?: number | undefined }
): Effect.fn.Return<string, never, ResultFiles> {
  const maxBytes = options?.maxBytes ?? DEFAULT_MAX_BYTES
  const { text, truncated } = yield* keepWhole(result, { maxBytes })
  const whole = truncated?.text ?? null
  return whole === null || Utf8.byteLength(text) <= maxBytes
    ? text
    : headAndTail(text, whole.bytes, whole.file, maxBytes)
})

/**
 * The result with the whole of its text kept in a file when a model reads only a part of it; the same result when there
 * is nothing to keep, or when it is kept already. Keep it before a result is stored, so that every later request
 * names the same file.
 *
 * @category keeping
 */
export const keepWhole = Effect.fnUntraced(function*<Result extends Pick<ToolResult, "text" | "truncated">>(
  result: Result,
  options?: { readonly maxBytes?: number | undefined }
): Effect.fn.Return<Result, never, ResultFiles> {
  const { text, truncated } = result
  const bytes = Utf8.byteLength(text)
  if (bytes <= (options?.maxBytes ?? DEFAULT_MAX_BYTES) || (truncated?.text ?? null) !== null) return result
  const file = yield* (yield* ResultFiles).write(text)
  return { ...result, truncated: { ...(truncated ?? { bytes, shownBytes: bytes, file }), text: { bytes, file } } }
})

const headAndTail = (text: string, bytes: number, file: string | null, maxBytes: number): string => {
  const longest = notice(bytes, bytes, file)
  const room = Math.max(0, maxBytes - Utf8.byteLength(longest))
  const head = Utf8.prefix(text, Math.ceil(room * 0.75))
  const tail = Utf8.suffix(text, Math.floor(room * 0.25))
  const left = bytes - Utf8.byteLength(head) - Utf8.byteLength(tail)
  return Utf8.prefix(`${head}${notice(left, bytes, file)}${tail}`, maxBytes)
}

const notice = (left: number, bytes: number, file: string | null): string =>
  `\n\n[${left} of ${bytes} bytes left out here; ${
    file === null ? "the whole could not be kept" : `read the whole with view_file ${file}`
  }]\n\n`
