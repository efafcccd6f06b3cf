/**
 * What many people on one server wait for: measures turns of one person alone and of several at once, writes
 * `docs/load/people.json`, draws it as `docs/load/people.svg`, and puts the figures into docs/performance.md.
 * `pnpm bench people [--people N] [--quick] [--draw]`; `--quick` is 20 people and writes nothing, `--draw` draws what was
 * measured before.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as CurveSvg from "./support/CurveSvg.ts"
import * as Document from "./support/Document.ts"
import type { Point } from "./support/Exponent.ts"
import { preparedServer } from "./support/Gateways.ts"
import { type Figures, measure } from "./support/Harness.ts"
import { LEVELS, PACE } from "./support/Turns.ts"

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    people: { type: "string" },
    quick: { type: "boolean", default: false },
    draw: { type: "boolean", default: false }
  }
})

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const FOLDER = path("../docs/load/")
const FILE = join(FOLDER, "people.json")
const SECONDS = 900

interface Measured {
  readonly date: string
  readonly node: string
  readonly cores: number
  readonly people: number
  /** p95 in milliseconds, by the number of turns at once. */
  readonly first: ReadonlyArray<Point>
  readonly part: ReadonlyArray<Point>
  /** Kilobytes of a person whose page is open. */
  readonly heap: number
  readonly rss: number
}

const measured = async (people: number): Promise<Measured> => {
  await preparedServer()
  const figures: Figures = await measure({
    name: "people",
    args: [path("programs/People.ts"), "--people", String(people)],
    env: { BOOCODE_TEST_COMMAND: "apps/cli/dist/main.mjs" }
  }, SECONDS)
  const line = (name: string) =>
    LEVELS.flatMap((x) => {
      const y = figures[`${name} ${x}`]
      return y === undefined ? [] : [{ x, y }]
    })
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    cores: availableParallelism(),
    people,
    first: line("first"),
    part: line("part"),
    heap: figures["heap"] ?? Number.NaN,
    rss: figures["rss"] ?? Number.NaN
  }
}

const drawn = ({ first, part, people }: Measured): string =>
  CurveSvg.draw({
    title: `${people} people, so many turns with tools at once`,
    x: { label: "turns at once", say: String },
    y: { label: "milliseconds, p95", say: (value) => value.toLocaleString("en", { maximumSignificantDigits: 3 }) },
    lines: [
      { name: "a stored word", kind: "other", points: part },
      { name: "the first word", kind: "ours", points: first }
    ]
  })

const table = ({ cores, date, first, heap, part, people, rss }: Measured): string => {
  const rows = first.map(({ x, y }, at) => [String(x), y.toFixed(0), part[at]?.y.toFixed(0) ?? "-"])
  const heads = ["turns at once", "first word, p95 in ms", "a stored word, p95 in ms"]
  const lines = [heads, heads.map(() => "---:"), ...rows].map((cells) => `| ${cells.join(" | ")} |`)
  return [
    ...lines,
    "",
    `Measured on ${date} with ${people} people, ${cores} cores for server, database, model and readers together. A person whose page is ` +
    `open and who does nothing takes ${heap.toFixed(0)} KB of heap, ${
      rss.toFixed(0)
    } KB of memory as the system counts it.`
  ].join("\n")
}

const read = (): Measured => JSON.parse(readFileSync(FILE, "utf8"))

const people = Number(values.people ?? (values.quick ? 20 : 200))
const result = values.draw ? read() : await measured(people)
console.log(table(result))
console.log(
  `The model says ${PACE.words} words, one in ${PACE.everyMillis} ms, calls ${PACE.calls} tools, and says as many again.`
)
if (!values.quick) {
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(FILE, `${JSON.stringify(result, null, 2)}\n`)
  writeFileSync(join(FOLDER, "people.svg"), drawn(result))
  Document.write("docs/performance.md", "pnpm bench people", table(result))
}
