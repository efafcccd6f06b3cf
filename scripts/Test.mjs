/**
 * Runs vitest with the arguments it was given and ends with the line `N passed, N failed`. `--long` runs the tests that
 * have a larger size, in that size.
 *
 * Skipped tests count as failed. A run that crashed, or that ran no test, failed.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import * as CommandBuild from "./CommandBuild.mjs"
import * as WebBuild from "./WebBuild.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const isLong = process.argv.includes("--long")
const folder = mkdtempSync(join(tmpdir(), "boocode-test-"))
const summaryFile = join(folder, "summary.json")
const compiled = join(folder, "compiled")

// For servers, which inherit no variable of ours. Those that are killed would keep nothing of what they compiled.
const compiledFlag = join(folder, "compiled.cjs")
writeFileSync(
  compiledFlag,
  `const { enableCompileCache, flushCompileCache } = require("node:module")
enableCompileCache(${JSON.stringify(compiled)})
setTimeout(flushCompileCache, 500).unref()
`
)

// Many tests start the server, which has a page to serve.
if (!WebBuild.ensure()) {
  rmSync(folder, { recursive: true, force: true })
  process.stdout.write("\n0 passed, 1 failed\n")
  process.exit(1)
}

const vitest = spawn(process.execPath, [
  join(root, "node_modules", "vitest", "vitest.mjs"),
  "run",
  `--config=${join(root, "test", "vitest.config.ts")}`,
  "--reporter=default",
  `--reporter=${join(root, "scripts", "SummaryReporter.mjs")}`,
  ...process.argv.slice(2).filter((argument) => argument !== "--long")
], {
  cwd: root,
  stdio: "inherit",
  env: {
    ...process.env,
    ...(isLong ? { BOOCODE_TEST_LONG: "1" } : {}),
    BOOCODE_TEST_SUMMARY: summaryFile,
    // The command as people run it, which starts in two thirds of the time that its sources take.
    ...(CommandBuild.ensure() ? { BOOCODE_TEST_COMMAND: "apps/cli/dist/main.mjs" } : {}),
    // Most of what a command costs is compiling the same modules once more, and the tests start hundreds.
    NODE_COMPILE_CACHE: compiled,
    BOOCODE_TEST_COMPILED: compiledFlag
  }
})

// Ctrl-C reaches vitest by itself, as it is in the same group; this process only waits for it.
process.on("SIGINT", () => {})
process.on("SIGTERM", () => vitest.kill("SIGTERM"))

const readSummary = () => {
  try {
    return JSON.parse(readFileSync(summaryFile, "utf8"))
  } catch {
    return { passed: 0, failed: 0 } // vitest ended before it could write one
  }
}

const finish = (isSuccess) => {
  const { failed, passed } = readSummary()
  rmSync(folder, { recursive: true, force: true })
  const isBad = !isSuccess || passed === 0
  const count = isBad ? Math.max(failed, 1) : failed
  process.stdout.write(`\n${passed} passed, ${count} failed\n`)
  process.exitCode = count === 0 ? 0 : 1
}

vitest.on("error", (error) => {
  process.stderr.write(`vitest did not start: ${error.message}\n`)
  finish(false)
})
vitest.on("close", (code) => finish(code === 0))
