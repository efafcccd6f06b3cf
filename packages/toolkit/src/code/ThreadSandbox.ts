/** The sandbox whose programs run in threads, each alone in one while it does not wait for people. */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Pool from "effect/Pool"
import * as ProgramRun from "./ProgramRun.ts"
import { ProgramThreads } from "./ProgramThreads.ts"
import { Sandbox } from "./Sandbox.ts"

/** So many programs run at the same time. Those that wait for people have no thread and are not counted. */
const THREADS = 8

/** A thread that no program came for is ended after this, or up to twice as long. */
const IDLE = "5 minutes"

/** The sandbox. Its first program starts the first thread. The end of its scope interrupts those that run it. */
export const layer: Layer.Layer<Sandbox, never, ProgramThreads> = Layer.effect(
  Sandbox,
  Effect.gen(function*() {
    const { start } = yield* ProgramThreads
    const pool = yield* Pool.makeWithTTL({ acquire: start, min: 0, max: THREADS, timeToLive: IDLE })
    const closing = yield* Latch.make()
    // The pool waits for its threads, so what has them ends first.
    yield* Effect.addFinalizer(() => closing.open)
    const closed = Effect.andThen(closing.await, Effect.interrupt)
    return Sandbox.of({ run: (program) => Effect.raceFirst(ProgramRun.run(pool, program), closed) })
  })
)
