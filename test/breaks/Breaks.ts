/**
 * Tries the breaks of the table of requirements in a copy of the sources:
 *
 *     node test/breaks/Breaks.ts --all              every row that has one
 *     node test/breaks/Breaks.ts --random 10        some, by a seed of its own; --seed N takes the same again
 *     node test/breaks/Breaks.ts R4 R37             these
 *     node test/breaks/Breaks.ts --table            tries nothing, prints the table as Markdown
 *
 * `--jobs N` works in so many copies at a time (2). Exit code 1 when a proof stays green, or is not green without the break.
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { requirements } from "../requirements.ts"
import * as Table from "./Table.ts"
import * as Trials from "./Trials.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: "boolean", default: false },
    random: { type: "string" },
    seed: { type: "string" },
    jobs: { type: "string", default: "2" },
    table: { type: "boolean", default: false }
  }
})

const print = (line: string) => process.stdout.write(`${line}\n`)

const wanted = () => {
  const rows = Trials.breakable(requirements)
  if (values.all) return rows
  if (positionals.length > 0) return rows.filter(({ id }) => positionals.includes(id))
  const seed = Number(values.seed ?? Date.now() % 1_000_000)
  print(`seed ${seed}`)
  return Trials.choose(rows, Number(values.random ?? 10), seed)
}

const tell = ({ isRed, millis, row, words }: Trials.Trial) =>
  print(`${isRed ? "✓" : "✗"} ${row.id} ${(millis / 1000).toFixed(1)} s ${row.break.file}: ${words}`)

if (values.table) print(Table.markdown(requirements))
else {
  const rows = wanted()
  const { notGreen, red } = await Effect.runPromise(Trials.run(rows, Number(values.jobs), tell))
  const failed = red.filter(({ isRed }) => !isRed)
  for (const line of notGreen) print(`✗ without any break, ${line}`)
  for (const { row } of failed) print(`✗ ${row.id} stays green: ${row.break.find} → ${row.break.replace}`)
  print(`${red.length - failed.length} of ${rows.length} turned red, ${notGreen.length} not green before`)
  process.exitCode = rows.length > 0 && failed.length + notGreen.length === 0 ? 0 : 1
}
