/**
 * Which tools a chat has found so far: what its parts say, and nothing that is kept elsewhere.
 */
import { SearchTools } from "@boocode/toolkit"
import type { ChatTurn } from "./Chat.ts"
import type { Part } from "./Part.ts"

/**
 * Names of tools that were found by search, described or called, in the order in which they first were. Says nothing of
 * whether they are still there, or still allowed.
 *
 * @category reading
 */
export const fromTurns = (turns: ReadonlyArray<ChatTurn>): ReadonlyArray<string> => [
  ...new Set(turns.flatMap(({ parts }) => fromParts(parts)))
]

const fromParts = (parts: ReadonlyArray<Part>): ReadonlyArray<string> => {
  const calls = new Map<string, string>()
  return parts.flatMap((part) => {
    if (part.type === "tool-call") {
      calls.set(part.id, part.name)
      return [part.name]
    }
    if (part.type !== "tool-result" || part.isError) return []
    return SEARCHING.has(calls.get(part.id) ?? "") ? SearchTools.namesIn(part.text) : []
  })
}

const SEARCHING: ReadonlySet<string> = new Set([SearchTools.SEARCH, SearchTools.DESCRIBE])
