/** One call as it goes: its progress, then its result. */
import type { CallProgress } from "@boocode/mcp-registry"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ToolResult from "../results/ToolResult.ts"
import * as Utf8 from "../text/Utf8.ts"
import type { AgentTool, RunOptions } from "./AgentTool.ts"

/** What happened in a call. */
export type CallEvent =
  | { readonly _tag: "Progress"; readonly progress: CallProgress }
  | { readonly _tag: "Result"; readonly result: ToolResult.ToolResult }

/**
 * Calls when it is run, and ends with the one result. Progress comes at most once in 200 ms, the latest, its message at
 * most 1,000 bytes; whoever reads slowly misses some. Never fails: a defect is an error result. Whoever stops reading
 * cancels the call.
 */
export const stream = (tool: AgentTool, args: unknown, options?: RunOptions): Stream.Stream<CallEvent> =>
  streamWith(tool, args, options, {
    progress: (progress): CallEvent => ({ _tag: "Progress", progress }),
    result: (result) => Effect.succeed({ _tag: "Result", result })
  })

/** How the events of a call are told. */
export interface Telling<A> {
  /** Null where nobody looks at progress; a call costs no fiber of its own then. */
  readonly progress: ((progress: CallProgress) => A) | null
  readonly result: (result: ToolResult.ToolResult) => Effect.Effect<A>
}

/** The same, told otherwise. */
export const streamWith = <A>(
  tool: AgentTool,
  args: unknown,
  options: RunOptions | undefined,
  { progress, result }: Telling<A>
): Stream.Stream<A> => {
  if (progress === null) return lastOnly(() => told(tool, tool.run(args, options), result))
  return lastAndBefore((scope, tell) => {
    let throttled: OnProgress | null = null
    // Most calls tell of none, so nothing is made for it before there is some.
    const onProgress: OnProgress = (news) => {
      throttled ??= throttle(scope, (seldom) => Effect.sync(() => tell(progress(seldom))))
      return throttled(news)
    }
    return told(tool, tool.run(args, { ...options, onProgress }), result)
  })
}

/** The end of a call as it is told; a defect is an error result. */
const told = <A>(
  tool: AgentTool,
  call: Effect.Effect<ToolResult.ToolResult>,
  result: Telling<A>["result"]
): Effect.Effect<A> =>
  Effect.matchCauseEffect(call, {
    onSuccess: result,
    onFailure: (cause) => {
      const defect = Cause.findDefect(cause)
      return Result.isSuccess(defect)
        ? Effect.flatMap(unexpected(tool, defect.success), result)
        : Effect.failCause(defect.failure)
    }
  })

const unexpected = (tool: AgentTool, defect: unknown): Effect.Effect<ToolResult.ToolResult> =>
  Effect.as(
    Effect.logError(`${tool.name} failed unexpectedly`, defect),
    ToolResult.failure(`${tool.name} failed: an unexpected error here; the log has the details`)
  )

/** One line about a progress, such as `3 of 10: reading`. */
export const progressText = ({ message, progress, total }: CallProgress): string => {
  const count = total === null ? `${progress}` : `${progress} of ${total}`
  return message === null ? count : `${count}: ${message}`
}

const PROGRESS_MILLIS = 200
const PROGRESS_BYTES = 1000

/**
 * Takes progress as a server reports it and hands it on at most once in 200 ms, its message at most 1,000 bytes: the
 * first at once; of those that come too soon after it the latest, when it is time, unless the scope is closed by then.
 */
export const throttled = (
  emit: (progress: CallProgress) => Effect.Effect<unknown>
): Effect.Effect<OnProgress, never, Scope.Scope> => Effect.map(Scope.Scope, (scope) => throttle(scope, emit))

type OnProgress = (progress: CallProgress) => Effect.Effect<void>

const throttle = (scope: Scope.Scope, emit: (progress: CallProgress) => Effect.Effect<unknown>): OnProgress => {
  let last = -Infinity
  let waiting: CallProgress | null = null
  const send = (progress: CallProgress) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      last = now
      waiting = null
      const message = progress.message === null ? null : Utf8.prefix(progress.message, PROGRESS_BYTES)
      return Effect.asVoid(emit({ ...progress, message }))
    })
  const sendWaiting = Effect.suspend(() => waiting === null ? Effect.void : send(waiting))
  return (progress) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const isTimed = waiting !== null
      const wait = last + PROGRESS_MILLIS - now
      if (wait <= 0 && !isTimed) return send(progress)
      waiting = progress
      return isTimed ? Effect.void : Effect.asVoid(Effect.forkIn(Effect.delay(sendWaiting, wait), scope))
    })
}

// A stream of one effect: what it tells while it runs, and last what it comes to. It costs the fiber that the effect runs
// in, and no queue before the first is told.

/** What was told and not read yet; what is beyond replaces the oldest. */
const UNREAD = 16

/**
 * Runs the effect when the stream is first read from. Whoever stops reading interrupts it. The scope closes with the
 * stream.
 */
export const lastAndBefore = <A>(run: Run<A>): Stream.Stream<A> =>
  Stream.fromChannel(Channel.fromTransform((_, scope) => Effect.succeed(new Reading(scope, run).pull)))

/** The same of what tells nothing: it runs in the fiber of whoever reads. */
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
