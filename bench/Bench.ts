/**
 * The registry against hand-written JSON-RPC and the peers: `pnpm bench [ROW …] [--quick] [--rounds N] [--peers none]
 * [--markdown] [--json FILE] [--readme]`. A row is asked for by its name or how it begins; `--readme` writes the table into
 * README.md.
 */
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { isInstalled } from "./rows/Peers.ts"
import { type Outcome, type Row, run, withoutPeers } from "./support/Harness.ts"
import * as Summary from "./support/Summary.ts"
import * as Table from "./support/Table.ts"

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

const isAsked = ({ name }: Row): boolean =>
  positionals.length === 0 || positionals.some((asked) => name.startsWith(asked))

const measured = async (): Promise<ReadonlyArray<Outcome>> => {
  if (isWithPeers) installPeers()
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
  return outcomes
}

const machine = (): string =>
  `${
    new Date().toISOString().slice(0, 10)
  }, Node ${process.versions.node}, ${process.platform} ${process.arch}, ${availableParallelism()} cores`

const took = (): string => `${rounds} rounds in ${Math.round(performance.now() / 60_000)} minutes`

const BEGIN = "<!-- pnpm bench --readme -->"
const END = "<!-- the end of it -->"

const intoReadme = (table: string): void => {
  const file = path("../README.md")
  const text = readFileSync(file, "utf8")
  const begin = text.indexOf(BEGIN)
  const end = text.indexOf(END)
  if (begin < 0 || end < begin) throw new Error(`README.md has no ${BEGIN} before ${END}`)
  writeFileSync(file, `${text.slice(0, begin)}${BEGIN}\n\n${table}\n\n${text.slice(end)}`)
  spawnSync(path("../node_modules/.bin/dprint"), ["fmt", file], { stdio: ["ignore", 2, 2] })
}

// A measurement has a process group of its own and would outlive this.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130))

const outcomes = await measured()
const markdown = `${machine()}.\n\n${Summary.markdown(outcomes)}`
if (values.json !== undefined) {
  const rows = outcomes.map(({ row: { figures, name, title }, sides }) => ({ name, title, figures, sides }))
  writeFileSync(values.json, `${JSON.stringify({ machine: machine(), rows }, null, 2)}\n`)
}
if (values.readme) intoReadme(markdown)
console.log(values.markdown ? markdown : `${machine()}; ${took()}\n\n${Summary.text(outcomes)}`)
