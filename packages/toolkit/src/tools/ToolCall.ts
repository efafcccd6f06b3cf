/**
 * One call of an MCP tool from what somebody wrote as its arguments to its result: for models, scripts and people
 * alike.
 */
import { type CallResult, McpErrors, McpRegistry, type McpTool } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import { ResultFiles } from "../results/ResultFiles.ts"
import * as ToolResult from "../results/ToolResult.ts"
import * as CallCheck from "../validation/CallCheck.ts"
import * as ToolArguments from "../validation/ToolArguments.ts"
import type { RunOptions } from "./AgentTool.ts"

/**
 * Reads and repairs the arguments (docs/decisions.md#decision-9-arguments), checks them against the schema the tool
 * declares (docs/decisions.md#decision-12-schemas), calls, and renders the answer
 * (docs/decisions.md#decision-10-results). Fails for arguments that cannot be used, which are not sent, and for
 * whatever the registry fails for; a tool's own error is a result. An answer that is not what the tool declares
 * arrives, with a line in `diagnostics`.
 */
export const run = (
  tool: McpTool,
  args: unknown,
  options: RunOptions = {}
): Effect.Effect<ToolResult.ToolResult, McpErrors.McpError, McpRegistry | ResultFiles> =>
  Effect.flatMap(
    McpRegistry,
    (registry) => Effect.flatMap(ResultFiles, (files) => through(registry, files)(tool, args, options))
  )

/** Runs calls through this registry, as `run` does, with nothing to look up at each. */
export const through =
  (registry: McpRegistry["Service"], files: ResultFiles["Service"]) =>
  (tool: McpTool, args: unknown, options: RunOptions = {}): Effect.Effect<ToolResult.ToolResult, McpErrors.McpError> =>
    ToolArguments.usable(tool, args).pipe(
      Effect.mapError((reason) => new McpErrors.McpError({ server: tool.server, reason })),
      Effect.flatMap((usable) => registry.callTool(tool, usable, options)),
      Effect.flatMap((answer) => rendered(files, tool, answer))
    )

const rendered = Effect.fnUntraced(function*(files: ResultFiles["Service"], tool: McpTool, answer: CallResult) {
  const result = yield* Effect.provideService(ToolResult.fromCall(tool, answer), ResultFiles, files)
  const diagnostics = yield* CallCheck.output(tool, answer)
  return diagnostics.length === 0 ? result : { ...result, diagnostics: [...result.diagnostics, ...diagnostics] }
})
