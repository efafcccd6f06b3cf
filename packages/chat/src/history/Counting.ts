/**
 * What of a turn counts, to models, exports and imports alike.
 */
import type { TurnPart } from "../Part.ts"

/**
 * The parts without what a `retry` took back: words and calls of an answer that broke off, with the results that say so.
 *
 * @category filtering
 */
export const counting = <One extends TurnPart>(parts: ReadonlyArray<One>): ReadonlyArray<One> => {
  const gone = new Set<One>()
  const calls = new Set<string>()
  let open: Array<One> = []
  for (const part of parts) {
    if (part.type === "tool-result") {
      if (calls.has(part.id)) gone.add(part)
      else open = []
    } else if (part.type === "text-delta" || part.type === "reasoning-delta" || part.type === "tool-call") {
      open.push(part)
    } else if (part.type === "retry") {
      for (const said of open.splice(0)) {
        gone.add(said)
        if (said.type === "tool-call") calls.add(said.id)
      }
    }
  }
  return gone.size === 0 ? parts : parts.filter((part) => !gone.has(part))
}
