/** The list of tools that a client is given, and what the names in it stand for. */
import { McpRegistry, type McpTool } from "@boocode/mcp-registry"
import { type AgentTool, ToolSearch } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { MOST_TOKENS, type Traits } from "../clients/ClientTable.ts"
import type { ClientStatus } from "../model/GatewayClient.ts"
import type { Profile } from "../model/Profile.ts"
import * as ProfileTools from "./ProfileTools.ts"
import * as SearchExposure from "./SearchExposure.ts"
import * as ToolDefinition from "./ToolDefinition.ts"
import * as ToolNames from "./ToolNames.ts"

/** The facts that decide about the list of a client. */
export interface Viewer {
  readonly profile: Profile
  readonly traits: Traits
  /** How many characters of the name of a tool it takes. */
  readonly nameRoom: number
  /** Whether it shows apps of servers (MCP Apps). */
  readonly showsApps: boolean
  /** Equal for viewers with the same list. */
  readonly key: string
}

export const viewer = (profile: Profile, traits: Traits, nameRoom: number, showsApps = false): Viewer => ({
  ...{ profile, traits, nameRoom, showsApps },
  key: JSON.stringify([profile, traits, nameRoom, showsApps])
})

/** The tools of a client at one moment. It stays one object as long as nothing has changed. */
export interface ToolOffer {
  /** Every tool that it may call, whether it is listed or found. */
  readonly named: ReadonlyArray<ToolNames.Named>
  readonly byName: ReadonlyMap<string, McpTool>
  /** Tools that it is listed for the apps that it shows, and that nothing else finds. */
  readonly forApps: ReadonlyMap<string, McpTool>
  readonly exposure: ClientStatus["exposure"]
  /** `search_tools` and `describe_tool`, or `execute` in place of the latter. */
  readonly search: ReadonlyArray<AgentTool>
  /** The tools of servers as they are listed, and where they are searched the tools for that. */
  readonly definitions: ReadonlyArray<Schema.JsonObject>
}

interface Kept {
  readonly index: ToolSearch.ToolSearch
  readonly tools: ReadonlyArray<McpTool>
  readonly offer: ToolOffer
}

/**
 * Makes lists, and keeps each until the tools change. `taken` are names that no tool of a server has. Where programs do not run, a
 * profile that asks for them is given the search, by which all tools can be called.
 */
export const make = (
  registry: McpRegistry["Service"],
  taken: ReadonlySet<string>,
  settled: Effect.Effect<unknown>,
  runsPrograms: boolean
): (viewer: Viewer) => Effect.Effect<ToolOffer> => {
  const kept = new Map<string, Kept>()
  /** Each call asks, and mostly nothing has changed. */
  const current = (viewer: Viewer): Effect.Effect<ToolOffer> =>
    Effect.flatMap(ProfileTools.of(registry, viewer.profile), (forModels) =>
      viewer.showsApps
        ? Effect.flatMap(ProfileTools.forApps(registry, viewer.profile), (forApps) =>
          keptOrMade(viewer, forModels, forApps))
        : keptOrMade(viewer, forModels, []))
  const keptOrMade = (
    viewer: Viewer,
    forModels: ReadonlyArray<McpTool>,
    forApps: ReadonlyArray<McpTool>
  ): Effect.Effect<ToolOffer> => {
    const tools = forApps.length === 0 ? forModels : [...forModels, ...forApps]
    const last = kept.get(viewer.key)
    if (last !== undefined && areSame(last.tools, tools)) return Effect.succeed(last.offer)
    return Effect.gen(function*() {
      if (kept.size >= MOST_KEPT) kept.clear()
      const index = last?.index ?? ToolSearch.make()
      const all = ToolNames.assign(tools, viewer.profile.names, viewer.nameRoom, taken)
      const named = all.slice(0, forModels.length)
      const exposure = exposureOf(viewer, named, runsPrograms)
      const search = yield* (exposure === "code" ? SearchExposure.inPrograms : SearchExposure.make)({
        profile: viewer.profile,
        index,
        settled,
        named: Effect.map(current(viewer), (offer) => offer.named)
      }, named).pipe(Effect.provideService(McpRegistry, registry))
      const offer = offered({ named, forApps: all.slice(forModels.length) }, exposure, viewer, search)
      kept.set(viewer.key, { index, tools, offer })
      return offer
    })
  }
  return current
}

/** More kinds of clients than anybody has. */
const MOST_KEPT = 100

const areSame = (one: ReadonlyArray<McpTool>, other: ReadonlyArray<McpTool>): boolean =>
  one === other || (one.length === other.length && one.every((tool, index) => tool === other[index]))

const offered = (
  { forApps, named }: Readonly<Record<"forApps" | "named", ReadonlyArray<ToolNames.Named>>>,
  exposure: ClientStatus["exposure"],
  { traits }: Viewer,
  search: ReadonlyArray<AgentTool>
): ToolOffer => {
  const listed = exposure === "flat" ? named : named.filter(({ tool }) => tool.isAlwaysLoaded)
  const hasOutput = traits.shows !== "structured"
  return {
    named,
    byName: new Map(named.map(({ name, tool }) => [name, tool])),
    forApps: new Map(forApps.map(({ name, tool }) => [name, tool])),
    exposure,
    search,
    definitions: [
      ...exposure === "flat" ? [] : search.map(ToolDefinition.ofOwn),
      ...exposure === "search" ? SearchExposure.callers : [],
      ...[...listed, ...forApps].map((one) => ToolDefinition.make(one, hasOutput))
    ]
  }
}

const exposureOf = (
  { profile: { exposure }, traits }: Viewer,
  named: ReadonlyArray<ToolNames.Named>,
  runsPrograms: boolean
): ClientStatus["exposure"] => {
  if (exposure !== "auto") return exposure === "code" && !runsPrograms ? "search" : exposure
  if (traits.tools === null) return "flat"
  const tokens = named.reduce((sum, { tool }) => sum + tool.tokens, 0)
  return named.length <= traits.tools && tokens <= MOST_TOKENS ? "flat" : "search"
}
