/**
 * How the server ends: running turns get a little time, then they are stopped and everything closes; a second signal
 * skips the waiting.
 */
import { Chats } from "@boocode/chat"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { FleetView } from "../telemetry/FleetView.ts"

/** With the 6 s that servers get afterwards it all takes less than 10 s. */
const TURNS_GET = "2500 millis"
/** In a fleet servers and chats go to other nodes meanwhile, in 8 s. */
const TURNS_OF_A_NODE_GET = "7500 millis"

/** The signals that end the server, from before its first layer is built until its last one is released. */
export class Signals extends Context.Service<Signals, {
  readonly first: Deferred.Deferred<void>
  readonly second: Deferred.Deferred<void>
  /** Done when turns have had their time, so that streams that would go on for ever end in good order. */
  readonly last: Deferred.Deferred<void>
}>()("chat-server/Signals") {
  /**
   * Takes SIGINT, SIGTERM and SIGHUP (a closed terminal) from the listeners there were, and gives them back
   * afterwards: an interrupted program ends with an exit code of its own, and a second signal ends it at once, with its
   * servers still alive. For the same reason nothing here exits, however many signals come. `also` counts as a first
   * signal and never as a second.
   */
  static readonly layer = (also: Effect.Effect<void>) =>
    Layer.effect(
      Signals,
      Effect.gen(function*() {
        const first = yield* Deferred.make<void>()
        const second = yield* Deferred.make<void>()
        const last = yield* Deferred.make<void>()
        let count = 0
        const onSignal = () => {
          count += 1
          Deferred.doneUnsafe(count === 1 ? first : second, Effect.void)
        }
        yield* Effect.forEach(
          SIGNALS,
          (signal) => Effect.acquireRelease(take(signal, onSignal), restore(signal, onSignal))
        )
        yield* Effect.forkScoped(Effect.andThen(also, Deferred.succeed(first, undefined)))
        return Signals.of({ first, second, last })
      })
    )

  /** Never a signal: for a program that ends the server by itself. */
  static readonly layerNone = Layer.effect(
    Signals,
    Effect.gen(function*() {
      const never = yield* Deferred.make<void>()
      return Signals.of({ first: never, second: never, last: yield* Deferred.make<void>() })
    })
  )
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const
type Signal = typeof SIGNALS[number]

/**
 * One listener after the other, never none: Node drops a signal that arrived while the program was busy, loading for
 * example, when the last listener goes before the event loop hands the signal out.
 */
const take = (signal: Signal, onSignal: () => void) =>
  Effect.sync(() => {
    const others = process.listeners(signal)
    process.on(signal, onSignal)
    for (const other of others) process.off(signal, other)
    return others
  })

const restore = (signal: Signal, onSignal: () => void) => (others: ReadonlyArray<NodeJS.SignalsListener>) =>
  Effect.sync(() => {
    for (const other of others) process.on(signal, other)
    process.off(signal, onSignal)
  })

/** Runs until the first signal, then closes in good order and succeeds. */
export const untilSignal = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Signals, ({ first }) => Effect.raceFirst(Effect.asVoid(program), Deferred.await(first)))

/**
 * Built last, so released first: waits for running turns while everything they need is still there, interrupts those that
 * go on, and ends the event streams. A call that waits for a person and a queued turn go on at the next start.
 */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const chats = yield* Chats
  const { last, second } = yield* Signals
  const fleet = yield* FleetView
  const leaving = Effect.gen(function*() {
    if (fleet === null) return
    const isDone = yield* Effect.raceFirst(fleet.leave, Effect.as(Deferred.await(second), true))
    // The time is up: programs that are still there are killed instead of asked.
    if (!isDone) yield* Deferred.succeed(second, undefined)
  })
  yield* Effect.addFinalizer(() =>
    Effect.gen(function*() {
      const patience = Effect.sleep(fleet === null ? TURNS_GET : TURNS_OF_A_NODE_GET)
      const closing = chats.close(Effect.raceFirst(Deferred.await(second), patience))
      const [ran] = yield* Effect.all([closing, leaving], { concurrency: 2 })
      // Clients read the ends of these turns first.
      if (ran > 0) yield* Effect.sleep(LAST_PARTS)
      yield* Deferred.succeed(last, undefined)
    })
  )
}))

const LAST_PARTS = "100 millis"
