/**
 * The registry against hand-written JSON-RPC and the peers: `pnpm bench [ROW …] [--quick] [--rounds N] [--peers none]
 * [--markdown] [--json FILE] [--readme]`. A row is asked for by its name or how it begins. `--json` keeps every measurement
 * in a file; what that has of other rows stays, and is in the table, too. `--readme` writes the table into
 * docs/performance.md, and its foremost rows into README.md; the rows about programs and those about gateways have tables of their own. `pnpm bench context` counts tokens instead, see Context.ts, and `pnpm bench people` measures people who share a server, see People.ts. `pnpm bench fleet` measures nodes of a fleet, see Fleet.ts.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { isInstalled } from "./rows/Peers.ts"
import * as Document from "./support/Document.ts"
import { type Measured, type Outcome, type Row, run, withoutPeers } from "./support/Harness.ts"
import * as ProgramsTable from "./support/ProgramsTable.ts"
import * as Summary from "./support/Summary.ts"
import * as Table from "./support/Table.ts"

if (process.argv[2] === "context") {
  await import("./Context.ts")
  process.exit()
}
if (process.argv[2] === "people") {
  await import("./People.ts")
  process.exit()
}
if (process.argv[2] === "fleet") {
  await import("./Fleet.ts")
  process.exit()
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string" },
    quick: { type: "boolean", default: false },
    peers: { type: "string", default: "all" },
    markdown: { type: "boolean", default: false },
    json: { type: "string" },
    readme: { type: "boolean", default: false }
  }
})
const isWithPeers = values.peers !== "none"
const rounds = Number(values.rounds ?? (values.quick ? "1" : "5"))
const tell = (text: string): void => void process.stderr.write(`${text}\n`)

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

const installPeers = (): void => {
  if (isInstalled()) return
  tell("Installing the peers into bench/peers")
  const { status } = spawnSync(process.execPath, [path("peers/Install.mjs")], { stdio: ["ignore", 2, 2] })
  if (status !== 0) tell("The peers could not be installed: what pnpm says is above. Their columns say so.")
}

/** Ours is measured as it is published, as the peers are. */
const build = (): void => {
  tell("Building the packages")
  const { status } = spawnSync(process.execPath, [path("../scripts/Build.mjs")], { stdio: ["ignore", 2, 2] })
  if (status !== 0) throw new Error("the packages could not be built: the reason is above")
}

const isAsked = ({ name }: Row): boolean =>
  positionals.length === 0 || positionals.some((asked) => name.startsWith(asked))

const measured = async (): Promise<ReadonlyArray<Outcome>> => {
  if (isWithPeers) installPeers()
  // Gateways are measured as processes of the command, which has a build of its own.
  if (positionals.length === 0 || positionals.some((asked) => !asked.startsWith("gateway"))) build()
  // Only now, because rows look at what is installed.
  const { rows } = await import("./Rows.ts")
  const all = rows({ isQuick: values.quick })
  const asked = all.filter(isAsked)
  if (asked.length === 0) throw new Error(`no row begins so; there are ${all.map(({ name }) => name).join(", ")}`)
  const outcomes: Array<Outcome> = []
  for (const row of asked) {
    const outcome = await run(isWithPeers ? row : withoutPeers(row), rounds)
    tell(Table.text(outcome))
    outcomes.push(outcome)
  }
  return withEarlier(outcomes, all)
}

/** The outcomes for the table: those of this run, and for other rows the earlier ones in the file of `--json`. */
const withEarlier = (now: ReadonlyArray<Outcome>, rows: ReadonlyArray<Row>): ReadonlyArray<Outcome> => {
  if (values.json === undefined || !existsSync(values.json)) return now
  const { rows: kept }: Kept = JSON.parse(readFileSync(values.json, "utf8"))
  return rows.flatMap((row) => {
    const measured = now.find((outcome) => outcome.row.name === row.name)
    const earlier = kept.find(({ name }) => name === row.name)
    return measured ?? (earlier === undefined ? [] : { row, sides: earlier.sides })
  })
}

interface Kept {
  readonly rows: ReadonlyArray<{ readonly name: string; readonly sides: ReadonlyArray<Measured> }>
}

const machine = (): string =>
  `${
    new Date().toISOString().slice(0, 10)
  }, Node ${process.versions.node}, ${process.platform} ${process.arch}, ${availableParallelism()} cores`

const times = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

const took = (): string => `${times(rounds, "round")}, ${times(Math.ceil(performance.now() / 60_000), "minute")}`

// A measurement has a process group of its own and would outlive this.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130))

const outcomes = await measured()
if (values.json !== undefined) {
  const rows = outcomes.map(({ row: { figures, name, title }, sides }) => ({ name, title, figures, sides }))
  writeFileSync(values.json, `${JSON.stringify({ machine: machine(), rows }, null, 2)}\n`)
}
const programs = outcomes.filter(ProgramsTable.isAboutPrograms)
// Rows of gateways know who is installed, too.
const GatewayTable = await import("./support/GatewayTable.ts")
const gateways = outcomes.filter(GatewayTable.isAboutGateways)
const others = outcomes.filter((outcome) =>
  !ProgramsTable.isAboutPrograms(outcome) && !GatewayTable.isAboutGateways(outcome)
)
if (values.readme && gateways.length > 0) {
  const table = GatewayTable.markdown(gateways)
  Document.write("docs/performance.md", "pnpm bench gateway", `${machine()}; ${took()}.\n\n${table}`)
}
if (values.readme && programs.length > 0) {
  const table = ProgramsTable.markdown(programs)
  Document.write("docs/performance.md", "pnpm bench programs", `${machine()}; ${took()}.\n\n${table}`)
}
if (values.readme && others.length > 0) {
  const markdown = `${machine()}; ${took()}.\n\n${Summary.markdown(others)}`
  Document.write("docs/performance.md", "pnpm bench --readme", markdown)
  Document.write("README.md", "pnpm bench --readme", `${machine()}\n\n${Summary.foremost(others)}`)
}
const shown = `${machine()}; ${took()}.\n\n${Summary.markdown(outcomes)}`
console.log(values.markdown ? shown : `${machine()}; ${took()}\n\n${Summary.text(outcomes)}`)
