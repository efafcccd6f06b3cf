/**
 * What an agent may use at the moment a turn starts.
 */
import { McpRegistry } from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import { type AgentTool, Dialect, McpToolkit, type ResultFiles } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import type { Agent } from "./Agents.ts"
import { WorkspaceTools } from "./WorkspaceTools.ts"

/** The tools of one turn; they stay as they are while it runs. @category models */
export interface TurnTools {
  /** Built-in and MCP tools that the agent's patterns allow, sorted by name; names are unique. */
  readonly tools: ReadonlyArray<AgentTool>
  /**
   * Tools left out because there are too many; exact names that nobody has, denials alone. The latter are not said while
   * a server still connects: it may bring the name.
   */
  readonly warnings: ReadonlyArray<string>
}

/** How many tools providers take; a request with more fails. @category constants */
export const MAX_TOOLS = 128

/**
 * The tools of an agent as they stand, at most `limit` of them: the built-in ones first, then the others by name.
 * Answers at once.
 *
 * @category constructors
 */
export const forAgent = Effect.fnUntraced(function*(
  agent: Agent,
  limit = Infinity
): Effect.fn.Return<TurnTools, never, McpRegistry | ResultFiles | WorkspaceTools> {
  const registry = yield* McpRegistry
  const builtIn = (yield* WorkspaceTools).tools
  const patterns = agent.tools ?? undefined
  const view = yield* registry.view(patterns, builtIn.map((tool) => tool.name))
  const mcp = Dialect.speak(yield* McpToolkit.agentTools(view.tools), "openai").tools
  const allowed = patterns === undefined
    ? builtIn
    : builtIn.filter((tool) => ToolGlob.compile(patterns).allows(tool.name))
  const own = new Set(allowed.map((tool) => tool.name))
  const all = [...allowed.toSorted(byName), ...mcp.filter((tool) => !own.has(tool.name)).toSorted(byName)]
  const servers = yield* registry.servers
  return {
    tools: all.slice(0, limit).toSorted(byName),
    warnings: [
      ...leftOut(all.slice(limit), all.length),
      ...(servers.some((server) => server.state === "connecting") ? [] : view.warnings)
    ]
  }
})

const byName = (one: AgentTool, other: AgentTool): number => one.name < other.name ? -1 : 1

const NAMES_SHOWN = 40

const leftOut = (tools: ReadonlyArray<AgentTool>, total: number): ReadonlyArray<string> => {
  if (tools.length === 0) return []
  const names = tools.slice(0, NAMES_SHOWN).map((tool) => tool.name).join(", ")
  const more = tools.length > NAMES_SHOWN ? ` and ${tools.length - NAMES_SHOWN} more` : ""
  return [
    `this agent may use ${total} tools and a model takes at most ${total - tools.length}; left out: ${names}${more}. ` +
    "Say in AGENTS.md under tools: which ones it needs"
  ]
}
