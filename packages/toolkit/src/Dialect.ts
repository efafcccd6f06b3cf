/**
 * Tools as the model of one provider takes them: its schemas out, its arguments back.
 */
import type { AgentTool } from "./AgentTool.ts"
import * as ToolSchema from "./ToolSchema.ts"

/**
 * What a schema is written in: `raw` as the server declared it; `openai` for function calling without, `openai-strict`
 * with strict schemas; `anthropic`; `gemini`.
 *
 * @category models
 */
export type Dialect = typeof names[number]

/** Every dialect. @category constants */
export const names = ["raw", "openai", "openai-strict", "anthropic", "gemini"] as const

/** A tool that cannot be said in a dialect, and why. @category models */
export interface Unspeakable {
  readonly name: string
  readonly server: string | null
  readonly reason: string
}

/** Tools in one dialect. @category models */
export interface Spoken {
  /** In the order they were given. Their `run` takes arguments of the dialect. */
  readonly tools: ReadonlyArray<AgentTool>
  readonly unspeakable: ReadonlyArray<Unspeakable>
}

/**
 * The tools in a dialect. One that cannot be made legal is left out alone, with the reason (R8, Decision 12).
 *
 * @category constructors
 */
export const speak = (tools: ReadonlyArray<AgentTool>, dialect: Dialect): Spoken => ({
  tools: dialect === "raw"
    ? tools
    : tools.map((tool) => ({ ...tool, inputSchema: ToolSchema.legal(tool.inputSchema) })),
  unspeakable: []
})
