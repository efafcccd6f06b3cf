/**
 * What a tool's answer is to people, scripts and models (Decision 10).
 */
import type { CallResult, McpTool } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ContentBlock from "./ContentBlock.ts"
import type { ResultFiles } from "./ResultFiles.ts"
import { fitContent, fitStructured, fitText } from "./ResultLimit.ts"

const KeptText = Schema.Struct({ bytes: Schema.Finite, file: Schema.NullOr(Schema.String) })

/**
 * Says that a result was cut, and where the whole of it is: its text or, when the text is whole, the blocks or the
 * structured content that were left out.
 *
 * @category schemas
 */
export const Truncated = Schema.Struct({
  bytes: Schema.Finite,
  shownBytes: Schema.Finite,
  /** The handle that `view_file` reads; null when it could not be kept. */
  file: Schema.NullOr(Schema.String),
  /** The whole text, when it was cut or a model reads only a part of it; else null. */
  text: Schema.NullOr(KeptText)
})

/**
 * Where an answer comes from.
 *
 * @category schemas
 */
export const Origin = Schema.Struct({
  server: Schema.String,
  /** The raw name. */
  tool: Schema.String,
  /** False for a server of a project file. */
  isTrusted: Schema.Boolean
})

/**
 * Whose fault an error is: the tool's own error, arguments or a name that cannot be used, or a server that cannot be
 * reached or did not answer.
 *
 * @category schemas
 */
export const Fault = Schema.Literals(["tool", "call", "server"])

/**
 * A tool's answer, as `mcp call --json` prints it.
 *
 * @category schemas
 */
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
  /** What is wrong with the answer that nevertheless arrived, in words for people. */
  diagnostics: Schema.Array(Schema.String),
  millis: Schema.Finite
})

/**
 * A tool's answer.
 *
 * @category models
 */
export type ToolResult = typeof ToolResult.Type

/**
 * An error result made here, not by a tool.
 *
 * @category constructors
 */
export const failure = (
  text: string,
  { fault = "tool", millis = 0, origin = null }: Partial<Pick<ToolResult, "origin" | "fault" | "millis">> = {}
): ToolResult => ({ ...plain(text, millis), isError: true, origin, fault })

/**
 * A plain text result.
 *
 * @category constructors
 */
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
 * A tool's answer as a result of at most `maxResultBytes` bytes of UTF-8 each for `text`, `content` and
 * `structuredContent` (the latter two as JSON). `text` is the blocks joined with newlines; when that is blank, the
 * structured content as JSON; when there is none, `(no output)`. Text is cut on a character boundary, a notice at its
 * end says so, and what does not fit is kept in a file.
 *
 * @category constructors
 */
export const fromCall = Effect.fnUntraced(function*(
  { isTrusted, maxResultBytes, server, tool }: Pick<McpTool, "server" | "tool" | "isTrusted" | "maxResultBytes">,
  result: CallResult
): Effect.fn.Return<ToolResult, never, ResultFiles> {
  const rendered = yield* Effect.forEach(result.content, ContentBlock.render)
  const joined = rendered.map(({ text }) => text).join("\n")
  const isBlank = joined.trim() === ""
  const whole = isBlank ? fallback(result.structuredContent) : joined
  const content = yield* fitContent(rendered.map(({ block }) => block), maxResultBytes)
  const structured = yield* fitStructured(result.structuredContent, maxResultBytes, isBlank)
  const text = yield* fitText(whole, maxResultBytes, [content.notice, structured.notice])
  return {
    isError: result.isError,
    text: text.value,
    content: content.value,
    structuredContent: structured.value,
    truncated: text.truncated ?? content.truncated ?? structured.truncated,
    origin: { server, tool, isTrusted },
    fault: result.isError ? "tool" : null,
    diagnostics: [],
    millis: result.millis
  }
})

const fallback = (structured: Schema.Json): string => structured === null ? "(no output)" : JSON.stringify(structured)
