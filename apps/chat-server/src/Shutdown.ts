/**
 * How the server ends: running turns get a little time, then everything closes; a second signal skips the waiting.
 */
import { Chats } from "@boocode/chat"
import { McpRegistry } from "@boocode/mcp-registry"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"

const TURNS_GET = "4 seconds"

/** The signals that end the server, from before its first layer is built until its last one is released. */
export class Signals extends Context.Service<Signals, {
  readonly first: Deferred.Deferred<void>
  readonly second: Deferred.Deferred<void>
  /** Outlives every layer that is built on this service. */
  readonly scope: Scope.Scope
}>()("chat-server/Signals") {
  /**
   * Takes SIGINT, SIGTERM and SIGHUP (a closed terminal) away from whoever listened to them before, and gives them back
   * afterwards: an interrupted program ends with an exit code of its own, and a second signal ends it at once, with its
   * servers still alive.
   */
  static readonly layer = Layer.effect(
    Signals,
    Effect.gen(function*() {
      const first = yield* Deferred.make<void>()
      const second = yield* Deferred.make<void>()
      let count = 0
      const onSignal = () => {
        count += 1
        Deferred.doneUnsafe(count === 1 ? first : second, Effect.void)
        if (count > 2) process.exit(1)
      }
      yield* Effect.forEach(SIGNALS, (signal) => Effect.acquireRelease(take(signal, onSignal), restore(signal)))
      return Signals.of({ first, second, scope: yield* Effect.scope })
    })
  )

  /** Never a signal: for a program that ends the server by itself. */
  static readonly layerNone = Layer.effect(
    Signals,
    Effect.gen(function*() {
      const never = yield* Deferred.make<void>()
      return Signals.of({ first: never, second: never, scope: yield* Effect.scope })
    })
  )
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const
type Signal = typeof SIGNALS[number]

const take = (signal: Signal, onSignal: () => void) =>
  Effect.sync(() => {
    const others = process.listeners(signal)
    process.removeAllListeners(signal)
    process.on(signal, onSignal)
    return others
  })

const restore = (signal: Signal) => (others: ReadonlyArray<NodeJS.SignalsListener>) =>
  Effect.sync(() => {
    process.removeAllListeners(signal)
    for (const other of others) process.on(signal, other)
  })

/** Runs until the first signal, then closes in good order and succeeds. */
export const untilSignal = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Signals, ({ first }) => Effect.raceFirst(Effect.asVoid(program), Deferred.await(first)))

/** Built last, so released first: waits for running turns while everything they need is still there. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const chats = yield* Chats
  const registry = yield* McpRegistry
  const { scope, second } = yield* Signals
  // In the outer scope, because servers are still closing when this layer's own scope is gone.
  yield* Effect.forkIn(Effect.andThen(Deferred.await(second), killServers(registry)), scope)
  const isIdle = Effect.map(chats.list, (all) => all.every((chat) => chat.running === null))
  yield* Effect.addFinalizer(() =>
    Effect.repeat(isIdle, { until: (idle) => idle, schedule: Schedule.spaced("50 millis") }).pipe(
      Effect.raceFirst(Deferred.await(second)),
      Effect.timeoutOption(TURNS_GET)
    )
  )
}))

// The registry closes a server politely, which takes up to 6 s; a killed one is gone at once.
const killServers = Effect.fnUntraced(function*(registry: typeof McpRegistry.Service) {
  for (const { pid } of yield* registry.servers) {
    // One that ended by itself is no error.
    if (pid !== null) yield* Effect.ignore(Effect.try(() => process.kill(-pid, "SIGKILL")))
  }
})
