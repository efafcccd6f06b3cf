/** The tools that an agent would see and be asked about, before it is written. */
import { Nearest } from "@boocode/mcp-config"
import { McpRegistry } from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import type { AgentTool, ResultFiles } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as AgentEdit from "../agents/AgentEdit.ts"
import type { AgentRefused } from "../agents/AgentError.ts"
import * as NamedTool from "../tools/NamedTool.ts"
import * as ResourceAccess from "../tools/ResourceAccess.ts"
import * as ResourceTools from "../tools/ResourceTools.ts"
import { WorkspaceTools } from "../tools/WorkspaceTools.ts"
import { asking, ToolApprovals } from "./ToolApprovals.ts"

/** The patterns of an agent; null for `tools` is every tool, for `ask` none. */
export interface Patterns {
  readonly tools: ReadonlyArray<string> | null
  readonly ask: ReadonlyArray<string> | null
}

/** One tool, as the patterns have it. */
export interface PreviewedTool {
  readonly name: string
  /** Null for a built-in tool. */
  readonly server: string | null
  readonly allowed: boolean
  /** The pattern that decided, which is the last that matches; null where none does. */
  readonly pattern: string | null
  /** Whether the agent may use it and its calls need approval, by these patterns, the settings or its server's entry. */
  readonly asks: boolean
}

/** A pattern that matches no tool there is. */
export interface Unmatched {
  readonly key: keyof Patterns
  readonly pattern: string
  /** The names that may have been meant, the closest first. */
  readonly nearest: ReadonlyArray<string>
  /** A server that is not ready and may bring a tool of this name; null for none. */
  readonly waiting: string | null
}

export interface Preview {
  /** Built-in tools, then those of servers, each sorted by name. */
  readonly tools: ReadonlyArray<PreviewedTool>
  readonly unmatched: ReadonlyArray<Unmatched>
  /** The tokens that the agent's tools cost in a request, about. */
  readonly tokens: number
}

/** Tells which tools the patterns select now. Answers at once. Fails as the writing of an agent does. */
export const of = Effect.fnUntraced(function*(
  { ask, tools: patterns }: Patterns
): Effect.fn.Return<Preview, AgentRefused, McpRegistry | ResultFiles | WorkspaceTools> {
  yield* Effect.fromResult(AgentEdit.checkedPatterns({ tools: patterns, ask }))
  const registry = yield* McpRegistry
  const approvals = yield* ToolApprovals
  const hasResources = (yield* ResourceAccess.all).some(ResourceAccess.hasResources)
  const builtIn = [...(yield* WorkspaceTools).tools, ...hasResources ? yield* ResourceTools.make(null) : []]
  const all = [...builtIn.toSorted(byName).map(offered), ...(yield* registry.tools)]
  const glob = ToolGlob.compile(patterns ?? ["*"])
  const isAsked = asking([approvals.ask, ask ?? []])
  const known = [...new Set([...all.map(({ name }) => name), ...(yield* NamedTool.builtIn)])]
  const strays = (["tools", "ask"] as const).flatMap((key) =>
    [...new Set({ tools: patterns, ask }[key])]
      .filter((pattern) => !known.some((name) => ToolGlob.matches(pattern, name)))
      .map((pattern) => ({ key, pattern }))
  )
  return {
    tools: all.map((tool) => ({
      name: tool.name,
      server: tool.server,
      allowed: glob.allows(tool.name),
      pattern: patterns?.findLast((pattern) => ToolGlob.matches(pattern, tool.name)) ?? null,
      asks: glob.allows(tool.name) && isAsked(tool)
    })),
    unmatched: yield* Effect.forEach(
      strays,
      ({ key, pattern }) =>
        Effect.map(waitingFor(pattern.replace(/^!/, "")), (waiting) => ({
          key,
          pattern,
          nearest: Nearest.nearest(pattern.replaceAll(/[!*]/g, ""), known),
          waiting
        }))
    ),
    tokens: all.reduce((sum, { name, tokens }) => glob.allows(name) ? sum + tokens : sum, 0)
  }
})

const byName = (one: AgentTool, other: AgentTool): number => one.name < other.name ? -1 : 1

const offered = ({ name, needsApproval, tokens }: AgentTool) => ({ name, needsApproval, tokens, server: null })

const waitingFor = (name: string) =>
  McpRegistry.use((registry) =>
    Effect.match(registry.tool(name), {
      onFailure: ({ reason, server }) => reason._tag === "NotReady" ? server : null,
      onSuccess: () => null
    })
  )
