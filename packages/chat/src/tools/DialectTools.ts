/** The tools of servers that an agent may use now, each put into the dialect of its model when it is needed. */
import type { McpTool } from "@boocode/mcp-registry"
import { type AgentTool, SchemaDialect, ToolResult } from "@boocode/toolkit"
import * as Effect from "effect/Effect"

interface State {
  readonly listed: ReadonlyArray<McpTool>
  readonly tools: ReadonlyMap<string, AgentTool>
  readonly known: Map<string, AgentTool | SchemaDialect.Unspeakable>
}

/** None yet. */
export const make = (dialect: SchemaDialect.SchemaDialect) => {
  let state: State = { listed: [], tools: new Map(), known: new Map() }
  /** A tool, or why the model cannot be given it; null for a name that nobody has. */
  const get = (name: string): AgentTool | SchemaDialect.Unspeakable | null => {
    const before = state.known.get(name)
    if (before !== undefined) return before
    const tool = state.tools.get(name)
    if (tool === undefined) return null
    const { tools: [spoken], unspeakable: [left] } = SchemaDialect.speak([tool], dialect)
    const now = spoken ?? left ?? null
    if (now !== null) state.known.set(name, now)
    return now
  }
  return {
    /** Makes these the tools there are. Costs next to nothing when they are. */
    update: <R>(
      now: ReadonlyArray<McpTool>,
      made: Effect.Effect<ReadonlyArray<AgentTool>, never, R>
    ): Effect.Effect<void, never, R> =>
      isSame(state.listed, now) ? Effect.void : Effect.map(made, (all) => {
        const old = new Set(state.listed)
        const known = now.flatMap((tool) => {
          const before = old.has(tool) ? state.known.get(tool.name) : undefined
          return before === undefined ? [] : [[tool.name, before] as const]
        })
        state = { listed: now, tools: new Map(all.map((tool) => [tool.name, tool])), known: new Map(known) }
      }),
    names: () => state.tools.keys(),
    get,
    /** A tool; one that the model cannot be given answers why. */
    callable: (name: string): AgentTool | undefined => {
      const tool = get(name)
      return tool === null ? undefined : "run" in tool ? tool : refusing(tool, state.tools.get(name))
    },
    /** The very same objects for as long as their servers list them. */
    given: (names: ReadonlyArray<string>): ReadonlyArray<AgentTool> => names.flatMap((name) => only(get(name))),
    left: (names: ReadonlyArray<string>): ReadonlyArray<SchemaDialect.Unspeakable> =>
      names.flatMap((name) => {
        const tool = get(name)
        return tool === null || "run" in tool ? [] : [tool]
      })
  }
}

const only = (tool: AgentTool | SchemaDialect.Unspeakable | null): ReadonlyArray<AgentTool> =>
  tool !== null && "run" in tool ? [tool] : []

/** Whether two lists hold the very same tools. */
export const isSame = <Tool>(some: ReadonlyArray<Tool>, others: ReadonlyArray<Tool>): boolean =>
  some.length === others.length && some.every((tool, at) => tool === others[at])

const refusing = ({ name, reason }: SchemaDialect.Unspeakable, tool: AgentTool | undefined): AgentTool | undefined =>
  tool === undefined ? undefined : {
    ...tool,
    run: () =>
      Effect.succeed(ToolResult.failure(`${name} cannot be called by this model: ${reason}`, { fault: "call" }))
  }
