/**
 * Runs a program of a model that waits for a person. `SnapshotHost.ts save FILE` prints `saved` once the program is in the file,
 * and waits on; `SnapshotHost.ts load FILE` answers the person's part, and prints the outcome as JSON.
 */
import * as NodeSandbox from "@boocode/mcp-node/NodeSandbox"
import { type Program, type ProgramCall, Sandbox } from "@boocode/toolkit/code"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import * as Installation from "../../apps/chat-server/src/settings/Installation.ts"

const SOURCE = `
const rows: Array<{ name: string; size: number }> = await disk.list()
const big = new Map(rows.filter((row) => row.size > 5).map((row) => [row.name, row]))
console.log("big", big.size)
const kept: string[] = []
for (const [name] of big) {
  try {
    if (await disk.delete({ name })) kept.push(name)
  } catch (error) {
    console.log(error.message)
  }
}
return kept`

const [mode = "", file = ""] = process.argv.slice(2)

const rows = Array.from({ length: 100 }, (_, index) => ({ name: `file ${index}`, size: index % 10 }))

const answer = ({ id, name, waiting }: ProgramCall) => {
  if (name === "disk_list") return Effect.succeed({ value: rows })
  if (id !== 5) return id === 7 ? Effect.succeed({ error: "it is in use" }) : Effect.succeed({ value: true })
  return mode === "save" ? Effect.andThen(waiting(true), Effect.never) : Effect.succeed({ value: true })
}

const program: Program = {
  source: mode === "save" ? SOURCE : "return 'not me'",
  functions: ["list", "delete"].map((tool) => ({ server: "disk", tool, name: `disk_${tool}` })),
  describe: () => Effect.succeed(""),
  call: answer,
  onSnapshot: (snapshot) =>
    Effect.sync(() => {
      writeFileSync(file, snapshot)
      process.stdout.write(`saved ${snapshot.length}\n`)
    }),
  limits: { parkMillis: 50 },
  ...mode === "load" && { from: readFileSync(file) }
}

const outcome = await Effect.runPromise(
  Sandbox.use((sandbox) => sandbox.run(program)).pipe(Effect.provide(NodeSandbox.layer(Installation.sandbox)))
)
process.stdout.write(`${JSON.stringify(outcome)}\n`)
