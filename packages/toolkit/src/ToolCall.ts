/**
 * One call of an MCP tool from what somebody wrote as its arguments to its result: for models, scripts and people alike.
 */
import { McpErrors, McpRegistry, type McpTool } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import type { RunOptions } from "./AgentTool.ts"
import type { ResultFiles } from "./ResultFiles.ts"
import * as ToolArguments from "./ToolArguments.ts"
import * as ToolResult from "./ToolResult.ts"

/**
 * Reads and repairs the arguments (Decision 9), calls, and renders the answer (Decision 10). Fails for arguments that
 * cannot be used and for whatever the registry fails for; a tool's own error is a result.
 *
 * @category running
 */
export const run = Effect.fn("ToolCall.run")(function*(
  tool: McpTool,
  args: unknown,
  options: RunOptions = {}
): Effect.fn.Return<ToolResult.ToolResult, McpErrors.McpError, McpRegistry | ResultFiles> {
  const registry = yield* McpRegistry
  const parsed = yield* Effect.fromResult(ToolArguments.parse(tool.name, args)).pipe(
    Effect.mapError((reason) => new McpErrors.McpError({ server: tool.server, reason }))
  )
  const answer = yield* registry.callTool(tool, ToolArguments.repair(tool.inputSchema, parsed), options)
  return yield* ToolResult.fromCall(tool, answer)
})
