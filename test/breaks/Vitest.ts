/** Runs chosen tests of a copy of the sources, in a process of their own and for a limited time. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Proof } from "../requirements/Requirement.ts"

/** How one proof went: `absent` when no such test ran, because the file could not even be read, for instance. */
export type Outcome = "passed" | "failed" | "absent"

export interface Run {
  /** Of each proof, in order; null when the time was up before there was a report. */
  readonly outcomes: ReadonlyArray<Outcome> | null
  /** The first message of a failure, or the end of what was printed. */
  readonly words: string
}

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly message: string
    readonly assertionResults: ReadonlyArray<{
      readonly title: string
      readonly status: string
      readonly failureMessages: ReadonlyArray<string> | null
    }>
  }>
}

/** Whether a proof runs real processes and sockets. */
export const isLive = ({ file }: Proof): boolean => file.startsWith("test/")

let runs = 0

/** Runs the tests that these proofs name; those of packages have so long each, which their project says otherwise. */
export const run = (
  root: string,
  proofs: ReadonlyArray<Proof>,
  limitMillis: number,
  packageMillis: number | null = null
): Effect.Effect<Run> =>
  Effect.gen(function*() {
    const report = join(root, `report-${++runs}.json`)
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => launch(root, proofs, report, packageMillis)),
      ({ pid }) => Effect.sync(() => killGroup(pid))
    )
    const printed = { text: "" }
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => printed.text = (printed.text + text).slice(-2000))
    }
    yield* Effect.promise(() => once(child, "close")).pipe(Effect.timeoutOption(limitMillis))
    if (!existsSync(report)) return { outcomes: null, words: printed.text }
    const { testResults }: Report = JSON.parse(readFileSync(report, "utf8"))
    rmSync(report)
    return read(root, testResults, proofs)
  }).pipe(Effect.scoped)

const launch = (root: string, proofs: ReadonlyArray<Proof>, report: string, packageMillis: number | null) => {
  // What the vitest around this one says to its workers is not meant for this one, which tries the copy's own sources.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      !/^(VITEST|TEST$|VITE_|NODE_ENV$|BOOCODE_TEST_COMMAND$|BOOCODE_TEST_LONG$)/.test(name)
    )
  )
  const names = [...new Set(proofs.map(({ test }) => test.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")))]
  return spawn(process.execPath, [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    `--config=${join(root, "test/vitest.config.ts")}`,
    "--reporter=json",
    `--outputFile=${report}`,
    ...(packageMillis === null || proofs.some(isLive) ? [] : [`--testTimeout=${packageMillis}`]),
    ...new Set(
      proofs.flatMap((proof) => isLive(proof) ? ["--project=live", "--project=alone"] : ["--project=packages"])
    ),
    "-t",
    names.join("|"),
    ...new Set(proofs.map(({ file }) => file))
  ], { cwd: root, detached: true, env, stdio: ["ignore", "pipe", "pipe"] })
}

const read = (root: string, results: Report["testResults"], proofs: ReadonlyArray<Proof>): Run => {
  const testsOf = ({ file, test }: Proof) =>
    results.filter(({ name }) => name === join(root, file))
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status, title }) => title.includes(test) && (status === "passed" || status === "failed"))
  const outcomes = proofs.map((proof): Outcome => {
    const tests = testsOf(proof)
    if (tests.length === 0) return "absent"
    return tests.some(({ status }) => status === "failed") ? "failed" : "passed"
  })
  const messages = proofs.flatMap(testsOf).flatMap(({ failureMessages }) => failureMessages ?? [])
  const words = [...messages, ...results.map(({ message }) => message)].find((text) => text !== "") ?? ""
  return { outcomes, words }
}

const killGroup = (pid: number | undefined) => {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch {
    // All of it has ended by itself.
  }
}
