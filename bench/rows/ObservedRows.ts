/** What it costs that an operator sees each call. */
import type { Figure, Row } from "../support/Harness.ts"
import type { Extent } from "./CallRows.ts"
import { type Contender, OURS, OURS_SAMPLED, OURS_SILENT, OURS_TRACED, side } from "./Sides.ts"

/** `most` is how many times the processor time of the other side a call may take. */
const figures = (most: number): ReadonlyArray<Figure> => [
  { name: "cpu", unit: "us", title: "processor time", target: { ratio: most } },
  { name: "wall", unit: "us" }
]

export const observedRows = ({ isQuick }: Extent): ReadonlyArray<Row> => {
  const calls = side("Throughput.ts", "--calls", isQuick ? "10000" : "60000")
  const row = (name: string, how: string, ours: Contender, [base, compared]: Base, most: number): Row => ({
    name,
    title: `\`callTool\` over stdio, 64 in flight: ${how}, against ${compared}`,
    sides: [base, { ...ours, name: "ours" }].map(calls),
    figures: figures(most),
    compared,
    seconds: 60
  })
  const untraced: Base = [{ ...OURS, name: "ours, no traces" }, "no traces"]
  return [
    row("observed", "with metrics, as it is by default", OURS, [OURS_SILENT, "all off"], 1.05),
    row("traced", "with spans sent by OTLP, at most 1,000 a second", OURS_TRACED, untraced, 1.5),
    row("sampled", "with one trace in a hundred kept", OURS_SAMPLED, untraced, 1.05)
  ]
}

/** The other side, and what it is called. */
type Base = readonly [Contender, string]
