/**
 * One call of an MCP tool from what somebody wrote as its arguments to its result: for models, scripts and people alike.
 */
import { McpErrors, McpRegistry, type McpTool } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import type { RunOptions } from "./AgentTool.ts"
import type { ResultFiles } from "./ResultFiles.ts"
import * as ToolArguments from "./ToolArguments.ts"
import * as ToolResult from "./ToolResult.ts"
import * as CallCheck from "./validation/CallCheck.ts"

/**
 * Reads and repairs the arguments (Decision 9), checks them against the schema the tool declares (Decision 12), calls,
 * and renders the answer (Decision 10). Fails for arguments that cannot be used, which are not sent, and for whatever
 * the registry fails for; a tool's own error is a result. An answer that is not what the tool declares arrives, with a
 * line in `diagnostics`.
 *
 * @category running
 */
export const run = Effect.fn("ToolCall.run")(function*(
  tool: McpTool,
  args: unknown,
  options: RunOptions = {}
): Effect.fn.Return<ToolResult.ToolResult, McpErrors.McpError, McpRegistry | ResultFiles> {
  const registry = yield* McpRegistry
  const usable = yield* ToolArguments.usable(tool, args).pipe(
    Effect.mapError((reason) => new McpErrors.McpError({ server: tool.server, reason }))
  )
  const answer = yield* registry.callTool(tool, usable, options)
  const result = yield* ToolResult.fromCall(tool, answer)
  const diagnostics = yield* CallCheck.output(tool, answer)
  return diagnostics.length === 0 ? result : { ...result, diagnostics: [...result.diagnostics, ...diagnostics] }
})
