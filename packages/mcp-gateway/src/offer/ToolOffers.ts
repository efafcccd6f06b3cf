/** The list of tools that a client is given, and what the names in it stand for. */
import type { McpRegistry, McpTool } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Traits } from "../clients/ClientTable.ts"
import { MOST_TOKENS } from "../clients/ClientTable.ts"
import type { ClientStatus } from "../model/GatewayClient.ts"
import type { Profile } from "../model/Profile.ts"
import * as ProfileTools from "./ProfileTools.ts"
import * as ToolDefinition from "./ToolDefinition.ts"
import * as ToolNames from "./ToolNames.ts"

/** What decides about the list of a client. */
export interface Viewer {
  readonly profile: Profile
  readonly traits: Traits
  readonly nameRoom: number
}

/** The tools of a client at one moment. The same object as long as nothing has changed. */
export interface ToolOffer {
  /** Every tool that it may call, whether it is listed or found. */
  readonly named: ReadonlyArray<ToolNames.Named>
  readonly byName: ReadonlyMap<string, McpTool>
  readonly exposure: ClientStatus["exposure"]
  /** The tools of servers as they are listed; none where they are searched. */
  readonly definitions: ReadonlyArray<Schema.JsonObject>
}

/** Makes lists, and keeps each until the tools change. `own` are names of the gateway's own tools. */
export const make = (own: ReadonlySet<string>) => {
  const kept = new Map<string, { readonly tools: ReadonlyArray<McpTool>; readonly offer: ToolOffer }>()
  return Effect.fnUntraced(function*(viewer: Viewer): Effect.fn.Return<ToolOffer, never, McpRegistry> {
    const tools = yield* ProfileTools.of(viewer.profile)
    const key = JSON.stringify([viewer.profile, viewer.traits, viewer.nameRoom])
    const last = kept.get(key)
    if (last !== undefined && areSame(last.tools, tools)) return last.offer
    if (kept.size >= MOST_KEPT) kept.clear()
    const offer = offered(tools, viewer, own)
    kept.set(key, { tools, offer })
    return offer
  })
}

/** More kinds of clients than anybody has. */
const MOST_KEPT = 100

const areSame = (one: ReadonlyArray<McpTool>, other: ReadonlyArray<McpTool>): boolean =>
  one === other || (one.length === other.length && one.every((tool, index) => tool === other[index]))

const offered = (
  tools: ReadonlyArray<McpTool>,
  { nameRoom, profile, traits }: Viewer,
  own: ReadonlySet<string>
): ToolOffer => {
  const named = ToolNames.assign(tools, profile.names, nameRoom, own)
  const exposure = exposureOf(profile, traits, tools)
  const hasOutput = traits.shows !== "structured"
  return {
    named,
    byName: new Map(named.map(({ name, tool }) => [name, tool])),
    exposure,
    definitions: exposure === "flat" ? named.map((one) => ToolDefinition.make(one, hasOutput)) : []
  }
}

const exposureOf = (
  { exposure }: Profile,
  traits: Traits,
  tools: ReadonlyArray<McpTool>
): ClientStatus["exposure"] => {
  if (exposure !== "auto") return exposure
  if (traits.tools === null) return "flat"
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0)
  return tools.length <= traits.tools && tokens <= MOST_TOKENS ? "flat" : "search"
}
