/** The tools that a profile allows, as the registry has them now. */
import { type McpRegistry, type McpTool, ToolClass } from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import * as Effect from "effect/Effect"
import type { Profile } from "../model/Profile.ts"

/** Written out: a declaration that the compiler makes would name types that the registry's package does not export. */
type Tools = (registry: McpRegistry["Service"], profile: Profile) => Effect.Effect<ReadonlyArray<McpTool>>

/**
 * Those that passed discovery and, unless the profile says `"write": "off"`, those that are left out elsewhere only because they
 * write. Sorted by name. Answers at once.
 */
export const of: Tools = (registry, { tools, write }) =>
  Effect.flatMap(
    registry.view(isEverything(tools) ? undefined : tools),
    ({ tools: allowed }) =>
      write === "off"
        ? Effect.succeed(allowed.filter((tool) => !ToolClass.isWriter(tool.class)))
        : Effect.map(registry.writers, (writers) => writers.length === 0 ? allowed : joined(allowed, writers, tools))
  )

const joined = (
  allowed: ReadonlyArray<McpTool>,
  writers: ReadonlyArray<McpTool>,
  patterns: ReadonlyArray<string>
): ReadonlyArray<McpTool> => {
  const glob = ToolGlob.compile(patterns)
  const known = new Set(allowed.map(({ name }) => name))
  const more = writers.filter(({ name }) => glob.allows(name) && !known.has(name))
  return [...allowed, ...more].sort(byName)
}

/** The tools that the profile allows and that only apps call, for a client that shows apps. Answers at once. */
export const forApps: Tools = Effect.fnUntraced(function*(registry, { tools, write }) {
  const all = yield* registry.appTools
  if (all.length === 0) return all
  const glob = ToolGlob.compile(tools)
  return all.filter((tool) => glob.allows(tool.name) && (write !== "off" || !ToolClass.isWriter(tool.class)))
})

const isEverything = (patterns: ReadonlyArray<string>): boolean => patterns.length === 1 && patterns[0] === "*"

const byName = (one: McpTool, other: McpTool): number => one.name < other.name ? -1 : 1
