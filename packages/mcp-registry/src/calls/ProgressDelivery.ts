/**
 * Tells the caller of the progress of a call: in order, in a fiber of its own, which is there only while there is
 * something to tell.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { CallOptions, CallProgress } from "../model/McpTool.ts"

/** Runs what is told; the fiber ends with the server at the latest. */
export type Fork = (telling: Effect.Effect<void>) => Fiber.Fiber<void>

export type Tell = (progress: CallProgress) => void

/** Progress beyond this many unread notifications replaces the oldest. */
const KEPT = 256
/** How long the last notifications may take to be told once the answer is there. */
const GRACE = "1 second"

/** Makes a call that tells of its progress, all of it before the answer. With the call the telling ends. */
export const during = <A, E>(
  fork: Fork,
  onProgress: NonNullable<CallOptions["onProgress"]>,
  call: (tell: Tell) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.withFiber(({ context }) => {
    const unread: Array<CallProgress> = []
    let isTelling = false
    let teller: Fiber.Fiber<void> | null = null

    /** In one step, so that what comes meanwhile is told by this fiber or by the next. */
    const isUnread = () => {
      isTelling = unread.length > 0
      return isTelling
    }
    const telling: Effect.Effect<void> = Effect.whileLoop({
      while: isUnread,
      body: () => {
        const next = unread.shift()
        return next === undefined ? Effect.void : onProgress(next)
      },
      step: () => {}
    })
    const inContext = (effect: Effect.Effect<void>): Effect.Effect<void> => Effect.updateContext(effect, () => context)
    const tell: Tell = (progress) => {
      if (unread.push(progress) > KEPT) unread.shift()
      if (isTelling) return
      isTelling = true
      // One turn later: the connection is in the middle of reading what arrived.
      teller = fork(inContext(Effect.andThen(Effect.yieldNow, telling)))
    }
    const told = <B>(answer: B) =>
      teller === null || !isTelling
        ? Effect.succeed(answer)
        : Effect.as(Effect.timeoutOption(Fiber.await(teller), GRACE), answer)
    return Effect.onExitPrimitive(
      Effect.flatMap(call(tell), told),
      () => teller === null || !isTelling ? undefined : Fiber.interrupt(teller)
    )
  })
