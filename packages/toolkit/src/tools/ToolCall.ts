/**
 * One call of an MCP tool from what somebody wrote as its arguments to its result: for models, scripts and people alike.
 */
import { type CallResult, McpErrors, McpRegistry, type McpTool } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import { keepIn, ResultFiles } from "../results/ResultFiles.ts"
import * as ToolResult from "../results/ToolResult.ts"
import * as CallCheck from "../validation/CallCheck.ts"
import * as ToolArguments from "../validation/ToolArguments.ts"
import type { RunOptions } from "./AgentTool.ts"

/**
 * Reads and repairs the arguments (Decision 9), checks them against the schema the tool declares (Decision 12), calls,
 * and renders the answer (Decision 10). Fails for arguments that cannot be used, which are not sent, and for whatever
 * the registry fails for; a tool's own error is a result. An answer that is not what the tool declares arrives, with a
 * line in `diagnostics`.
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
    Effect.suspend(() =>
      Effect.flatMapEager(
        Effect.mapErrorEager(
          ToolArguments.usableNow(tool, args),
          (reason) => new McpErrors.McpError({ server: tool.server, reason })
        ),
        (usable) => Effect.flatMap(registry.callTool(tool, usable, options), (answer) => rendered(files, tool, answer))
      )
    )

const rendered = (files: ResultFiles["Service"], tool: McpTool, answer: CallResult) =>
  Effect.flatMapEager(
    keepIn(files, ToolResult.fromCall(tool, answer)),
    (result) =>
      Effect.mapEager(CallCheck.output(tool, answer), (diagnostics) =>
        diagnostics.length === 0 ? result : { ...result, diagnostics: [...result.diagnostics, ...diagnostics] })
  )
