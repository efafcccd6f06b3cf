/** What the programs around the registry add: the command line as a whole process, the chat server in a turn. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Row } from "../support/Harness.ts"
import type { Extent } from "./CallRows.ts"

const program = (name: string): string => fileURLToPath(new URL(`../programs/${name}`, import.meta.url))

/** As `pnpm boocode` does when it is older than its sources. */
const buildCommand = async (): Promise<void> => {
  await promisify(execFile)(process.execPath, [program("../../scripts/CommandBuild.mjs")])
}

export const hostRows = ({ isQuick }: Extent): ReadonlyArray<Row> => [
  {
    name: "command-line",
    title: "`boocode mcp call` as a whole process, against a script that does the same with the SDK",
    sides: [
      { name: "SDK v2, a script", args: [program("CommandLine.ts"), "sdk"] },
      { name: "ours", args: [program("CommandLine.ts"), "boocode"] }
    ],
    figures: [{ name: "answer", unit: "ms", target: { ratio: 1.3 } }, { name: "end", unit: "ms" }],
    compared: "the script",
    seconds: 60,
    rounds: 3,
    prepare: buildCommand
  },
  {
    name: "turn",
    title: "A tool call in a turn of the chat server: from the model's answer to its next request",
    sides: [{ name: "ours", args: [program("Turn.ts"), ...(isQuick ? ["--turns", "15"] : [])] }],
    figures: [
      { name: "turn", unit: "ms" },
      { name: "p95", unit: "ms" },
      { name: "direct", unit: "ms" },
      { name: "added", unit: "ms", title: "less the same call of the registry", target: { value: 1 } }
    ],
    seconds: 60,
    rounds: 3
  }
]
