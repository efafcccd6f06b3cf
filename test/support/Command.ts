/** The real `boocode` command as a child process, with an environment of its own. */
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

export const CHECKOUT = fileURLToPath(new URL("../../", import.meta.url))

/** Where commands keep their state unless a test says otherwise: never in the folder they run in. */
export const STATE = join(tmpdir(), `boocode-state-${process.pid}`)

/** The command as the test run built it; from its sources where a test runs by itself. */
export const MAIN = process.env["BOOCODE_TEST_COMMAND"] ?? "apps/cli/src/main.ts"

/** What the test run has compiled already, so that each command need not compile it again. */
const { NODE_COMPILE_CACHE } = process.env
export const COMPILED: Readonly<Record<string, string>> = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }

export interface Ended {
  readonly stdout: string
  readonly stderr: string
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Options {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** The whole of it; null leaves it open. Default: empty. */
  readonly stdin?: string | null
  /** The program that is run, below the checkout if its path is relative. Default: the command itself. */
  readonly program?: string
}

export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** What came on a stream so far. */
  readonly seen: { stdout: string; stderr: string }
}

/** Starts it without waiting. It is killed when the scope closes, should it still run then. */
export const start = (args: ReadonlyArray<string>, options: Options = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => launch(args, options)),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** Runs it to its end. */
export const run = (args: ReadonlyArray<string>, options: Options = {}) =>
  Effect.scoped(Effect.flatMap(start(args, options), ({ ended }) => Effect.promise(() => ended)))

const launch = (args: ReadonlyArray<string>, options: Options): Running => {
  const child = spawn(process.execPath, [resolve(CHECKOUT, options.program ?? MAIN), ...args], {
    cwd: options.cwd ?? tmpdir(),
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: options.cwd ?? tmpdir(),
      BOOCODE_STATE_DIR: STATE,
      ...COMPILED,
      ...options.env
    },
    stdio: "pipe"
  })
  const seen = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    seen.stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    seen.stderr += text
  })
  // A command that ends without reading its input is no trouble of the test.
  child.stdin.on("error", () => {})
  if (options.stdin !== null) child.stdin.end(options.stdin ?? "")
  const ended = once(child, "close").then(([code, signal]: ReadonlyArray<unknown>) => ({
    ...seen,
    code: typeof code === "number" ? code : null,
    signal: isSignal(signal) ? signal : null
  }))
  return { child, ended, seen }
}

const isSignal = (value: unknown): value is NodeJS.Signals => typeof value === "string"

/** A folder with these files, gone when the scope closes. */
export const folder = (files: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const root = mkdtempSync(join(tmpdir(), "boocode-cli-"))
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(root, name)), { recursive: true })
        await writeFile(join(root, name), text)
      }
      return root
    }),
    (root) => Effect.sync(() => rmSync(root, { recursive: true, force: true }))
  )
