/** One run of the official suite against a client, and what it says of each scenario. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** What is run: the frozen set of a revision, at that revision's wire, or everything there is (`all`). */
export type Selection = "2025-11-25" | "2026-07-28" | "all"

export const SELECTIONS: ReadonlyArray<Selection> = ["2025-11-25", "2026-07-28", "all"]

/** How a scenario went, by the word of the suite. */
export interface Verdict {
  readonly scenario: string
  /** No check of it failed, and at least one passed. */
  readonly isPassed: boolean
  /** Whether it counts towards conformance with the revision. */
  readonly isScored: boolean
  /** The checks that failed or warned, and what the client said last. */
  readonly trouble: ReadonlyArray<string>
}

interface Check {
  readonly id: string
  readonly status: string
  readonly name: string
  readonly errorMessage?: string
}

/** A scenario that takes longer failed; it waits for its turn in this time too. */
const LIMIT_MILLIS = 120_000

const PROGRAM = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/dist/index.js")

/** In the order of the suite. */
export const run = (selection: Selection, command: string): Effect.Effect<ReadonlyArray<Verdict>> =>
  Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "boocode-conformance-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const flag = selection === "all" ? "--suite" : "--requirements"
    const printed = yield* printedBy([flag, selection, "--command", command, "-o", folder])
    return verdicts(printed, troubles(folder), selection !== "all")
  }).pipe(Effect.scoped)

/** The scenarios that a revision asks of servers, of the server at this address. */
export const runServer = (
  revision: Exclude<Selection, "all">,
  url: string
): Effect.Effect<ReadonlyArray<Verdict>> =>
  Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "boocode-conformance-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const printed = yield* printedBy(["--requirements", revision, "--url", url, "-o", folder], "server")
    return verdicts(printed, troubles(folder, "server-"), true)
  }).pipe(Effect.scoped)

const printedBy = (args: ReadonlyArray<string>, side: "client" | "server" = "client") =>
  Effect.acquireUseRelease(
    Effect.sync(() =>
      spawn(process.execPath, [PROGRAM, side, "--timeout", String(LIMIT_MILLIS), ...args], {
        stdio: ["ignore", "pipe", "ignore"]
      })
    ),
    (child) =>
      Effect.promise(async () => {
        let text = ""
        child.stdout.setEncoding("utf8").on("data", (chunk: string) => text += chunk)
        await once(child, "close")
        return text
      }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** `✓ scenario: 2 passed, 0 failed` for each, and further down `  ✗ scenario (extension)` for those that do not count. */
const verdicts = (
  printed: string,
  trouble: ReadonlyMap<string, ReadonlyArray<string>>,
  isSet: boolean
): ReadonlyArray<Verdict> => {
  const unscored = new Set([...printed.matchAll(/^ +[✓✗] (\S+) \(/gm)].map(([, scenario]) => scenario))
  return [...printed.matchAll(/^([✓✗]) (\S+): (\d+) passed/gm)].map(([, mark, scenario = "", passed]) => {
    const isPassed = mark === "✓" && passed !== "0"
    return {
      scenario,
      isPassed,
      isScored: isSet && !unscored.has(scenario),
      trouble: isPassed ? [] : trouble.get(scenario) ?? ["the suite kept nothing of it"]
    }
  })
}

/** By scenario; each has a folder `scenario-TIME`, where a slash of its name is one of the path. */
const troubles = (folder: string, prefix = ""): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith("checks.json"))
      .map((path) => {
        const scenario = path.slice(prefix.length).replace(/-\d{4}-\d\d-\d\dT[^/\\]*[/\\]checks\.json$/, "").replaceAll(
          "\\",
          "/"
        )
        const checks: ReadonlyArray<Check> = JSON.parse(readFileSync(join(folder, path), "utf8"))
        const stderr = join(folder, path, "../stderr.txt")
        const said = existsSync(stderr) ? readFileSync(stderr, "utf8").trim() : ""
        return [scenario, [...checks.flatMap(complaint), ...(said === "" ? [] : [`the client: ${said}`])]]
      })
  )

const complaint = ({ errorMessage, id, name, status }: Check): ReadonlyArray<string> =>
  status === "FAILURE" || status === "WARNING" || status === "SKIPPED"
    ? [`${id} ${name} ${errorMessage ?? ""}`.trim()]
    : []
