/** What programs save and cost, for a document: a line a figure, the calls of a model beside one program. */
import { byName, compared, type Measured, type Outcome } from "./Harness.ts"
import { OURS, short, targetText } from "./Table.ts"

/** Rows of programs begin so, and stand in this table alone. */
export const isAboutPrograms = ({ row }: Outcome): boolean => row.name.startsWith("programs-")

const cell = (outcome: Outcome, side: Measured | undefined, figure: string, unit: string): string =>
  side === undefined ? "" : side.failure ?? `${short(compared(outcome, side, figure).median)} ${unit}`.trimEnd()

const lines = (outcome: Outcome): ReadonlyArray<string> =>
  outcome.row.figures.map((figure, at) =>
    [
      `${at === 0 ? `${outcome.row.title}: ` : "… "}${figure.title ?? figure.name}`,
      cell(outcome, outcome.sides.find(({ side }) => side !== OURS), figure.name, figure.unit),
      cell(outcome, byName(outcome, OURS), figure.name, figure.unit),
      figure.target === undefined ? "" : `≤ ${targetText(figure)}`
    ].join(" | ")
  )

export const markdown = (outcomes: ReadonlyArray<Outcome>): string =>
  ["| | calls of the model | one program | target |", "| --- | --: | --: | --: |"].concat(
    outcomes.flatMap(lines).map((line) => `| ${line} |`)
  ).join("\n")
