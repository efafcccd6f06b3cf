/** What it costs that an operator sees each call. */
import type { Figure, Row } from "../support/Harness.ts"
import type { Extent } from "./CallRows.ts"
import { type Contender, OURS, OURS_SILENT, OURS_TRACED, side } from "./Sides.ts"

const FIGURES: ReadonlyArray<Figure> = [
  { name: "cpu", unit: "us", title: "processor time", target: { ratio: 1.05 } },
  { name: "wall", unit: "us" }
]

export const observedRows = ({ isQuick }: Extent): ReadonlyArray<Row> => {
  const calls = side("Throughput.ts", "--calls", isQuick ? "10000" : "60000")
  const row = (name: string, how: string, ours: Contender): Row => ({
    name,
    title: `\`callTool\` over stdio, 64 in flight: ${how}, against everything off`,
    sides: [OURS_SILENT, { ...ours, name: "ours" }].map(calls),
    figures: FIGURES,
    compared: "all off",
    seconds: 60
  })
  return [
    row("observed", "with metrics, as it is by default", OURS),
    row("traced", "with every call's span sent by OTLP", OURS_TRACED)
  ]
}
