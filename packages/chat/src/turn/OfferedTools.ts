/** The tools of servers that an agent gets, and its patterns that can be about none. */
import { McpRegistry, type McpTool } from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Agent } from "../agents/Agent.ts"
import { ToolApprovals } from "../asking/ToolApprovals.ts"
import * as CallRules from "../permissions/CallRules.ts"
import { PermissionFiles } from "../permissions/PermissionFiles.ts"
import * as NamedTool from "../tools/NamedTool.ts"
import type { WorkspaceTools } from "../tools/WorkspaceTools.ts"
import type { CurrentUser } from "../users/CurrentUser.ts"
import * as ServerContext from "./ServerContext.ts"

/**
 * The tools that a chat without a write mode of its own gives to the model of an agent, sorted by name: those that its
 * patterns allow, writers included, without those that no call can be made of as rules and the write mode are now. Null
 * is for all that pass discovery, whatever the rules say. Answers at once.
 */
export const ofAgent = Effect.fnUntraced(function*(
  agent: Agent | null
): Effect.fn.Return<
  { readonly tools: ReadonlyArray<McpTool>; readonly warnings: ReadonlyArray<string> },
  never,
  CurrentUser | McpRegistry | WorkspaceTools
> {
  const registry = yield* McpRegistry
  const own = yield* NamedTool.builtIn
  if (agent === null) return yield* registry.view(undefined, own)
  const { ask, granted } = yield* ToolApprovals
  const sources = { contents: yield* (yield* PermissionFiles).contents, ask, caller: { agent, write: null } }
  const why = CallRules.denied(sources, { granted: yield* granted, now: yield* Clock.currentTimeMillis })
  const isOffered = (tool: McpTool) => why(CallRules.ofServer(tool)) === null
  const mayKnow = ToolGlob.compile(agent.tools ?? ["*"])
  const writers = (yield* registry.writers).filter(({ name }) => mayKnow.allows(name))
  const { tools, warnings } = yield* registry.view(agent.tools ?? undefined, [
    ...own,
    ...writers.map(({ name }) => name)
  ])
  const all = new Map([...tools, ...writers].filter(isOffered).map((tool) => [tool.name, tool]))
  return {
    tools: [...all.values()].toSorted((one, other) => one.name < other.name ? -1 : 1),
    warnings: [...warnings, ...(yield* askWarnings(agent.ask ?? [], own)).map((words) => `ask: ${words}`)]
  }
})

/**
 * Warnings about patterns of `ask` that fit no name that models see, `own` of built-in tools among them. A server that is
 * not ready may bring a name, so such a name is not warned of.
 */
export const askWarnings = Effect.fnUntraced(function*(
  patterns: ReadonlyArray<string>,
  own: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<string>, never, McpRegistry> {
  const asking = patterns.filter((pattern) => !ToolGlob.isDenial(pattern))
  if (asking.length === 0) return []
  const registry = yield* McpRegistry
  const servers = yield* registry.servers
  const coming = servers.filter(({ state }) => state !== "ready")
  const names = asking.filter((pattern) => ToolGlob.isExact(pattern) && !mayBring(coming, pattern))
  const { warnings } = yield* registry.view(names, own)
  const wide = asking.filter((pattern) =>
    !ToolGlob.isExact(pattern) && !mayBring(servers, pattern) && !own.some((name) => ToolGlob.matches(pattern, name))
  )
  return [
    ...warnings,
    ...wide.map((pattern) => `${pattern} fits no tool of any server; names of tools begin with that of their server`)
  ]
})

const mayBring = (servers: ReadonlyArray<{ readonly name: string }>, pattern: string): boolean =>
  servers.some(({ name }) => ServerContext.mayUse([pattern], name))
