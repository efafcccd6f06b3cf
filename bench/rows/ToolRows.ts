/** Very many tools: listed, seen by an agent, searched, given to a model. */
import { fileURLToPath } from "node:url"
import type { Row } from "../support/Harness.ts"
import type { Extent } from "./CallRows.ts"
import { collecting, OURS, PEERS, RAW, side } from "./Sides.ts"

const AGENT = fileURLToPath(new URL("../programs/Agent.ts", import.meta.url))

export const toolRows = ({ isQuick }: Extent): ReadonlyArray<Row> => {
  const rounds = isQuick ? 1 : 3
  const listed = (page: string) =>
    [RAW, OURS, ...PEERS].map(side("List.ts", "--tools", "10000", "--page", page)).map(collecting)
  return [
    {
      name: "tools-paged",
      title: "10,000 tools listed in pages of 100, the server's start included",
      sides: listed("100"),
      figures: [{ name: "wall", unit: "ms", target: { ratio: 1.15 } }, { name: "cpu", unit: "ms" }, {
        name: "heap",
        unit: "MB"
      }],
      seconds: 60,
      rounds
    },
    {
      name: "tools-at-once",
      title: "10,000 tools listed in one page",
      sides: listed("10000"),
      figures: [{ name: "wall", unit: "ms", target: { ratio: 1.15 } }, { name: "cpu", unit: "ms" }, {
        name: "heap",
        unit: "MB"
      }],
      seconds: 60,
      rounds
    },
    {
      name: "agent",
      title: "10,000 tools as an agent's patterns see them (9,000), searched, and as tools of a model",
      sides: [{ name: "ours", args: [AGENT, "--tools", "10000"] }],
      figures: [
        { name: "viewCold", unit: "ms" },
        { name: "viewWarm", unit: "ms", title: "the view again", target: { value: 10 } },
        { name: "indexed", unit: "ms" },
        { name: "searched", unit: "ms" },
        { name: "toolkitCold", unit: "ms" },
        { name: "toolkitWarm", unit: "ms" },
        { name: "compiledBefore", unit: "schemas", title: "compiled before a call", target: { value: 0 } },
        { name: "compiledAfter", unit: "schemas" }
      ],
      seconds: 60,
      rounds
    }
  ]
}
