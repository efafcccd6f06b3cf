/**
 * Runs every static check, in order of speed, also after one failed, and ends with the line `N passed, N failed`.
 */
import { dirname, join, resolve } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import * as Shell from "./Shell.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const bin = join(root, "node_modules", ".bin")

/** The compiler with Effect's own diagnostics: one look at all sources finds both. */
const { stdout: compiler } = Shell.run(join(bin, "effect-tsgo"), ["get-exe-path"], { cwd: root, encoding: "utf8" })

const checks = {
  format: ["dprint", "check"],
  lint: ["oxlint"],
  floors: ["node", join(root, "scripts", "Floors.mjs")],
  "types and effects": [compiler.trim(), "-p", "."],
  page: ["tsc", "-p", join(root, "apps", "web")]
}

const run = ([command, ...args]) =>
  Shell.run(resolve(bin, command), args, {
    cwd: root,
    stdio: "inherit"
  }).status === 0

const failed = Object.entries(checks).filter(([name, command]) => {
  const started = performance.now()
  const isGood = run(command)
  process.stdout.write(`${isGood ? "✓" : "✗"} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)\n`)
  return !isGood
})

process.stdout.write(`\n${Object.keys(checks).length - failed.length} passed, ${failed.length} failed\n`)
process.exitCode = failed.length === 0 ? 0 : 1
