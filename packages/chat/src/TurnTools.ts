/**
 * What an agent may use at the moment a turn starts, and what it should know of servers that are not there.
 */
import { McpRegistry, type ServerStatus } from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import { type AgentTool, McpToolkit, type ResultFiles } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import type { Agent } from "./Agents.ts"
import { WorkspaceTools } from "./WorkspaceTools.ts"

/** The tools of one turn; they stay as they are while it runs. @category models */
export interface TurnTools {
  /** Built-in and MCP tools that the agent's patterns allow, sorted by name; names are unique. */
  readonly tools: ReadonlyArray<AgentTool>
  /** Exact names that nobody has, denials alone. Empty while a server still connects: it may bring the name. */
  readonly warnings: ReadonlyArray<string>
}

/**
 * The tools of an agent as they stand. Answers at once.
 *
 * @category constructors
 */
export const forAgent = Effect.fnUntraced(function*(
  agent: Agent
): Effect.fn.Return<TurnTools, never, McpRegistry | ResultFiles | WorkspaceTools> {
  const registry = yield* McpRegistry
  const builtIn = (yield* WorkspaceTools).tools
  const patterns = agent.tools ?? undefined
  const view = yield* registry.view(patterns, builtIn.map((tool) => tool.name))
  const mcp = yield* McpToolkit.agentTools(view.tools)
  const allowed = patterns === undefined
    ? builtIn
    : builtIn.filter((tool) => ToolGlob.compile(patterns).allows(tool.name))
  const byName = new Map([...mcp, ...allowed].map((tool) => [tool.name, tool]))
  const servers = yield* registry.servers
  return {
    tools: [...byName.values()].toSorted((one, other) => one.name < other.name ? -1 : 1),
    warnings: servers.some((server) => server.state === "connecting") ? [] : view.warnings
  }
})

/**
 * Waits at most 3 seconds for servers that still connect, then says of each that is not there why.
 *
 * @category waiting
 */
export const awaitServers: Effect.Effect<ReadonlyArray<string>, never, McpRegistry> = Effect.gen(function*() {
  const registry = yield* McpRegistry
  yield* Effect.timeoutOption(registry.settled, "3 seconds")
  return (yield* registry.servers).flatMap(warning)
})

const warning = (server: ServerStatus): ReadonlyArray<string> => {
  const why = server.error === null ? "" : `: ${server.error.message}`
  switch (server.state) {
    case "connecting":
      return [`MCP server ${server.name} is still connecting; its tools can be used in a later message`]
    case "failed":
      return [`MCP server ${server.name} failed${why}`]
    case "needs-auth":
      return [`MCP server ${server.name} needs a login${why}`]
    default:
      return []
  }
}
