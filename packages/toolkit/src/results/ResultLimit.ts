/** A result brought under its limit, with what came beyond kept in files (docs/decisions.md#decision-10-results). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isObject } from "../schema/JsonSchema.ts"
import * as Fitting from "../text/Fitting.ts"
import * as Utf8 from "../text/Utf8.ts"
import type { RenderedBlock } from "./ContentBlock.ts"
import { ResultFiles } from "./ResultFiles.ts"

const KeptText = Schema.Struct({ bytes: Schema.Finite, file: Schema.NullOr(Schema.String) })

/**
 * Says that a result was cut, and where the whole of it is: its text or, when the text is whole, the blocks or the
 * structured content that were left out.
 */
export const Truncated = Schema.Struct({
  bytes: Schema.Finite,
  shownBytes: Schema.Finite,
  /** The handle that `view_file` reads; null when it could not be kept. */
  file: Schema.NullOr(Schema.String),
  /** The whole text, when it was cut or a model reads only a part of it; else null. */
  text: Schema.NullOr(KeptText)
})

/** Something within its limit. */
export interface Fitted<A> {
  readonly value: A
  readonly truncated: typeof Truncated.Type | null
  /** A line for the text that says what is missing elsewhere; null when nothing is. */
  readonly notice: string | null
}

/**
 * How many bytes of JSON each part of a result may have, so that all of them together have at most `maxBytes`. A part
 * takes what it needs while the others leave it. When they do not, the text may always have three fifths, because it
 * alone is sure to reach a model and the blocks repeat it; the blocks and the structured content share the rest
 * equally.
 */
export const shares = (
  needs: { readonly text: number; readonly content: number; readonly structured: number },
  maxBytes: number
): { readonly text: number; readonly content: number; readonly structured: number } => {
  const others = needs.content + needs.structured
  const text = Math.min(needs.text, maxBytes - Math.min(others, Math.floor(maxBytes * 0.4)))
  const left = maxBytes - text
  const content = Math.min(needs.content, Math.max(Math.ceil(left / 2), left - needs.structured))
  return { text, content, structured: Math.min(needs.structured, left - content) }
}

export const jsonBytes = (value: Schema.Json): number => {
  if (Array.isArray(value)) {
    return value.reduce((sum: number, item) => sum + jsonBytes(item) + 1, value.length === 0 ? 2 : 1)
  }
  if (typeof value !== "object" || value === null) return Utf8.byteLength(JSON.stringify(value))
  const known = measured.get(value)
  if (known !== undefined) return known
  const json = JSON.stringify(value)
  const bytes = Utf8.byteLength(json)
  if (json.length > SHORT) measured.set(value, bytes)
  return bytes
}

const SHORT = 1000

/** A block is measured again and again while it is brought under its limit, and may have megabytes. */
const measured = new WeakMap<object, number>()

/** The bytes of a text as JSON, exact only where it may be within the limit. */
export const jsonBytesWithin = (text: string, maxBytes: number): number =>
  text.length + QUOTES > maxBytes ? text.length + QUOTES : jsonBytes(text)

/**
 * Text that, together with the notices, has at most `maxBytes` bytes as JSON. Lone surrogates become U+FFFD first,
 * because providers refuse them; cutting adds none.
 */
export const fitText = Effect.fnUntraced(function*(
  given: string,
  maxBytes: number,
  notices: ReadonlyArray<string | null>
): Effect.fn.Return<Fitted<string>, never, ResultFiles> {
  const whole = given.toWellFormed()
  const lines = notices.filter((notice) => notice !== null)
  const all = [whole, ...lines].join("\n")
  if (jsonBytesWithin(all, maxBytes) <= maxBytes) return { value: all, truncated: null, notice: null }
  const bytes = Utf8.byteLength(whole)
  const file = yield* (yield* ResultFiles).write(whole)
  const end = ["", cutNotice(bytes, file), ...lines].join("\n")
  const shown = jsonPrefix(whole, maxBytes - jsonBytes(end))
  const value = shown === "" ? jsonPrefix(end.trim(), Math.max(1, maxBytes - QUOTES)) : `${shown}${end}`
  return { value, truncated: { bytes, shownBytes: Utf8.byteLength(shown), file, text: { bytes, file } }, notice: null }
})

