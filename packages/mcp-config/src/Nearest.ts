/**
 * The names a person may have meant: the candidates nearest to a name nobody has.
 */
import { distance } from "fastest-levenshtein"

/**
 * Gives the candidates that are reasonably near to `name`, the nearest first, at most `limit` of them (3 unless told).
 *
 * **Details**
 *
 * Case does not count. A candidate is near when at most a third of the longer name's characters differ, or when one of
 * the two contains the other (two characters at least). Two neighbouring characters that changed places are one
 * difference. Candidates equally near keep alphabetical order.
 *
 * @category suggestions
 */
export const nearest = (name: string, candidates: Iterable<string>, limit = 3): ReadonlyArray<string> =>
  [...new Set(candidates)]
    .map((candidate) => ({ candidate, rank: rankOf(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ rank }) => rank !== FAR)
    .sort((a, b) => a.rank - b.rank || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, limit)
    .map(({ candidate }) => candidate)

const FAR = Number.POSITIVE_INFINITY

/** Names longer than this are cut before they are compared, because the distance takes quadratic time. */
const COMPARED_CHARACTERS = 256

const rankOf = (name: string, candidate: string): number => {
  const left = name.slice(0, COMPARED_CHARACTERS)
  const right = candidate.slice(0, COMPARED_CHARACTERS)
  const allowed = Math.floor(Math.max(left.length, right.length) / 3)
  const edits = distance(left, right)
  if (contains(left, right) || contains(right, left)) return edits
  // A swap is at most two edits of the fast distance, so most candidates are done with here.
  if (edits > 2 * allowed) return FAR
  const count = slips(left, right)
  return count <= allowed ? count : FAR
}

/**
 * Gives how many slips of the pen make one text of another: characters added, left out, mistaken for others, and
 * neighbours that changed places (optimal string alignment). Takes quadratic time.
 *
 * @category suggestions
 */
export const slips = (left: string, right: string): number => {
  let beforeThat: ReadonlyArray<number> = []
  let before: ReadonlyArray<number> = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let row = 1; row <= left.length; row++) {
    const now = [row]
    for (let column = 1; column <= right.length; column++) {
      const change = left[row - 1] === right[column - 1] ? 0 : 1
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      now.push(Math.min(
        (before[column] ?? FAR) + 1,
        (now[column - 1] ?? FAR) + 1,
        (before[column - 1] ?? FAR) + change,
        (isSwap ? beforeThat[column - 2] ?? FAR : FAR) + 1
      ))
    }
    beforeThat = before
    before = now
  }
  return before[right.length] ?? FAR
}

const contains = (outer: string, inner: string): boolean => inner.length > 1 && outer.includes(inner)
