/** Runs a program of the soak in a process of its own, which may ask for collections. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

/** As in the script `soak` of package.json. */
const FLAGS = ["--expose-gc", "--no-flush-bytecode", "--disable-warning=ExperimentalWarning"]

/** Runs it to its end; interruption ends it. */
export const run = (
  name: "Soak" | "SlopeHost",
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
) =>
  Effect.gen(function*() {
    const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url))
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [...FLAGS, file, ...args], {
          env: { ...process.env, ...env },
          stdio: ["ignore", "pipe", "pipe"]
        })
      ),
      (child) =>
        Effect.promise(async () => {
          if (child.exitCode !== null || child.signalCode !== null) return
          const closed = once(child, "close")
          // It takes down what it started, which takes 6 s at most.
          child.kill("SIGTERM")
          setTimeout(() => child.kill("SIGKILL"), 10_000).unref()
          await closed
        })
    )
    const seen = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => seen.stdout += text)
    child.stderr.setEncoding("utf8").on("data", (text: string) => seen.stderr += text)
    const [code]: ReadonlyArray<unknown> = yield* Effect.promise(() => once(child, "close"))
    return { ...seen, code }
  }).pipe(Effect.scoped)
