/** A tool's answer for people, scripts and models (docs/decisions.md#decision-10-results). */
import { type CallResult, CleanText, type McpTool, ToolUi } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Utf8 from "../text/Utf8.ts"
import * as ContentBlock from "./ContentBlock.ts"
import * as Repeated from "./Repeated.ts"
import { ResultFiles } from "./ResultFiles.ts"
import { fitContent, fitStructured, fitText, jsonBytes, jsonBytesWithin, shares, Truncated } from "./ResultLimit.ts"
import * as ResultStyles from "./ResultStyles.ts"

/** Where an answer comes from. */
export const Origin = Schema.Struct({
  server: Schema.String,
  /** The raw name. */
  tool: Schema.String,
  /** False for a server of a project file. */
  isTrusted: Schema.Boolean
})

/**
 * The side at fault for an error: the tool's own error, arguments or a name that cannot be used, or a server that
 * cannot be reached or did not answer.
 */
export const Fault = Schema.Literals(["tool", "call", "server"])

/** A tool's answer, as `mcp call --json` prints it. */
export const ToolResult = Schema.Struct({
  isError: Schema.Boolean,
  /** The one representation that reaches a model; never empty. */
  text: Schema.String,
  content: Schema.Array(Schema.JsonObject),
  structuredContent: Schema.Json,
  truncated: Schema.NullOr(Truncated),
  /** Null for a result that was made here, such as one of a built-in tool. */
  origin: Schema.NullOr(Origin),
  /** Null when it is no error. */
  fault: Schema.NullOr(Fault),
  /** The colours of the text, for people; left out where there are none. */
  styles: Schema.optionalKey(Schema.Array(ResultStyles.TextStyle)),
  /** The `_meta` of the answer of a tool with an app, for that app alone; left out where there is none. */
  meta: Schema.optionalKey(Schema.JsonObject),
  /** Faults of an answer that arrived, in words for people. */
  diagnostics: Schema.Array(Schema.String),
  millis: Schema.Finite
})

/** A tool's answer. */
export type ToolResult = typeof ToolResult.Type

/** An error result made here, not by a tool. Its words may repeat those of others, so nothing in them hides (R100). */
export const failure = (
  text: string,
  { fault = "tool", millis = 0, origin = null }: Partial<Pick<ToolResult, "origin" | "fault" | "millis">> = {}
): ToolResult => ({ ...plain(CleanText.clean(text), millis), isError: true, origin, fault })

/** A plain text result. */
export const success = (text: string, millis = 0): ToolResult => plain(text, millis)

const plain = (text: string, millis: number): ToolResult => ({
  isError: false,
  text,
  content: [{ type: "text", text }],
  structuredContent: null,
  truncated: null,
  origin: null,
  fault: null,
  diagnostics: [],
  millis
})

/**
 * A tool's answer as a result whose `text`, `content` and `structuredContent` have together at most `maxResultBytes`
 * bytes as JSON, what they repeat of each other counted once; `ResultLimit.shares` says how they share them where that
 * is too much. `text` is the blocks joined with newlines; when that is blank, or the tool prefers it, the structured
 * content as JSON, a note in place of pictures and documents in base64; when there is none, `(no output)`. Text is cut
 * on a character boundary, a notice at its end says so, and what does not fit is kept in a file.
 */
export const fromCall = (tool: RenderedTool, result: CallResult): Effect.Effect<ToolResult, never, ResultFiles> =>
  Effect.map(measured(tool, result), (parts) => ({ ...resultFrom(tool, result, parts), ...metaOf(tool, result) }))

/** No model reads it, but it is kept with a chat. */
const metaOf = (tool: RenderedTool, { meta }: CallResult): Pick<ToolResult, "meta"> =>
  meta === undefined || ToolUi.of(tool).resourceUri === null || jsonBytes(meta) > tool.maxResultBytes ? {} : { meta }

type Parts = Pick<ToolResult, "text" | "content" | "structuredContent" | "truncated" | "styles">

