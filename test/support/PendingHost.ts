/**
 * Makes calls that are never answered in time, and prints what is left of them, as JSON:
 * `PendingHost.ts calls|closes PLANS AT...`. `calls` cuts them off, half of them by interruption and half by their
 * timeout, 8 of each plan in flight, and measures when so many of each were; `closes` builds a registry, begins 8 calls of
 * each plan and closes it. With `--leak` it keeps something of each call on purpose. Needs `--expose-gc` and
 * `--no-flush-bytecode`.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { parseArgs } from "node:util"
import { queryObjects } from "node:v8"
import * as Census from "../soak/Census.ts"
import * as Zoo from "./Zoo.ts"

/** Calls of one tool of one server. */
export interface Plan {
  readonly entry: Zoo.Entry
  readonly tool: string
  readonly args: object
  /** A tool that is called, and answered, before all else. */
  readonly first?: string
}

/** What is there after so many calls of each plan, or closes. */
export interface Level {
  readonly at: number
  /**
   * How many objects of any kind are in memory after a collection. Unlike bytes, they do not grow while code is compiled. 0 of
   * `closes`: to count them takes longer than all else.
   */
  readonly objects: number
  readonly fibers: number
  readonly handles: Readonly<Record<string, number>>
}

export interface Report {
  readonly levels: ReadonlyArray<Level>
  /** What became of the calls of each plan, by reason. */
  readonly ends: ReadonlyArray<Readonly<Record<string, number>>>
}

const IN_FLIGHT = 8

const { positionals, values: { leak } } = parseArgs({
  allowPositionals: true,
  options: { leak: { type: "boolean", default: false } }
})
const [mode, given = "[]", ...marks] = positionals
const planned: ReadonlyArray<Plan> = JSON.parse(given)
const plans = planned.map((plan, index) => {
  const ends: Record<string, number> = {}
  return { ...plan, ends, server: `it${index}`, count: (end: string) => void (ends[end] = (ends[end] ?? 0) + 1) }
})
const entries: Zoo.Entries = Object.fromEntries(plans.map(({ entry, server }) => [server, entry]))
const kept: Array<unknown> = []

const level = (at: number): Level => ({
  at,
  fibers: Census.fibers(),
  objects: mode === "calls" ? queryObjects(Object, { format: "count" }) : 0,
  handles: Census.handles()
})

const isHttp = planned.some(({ entry }) => "url" in entry)

/** What fetch keeps goes by finalizers, which run between collections. */
const collected = Effect.repeat(Effect.andThen(Effect.sync(Census.heap), Effect.sleep("50 millis")), {
  times: isHttp ? 9 : 2
})

/** A look costs several collections, so a second one is taken only where the first one found more than there was. */
const settledLevel = Effect.fnUntraced(function*(at: number, first: Level | undefined) {
  const found = level(at)
  if (first === undefined) return found
  if (found.fibers <= first.fibers && Census.more(first.handles, found.handles).length === 0) return found
  yield* Census.settled(first)
  return level(at)
})

/** Does something so many times, and measures at each mark. */
const measure = <E>(concurrency: number, once: (number: number) => Effect.Effect<unknown, E>) =>
  Effect.gen(function*() {
    const levels: Array<Level> = []
    let done = 0
    for (const at of marks.map(Number)) {
      const numbers = Array.from({ length: at - done }, (_, index) => done + index)
      yield* Effect.forEach(numbers, once, { concurrency, discard: true })
      done = at
      // Answers that come late are part of it; idle sockets are kept for 4 s.
      yield* Effect.sleep(isHttp ? "6 seconds" : "1 second")
      yield* collected
      levels.push(yield* settledLevel(at, levels[0]))
    }
    return levels
  })

type Named = (typeof plans)[number]

const call = (registry: Zoo.Registry, { args, server, tool }: Named, options?: Parameters<Zoo.Registry["call"]>[2]) =>
  registry.call(`${server}_${tool}`, args, options).pipe(
    Effect.match({ onFailure: ({ reason }) => reason._tag, onSuccess: () => "answered" })
  )

const cutOff = Effect.fnUntraced(function*(registry: Zoo.Registry, plan: Named, number: number) {
  if (leak) kept.push({ of: [number] })
  if (number % 2 === 0) return plan.count(yield* call(registry, plan, { timeout: Duration.millis(10) }))
  const fiber = yield* Effect.forkChild(call(registry, plan))
  yield* Effect.sleep("10 millis")
  const started = performance.now()
  yield* Fiber.interrupt(fiber)
  plan.count(performance.now() - started < 1000 ? "interrupted" : "interrupted late")
})

const calls = Zoo.withRegistry(entries, ({ registry }) =>
  Effect.gen(function*() {
    yield* registry.settled
    for (const { first, server } of plans) if (first !== undefined) yield* registry.call(`${server}_${first}`, {})
    return yield* measure(
      IN_FLIGHT,
      (number) => Effect.forEach(plans, (plan) => cutOff(registry, plan, number), { concurrency: "unbounded" })
    )
  }))

const closes = measure(1, () =>
  Effect.gen(function*() {
    if (leak) kept.push(Effect.runFork(Effect.never))
    const begun = yield* Zoo.withRegistry(entries, ({ registry }) =>
      Effect.gen(function*() {
        yield* registry.settled
        const fibers = yield* Effect.forEach(
          plans.flatMap((plan) => Array.from({ length: IN_FLIGHT }, () => plan)),
          (plan) => Effect.forkDetach(Effect.map(call(registry, plan), plan.count))
        )
        yield* Effect.sleep("20 millis")
        return fibers
      }))
    yield* Fiber.joinAll(begun)
  }))

const levels = await Effect.runPromise(mode === "calls" ? calls : closes)
process.stdout.write(JSON.stringify({ levels, ends: plans.map(({ ends }) => ends) } satisfies Report))
