/**
 * What in a chat is over, so that nothing waits for it any more. Pure.
 */
import type { Part } from "../Part.ts"

/**
 * Whether a turn has ended, or a call of it has its result.
 *
 * @category reading
 */
export const of = (parts: ReadonlyArray<Part>): (turn: number, call: string | null) => boolean => {
  const over = new Set<string>()
  for (const part of parts) {
    if (part.type === "tool-result") over.add(callKey(part.turn, part.id))
    if (part.type === "finish") over.add(`${part.turn}`)
  }
  return (turn, call) => over.has(`${turn}`) || (call !== null && over.has(callKey(turn, call)))
}

const callKey = (turn: number, call: string): string => `${turn} ${call}`
