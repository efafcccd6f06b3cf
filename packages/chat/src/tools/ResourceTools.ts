/** The tools by which a model gets at the resources of servers. */
import type { McpRegistry } from "@boocode/mcp-registry"
import type { AgentTool } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as ResourceAccess from "./ResourceAccess.ts"
import * as ResourcesList from "./ResourcesList.ts"
import * as ResourcesRead from "./ResourcesRead.ts"

/** Their names. */
export const NAMES: ReadonlyArray<string> = [ResourcesList.LIST, ResourcesRead.READ]

/** Makes tools ask, or leaves them out. */
export type Guard = (tools: ReadonlyArray<AgentTool>) => ReadonlyArray<AgentTool>

/**
 * `resources_list` and `resources_read` over the servers whose resources the patterns allow; null allows all. `guard`
 * makes them ask: reading asks once, by the name of the tool or by that of the server's resources.
 */
export const make = Effect.fnUntraced(function*(patterns: ResourceAccess.Patterns, guard: Guard = (tools) => tools) {
  const services = yield* Effect.context<McpRegistry>()
  const access = Effect.provideContext(ResourceAccess.of(patterns), services)
  const list = yield* ResourcesList.make(access)
  return [...guard([list]), ...guard([yield* ResourcesRead.make({ access, guard })])]
})

/** These tools for an agent; none where no server that it may use has resources. Answers at once. */
export const forAgent = Effect.fnUntraced(function*(patterns: ResourceAccess.Patterns, guard: Guard) {
  const access = yield* ResourceAccess.of(patterns)
  return access.some(ResourceAccess.hasResources) ? yield* make(patterns, guard) : []
})

/**
 * A warning about patterns that name these tools and allow the resources of no server; null where all is well. Answers
 * at once.
 */
export const warning = Effect.fnUntraced(function*(patterns: ResourceAccess.Patterns) {
  const named = NAMES.find((name) => patterns?.includes(name) === true)
  if (named === undefined || (yield* ResourceAccess.of(patterns)).length > 0) return null
  const [example] = yield* ResourceAccess.all
  return example === undefined
    ? null
    : `${named} has nothing to read: name a server's resources too, for instance ${example.name}`
})
