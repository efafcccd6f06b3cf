/** The output of a call as the AI SDK keeps it, and as its model reads it. */
import type { CallProgress } from "@boocode/mcp-registry"
import type { Tool } from "ai"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ModelReading from "../results/ModelReading.ts"
import * as ModelText from "../results/ModelText.ts"
import type { ResultFiles } from "../results/ResultFiles.ts"
import type { ToolResult } from "../results/ToolResult.ts"
import { Fault, Origin } from "../results/ToolResult.ts"
import * as CallEvents from "../tools/CallEvents.ts"

/**
 * The `output` of a tool: progress while it runs, and last the result. Plain JSON, so that it can be stored and sent to
 * a page.
 */
export const ToolOutput = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("progress"),
    progress: Schema.Finite,
    total: Schema.NullOr(Schema.Finite),
    message: Schema.NullOr(Schema.String),
    /** Progress in one line. */
    text: Schema.String
  }),
  Schema.Struct({
    type: Schema.Literal("result"),
    isError: Schema.Boolean,
    /** For the model: at most 100,000 bytes, never empty. */
    text: Schema.String,
    /** For a model that sees images. */
    images: Schema.Array(Schema.Struct({ mediaType: Schema.String, data: Schema.String })),
    structuredContent: Schema.Json,
    /** Null for an answer that was made here. */
    origin: Schema.NullOr(Origin),
    /** The side at fault for an error; null when there is no error. */
    fault: Schema.NullOr(Fault),
    millis: Schema.Finite
  })
])

/** The `output` of a tool. */
export type ToolOutput = typeof ToolOutput.Type

/** Tells the output of one of these tools from that of others. */
export const isToolOutput = Schema.is(ToolOutput)

export const fromProgress = (progress: CallProgress): ToolOutput => ({
  type: "progress",
  ...progress,
  text: CallEvents.progressText(progress)
})

export const fromResult = (
  result: ToolResult,
  seesImages: boolean
): Effect.Effect<ToolOutput, never, ResultFiles> => {
  const { fault, isError, millis, origin, structuredContent } = result
  return Effect.mapEager(
    ModelReading.fromResult(result, seesImages),
    (reading): ToolOutput => ({ type: "result", isError, ...reading, structuredContent, origin, fault, millis })
  )
}

type ModelOutput = Awaited<ReturnType<NonNullable<Tool["toModelOutput"]>>>

/** The text for the model, an error with its mark in front, and images as files beside it. */
export const toModel = (output: unknown): ModelOutput => {
  if (!isToolOutput(output)) return error("this result cannot be read any more")
  if (output.type === "progress") return error(`no result; last heard: ${output.text}`)
  if (output.isError) return error(output.text)
  if (output.images.length === 0) return { type: "text", value: output.text }
  const files = output.images.map(({ data, mediaType }) => ({
    type: "file" as const,
    mediaType,
    data: { type: "data" as const, data }
  }))
  return { type: "content", value: [{ type: "text", text: output.text }, ...files] }
}

const error = (text: string): ModelOutput => ({ type: "error-text", value: `${ModelText.ERROR_MARK}\n${text}` })
