/** Suggests names for one that is not known. */
import { distance } from "fastest-levenshtein"

/**
 * Gives the candidates that are reasonably near to `name`, the nearest first, at most `limit` of them (3 unless told).
 *
 * Case does not count. A candidate is near when at most a third of the longer name's characters differ, or when one of
 * the two contains the other (two characters at least). Two neighbouring characters that changed places are one
 * difference. Candidates equally near keep alphabetical order. Servers write most of them: those of more than 500
 * characters are passed over, of more than 20,000 only the first are looked at, and of many that are alike not all in detail.
 */
export const nearest = (name: string, candidates: Iterable<string>, limit = 3): ReadonlyArray<string> => {
  const sought = compared(name)
  return [...new Set(candidates)]
    .slice(0, MOST_CANDIDATES)
    .filter(({ length }) => length <= LONGEST)
    .map((candidate) => ({ candidate, ...glance(sought, compared(candidate)) }))
    .filter(({ edits, isPart, most }) => isPart || edits <= 2 * most)
    .sort((a, b) => a.edits - b.edits || alphabetical(a, b))
    .map((found, place) => ({
      ...found,
      rank: found.isPart ? found.edits : place < MOST_COUNTED ? found.count() : FAR
    }))
    .filter(({ isPart, most, rank }) => isPart || rank <= most)
    .sort((a, b) => a.rank - b.rank || alphabetical(a, b))
    .slice(0, limit)
    .map(({ candidate }) => candidate)
}

const FAR = Number.POSITIVE_INFINITY
const MOST_CANDIDATES = 20_000
/** The longer one is, the more easily it contains the name; and somebody has to read it. */
const LONGEST = 500
/** Slips take long to count, and ten thousand URIs of one server may be alike. */
const MOST_COUNTED = 50

/** Names longer than this are cut before they are compared, because the distance takes quadratic time. */
const COMPARED_CHARACTERS = 256

const compared = (name: string): string => name.slice(0, COMPARED_CHARACTERS).toLowerCase()

/** The fast distance counts a swap as two edits at most, so it rules out most candidates. */
const glance = (name: string, candidate: string) => ({
  edits: distance(name, candidate),
  isPart: contains(name, candidate) || contains(candidate, name),
  /** More slips than these are too many. */
  most: Math.floor(Math.max(name.length, candidate.length) / 3),
  count: () => slips(name, candidate)
})

const alphabetical = (a: { readonly candidate: string }, b: { readonly candidate: string }): number =>
  a.candidate < b.candidate ? -1 : 1

/**
 * Counts the slips between two texts: characters added, left out or mistaken, and neighbours that changed places (optimal
 * string alignment). Gives `limit + 1` as soon as there are more than `limit`. Takes quadratic time.
 */
export const slips = (one: string, other: string, limit = FAR): number => {
  if (Math.abs(one.length - other.length) > limit) return limit + 1
  let before: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const now = [row]
    for (let column = 1; column <= other.length; column++) {
      const change = (last[column - 1] ?? FAR) + (one[row - 1] === other[column - 1] ? 0 : 1)
      const least = Math.min(change, (last[column] ?? FAR) + 1, (now[column - 1] ?? FAR) + 1)
      const isSwap = row > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      now.push(isSwap ? Math.min(least, (before[column - 2] ?? FAR) + 1) : least)
    }
    if (Math.min(...now) > limit) return limit + 1
    before = last
    last = now
  }
  return Math.min(last[other.length] ?? FAR, limit + 1)
}

const contains = (outer: string, inner: string): boolean => inner.length > 1 && outer.includes(inner)
