/**
 * The tools of servers that an agent may use now, each put into the dialect of its model when it is needed.
 */
import type { McpTool } from "@boocode/mcp-registry"
import { type AgentTool, SchemaDialect, ToolResult } from "@boocode/toolkit"
import * as Effect from "effect/Effect"

/** @category models */
export interface SpokenTools {
  /** Makes these the tools there are. Costs next to nothing when they are. */
  readonly update: <R>(
    tools: ReadonlyArray<McpTool>,
    made: Effect.Effect<ReadonlyArray<AgentTool>, never, R>
  ) => Effect.Effect<void, never, R>
  readonly names: () => Iterable<string>
  readonly has: (name: string) => boolean
  /** A tool, or why it cannot be said; null for a name that nobody has. */
  readonly get: (name: string) => AgentTool | SchemaDialect.Unspeakable | null
  /** A tool; one that cannot be said answers why. */
  readonly callable: (name: string) => AgentTool | undefined
  /** Those of these tools that can be said. The very same objects for as long as their servers list them. */
  readonly spoken: (names: ReadonlyArray<string>) => ReadonlyArray<AgentTool>
  /** Those that cannot. */
  readonly left: (names: ReadonlyArray<string>) => ReadonlyArray<SchemaDialect.Unspeakable>
}

/**
 * None yet.
 *
 * @category constructors
 */
export const make = (dialect: SchemaDialect.SchemaDialect): SpokenTools => {
  let listed: ReadonlyArray<McpTool> = []
  let tools: ReadonlyMap<string, AgentTool> = new Map()
  let known = new Map<string, AgentTool | SchemaDialect.Unspeakable>()
  const get = (name: string) => {
    const before = known.get(name)
    if (before !== undefined) return before
    const tool = tools.get(name)
    if (tool === undefined) return null
    const { tools: [spoken], unspeakable: [left] } = SchemaDialect.speak([tool], dialect)
    const now = spoken ?? left ?? null
    if (now !== null) known.set(name, now)
    return now
  }
  return {
    update: (now, made) =>
      isSame(listed, now) ? Effect.void : Effect.map(made, (all) => {
        const old = new Map(listed.map((tool) => [tool.name, tool]))
        known = new Map(now.flatMap((tool) => {
          const before = old.get(tool.name) === tool ? known.get(tool.name) : undefined
          return before === undefined ? [] : [[tool.name, before]]
        }))
        tools = new Map(all.map((tool) => [tool.name, tool]))
        listed = now
      }),
    names: () => tools.keys(),
    has: (name) => tools.has(name),
    get,
    callable: (name) => {
      const tool = get(name)
      return tool === null ? undefined : "run" in tool ? tool : refusing(tool, tools.get(name))
    },
    spoken: (names) => names.flatMap((name) => only(get(name))),
    left: (names) =>
      names.flatMap((name) => {
        const tool = get(name)
        return tool === null || "run" in tool ? [] : [tool]
      })
  }
}

const only = (tool: AgentTool | SchemaDialect.Unspeakable | null): ReadonlyArray<AgentTool> =>
  tool !== null && "run" in tool ? [tool] : []

const isSame = (some: ReadonlyArray<McpTool>, others: ReadonlyArray<McpTool>): boolean =>
  some.length === others.length && some.every((tool, at) => tool === others[at])

const refusing = ({ name, reason }: SchemaDialect.Unspeakable, tool: AgentTool | undefined): AgentTool | undefined =>
  tool === undefined ? undefined : {
    ...tool,
    run: () =>
      Effect.succeed(ToolResult.failure(`${name} cannot be called by this model: ${reason}`, { fault: "call" }))
  }
