/**
 * What a call costs, raw and ours only: for people who work on the path of a call. `node bench/Calls.ts [ROW …] [--quick]
 * [--rounds N]`; `pnpm bench` measures everything, the peers too.
 */
import { parseArgs } from "node:util"
import { callRows } from "./rows/CallRows.ts"
import { run, withoutPeers } from "./support/Harness.ts"
import * as Table from "./support/Table.ts"

const USUAL = ["stdio-64", "tool-64", "stdio-1", "http-64", "http-1"]

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string" }, quick: { type: "boolean", default: false } }
})
const rounds = Number(values.rounds ?? (values.quick ? "1" : "5"))
const names = positionals.length > 0 ? positionals : USUAL

for (const row of callRows({ isQuick: values.quick }).filter(({ name }) => names.includes(name))) {
  console.log(Table.text(await run(withoutPeers(row), rounds)))
}
