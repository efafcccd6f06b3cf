/** Which tools a chat has found so far. The parts of the chat say so, and nothing else is kept. */
import { SearchTools } from "@boocode/toolkit"
import type { ChatTurn } from "../model/Chat.ts"
import type { TurnPart } from "../model/Part.ts"

/**
 * The tools that a chat found. It learns of them from the parts of the chat alone, so that a running turn and the turns
 * after it give them in one order.
 */
export interface FoundTools {
  /** Takes notice of the next part. */
  readonly read: (part: TurnPart) => void
  /**
   * Names of tools that were found by search, described or called, in the order in which they came. Those last used
   * stay when they pass the limits; what leaves makes room for several, so that the list seldom changes at its
   * beginning.
   */
  readonly names: (limits: Limits) => ReadonlyArray<string>
  /** All of them, without limits. */
  readonly all: () => ReadonlyArray<string>
}

/** How much found tools may cost. */
export interface Limits {
  /** The tokens of a tool; null for one that is not there, or given anyway. */
  readonly tokensOf: (name: string) => number | null
  /** How many tools at most. */
  readonly count: number
  /** How much they may cost together; one tool alone may cost more. */
  readonly tokens: number
}

/** The tools that these turns found. */
export const fromTurns = (turns: ReadonlyArray<ChatTurn>): FoundTools => {
  const uses: Array<ReadonlyArray<string>> = []
  const searches = new Set<string>()
  const read = (part: TurnPart): void => {
    if (part.type === "tool-call") {
      uses.push([part.name])
      if (SEARCHING.has(part.name)) searches.add(part.id)
    } else if (part.type === "tool-result" && searches.delete(part.id) && !part.isError) {
      uses.push(SearchTools.namesIn(part.text))
    }
  }
  for (const { parts } of turns) parts.forEach(read)
  return { read, names: (limits) => kept(uses, limits), all: () => [...new Set(uses.flat())] }
}

const SEARCHING: ReadonlySet<string> = new Set([SearchTools.SEARCH, SearchTools.DESCRIBE])

interface Held {
  readonly tokens: number
  /** When it was last used. */
  readonly at: number
}

const kept = (uses: ReadonlyArray<ReadonlyArray<string>>, limits: Limits): ReadonlyArray<string> => {
  const held = new Map<string, Held>()
  let now = 0
  for (const names of uses) {
    for (const [rank, name] of names.entries()) {
      const tokens = limits.tokensOf(name)
      // The best of those that were found at once is to stay longest.
      if (tokens !== null) held.set(name, { tokens, at: now + names.length - rank })
    }
    trim(held, now, limits)
    now += names.length
  }
  return [...held.keys()]
}

/** How much is left of what was there before, once something has to leave. */
const REST = 0.75

const trim = (held: Map<string, Held>, before: number, { count, tokens }: Limits): void => {
  const isWithin = (part: number) => held.size <= count * part && cost(held) <= tokens * part
  if (isWithin(1) || (held.size === 1 && count > 0)) return
  for (const [name, { at }] of [...held].toSorted(([, one], [, other]) => one.at - other.at)) {
    const isLast = held.size === 1 && count > 0
    if (isLast || (at > before ? isWithin(1) : isWithin(REST))) return
    held.delete(name)
  }
}

const cost = (held: ReadonlyMap<string, Held>): number =>
  [...held.values()].reduce((sum, { tokens }) => sum + tokens, 0)
