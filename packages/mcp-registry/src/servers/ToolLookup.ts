/** The tools of all servers by name, and why a name is not there. */
import { McpError, type McpErrorReason, NotReady, UnknownTool } from "@boocode/mcp-client/McpError"
import { type ConfigSource, FileNews, Nearest } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import type { Listed } from "../lifecycle/McpServer.ts"
import type { McpTool, RejectedTool } from "../model/McpTool.ts"
import * as Discovery from "../tools/Discovery.ts"
import * as ToolName from "../tools/ToolName.ts"
import type { ServerSet } from "./ServerSet.ts"

export interface ToolLookup {
  /** Sorted by name. */
  readonly tools: Effect.Effect<ReadonlyArray<McpTool>>
  /** The tools of all servers that discovery left out. */
  readonly rejected: Effect.Effect<ReadonlyArray<RejectedTool>>
  /** Those of them that are left out only because they write, sorted by name. */
  readonly writers: Effect.Effect<ReadonlyArray<McpTool>>
  /** The tools that only apps of their servers may call, sorted by name. */
  readonly appTools: Effect.Effect<ReadonlyArray<McpTool>>
  /** Fails as `missing` does. */
  readonly tool: (name: string) => Effect.Effect<McpTool, McpError>
  /** Fails, and says why: the tool was left out, is not there yet, or not there at all. */
  readonly missing: (name: string) => Effect.Effect<never, McpError>
}

/** `sources` are the files that the servers come from. */
export const make = (
  servers: Pick<ServerSet, "all" | "names" | "find">,
  sources: Effect.Effect<ReadonlyArray<ConfigSource>>
): ToolLookup => {
  /** One step, however many servers there are: each call of a gateway looks at the lists. */
  const lists = (kind: keyof Listed) => {
    const joined = joiner()
    return Effect.sync(() => joined(servers.all().map((slot) => slot.serving().listed()[kind])))
  }
  const tools = lists("tools")
  const writers = lists("writers")
  const appTools = lists("appTools")
  const rejected = Effect.map(
    Effect.suspend(() => Effect.forEach(servers.all(), (slot) => slot.serving().rejected)),
    (lists) => lists.flat()
  )
  const missing = Effect.fnUntraced(function*(name: string) {
    const left = (yield* rejected).find((candidate) => candidate.name === name)
    if (left !== undefined) return yield* failure(left.server, Discovery.whyLeft(left))
    const owner = servers.find(ToolName.owner(name, servers.names()) ?? "")
    const nearest = Nearest.nearest(name, (yield* tools).map((candidate) => candidate.name))
    const files = (yield* sources).flatMap((source) => FileNews.trouble(source) ?? [])
    const unknown = failure(null, new UnknownTool({ name, nearest, files }))
    if (owner === undefined) return yield* unknown
    const { error, state } = yield* owner.status
    if (state === "ready") return yield* unknown
    return yield* failure(owner.name, new NotReady({ state, why: error?.message ?? null }))
  })
  const tool = (name: string) =>
    Effect.suspend(() => {
      for (const slot of servers.all()) {
        const found = slot.serving().tool(name)
        if (found !== null) return Effect.succeed(found)
      }
      return missing(name)
    })
  return { tools, rejected, writers, appTools, tool, missing }
}

const failure = (server: string | null, reason: McpErrorReason) => new McpError({ server, reason })

/** Joins the lists of servers. Equal lists give the same array, so that a caller sees whether anything changed. */
const joiner = () => {
  let last: Lists = []
  let joined: ReadonlyArray<McpTool> = []
  return (lists: Lists): ReadonlyArray<McpTool> => {
    if (lists.length !== last.length || lists.some((list, index) => list !== last[index])) {
      last = lists
      joined = join(lists.filter(({ length }) => length > 0))
    }
    return joined
  }
}

type Lists = ReadonlyArray<ReadonlyArray<McpTool>>

/** Each is sorted and has each name once. */
const join = (lists: Lists): ReadonlyArray<McpTool> =>
  lists.length < 2 ? lists[0] ?? [] : [...firstByName(lists).values()].sort((a, b) => a.name < b.name ? -1 : 1)

/** A server can choose a raw name whose suffix is another server's; who comes first by name keeps it, in any order. */
const firstByName = (lists: Lists): ReadonlyMap<string, McpTool> => {
  const tools = new Map<string, McpTool>()
  for (const list of lists) for (const tool of list) if (!tools.has(tool.name)) tools.set(tool.name, tool)
  return tools
}
