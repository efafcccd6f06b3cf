/**
 * A stream of one effect: what it tells while it runs, and last what it comes to. It costs the fiber that the effect runs
 * in, and no queue before the first is told.
 */
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
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
export const stream = <A>(run: Run<A>): Stream.Stream<A> =>
  Stream.fromChannel(Channel.fromTransform((_, scope) => Effect.succeed(new Reading(scope, run).pull)))

/**
 * The same of what tells nothing: it runs in the fiber of whoever reads.
 *
 * @category constructors
 */
export const lastOnly = <A>(run: () => Effect.Effect<A>): Stream.Stream<A> =>
  Stream.fromChannel(Channel.fromTransform(() => Effect.succeed(new Single(run).pull)))

/** One reading of such a stream. */
class Single<A> {
  readonly pull: Pull.Pull<Some<A>> = Effect.suspend(() => this.next())
  private readonly run: () => Effect.Effect<A>
  private isRead = false

  constructor(run: () => Effect.Effect<A>) {
    this.run = run
  }
  private next(): Pull.Pull<Some<A>> {
    if (this.isRead) return Cause.done()
    this.isRead = true
    return Effect.map(this.run(), (last): Some<A> => [last])
  }
}

type Run<A> = (scope: Scope.Scope, tell: (item: A) => void) => Effect.Effect<A>

type Some<A> = readonly [A, ...Array<A>]

/** One reading of the stream, from its first item to its last. */
class Reading<A> {
  readonly pull: Pull.Pull<Some<A>> = Effect.suspend(() => this.fiber === null ? this.begun() : this.next(this.fiber))

  private readonly scope: Scope.Scope
  private readonly run: Run<A>
  private fiber: Fiber.Fiber<A> | null = null
  private unread: [A, ...Array<A>] | null = null
  private ended: Exit.Exit<A> | null = null
  private isKept = false
  private isRead = false
  /** Wakes the reader that waits. */
  private wake: ((items: Pull.Pull<Some<A>>) => void) | null = null

  constructor(scope: Scope.Scope, run: Run<A>) {
    this.scope = scope
    this.run = run
  }

  private begun(): Pull.Pull<Some<A>> {
    return Effect.withFiber(({ context }) =>
      Effect.callback((resume) => {
        const running = Effect.onExitPrimitive(
          this.run(this.scope, (item) => this.tell(item)),
          (exit) => this.end(exit)
        )
        // oxlint-disable-next-line house/no-run -- in one step with what interrupts it, and without what a scope costs
        const fiber = Effect.runForkWith(context)(running)
        this.fiber = fiber
        if (this.unread !== null) this.keep(fiber)
        return this.await(fiber, resume)
      })
    )
  }
  private next(fiber: Fiber.Fiber<A>): Pull.Pull<Some<A>> {
    return this.found() ?? Effect.callback((resume) => this.await(fiber, resume))
  }
  private await(fiber: Fiber.Fiber<A>, resume: (items: Pull.Pull<Some<A>>) => void): Effect.Effect<void> | void {
    const found = this.found()
    if (found !== null) return resume(found)
    this.wake = resume
    return Fiber.interrupt(fiber)
  }
  /** What there is to read; null when that is nothing yet. */
  private found(): Pull.Pull<Some<A>> | null {
    const { ended, unread } = this
    if (unread !== null) {
      this.unread = null
      return Effect.succeed(unread)
    }
    if (ended === null) return null
    if (this.isRead) return Cause.done()
    this.isRead = true
    return Exit.map(ended, (last): Some<A> => [last])
  }
  /** From within the fiber: somebody to be told of its end would be one more thing to keep. */
  private end(exit: Exit.Exit<A>): undefined {
    this.ended = exit
    this.wakeUp()
    return undefined
  }
  private tell(item: A) {
    // What was put off may still come while the last waits to be read.
    if (this.ended !== null) return
    if (this.unread === null) this.unread = [item]
    else if (this.unread.push(item) > UNREAD) this.unread.shift()
    if (this.fiber !== null) this.keep(this.fiber)
    this.wakeUp()
  }
  /** From the first item on its reader is elsewhere at times, so the scope has to interrupt what runs. */
  private keep(fiber: Fiber.Fiber<A>) {
    if (!this.isKept) Fiber.runIn(fiber, this.scope)
    this.isKept = true
  }
  private wakeUp() {
    const { wake } = this
    const found = wake === null ? null : this.found()
    if (wake === null || found === null) return
    this.wake = null
    wake(found)
  }
}
