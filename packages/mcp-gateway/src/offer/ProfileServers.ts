/** The servers whose prompts, resources and words a profile allows, and those that its clients may hear of. */
import { McpRegistry, type ServerStatus, ToolName } from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import * as Effect from "effect/Effect"
import type { Profile } from "../model/Profile.ts"

export interface ProfileServers {
  readonly names: ReadonlySet<string>
  readonly statuses: ReadonlyArray<ServerStatus>
  /** Every server of the registry. */
  readonly all: ReadonlyArray<string>
}

/** Patterns speak of a server by `<server>_resources`. Answers at once. */
export const of = Effect.fnUntraced(function*({ tools }: Profile) {
  const registry = yield* McpRegistry
  const all = yield* registry.servers
  const names = all.map(({ name }) => name)
  const glob = ToolGlob.compile(tools)
  const statuses = all.filter(({ name }) => [...ToolName.assign(name, ["resources"], names).values()].some(glob.allows))
  return { statuses, names: new Set(statuses.map(({ name }) => name)), all: names } satisfies ProfileServers
})

/** Whether the profile may allow a tool of this server, which may have told of none yet. */
export const inSight = ({ tools }: Profile, all: ReadonlyArray<string>) => (server: string): boolean =>
  [...ToolName.assign(server, [ANY], all).values()].some((name) => ToolGlob.mayAllow(tools, name.slice(0, -ANY.length)))

const ANY = "x"
