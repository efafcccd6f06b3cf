/** The tools that an agent's patterns select (docs/decisions.md#decision-3-patterns). */
import { Nearest } from "@boocode/mcp-config"
import { ToolGlob } from "@boocode/tool-glob"
import type { McpTool } from "../model/McpTool.ts"

/** The tools that an agent's patterns select. */
export interface ToolView<Tool = McpTool> {
  /** Sorted by name. */
  readonly tools: ReadonlyArray<Tool>
  /** Exact names nobody has, with the nearest; a list of denials alone. Meaningful once everything settled. */
  readonly warnings: ReadonlyArray<string>
}

/** Selects from `all`; without patterns, everything. `own` are names of tools that exist elsewhere. */
export const make = <Tool extends { readonly name: string }>(
  all: ReadonlyArray<Tool>,
  patterns: ReadonlyArray<string> | undefined,
  own: ReadonlyArray<string>
): ToolView<Tool> => patterns === undefined ? { tools: all, warnings: [] } : select(all, patterns, own)

/**
 * Gives `make` for lists that are mostly the same as before: what was selected from one by the same patterns is kept as
 * long as the list is the newest.
 */
export const keeping = <Tool extends { readonly name: string }>(): typeof make<Tool> => {
  const views = new Map<string, ToolView<Tool>>()
  let newest: ReadonlyArray<Tool> = []
  return (all, patterns, own) => {
    if (patterns === undefined) return make(all, patterns, own)
    if (all !== newest || views.size >= MOST_KEPT) views.clear()
    newest = all
    const key = JSON.stringify([patterns, own])
    const view = views.get(key) ?? make(all, patterns, own)
    views.set(key, view)
    return view
  }
}

/** More agents than anybody has. */
const MOST_KEPT = 100

const select = <Tool extends { readonly name: string }>(
  all: ReadonlyArray<Tool>,
  patterns: ReadonlyArray<string>,
  own: ReadonlyArray<string>
): ToolView<Tool> => {
  const glob = ToolGlob.compile(patterns)
  return {
    tools: all.filter(({ name }) => glob.allows(name)),
    warnings: [...onlyDenials(patterns), ...strays(patterns, all, own)]
  }
}

const onlyDenials = (patterns: ReadonlyArray<string>): ReadonlyArray<string> =>
  patterns.length > 0 && patterns.every((pattern) => pattern.startsWith("!"))
    ? [`the patterns only deny, so they select nothing; put * first to begin with every tool`]
    : []

const strays = <Tool extends { readonly name: string }>(
  patterns: ReadonlyArray<string>,
  all: ReadonlyArray<Tool>,
  own: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const exact = [...new Set(patterns)].filter(ToolGlob.isExact)
  if (exact.length === 0) return []
  const known = [...all.map(({ name }) => name), ...own]
  const names = new Set(known)
  return exact.filter((pattern) => !names.has(pattern)).map((pattern) => {
    const nearest = Nearest.nearest(pattern, known)
    return `no tool is called ${pattern}${nearest.length === 0 ? "" : `; did you mean ${nearest.join(", ")}?`}`
  })
}
