/**
 * Tools that exist and cannot be called, found by what somebody asks for: a model that is told so can tell a person
 * why.
 */
import { CleanText, type RejectedTool } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as ToolSearch from "./ToolSearch.ts"

export type Rejected =
  & Pick<RejectedTool, "name" | "server" | "tool" | "reason">
  & Partial<Pick<RejectedTool, "hint">>

/** Gives the tools among these whose names fit best, with the reasons; the best first. */
export type Search = (query: string, among: ReadonlyArray<Rejected>) => Effect.Effect<ReadonlyArray<Schema.JsonObject>>

/** So many of them are told. */
const MOST = 5

/** An index of its own: a tool that cannot be called takes no place from one that can. */
export const make = (): Search => {
  const index = ToolSearch.make()
  return Effect.fnUntraced(function*(query, among) {
    yield* index.updateInSteps(among.map(searchable))
    const byName = new Map(among.map((one) => [one.name, one]))
    return index.search(query, { limit: MOST }).flatMap(({ name }) => {
      const found = byName.get(name)
      return found === undefined ? [] : [{ name, server: found.server, why: why(found) }]
    })
  })
}

/** Why it cannot be called, and what a person can do about it; a server may have written a part of the reason. */
export const why = ({ hint, reason }: Rejected): string => {
  const words = CleanText.clean(reason).slice(0, LONGEST)
  return hint === null || hint === undefined ? words : `${words}; ${hint}`
}

const LONGEST = 300

// By its names alone: what a rejected tool says of itself is not passed on.
const searchable = ({ name, server, tool }: Rejected): ToolSearch.Searchable => ({
  name,
  server,
  tool,
  description: null,
  inputSchema: {}
})
