/**
 * Runs the official conformance suite: the sets of both revisions and everything there is, or what is named.
 *
 *     pnpm conformance
 *     pnpm conformance 2026-07-28
 *     pnpm conformance --processes      a client for each scenario, all at once, as the suite does by itself
 *
 * Exit code 1 when a scored scenario fails, or another one that `Open.ts` does not list.
 */
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as Results from "./Results.ts"
import { SELECTIONS } from "./Suite.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { processes: { type: "boolean", default: false } }
})

const print = (line: string) => process.stdout.write(`${line}\n`)

const named = SELECTIONS.filter((selection) => positionals.includes(selection))
const client = Effect.sync(() => `"${process.execPath}" "${fileURLToPath(new URL("Client.ts", import.meta.url))}"`)

const results = await Effect.runPromise(
  Results.of(named.length === 0 ? SELECTIONS : named, values.processes ? client : undefined)
)
const troubles = Results.troubles(results)

print(Results.table(results))
for (const trouble of troubles) print(`✗ ${trouble}`)
for (const selection of SELECTIONS) {
  const scored = results.filter((result) => result.selection === selection && result.isScored)
  if (scored.length > 0) {
    print(`${selection}: ${scored.filter(({ isPassed }) => isPassed).length} of ${scored.length} scored scenarios pass`)
  }
}
process.exitCode = troubles.length === 0 ? 0 : 1
