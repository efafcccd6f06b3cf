/**
 * Runs vitest with the arguments it was given and ends with the line `N passed, N failed`. `--long` runs the tests that
 * have a larger size, in that size.
 *
 * `--again` runs up to five files that failed once more, alone, and counts their second result. It names each file, so that a
 * test that depends on what else the machine does stays visible.
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
const isAgain = process.argv.includes("--again")
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

const isCommandBuilt = CommandBuild.ensure()

const OWN_FLAGS = new Set(["--long", "--again"])

const startVitest = (files) =>
  spawn(process.execPath, [
    join(root, "node_modules", "vitest", "vitest.mjs"),
    "run",
    `--config=${join(root, "test", "vitest.config.ts")}`,
    "--reporter=default",
    `--reporter=${join(root, "scripts", "SummaryReporter.mjs")}`,
    ...process.argv.slice(2).filter((argument) => !OWN_FLAGS.has(argument)),
    ...files
  ], {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      ...(isLong ? { BOOCODE_TEST_LONG: "1" } : {}),
      BOOCODE_TEST_SUMMARY: summaryFile,
      // The command as people run it, which starts in two thirds of the time that its sources take.
      ...(isCommandBuilt ? { BOOCODE_TEST_COMMAND: "apps/cli/dist/main.mjs" } : {}),
      // Most of what a command costs is compiling the same modules once more, and the tests start hundreds.
      NODE_COMPILE_CACHE: compiled,
      BOOCODE_TEST_COMPILED: compiledFlag
    }
  })

let vitest
let isStopped = false

// Ctrl-C reaches vitest by itself, as it is in the same group; this process only waits for it.
process.on("SIGINT", () => {
  isStopped = true
})
process.on("SIGTERM", () => {
  isStopped = true
  vitest?.kill("SIGTERM")
})

const readSummary = () => {
  try {
    return JSON.parse(readFileSync(summaryFile, "utf8"))
  } catch {
    return { passed: 0, failed: 0, again: [] } // vitest ended before it could write one
  }
}

/** The counts of one run. A run that crashed, or that ran no test, has at least one failure. */
const run = (files) => {
  rmSync(summaryFile, { force: true })
  const { promise, resolve } = Promise.withResolvers()
  const finish = (isSuccess) => {
    const { again, failed, passed } = readSummary()
    const isBad = !isSuccess || passed === 0
    resolve({ passed, failed: isBad ? Math.max(failed, 1) : failed, again })
  }
  vitest = startVitest(files)
  vitest.on("error", (error) => {
    process.stderr.write(`vitest did not start: ${error.message}\n`)
    finish(false)
  })
  vitest.on("close", (code) => finish(code === 0))
  return promise
}

/** A run that was stopped, or that broke in many places, says what it says. */
const isWorthAnother = ({ again }) => isAgain && !isStopped && again.length > 0 && again.length <= 5

const runAgain = async (first) => {
  const names = first.again.map(({ file }) => file).join(", ")
  process.stdout.write(`\nThese failed and run once more, alone: ${names}\n`)
  const second = await run(["--no-file-parallelism", ...first.again.map(({ file }) => join(root, file))])
  if (second.failed === 0) process.stdout.write(`\nUNSTEADY, failed once and then passed: ${names}\n`)
  return {
    passed: first.passed - first.again.reduce((sum, { passed }) => sum + passed, 0) + second.passed,
    failed: second.failed
  }
}

const first = await run([])
const { failed, passed } = isWorthAnother(first) ? await runAgain(first) : first
rmSync(folder, { recursive: true, force: true })
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
