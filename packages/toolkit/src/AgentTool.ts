/**
 * The one kind of tool a turn knows, whether it is built in or comes from a server.
 */
import type { CallProgress } from "@boocode/mcp-registry"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { ToolResult } from "./ToolResult.ts"

/**
 * A tool that a model may call.
 *
 * @category models
 */
export interface AgentTool {
  readonly name: string
  /** The MCP server it comes from; null for a built-in tool. */
  readonly server: string | null
  readonly description: string
  readonly inputSchema: Schema.JsonObject
  /** Never fails: whatever goes wrong is an error result that a model can read. Interruption cancels the call. */
  readonly run: (
    args: unknown,
    onProgress: (progress: CallProgress) => Effect.Effect<void>
  ) => Effect.Effect<ToolResult>
}
