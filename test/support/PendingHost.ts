/**
 * Makes calls that are never answered in time, and prints what is left of them, as JSON:
 * `PendingHost.ts calls|closes ENTRY TOOL ARGS AT...`. `calls` cuts them off, half of them by interruption and half by
 * their timeout, 8 in flight, and measures when so many were; `closes` builds a registry, begins 8 calls and closes it.
 * `--first TOOL` is called, and answered, before all else. With `--leak` it keeps something of each call on purpose. Needs `--expose-gc` and `--no-flush-bytecode`.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { parseArgs } from "node:util"
import { queryObjects } from "node:v8"
import * as Census from "../soak/Census.ts"
import * as Zoo from "./Zoo.ts"

/** What is there after so many calls or closes. */
export interface Level {
  readonly at: number
  /** How many objects of any kind are in memory after a collection. Unlike bytes, they do not grow while code is compiled. */
  readonly objects: number
  readonly fibers: number
  readonly handles: Readonly<Record<string, number>>
}

/** What became of the calls, by reason. */
export interface Report {
  readonly levels: ReadonlyArray<Level>
  readonly ends: Readonly<Record<string, number>>
}

const IN_FLIGHT = 8

const { positionals, values: { first, leak } } = parseArgs({
  allowPositionals: true,
  options: { leak: { type: "boolean", default: false }, first: { type: "string" } }
})
const [mode, entry = "{}", tool = "", args = "{}", ...marks] = positionals
const entries: Zoo.Entries = { it: JSON.parse(entry) }
const kept: Array<unknown> = []
const ends: Record<string, number> = {}
const count = (end: string) => Effect.sync(() => void (ends[end] = (ends[end] ?? 0) + 1))

const level = (at: number): Level => ({
  at,
  fibers: Census.fibers(),
  objects: queryObjects(Object, { format: "count" }),
  handles: Census.handles()
})

const isHttp = entry.includes("url")

/** What fetch keeps goes by finalizers, which run between collections. */
const collected = Effect.repeat(Effect.andThen(Effect.sync(Census.heap), Effect.sleep("50 millis")), {
  times: isHttp ? 9 : 2
})

/** Does something so many times, and measures at each mark. */
const measure = <E>(concurrency: number, once: (number: number) => Effect.Effect<void, E>) =>
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
      if (levels[0] !== undefined) yield* Census.settled(levels[0])
      levels.push(level(at))
    }
    return levels
  })

const call = (registry: Zoo.Registry, options?: Parameters<Zoo.Registry["call"]>[2]) =>
  registry.call(`it_${tool}`, JSON.parse(args), options).pipe(
    Effect.match({ onFailure: ({ reason }) => reason._tag, onSuccess: () => "answered" })
  )

const cutOff = Effect.fnUntraced(function*(registry: Zoo.Registry, number: number) {
  if (leak) kept.push({ of: [number] })
  if (number % 2 === 0) return yield* Effect.flatMap(call(registry, { timeout: Duration.millis(10) }), count)
  const fiber = yield* Effect.forkChild(call(registry))
  yield* Effect.sleep("10 millis")
  const started = performance.now()
  yield* Fiber.interrupt(fiber)
  yield* count(performance.now() - started < 1000 ? "interrupted" : "interrupted late")
})

const calls = Zoo.withRegistry(entries, ({ registry }) =>
  Effect.gen(function*() {
    yield* registry.settled
    if (first !== undefined) yield* registry.call(`it_${first}`, {})
    return yield* measure(IN_FLIGHT, (number) => cutOff(registry, number))
  }))

const closes = measure(1, () =>
  Effect.gen(function*() {
    if (leak) kept.push(Effect.runFork(Effect.never))
    const begun = yield* Zoo.withRegistry(entries, ({ registry }) =>
      Effect.gen(function*() {
        yield* registry.settled
        const fibers = yield* Effect.forEach(
          Array.from({ length: IN_FLIGHT }),
          () => Effect.forkDetach(call(registry))
        )
        yield* Effect.sleep("20 millis")
        return fibers
      }))
    for (const end of yield* Fiber.joinAll(begun)) yield* count(end)
  }))

const levels = await Effect.runPromise(mode === "calls" ? calls : closes)
process.stdout.write(JSON.stringify({ levels, ends } satisfies Report))
