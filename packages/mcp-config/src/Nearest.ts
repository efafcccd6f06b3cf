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
 * the two contains the other (two characters at least). Candidates equally near keep alphabetical order.
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
  const edits = distance(left, right)
  const allowed = Math.floor(Math.max(left.length, right.length) / 3)
  return edits <= allowed || contains(left, right) || contains(right, left) ? edits : FAR
}

const contains = (outer: string, inner: string): boolean => inner.length > 1 && outer.includes(inner)
