/** Everything that was measured in one table: a line for each figure that has a target or comes first, a column a side. */
import { byName, compared, type Figure, isWithin, type Measured, type Outcome } from "./Harness.ts"
import { aligned, OURS, short, targetText } from "./Table.ts"

/** The sides that have a column; others are told row by row only. */
const PEERS = ["SDK v1", "SDK v2", "effect/ai", "AI SDK", "LangChain", "Mastra"]

const HEADS = ["", "raw", "ours", "target", ...PEERS]

/** Words that say all there is to say, such as "not installed" and "over 10 s". */
const isShort = (failure: string): boolean => /^(over \d+ s|not installed)$/.test(failure)

/** A ratio, except for a figure with an absolute target, and for the side that others are compared to. */
const cell = (outcome: Outcome, figure: Figure, side: Measured | undefined): string => {
  if (side === undefined) return ""
  if (side.failure !== null) return isShort(side.failure) ? side.failure : "fails"
  const { median, ratio } = compared(outcome, side, figure.name)
  const isItself = figure.target?.value !== undefined && figure.target.ratio === undefined
  if (side === outcome.sides[0] || isItself) return `${short(median)} ${figure.unit}`.trimEnd() + what(outcome, side)
  return `${ratio.toFixed(ratio < 9.95 ? 2 : 0)}x`
}

/** What stands in the column of raw where the first side is something else. */
const what = ({ row, sides }: Outcome, side: Measured): string =>
  side === sides[0] && row.compared !== undefined && !PEERS.includes(side.side) ? ` (${row.compared})` : ""

/** What gave no figures reached no target. */
const isMissed = (outcome: Outcome, figure: Figure): boolean => {
  const ours = byName(outcome, OURS)
  return ours !== undefined && isWithin(outcome, ours, figure) === false
}

const marked = (figure: Figure, outcome: Outcome, text: string): string =>
  isMissed(outcome, figure) ? `${text} (missed)` : text

const line = (outcome: Outcome, figure: Figure): ReadonlyArray<string> => {
  const { row, sides } = outcome
  const [first] = sides
  const ours = byName(outcome, OURS)
  return [
    figure === row.figures[0] ? row.title : `… ${figure.title ?? figure.name}`,
    // A row whose first side is ours or a peer has nothing to compare to by hand.
    first === ours || PEERS.includes(first?.side ?? "") ? "" : cell(outcome, figure, first),
    marked(figure, outcome, cell(outcome, figure, ours)),
    figure.target === undefined ? "" : `≤ ${targetText(figure)}`,
    ...PEERS.map((peer) => cell(outcome, figure, byName(outcome, peer)))
  ]
}

const lines = (outcomes: ReadonlyArray<Outcome>) =>
  outcomes.flatMap((outcome) =>
    outcome.row.figures
      .filter((figure, at) => at === 0 || figure.target !== undefined)
      .map((figure) => line(outcome, figure))
  )

/** Why it "fails" where it says so. */
const failures = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<string> =>
  outcomes.flatMap(({ row, sides }) =>
    sides.flatMap(({ failure, side }) =>
      failure === null || isShort(failure) ? [] : [`${row.name}, ${side}: ${failure}`]
    )
  )

/** How many targets there are, and how far those are that are missed, by the names of their rows. */
export const verdict = (outcomes: ReadonlyArray<Outcome>): string => {
  const targets = outcomes.flatMap((outcome) =>
    outcome.row.figures.filter(({ target }) => target !== undefined).map((figure) => ({ figure, outcome }))
  )
  const missed = targets.filter(({ figure, outcome }) => isMissed(outcome, figure))
  const words = missed.map(({ figure, outcome }) => {
    const found = cell(outcome, figure, byName(outcome, OURS))
    return `${outcome.row.name} ${figure.name} ${found} (target ${targetText(figure)})`
  })
  return `${missed.length} of ${targets.length} targets missed${words.length === 0 ? "" : `: ${words.join("; ")}`}`
}

/** For a terminal. */
export const text = (outcomes: ReadonlyArray<Outcome>): string =>
  [aligned([HEADS, ...lines(outcomes)]), ...failures(outcomes), verdict(outcomes)].join("\n")

const markdownLine = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const rule = HEADS.map((_, column) => column === 0 ? "---" : "--:")
  return [HEADS, rule, ...rows].map(markdownLine).join("\n")
}

/** For a document. */
export const markdown = (outcomes: ReadonlyArray<Outcome>): string => {
  const found = failures(outcomes)
  const failed = found.length === 0 ? "" : ` What fails: ${found.join("; ")}.`
  return `${table(lines(outcomes))}\n\n${verdict(outcomes)}.${failed}`
}

/** The rows that somebody who chooses a client looks at: the first figure of each. */
const FOREMOST = new Set([
  "stdio-64",
  "stdio-1",
  "tool-1",
  "http-64",
  "http-1",
  "first-1000",
  "cold-32",
  "result-5mb",
  "result-64mb",
  "tools-paged"
])

/** A short table for the README. */
export const foremost = (outcomes: ReadonlyArray<Outcome>): string =>
  table(
    outcomes.filter(({ row }) => FOREMOST.has(row.name))
      .flatMap((outcome) => outcome.row.figures.slice(0, 1).map((figure) => line(outcome, figure)))
  )
