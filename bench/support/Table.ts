/** One row as it was measured, for a terminal: a line a side, all figures, medians and the spread of the ratios. */
import { compared, type Figure, isWithin, type Measured, type Outcome } from "./Harness.ts"
import type { Ratios } from "./Samples.ts"

/** The side that targets are about. */
export const OURS = "ours"

/** A number as short as it can be read: two digits below 10, none above 100. */
export const short = (value: number): string => {
  if (!Number.isFinite(value)) return "–"
  return value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 })
}

/** What ours should be at most, in words. */
export const targetText = ({ target, unit }: Figure): string => {
  if (target === undefined) return ""
  const { of, ratio, value } = target
  return [
    ...(ratio === undefined ? [] : [`${ratio}x`]),
    ...(value === undefined ? [] : [`${short(value)} ${unit}`.trimEnd()]),
    ...(of ?? []).map(({ ratio, side }) => `${ratio}x of ${side}`)
  ].join(", ")
}

/** Columns aligned; the first to the left, the others to the right. */
export const aligned = (lines: ReadonlyArray<ReadonlyArray<string>>): string => {
  const count = Math.max(...lines.map(({ length }) => length))
  const widths = Array.from({ length: count }, (_, column) =>
    // The last cell of a shorter line is words, which need no column.
    Math.max(
      ...lines.map((line) => line.length < count && column === line.length - 1 ? 0 : (line[column] ?? "").length)
    ))
  return lines.map((line) =>
    line.map((cell, column) => column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))
      .join("  ").trimEnd()
  ).join("\n")
}

const spread = ({ greatest, least, ratio }: Ratios): string =>
  Number.isFinite(ratio) ? `${ratio.toFixed(2)}x (${least.toFixed(2)}–${greatest.toFixed(2)})` : ""

const verdict = (outcome: Outcome, side: Measured, figure: Figure): string =>
  `${isWithin(outcome, side, figure) === true ? "ok" : "NOT"}, at most ${targetText(figure)}`

const cells = (outcome: Outcome, side: Measured): ReadonlyArray<string> => {
  if (side.failure !== null) return [side.side, side.failure]
  return [
    side.side,
    ...outcome.row.figures.flatMap((figure) => {
      const found = compared(outcome, side, figure.name)
      return [
        short(found.median),
        ...(isAlone(outcome) ? [] : [side === outcome.sides[0] ? "" : spread(found)]),
        ...(figure.target === undefined ? [] : [side.side === OURS ? verdict(outcome, side, figure) : ""])
      ]
    })
  ]
}

/** There is nothing it could be compared to. */
const isAlone = ({ sides }: Outcome): boolean => sides.length === 1

const heads = (outcome: Outcome): ReadonlyArray<string> => [
  "",
  ...outcome.row.figures.flatMap(({ name, target, unit }) => [
    `${name} ${unit}`.trimEnd(),
    ...(isAlone(outcome) ? [] : [`x ${outcome.row.compared ?? "raw"}`]),
    ...(target === undefined ? [] : ["target"])
  ])
]

export const text = (outcome: Outcome): string =>
  `${outcome.row.name}: ${outcome.row.title}\n${
    aligned([heads(outcome), ...outcome.sides.map((side) => cells(outcome, side))])
  }\n`
