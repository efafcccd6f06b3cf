/**
 * A result brought under its limit, with what came beyond kept in files (Decision 10).
 */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { ResultFiles } from "./ResultFiles.ts"
import type { Truncated } from "./ToolResult.ts"
import * as Utf8 from "./Utf8.ts"

/**
 * Something within its limit.
 *
 * @category models
 */
export interface Fitted<A> {
  readonly value: A
  readonly truncated: typeof Truncated.Type | null
  /** A line for the text that says what is missing elsewhere; null when nothing is. */
  readonly notice: string | null
}

/**
 * Text that has, together with the notices, at most `maxBytes` bytes. Lone surrogates become U+FFFD first, because
 * providers refuse them; cutting adds none.
 *
 * @category limiting
 */
export const fitText = Effect.fnUntraced(function*(
  given: string,
  maxBytes: number,
  notices: ReadonlyArray<string | null>
): Effect.fn.Return<Fitted<string>, never, ResultFiles> {
  const whole = given.toWellFormed()
  const lines = notices.filter((notice) => notice !== null)
  const all = [whole, ...lines].join("\n")
  if (Utf8.byteLength(all) <= maxBytes) return { value: all, truncated: null, notice: null }
  const bytes = Utf8.byteLength(whole)
  const file = yield* (yield* ResultFiles).write(whole)
  const end = ["", cutNotice(bytes, file), ...lines].join("\n")
  const shown = Utf8.prefix(whole, maxBytes - Utf8.byteLength(end))
  const value = shown === "" ? Utf8.prefix(end.trim(), maxBytes) : `${shown}${end}`
  return { value, truncated: { bytes, shownBytes: Utf8.byteLength(shown), file, text: { bytes, file } }, notice: null }
})

/**
 * Blocks whose JSON has at most `maxBytes` bytes. The first that does not fit and all after it are left out; of a text
 * block the start stays. Their text is in the result's text; what is not text goes into one file as JSON.
 *
 * @category limiting
 */
export const fitContent = Effect.fnUntraced(function*(
  blocks: ReadonlyArray<Schema.JsonObject>,
  maxBytes: number
): Effect.fn.Return<Fitted<ReadonlyArray<Schema.JsonObject>>, never, ResultFiles> {
  const bytes = jsonBytes(blocks)
  if (bytes <= maxBytes) return { value: blocks, truncated: null, notice: null }
  const count = countFitting(blocks, maxBytes - CONTENT_NOTICE_BYTES)
  const left = blocks.slice(count)
  const lost = left.filter((block) => block["type"] !== "text")
  const file = lost.length === 0 ? null : yield* (yield* ResultFiles).write(JSON.stringify(lost))
  const notice = lost.length === 0 ? null : leftOut(`${lost.length} blocks`, jsonBytes(lost), file)
  const kept = blocks.slice(0, count)
  const value = withEnd(kept, left[0], notice ?? "[cut here; the rest is in the result's text]", maxBytes)
  return { value, truncated: { bytes, shownBytes: jsonBytes(value), file, text: null }, notice }
})

/**
 * Structured content whose JSON has at most `maxBytes` bytes; more becomes null, because half of it would not be JSON.
 * It goes into a file unless the text shows it already.
 *
 * @category limiting
 */
export const fitStructured = Effect.fnUntraced(function*(
  structured: Schema.Json,
  maxBytes: number,
  inText: boolean
): Effect.fn.Return<Fitted<Schema.Json>, never, ResultFiles> {
  if (structured === null) return { value: null, truncated: null, notice: null }
  const json = JSON.stringify(structured)
  const bytes = Utf8.byteLength(json)
  if (bytes <= maxBytes) return { value: structured, truncated: null, notice: null }
  if (inText) return { value: null, truncated: null, notice: null }
  const file = yield* (yield* ResultFiles).write(json)
  const notice = leftOut("structured content", bytes, file)
  return { value: null, truncated: { bytes, shownBytes: 0, file, text: null }, notice }
})

// Room for the notice block with the longest numbers and a handle.
const CONTENT_NOTICE_BYTES = 200

const jsonBytes = (value: Schema.Json): number => Utf8.byteLength(JSON.stringify(value))

const countFitting = (blocks: ReadonlyArray<Schema.JsonObject>, maxBytes: number): number => {
  let room = maxBytes - "[]".length
  const first = blocks.findIndex((block) => {
    room -= jsonBytes(block) + ",".length
    return room < 0
  })
  return first === -1 ? blocks.length : first
}

const withEnd = (
  kept: ReadonlyArray<Schema.JsonObject>,
  first: Schema.JsonObject | undefined,
  notice: string,
  maxBytes: number
): ReadonlyArray<Schema.JsonObject> => {
  const end = { type: "text", text: notice }
  const closed = [...kept, end]
  if (jsonBytes(closed) > maxBytes) return kept
  if (first === undefined || first["type"] !== "text" || typeof first["text"] !== "string") return closed
  const frame = jsonBytes([...kept, { ...first, text: "" }, end])
  const start = jsonPrefix(first["text"].toWellFormed(), maxBytes - frame)
  return start === "" ? closed : [...kept, { ...first, text: start }, end]
}

// Escapes make JSON longer than its text, so the cut is repeated in proportion until it fits.
const jsonPrefix = (text: string, maxBytes: number): string => {
  let start = Utf8.prefix(text, maxBytes)
  while (start !== "") {
    const escaped = jsonBytes(start) - "\"\"".length
    if (escaped <= maxBytes) return start
    const bytes = Utf8.byteLength(start)
    start = Utf8.prefix(start, Math.min(bytes - 1, Math.floor((bytes * maxBytes) / escaped)))
  }
  return start
}

const whereabouts = (file: string | null): string =>
  file === null ? "it could not be kept" : `read it with view_file ${file}`

const leftOut = (what: string, bytes: number, file: string | null): string =>
  `[${what} left out, ${bytes} bytes: ${whereabouts(file)}]`

const cutNotice = (bytes: number, file: string | null): string =>
  `[cut here, the whole text has ${bytes} bytes: ${whereabouts(file)}]`
