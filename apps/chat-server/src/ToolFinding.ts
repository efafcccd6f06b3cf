/**
 * A search over the tools of the MCP servers, as the HTTP API and `mcp search` answer it.
 */
import type { McpTool, ServerStatus } from "@boocode/mcp-registry"
import type { ToolSearch } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import { type FoundTools, toolDocument } from "./ApiDocuments.ts"

/** What is searched for. */
export interface ToolQuery {
  readonly query: string
  /** How many tools at most. */
  readonly limit: number
}

/** How many tools a search finds unless it is told. */
export const LIMIT = 10
/** How many it may be told. */
export const MAX_LIMIT = 100

/** Where it looks: an index that is kept, all tools there are, those that may be found, and how the servers stand. */
export interface ToolPlaces {
  readonly index: ToolSearch.ToolSearch
  readonly all: ReadonlyArray<McpTool>
  readonly allowed: ReadonlyArray<McpTool>
  readonly servers: ReadonlyArray<ServerStatus>
}

export const find = Effect.fnUntraced(function*(
  { all, allowed, index, servers }: ToolPlaces,
  { limit, query }: ToolQuery
): Effect.fn.Return<typeof FoundTools.Type> {
  const byName = new Map(allowed.map((tool) => [tool.name, tool]))
  yield* index.updateInSteps(all)
  const found = index.search(query, { limit, allows: (name) => byName.has(name) })
  return {
    tools: found.flatMap(({ name, score }) => {
      const tool = byName.get(name)
      return tool === undefined ? [] : [{ ...toolDocument(tool), score: Math.round(score * 1000) / 1000 }]
    }),
    waiting: servers.filter(({ state }) => state === "connecting").map(({ name }) => name),
    failed: servers.filter(({ state }) => state === "failed" || state === "needs-auth").map(({ name }) => name)
  }
})