/**
 * Blocks whose JSON has at most `maxBytes` bytes. First images give up their data, the last first: it is in their
 * files. Then the first block that does not fit and all after it are left out; of a text block the start stays. Their
 * text is in the result's text; what is not text goes into one file as JSON.
 */
export const fitContent = Effect.fnUntraced(function*(
  rendered: ReadonlyArray<RenderedBlock>,
  maxBytes: number
): Effect.fn.Return<Fitted<ReadonlyArray<Schema.JsonObject>>, never, ResultFiles> {
  const bytes = jsonBytes(rendered.map(({ block }) => block))
  const blocks = withoutImages(rendered, bytes, maxBytes)
  const size = jsonBytes(blocks)
  if (size <= maxBytes) {
    return { value: blocks, truncated: size === bytes ? null : briefer(rendered, blocks, bytes, size), notice: null }
  }
  const count = countFitting(blocks, maxBytes - CONTENT_NOTICE_BYTES)
  const left = blocks.slice(count)
  const lost = left.filter((block) => block["type"] !== "text")
  const file = lost.length === 0 ? null : yield* (yield* ResultFiles).write(JSON.stringify(lost))
  const notice = lost.length === 0 ? null : leftOut(`${lost.length} blocks`, jsonBytes(lost), file)
  const kept = blocks.slice(0, count)
  const value = withEnd(kept, left[0], notice ?? "[cut here; the rest is in the result's text]", maxBytes)
  return { value, truncated: { bytes, shownBytes: jsonBytes(value), file, text: null }, notice }
})

const withoutImages = (
  rendered: ReadonlyArray<RenderedBlock>,
  bytes: number,
  maxBytes: number
): ReadonlyArray<Schema.JsonObject> => {
  let over = bytes - maxBytes
  return rendered.toReversed().map(({ block, brief }) => {
    if (over <= 0 || brief === null) return block
    over -= jsonBytes(block) - jsonBytes(brief)
    return brief
  }).reverse()
}

/** The file of the first image whose data was left out. */
const briefer = (
  rendered: ReadonlyArray<RenderedBlock>,
  blocks: ReadonlyArray<Schema.JsonObject>,
  bytes: number,
  shownBytes: number
): typeof Truncated.Type => {
  const data = rendered.find(({ block }, index) => blocks[index] !== block)?.brief?.["data"]
  const file = isObject(data) ? data["file"] : null
  return { bytes, shownBytes, file: typeof file === "string" ? file : null, text: null }
}

/**
 * Structured content whose JSON has at most `maxBytes` bytes; more becomes null, because half of it would not be JSON.
 * It goes into a file unless the text shows it already.
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

const QUOTES = "\"\"".length

// Room for the notice block with the longest numbers and a handle.
const CONTENT_NOTICE_BYTES = 200

const countFitting = (blocks: ReadonlyArray<Schema.JsonObject>, maxBytes: number): number =>
  Fitting.count(blocks, maxBytes - "[]".length, (block) => jsonBytes(block) + ",".length)

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

const jsonPrefix = (text: string, maxBytes: number): string => {
  let bytes = 0
  let end = 0
  while (end < text.length) {
    const code = text.codePointAt(end) ?? 0
    bytes += escapedBytes(code)
    if (bytes > maxBytes) return text.slice(0, end)
    end += code > 0xffff ? 2 : 1
  }
  return text
}

const escapedBytes = (code: number): number => {
  if (code === QUOTE || code === BACKSLASH) return 2
  if (code < 0x20) return SHORT_ESCAPES.has(code) ? 2 : 6
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code < 0x10000 ? 3 : 4
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SHORT_ESCAPES: ReadonlySet<number> = new Set([..."\b\t\n\f\r"].map((escape) => escape.charCodeAt(0)))

const whereabouts = (file: string | null): string =>
  file === null ? "it could not be kept" : `read it with view_file ${file}`

const leftOut = (what: string, bytes: number, file: string | null): string =>
  `[${what} left out, ${bytes} bytes: ${whereabouts(file)}]`

const cutNotice = (bytes: number, file: string | null): string =>
  `[cut here, the whole text has ${bytes} bytes: ${whereabouts(file)}]`
