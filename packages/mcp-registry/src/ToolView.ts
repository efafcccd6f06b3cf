/**
 * What an agent's patterns select from the tools there are (Decision 3).
 */
import { Nearest } from "@boocode/mcp-config"
import { ToolGlob } from "@boocode/tool-glob"
import type { McpTool } from "./McpTool.ts"

/**
 * What an agent's patterns select.
 *
 * @category models
 */
export interface ToolView<Tool = McpTool> {
  /** Sorted by name. */
  readonly tools: ReadonlyArray<Tool>
  /** Exact names nobody has, with the nearest; a list of denials alone. Meaningful once everything settled. */
  readonly warnings: ReadonlyArray<string>
}

/**
 * Selects from `all`; without patterns, everything. `own` are names of tools that exist elsewhere.
 *
 * @category constructors
 */
export const make = <Tool extends { readonly name: string }>(
  all: ReadonlyArray<Tool>,
  patterns: ReadonlyArray<string> | undefined,
  own: ReadonlyArray<string>
): ToolView<Tool> => {
  if (patterns === undefined) return { tools: all, warnings: [] }
  const glob = ToolGlob.compile(patterns)
  const known = [...all.map(({ name }) => name), ...own]
  return {
    tools: all.filter(({ name }) => glob.allows(name)),
    warnings: [...onlyDenials(patterns), ...strays(patterns, known)]
  }
}

const onlyDenials = (patterns: ReadonlyArray<string>): ReadonlyArray<string> =>
  patterns.length > 0 && patterns.every((pattern) => pattern.startsWith("!"))
    ? [`the patterns only deny, so they select nothing; put * first to begin with every tool`]
    : []

const strays = (patterns: ReadonlyArray<string>, known: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = new Set(known)
  return [...new Set(patterns)]
    .filter((pattern) => ToolGlob.isExact(pattern) && !names.has(pattern))
    .map((pattern) => {
      const nearest = Nearest.nearest(pattern, known)
      return `no tool is called ${pattern}${nearest.length === 0 ? "" : `; did you mean ${nearest.join(", ")}?`}`
    })
}
