/** Everything that was measured in one table: a line for each figure that has a target or comes first, a column a side. */
import { byName, compared, type Figure, isWithin, type Measured, type Outcome } from "./Harness.ts"
import { aligned, OURS, short, targetText } from "./Table.ts"

/** The sides that have a column; others are told row by row only. */
const PEERS = ["SDK v1", "SDK v2", "effect/ai", "AI SDK", "LangChain", "Mastra"]

const HEADS = ["", "raw", "ours", "target", ...PEERS]

/** Words that say all there is to say, such as "not installed" and "over 10 s". */
const isShort = (failure: string): boolean => /^(over \d+ s|not installed)$/.test(failure)

/** As ratios, except for what has a target of its own, or nothing to be compared to. */
const cell = (outcome: Outcome, figure: Figure, side: Measured | undefined): string => {
  if (side === undefined) return ""
  if (side.failure !== null) return isShort(side.failure) ? side.failure : "fails"
  const { median, ratio } = compared(outcome, side, figure.name)
  const isItself = figure.target?.value !== undefined && figure.target.ratio === undefined
  if (side === outcome.sides[0] || isItself) return `${short(median)} ${figure.unit}`.trimEnd()
  return `${ratio.toFixed(ratio < 9.95 ? 2 : 0)}x`
}

const marked = (figure: Figure, outcome: Outcome, ours: Measured | undefined, text: string): string => {
  if (ours === undefined || ours.failure !== null) return text
  return isWithin(outcome, ours, figure) === false ? `${text} (missed)` : text
}

const line = (outcome: Outcome, figure: Figure): ReadonlyArray<string> => {
  const { row, sides } = outcome
  const [first] = sides
  const ours = byName(outcome, OURS)
  return [
    figure === row.figures[0] ? row.title : `… ${figure.name}`,
    // A row whose first side is ours or a peer has nothing to compare to by hand.
    first === ours || PEERS.includes(first?.side ?? "") ? "" : cell(outcome, figure, first),
    marked(figure, outcome, ours, cell(outcome, figure, ours)),
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

/** For a terminal. */
export const text = (outcomes: ReadonlyArray<Outcome>): string =>
  [aligned([HEADS, ...lines(outcomes)]), ...failures(outcomes)].join("\n")

const markdownLine = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

/** For a document. */
export const markdown = (outcomes: ReadonlyArray<Outcome>): string => {
  const found = failures(outcomes)
  const rule = HEADS.map((_, column) => column === 0 ? "---" : "--:")
  const table = [HEADS, rule, ...lines(outcomes)].map(markdownLine).join("\n")
  return found.length === 0 ? table : `${table}\n\nWhat fails: ${found.join("; ")}.`
}
