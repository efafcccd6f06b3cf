/** Two texts, line by line: what stays, goes and comes. Pure. */

export interface DiffLine {
  readonly kind: "same" | "removed" | "added"
  readonly text: string
}

/** Lines that are shown, or how many of those that stay are left out. */
export type Hunk = { readonly lines: ReadonlyArray<DiffLine> } | { readonly omitted: number }

/** More comparisons than this take too long to wait for: what differs is then shown as replaced. */
const MOST = 4_000_000

/** A line that ends in a carriage return must not look like one that does not. */
const linesOf = (text: string): ReadonlyArray<string> => text === "" ? [] : text.replaceAll("\r", "␍").split("\n")

const each = (kind: DiffLine["kind"], lines: ReadonlyArray<string>): ReadonlyArray<DiffLine> =>
  lines.map((text) => ({ kind, text }))

/** The lines of both, those that are the same once; what goes stands before what comes in its place. */
export const lineDiff = (before: string, after: string): ReadonlyArray<DiffLine> => {
  const [old, next] = [linesOf(before), linesOf(after)]
  const shorter = Math.min(old.length, next.length)
  let start = 0
  while (start < shorter && old[start] === next[start]) start += 1
  let end = 0
  while (end < shorter - start && old.at(-1 - end) === next.at(-1 - end)) end += 1
  return [
    ...each("same", old.slice(0, start)),
    ...middle(old.slice(start, old.length - end), next.slice(start, next.length - end)),
    ...each("same", old.slice(old.length - end))
  ]
}

/** By the longest run of lines that both have in common, in order. */
const middle = (old: ReadonlyArray<string>, next: ReadonlyArray<string>): ReadonlyArray<DiffLine> => {
  if (old.length * next.length > MOST) return [...each("removed", old), ...each("added", next)]
  const width = next.length + 1
  /** At `i * width + j`, how many lines those from `i` and those from `j` have in common. */
  const common = new Uint16Array((old.length + 1) * width)
  const at = (i: number, j: number) => common[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = next.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = old[i] === next[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: Array<DiffLine> = []
  let [i, j] = [0, 0]
  while (i < old.length && j < next.length) {
    if (old[i] === next[j]) {
      lines.push({ kind: "same", text: old[i] ?? "" })
      i += 1
      j += 1
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      lines.push({ kind: "removed", text: old[i] ?? "" })
      i += 1
    } else {
      lines.push({ kind: "added", text: next[j] ?? "" })
      j += 1
    }
  }
  return [...lines, ...each("removed", old.slice(i)), ...each("added", next.slice(j))]
}

/** So many lines around a change help to find its place. */
const AROUND = 3

/** The changes with a few lines around them. */
export const hunksOf = (lines: ReadonlyArray<DiffLine>): ReadonlyArray<Hunk> => {
  const isNear = lines.map(() => false)
  for (const [index, { kind }] of lines.entries()) {
    if (kind !== "same") isNear.fill(true, Math.max(0, index - AROUND), index + AROUND + 1)
  }
  const hunks: Array<Hunk> = []
  let from = 0
  while (from < lines.length) {
    const other = isNear.indexOf(isNear[from] !== true, from)
    const to = other < 0 ? lines.length : other
    hunks.push(isNear[from] === true ? { lines: lines.slice(from, to) } : { omitted: to - from })
    from = to
  }
  return hunks
}