const resultFrom = (
  { isTrusted, server, tool }: RenderedTool,
  { isError, millis }: CallResult,
  parts: Parts
): ToolResult => ({
  isError,
  ...parts,
  origin: { server, tool, isTrusted },
  fault: isError ? "tool" : null,
  diagnostics: [],
  millis
})

const measured = Effect.fnUntraced(function*(
  { maxResultBytes, prefersStructured = false }: RenderedTool,
  { content, structuredContent, styles = [] }: CallResult
): Effect.fn.Return<Parts, never, ResultFiles> {
  const keep = keeper(yield* ResultFiles)
  const rendered = yield* Effect.forEach(content, (block) => ContentBlock.render(block, keep))
  const joined = rendered.map(({ text }) => text).join("\n")
  const isStructured = joined.trim() === "" || (prefersStructured && structuredContent !== null)
  const whole = isStructured ? fallback(structuredContent) : joined
  const blocks = rendered.map(({ block }) => block)
  const needs = {
    text: jsonBytesWithin(whole, maxResultBytes),
    content: jsonBytes(blocks),
    structured: jsonBytes(structuredContent)
  }
  const over = needs.text + needs.content + needs.structured - maxResultBytes
  const isWithin = over <= 0 || (needs.text <= maxResultBytes &&
    over <= Repeated.bytes({ text: whole, isJoined: !isStructured, content: blocks, structuredContent }))
  const parts = isWithin
    ? { text: whole.toWellFormed(), content: blocks, structuredContent, truncated: null }
    : yield* cut(
      { rendered, whole, isShown: isStructured && Utf8.byteLength(whole) === needs.structured, structuredContent },
      shares(needs, maxResultBytes),
      maxResultBytes
    )
  if (styles.length === 0 || isStructured) return parts
  return { ...parts, styles: ResultStyles.joined(styles, rendered.map(({ text }) => text), parts.text) }
})

/** The fields of a tool that decide how its answers are shown. */
type RenderedTool = Pick<McpTool, "server" | "tool" | "isTrusted" | "maxResultBytes" | "prefersStructured" | "passed">

interface Whole {
  readonly rendered: ReadonlyArray<ContentBlock.RenderedBlock>
  readonly whole: string
  /** All of the structured content is the text, too. */
  readonly isShown: boolean
  readonly structuredContent: Schema.Json
}

const cut = Effect.fnUntraced(function*(
  { isShown, rendered, structuredContent, whole }: Whole,
  share: ReturnType<typeof shares>,
  maxBytes: number
) {
  const content = yield* fitContent(rendered, share.content)
  const structured = yield* fitStructured(structuredContent, share.structured, isShown)
  // A notice stands for what the other parts left out, so it takes the room that they leave.
  const room = maxBytes - jsonBytes(content.value) - jsonBytes(structured.value)
  const text = yield* fitText(whole, Math.max(share.text, room), [content.notice, structured.notice])
  return {
    text: text.value,
    content: content.value,
    structuredContent: structured.value,
    truncated: text.truncated ?? content.truncated ?? structured.truncated
  }
})

const fallback = (structured: Schema.Json): string =>
  structured === null ? "(no output)" : JSON.stringify(structured, withoutBase64)

/** Pictures, documents and archives tell by their beginning; any other long text may be meant to be read. */
const BASE64 = /^(?:data:[\w.+-]+\/[\w.+-]+;base64,|iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|JVBERi0|UEsDB)[\w+/=\s-]{200,}$/

// To search megabytes for their end takes more stack than there is.
const BEGINNING = 1000

const withoutBase64 = (_key: string, value: unknown): unknown =>
  typeof value === "string" && BASE64.test(value.slice(0, BEGINNING))
    ? `[base64 left out, ${value.length} characters]`
    : value

/** A result of thousands of tiny images must not become as many files. */
const MOST_FILES = 64

const keeper = (files: ResultFiles["Service"]): ContentBlock.Keep => {
  let left = MOST_FILES
  return (bytes) => Effect.suspend(() => left-- > 0 ? files.write(bytes) : Effect.succeed(null))
}

export { Truncated } from "./ResultLimit.ts"
