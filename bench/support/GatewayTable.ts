/** What gateways add, for a document: a line a figure, a column a gateway, each with its own figure. */
import { GATEWAYS } from "../rows/GatewayRows.ts"
import { byName, compared, isWithin, type Outcome } from "./Harness.ts"
import { OURS, short, targetText } from "./Table.ts"

/** Rows of gateways begin so, and stand in this table alone. */
export const isAboutGateways = ({ row }: Outcome): boolean => row.name.startsWith("gateway-")

const SIDES = ["SDK server", OURS, ...GATEWAYS]

const lines = (outcome: Outcome): ReadonlyArray<string> =>
  outcome.row.figures.map((figure, at) => {
    const cells = SIDES.map((name) => {
      const side = byName(outcome, name)
      if (side === undefined || side.failure !== null) return side === undefined ? "" : side.failure
      const { median, ratio } = compared(outcome, side, figure.name)
      const missed = name === OURS && isWithin(outcome, side, figure) === false ? " (missed)" : ""
      const beside = name === OURS && figure.name === "p50" ? `, ${ratio.toFixed(2)}x` : ""
      return `${short(median)} ${figure.unit}${beside}${missed}`
    })
    const target = figure.target?.of === undefined ? targetText(figure) : "each gateway here"
    const title = `${at === 0 ? `${outcome.row.title}: ` : "… "}${figure.title ?? figure.name}`
    return [title, ...cells, target === "" ? "" : `≤ ${target}`].join(" | ")
  })

export const markdown = (outcomes: ReadonlyArray<Outcome>): string =>
  [["", ...SIDES, "target"].join(" | "), `--- | ${SIDES.map(() => "--:").join(" | ")} | --:`]
    .concat(outcomes.flatMap(lines)).map((line) => `| ${line} |`).join("\n")
