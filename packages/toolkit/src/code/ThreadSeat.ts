/** A thread, as long as one program has it. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberHandle from "effect/FiberHandle"
import * as Pool from "effect/Pool"
import * as Scope from "effect/Scope"
import type { ProgramThread, ThreadListener, ThreadLost } from "./ProgramThreads.ts"
import type { ToThread } from "./ThreadMessages.ts"

/** A thread that one program has. The end of the scope it was taken in ends the thread, unless the program left it before. */
export interface ThreadSeat {
  readonly build: string
  /** Tells the thread something that it answers. `overdue` is called, by a plain call, when no answer comes in time. */
  readonly ask: (message: ToThread, millis: number, overdue: () => void) => Effect.Effect<void>
  /** To be called when it has answered. */
  readonly answered: Effect.Effect<void>
  /** Gives the thread to others, which has forgotten the program; or ends it. */
  readonly leave: (isUsable: boolean) => Effect.Effect<void>
  /** Has it forget the program, and gives it to others. */
  readonly drop: Effect.Effect<void>
}

/** Waits for a thread that is free. */
export const take = (
  pool: Pool.Pool<ProgramThread, ThreadLost>,
  listener: ThreadListener
): Effect.Effect<ThreadSeat, ThreadLost, Scope.Scope> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      const scope = yield* Effect.flatMap(Effect.scope, (parent) => Scope.fork(parent))
      const thread = yield* restore(living(pool)).pipe(
        Scope.provide(scope),
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
      let isClean = false
      yield* Scope.addFinalizer(
        scope,
        Effect.suspend(() => {
          thread.listen(null)
          return isClean ? Effect.void : Pool.invalidate(pool, thread)
        })
      )
      const timer = yield* Scope.provide(FiberHandle.make(), scope)
      thread.listen(listener)
      const leave = (isUsable: boolean) => {
        isClean = isUsable
        return Scope.close(scope, Exit.void)
      }
      return {
        build: thread.build,
        ask: (message, millis, overdue) =>
          Effect.andThen(
            FiberHandle.run(timer, Effect.andThen(Effect.sleep(millis), Effect.sync(overdue))),
            Effect.sync(() => thread.post(message))
          ),
        answered: FiberHandle.clear(timer),
        leave,
        drop: Effect.suspend(() => {
          thread.post({ type: "drop" })
          return leave(true)
        })
      }
    })
  )

/** One that ended while it had no program is not given out. */
const living = (
  pool: Pool.Pool<ProgramThread, ThreadLost>
): Effect.Effect<ProgramThread, ThreadLost, Scope.Scope> =>
  Effect.flatMap(
    Pool.get(pool),
    (thread) => thread.isAlive() ? Effect.succeed(thread) : Effect.andThen(Pool.invalidate(pool, thread), living(pool))
  )
