/**
 * Tools by their names, whether they are built in or come from a server: for scripts and people.
 */
import { McpRegistry } from "@boocode/mcp-registry"
import { type RunOptions, SearchTools, ToolCall } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import { WorkspaceTools } from "./workspace/WorkspaceTools.ts"

/** Names that patterns may hold and no server has. @category getters */
export const builtIn = Effect.map(
  WorkspaceTools,
  ({ tools }) => [...tools.map(({ name }) => name), SearchTools.SEARCH, SearchTools.DESCRIBE]
)

/** Calls a tool. Fails as `ToolCall.run` does, and for a name that nobody has. @category running */
export const call = Effect.fnUntraced(function*(name: string, args: unknown, options: RunOptions) {
  const own = (yield* WorkspaceTools).tools.find((tool) => tool.name === name)
  if (own !== undefined) return yield* own.run(args, options)
  const registry = yield* McpRegistry
  return yield* ToolCall.run(yield* registry.tool(name), args, options)
})
