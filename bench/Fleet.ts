/**
 * What a fleet does and costs: measures one, two and three nodes on this machine, writes `docs/load/fleet.json`, draws it as
 * `docs/load/fleet-turns.svg` and `fleet-calls.svg`, and puts the figures into docs/fleet.md.
 * `pnpm bench fleet [--quick] [--draw]`; `--quick` is a tenth and writes nothing, `--draw` draws what was measured before.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as CurveSvg from "./support/CurveSvg.ts"
import * as Document from "./support/Document.ts"
import { preparedServer } from "./support/Gateways.ts"
import { type Figures, measure } from "./support/Harness.ts"

const { values } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false }, draw: { type: "boolean", default: false } }
})

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const FOLDER = path("../docs/load/")
const FILE = join(FOLDER, "fleet.json")
const SECONDS = 900
const NODES = [1, 2, 3]
const IN_FLIGHT = [1, 64]

interface Measured {
  readonly date: string
  readonly cores: number
  readonly figures: Figures
}

const measured = async (): Promise<Measured> => {
  await preparedServer()
  const sizes = values.quick ? ["--turns", "24", "--calls", "50"] : []
  const figures = await measure({
    name: "fleet",
    args: [path("programs/Fleet.ts"), ...sizes],
    env: { BOOCODE_TEST_COMMAND: "apps/cli/dist/main.mjs" }
  }, SECONDS)
  return { date: new Date().toISOString().slice(0, 10), cores: availableParallelism(), figures }
}

const of = ({ figures }: Measured, name: string): number => figures[name] ?? Number.NaN
const pointsOf = (result: Measured, name: string, at: ReadonlyArray<number>) =>
  at.map((x) => ({ x, y: of(result, `${name} ${x}`) }))
const round = (value: number) => value.toLocaleString("en", { maximumSignificantDigits: 3 })

const drawnTurns = (result: Measured): string =>
  CurveSvg.draw({
    title: "Turns with one call of a tool, per second",
    x: { label: "nodes on one machine", say: String },
    y: { label: "turns per second", say: round },
    lines: [{ name: "12 at once", kind: "ours", points: pointsOf(result, "turns", NODES) }],
    isEven: true
  })

const drawnCalls = (result: Measured): string =>
  CurveSvg.draw({
    title: "One call by HTTP, at the node that runs its server and at another",
    x: { label: "calls in flight", say: String },
    y: { label: "milliseconds for each", say: round },
    lines: [
      { name: "at the node that runs it", kind: "ours", points: pointsOf(result, "own", IN_FLIGHT) },
      {
        name: "at another node",
        kind: "other",
        points: IN_FLIGHT.map((x) => ({ x, y: of(result, `own ${x}`) + of(result, `added ${x}`) }))
      }
    ]
  })

const table = (result: Measured): string => {
  const rows = NODES.map((nodes) => [
    String(nodes),
    of(result, `turns ${nodes}`).toFixed(1),
    of(result, `rows ${nodes}`).toFixed(0)
  ])
  const heads = ["nodes", "turns per second", "rows per second"]
  const added = (inFlight: number) => `${of(result, `added ${inFlight}`).toFixed(2)} ms`
  return [
    ...[heads, heads.map(() => "---:"), ...rows].map((cells) => `| ${cells.join(" | ")} |`),
    "",
    `A call across nodes takes ${added(1)} more one at a time (p50, ${
      of(result, "own 1").toFixed(2)
    } ms at the node that runs its ` +
    `server, by HTTP both), and ${
      added(64)
    } more each with 64 in flight. After \`kill -9\` of one of three nodes a call of its ` +
    `server was answered in ${
      (of(result, "resume call") / 1000).toFixed(1)
    } s, its start included, and the last of its turns ` +
    `was mended in ${(of(result, "resume turn") / 1000).toFixed(1)} s.`,
    "",
    `Measured on ${result.date}, ${result.cores} cores for all nodes, database, model and clients together: more nodes on one ` +
    "machine show what they cost, not what they gain."
  ].join("\n")
}

const read = (): Measured => JSON.parse(readFileSync(FILE, "utf8"))

const result = values.draw ? read() : await measured()
console.log(table(result))
if (!values.quick) {
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(FILE, `${JSON.stringify(result, null, 2)}\n`)
  writeFileSync(join(FOLDER, "fleet-turns.svg"), drawnTurns(result))
  writeFileSync(join(FOLDER, "fleet-calls.svg"), drawnCalls(result))
  Document.write("docs/fleet.md", "pnpm bench fleet", table(result))
}
