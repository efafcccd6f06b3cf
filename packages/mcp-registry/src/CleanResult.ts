/**
 * What a tool answered, as it may be passed on: a list of blocks, with nothing in it that hides or deceives (R100).
 */
import type * as Schema from "effect/Schema"
import * as CleanText from "./CleanText.ts"
import type { CallResult } from "./McpTool.ts"
import * as BigAnswers from "./transport/BigAnswers.ts"
import * as JsonRpc from "./transport/JsonRpc.ts"
import * as ToolPrint from "./trust/ToolPrint.ts"

/** @category models */
export type CleanResult = Omit<CallResult, "millis">

/**
 * The result of `tools/call`, whatever its shape. Secrets stay in a good result, which is what was asked for; an error is
 * where programs write out what they hold, so it is scrubbed. One without anything to clean is not copied.
 *
 * @category decoding
 */
export const of = (raw: Schema.JsonObject, scrub: (text: string) => string): CleanResult => {
  const isError = raw["isError"] === true
  const answered = { content: blocksOf(raw["content"]), structuredContent: raw["structuredContent"] ?? null }
  const isClean = BigAnswers.isPlain(raw) ? isKnown : CleanText.isClean
  if (!isError && (areTexts(answered, isClean) || ToolPrint.isEveryText(answered, isClean))) {
    return { isError, content: answered.content, structuredContent: answered.structuredContent }
  }
  const { content, structuredContent } = ToolPrint.mapTexts(answered, isError ? scrub : CleanText.clean) ?? TOO_DEEP
  return {
    isError: isError || structuredContent === undefined,
    content: Array.isArray(content) ? content.filter(JsonRpc.isObject) : [],
    structuredContent: structuredContent ?? null
  }
}

/** Whether it is nothing but texts for which this holds, as most answers are; false for one that needs a closer look. */
const areTexts = (
  { content, structuredContent }: Pick<CleanResult, "content" | "structuredContent">,
  holds: (text: string) => boolean
): boolean => {
  if (structuredContent !== null) return false
  for (const block of content) {
    for (const key in block) {
      const value = block[key]
      if ((key !== "type" && key !== "text") || typeof value !== "string" || !holds(value)) return false
    }
  }
  return true
}

/** An error that was made here, in the form of a tool's own. @category constructors */
export const errorOf = (text: string): Schema.JsonObject => ({ isError: true, content: [{ type: "text", text }] })

const isKnown = () => true

const TOO_DEEP: Schema.JsonObject = errorOf("its answer is nested too deep to be read")

/** What a server gives in place of a list of blocks, and in place of a block, is not lost (R64). */
const blocksOf = (content: Schema.Json | undefined): ReadonlyArray<Schema.JsonObject> => {
  if (content === undefined || content === null) return []
  if (!Array.isArray(content)) return [blockOf(content)]
  return content.every(JsonRpc.isObject) ? content : content.map(blockOf)
}

const blockOf = (value: Schema.Json): Schema.JsonObject => {
  if (JsonRpc.isObject(value)) return value
  if (typeof value === "string") return { type: "text", text: value }
  return { type: Array.isArray(value) ? "list" : value === null ? "null" : typeof value, value }
}
