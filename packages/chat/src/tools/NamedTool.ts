/** Tools by their names, whether they are built in or come from a server: for scripts and people. */
import { McpRegistry } from "@boocode/mcp-registry"
import { type RunOptions, SearchTools, ToolCall } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as ResourceAccess from "./ResourceAccess.ts"
import * as ResourceTools from "./ResourceTools.ts"
import { WorkspaceTools } from "./WorkspaceTools.ts"

/** Names that patterns may hold and no server has, those of the resources of servers included. */
export const builtIn = Effect.gen(function*() {
  const { tools, writers } = yield* WorkspaceTools
  const resources = yield* ResourceAccess.all
  return [
    ...[...tools, ...writers].map(({ name }) => name),
    SearchTools.SEARCH,
    SearchTools.DESCRIBE,
    ...ResourceTools.NAMES,
    ...resources.map(({ name }) => name)
  ]
})

/** Calls a tool. Fails as `ToolCall.run` does, and for a name that nobody has. */
export const call = Effect.fnUntraced(function*(name: string, args: unknown, options: RunOptions) {
  const builtIn = ResourceTools.NAMES.includes(name) ? yield* ResourceTools.make(null) : (yield* WorkspaceTools).tools
  const own = builtIn.find((tool) => tool.name === name)
  if (own !== undefined) return yield* own.run(args, options)
  const registry = yield* McpRegistry
  return yield* ToolCall.run(yield* registry.tool(name), args, options)
})
