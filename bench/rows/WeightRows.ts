/** What the registry weighs: memory for each server, and how soon a program that imports it has its first tool. */
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Figure, Row, Side } from "../support/Harness.ts"
import * as Installed from "../support/Installed.ts"
import type { Extent } from "./CallRows.ts"
import { collecting, OURS, PEERS, RAW, side } from "./Sides.ts"

const path = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))

const first = (name: string, program: string): Side => ({
  name,
  args: [join(Installed.folder, program), path("servers/Stdio.mjs")],
  folder: Installed.folder
})

const START: ReadonlyArray<Figure> = [
  { name: "import", unit: "ms", target: { value: 150 } },
  { name: "first", unit: "ms", title: "the first tool", target: { ratio: 1 } }
]

export const weightRows = ({ isQuick }: Extent): ReadonlyArray<Row> => [
  {
    name: "heap",
    title: "Heap for each more connected stdio server",
    sides: [RAW, OURS, ...PEERS].map(side("Heap.ts", ...(isQuick ? ["--few", "2", "--many", "12"] : []))).map(
      collecting
    ),
    figures: [{ name: "each", unit: "KB", target: { value: 60 } }],
    seconds: 60,
    // The same each time, and many processes.
    rounds: 1
  },
  {
    name: "start",
    title: "A program's import of the library, and its first tool of a stdio server: packages as installed by npm",
    sides: [first("SDK v2", "Sdk2.mjs"), first("ours", "Registry.mjs")],
    figures: START,
    compared: "the SDK",
    seconds: 30,
    prepare: Installed.prepare
  }
]
