/**
 * The client as one process for all scenarios: starting one for each takes longer than all the scenarios do. Each of
 * them has a registry of its own.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { constants, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Scenarios from "./Scenarios.ts"
import * as Visiting from "./Visiting.ts"

/** The suite starts all scenarios at the same time; so many have their turn together. */
const TOGETHER = 4

/** It measures how long the client waits, to 200 ms, so nothing else may run beside it. */
export const ALONE: ReadonlyArray<string> = ["sse-retry"]

/** The command that leaves a scenario to this process, until the scope closes. */
export const command = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "boocode-resident-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const turns = yield* Semaphore.make(TOGETHER)
  const seen = new Set<string>()
  const take = Effect.suspend(() => {
    const found = readdirSync(folder).filter((name) => !seen.has(name) && isAsked(join(folder, name)))
    for (const name of found) seen.add(name)
    return Effect.forEach(found, (name) => Effect.forkScoped(serve(turns, join(folder, name))))
  })
  yield* Effect.forkScoped(Effect.repeat(take, Schedule.spaced("20 millis")))
  return `sh "${fileURLToPath(new URL("errand.sh", import.meta.url))}" "${folder}"`
})

const isAsked = (visit: string): boolean => readdirSync(visit).includes("question")

const serve = (turns: Semaphore.Semaphore, visit: string) =>
  Effect.gen(function*() {
    const found = yield* read(visit)
    const permits = ALONE.includes(found.scenario) ? TOGETHER : 1
    yield* Semaphore.withPermits(turns, permits)(Visiting.run(found))
  }).pipe(
    Effect.scoped,
    Effect.exit,
    Effect.flatMap((exit) => answer(visit, Exit.isSuccess(exit) ? "0\n" : `1\n${Cause.pretty(exit.cause)}\n`))
  )

const Context = Schema.fromJsonString(Scenarios.Visit.fields.context)

const read = Effect.fnUntraced(function*(visit: string) {
  const [scenario = "", url = "", context = ""] = readFileSync(join(visit, "question"), "utf8").split("\n")
  return { scenario, url, context: yield* Schema.decodeEffect(Context)(context) }
})

/** Nobody reads yet in the first moment, and never when the suite has given up. */
const answer = (visit: string, text: string) =>
  Effect.tryPromise(async () => {
    const pipe = await open(join(visit, "answer"), constants.O_WRONLY | constants.O_NONBLOCK)
    await pipe.writeFile(text)
    await pipe.close()
  }).pipe(
    Effect.retry(Schedule.spaced("50 millis").pipe(Schedule.upTo({ duration: "10 seconds" }))),
    Effect.ignore
  )
