/**
 * The tools of all servers by name, and why a name is not there.
 */
import { Nearest } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Discovery from "./Discovery.ts"
import { McpError, type McpErrorReason, NotReady, UnknownTool } from "./McpError.ts"
import type { McpTool } from "./McpTool.ts"
import type { ServerSet } from "./ServerSet.ts"
import * as ToolName from "./ToolName.ts"

/** @category models */
export interface ToolLookup {
  /** Sorted by name. */
  readonly tools: Effect.Effect<ReadonlyArray<McpTool>>
  /** Fails as `missing` does. */
  readonly tool: (name: string) => Effect.Effect<McpTool, McpError>
  /** Fails, and says why: the tool was left out, is not there yet, or not there at all. */
  readonly missing: (name: string) => Effect.Effect<never, McpError>
}

/** @category constructors */
export const make = (servers: Pick<ServerSet, "all" | "names" | "find">): ToolLookup => {
  const tools = Effect.map(
    Effect.suspend(() => Effect.forEach(servers.all(), (slot) => slot.serving().tools)),
    (lists) => [...firstByName(lists.flat()).values()].sort((a, b) => a.name < b.name ? -1 : 1)
  )
  const missing = Effect.fnUntraced(function*(name: string) {
    for (const slot of servers.all()) {
      const left = (yield* slot.serving().rejected).find((candidate) => candidate.name === name)
      if (left !== undefined) return yield* failure(slot.name, Discovery.whyLeft(slot.name, left))
    }
    const owner = servers.find(ToolName.owner(name, servers.names()) ?? "")
    const nearest = Nearest.nearest(name, (yield* tools).map((candidate) => candidate.name))
    const unknown = failure(null, new UnknownTool({ name, nearest }))
    if (owner === undefined) return yield* unknown
    const { error, state } = yield* owner.status
    if (state === "ready") return yield* unknown
    return yield* failure(owner.name, new NotReady({ state, why: error?.message ?? null }))
  })
  const tool = Effect.fnUntraced(function*(name: string) {
    for (const slot of servers.all()) {
      const found = yield* slot.serving().tool(name)
      if (found !== null) return found
    }
    return yield* missing(name)
  })
  return { tools, tool, missing }
}

const failure = (server: string | null, reason: McpErrorReason) => new McpError({ server, reason })

/** A server can choose a raw name whose suffix is another server's; who comes first by name keeps it, in any order. */
const firstByName = (tools: ReadonlyArray<McpTool>): ReadonlyMap<string, McpTool> =>
  new Map(tools.toReversed().map((tool) => [tool.name, tool]))
