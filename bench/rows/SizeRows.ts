/** Large results: what a client does to an answer that comes in many pieces. */
import type { Figure, Row } from "../support/Harness.ts"
import type { Extent } from "./CallRows.ts"
import { OURS, PEERS, RAW, RAW_HTTP, side } from "./Sides.ts"

const PEAK: Figure = { name: "peak", unit: "MB" }

export const sizeRows = ({ isQuick }: Extent): ReadonlyArray<Row> => {
  const large = (...args: ReadonlyArray<string>) => side("Large.ts", "--bytes", ...args)
  const rounds = isQuick ? 1 : 3
  return [
    {
      name: "result-5mb",
      title: "A result of 5 MB over stdio",
      sides: [RAW, OURS, ...PEERS].map(large("5000000", "--calls", "15")),
      figures: [{ name: "millis", unit: "ms", target: { ratio: 1.3 } }, PEAK],
      seconds: 60,
      rounds
    },
    {
      name: "result-5mb-http",
      title: "A result of 5 MB over streamable HTTP",
      sides: [RAW_HTTP, OURS, ...PEERS].map(large("5000000", "--calls", "15", "--http", "json")),
      figures: [{ name: "millis", unit: "ms", target: { ratio: 1.3 } }, PEAK],
      seconds: 60,
      rounds
    },
    {
      name: "result-64mb",
      title: "A result of 64 MB over stdio, every limit raised that can be",
      sides: [RAW, OURS, ...PEERS].map(large("64000000", "--calls", "3")),
      figures: [{ name: "millis", unit: "ms", target: { value: 500 } }, PEAK],
      // The peers take half a minute, if they can do it at all.
      seconds: 10,
      rounds: 1
    }
  ]
}
