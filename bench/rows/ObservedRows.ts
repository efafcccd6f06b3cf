/** What it costs that an operator sees each call. */
import type { Figure, Row } from "../support/Harness.ts"
import type { Extent } from "./CallRows.ts"
import { OURS, OURS_SILENT, OURS_TRACED, side } from "./Sides.ts"

const FIGURES: ReadonlyArray<Figure> = [
  { name: "cpu", unit: "us", title: "processor time", target: { ratio: 1.05 } },
  { name: "wall", unit: "us" }
]

export const observedRows = ({ isQuick }: Extent): ReadonlyArray<Row> => {
  const calls = side("Throughput.ts", "--calls", isQuick ? "10000" : "60000")
  return [{
    name: "observed",
    title: "`callTool` over stdio, 64 in flight: with metrics, as it is by default, against everything off",
    sides: [OURS_SILENT, OURS, OURS_TRACED].map(calls),
    figures: FIGURES,
    compared: "all off",
    seconds: 60
  }]
}
