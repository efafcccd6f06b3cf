/** Programs as a compiler of TypeScript sees them. */
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { CHECKOUT } from "./Command.ts"

const OPTIONS = [
  "--noEmit",
  "--strict",
  "--target",
  "ES2024",
  "--lib",
  "ES2024,DOM",
  "--types",
  "",
  "--pretty",
  "false"
]

/** Compiles these files together, and gives what the compiler says; empty when it is content. */
export const compile = (folder: string, files: Readonly<Record<string, string>>): Effect.Effect<string> =>
  Effect.promise(() => {
    const place = join(folder, "typed")
    mkdirSync(place, { recursive: true })
    for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), text)
    const tsc = join(CHECKOUT, "node_modules/.bin/tsc")
    return new Promise<string>((resolve) => {
      execFile(
        tsc,
        [...OPTIONS, ...Object.keys(files)],
        { cwd: place },
        (_, stdout, stderr) => resolve(stdout + stderr)
      )
    })
  })
