/**
 * A stream of one effect: what it tells while it runs, and last what it comes to. It costs the fiber that the effect runs
 * in, and no queue.
 */
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** What was told and not read yet; what is beyond replaces the oldest. */
const UNREAD = 16

/**
 * Runs the effect when the stream is first read from. Whoever stops reading interrupts it. The scope closes with the
 * stream.
 *
 * @category constructors
 */
export const stream = <A>(run: (scope: Scope.Scope, tell: (item: A) => void) => Effect.Effect<A>): Stream.Stream<A> =>
  Stream.fromChannel(Channel.fromTransform((_, scope) => Effect.sync(() => pullOf(scope, run))))

type Some<A> = readonly [A, ...Array<A>]

const pullOf = <A>(
  scope: Scope.Scope,
  run: (scope: Scope.Scope, tell: (item: A) => void) => Effect.Effect<A>
): Pull.Pull<Some<A>> => {
  let unread: Array<A> = []
  let ended: Exit.Exit<A> | null = null
  let isBegun = false
  let isRead = false
  /** Wakes the reader that waits. */
  let wake = () => {}

  const tell = (item: A) => {
    if (unread.push(item) > UNREAD) unread.shift()
    wake()
  }
  const next: Pull.Pull<Some<A>> = Effect.suspend(() => {
    const [first, ...rest] = unread
    if (first !== undefined) {
      unread = []
      return Effect.succeed<Some<A>>([first, ...rest])
    }
    if (ended === null) return news
    if (isRead) return Cause.done()
    isRead = true
    return Exit.map(ended, (last): Some<A> => [last])
  })
  const news: Pull.Pull<Some<A>> = Effect.callback((resume) => {
    wake = () => resume(next)
  })
  const begun = Effect.suspend(() => {
    isBegun = true
    return Effect.map(Effect.forkIn(run(scope, tell), scope, { startImmediately: true }), (fiber) => {
      fiber.addObserver((exit) => {
        ended = exit
        wake()
      })
    })
  })
  return Effect.suspend(() => isBegun ? next : Effect.andThen(begun, next))
}
