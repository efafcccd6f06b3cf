/**
 * One call as it goes: its progress, then its result.
 */
import type { CallProgress } from "@boocode/mcp-registry"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { AgentTool, RunOptions } from "./AgentTool.ts"
import * as LastAndBefore from "./LastAndBefore.ts"
import * as ToolResult from "./ToolResult.ts"
import * as Utf8 from "./Utf8.ts"

/**
 * What happened in a call.
 *
 * @category models
 */
export type CallEvent =
  | { readonly _tag: "Progress"; readonly progress: CallProgress }
  | { readonly _tag: "Result"; readonly result: ToolResult.ToolResult }

/**
 * Calls when it is run, and ends with the one result. Progress comes at most once in 200 ms, the latest, its message at
 * most 1,000 bytes; whoever reads slowly misses some. Never fails: a defect is an error result. Whoever stops reading
 * cancels the call.
 *
 * @category running
 */
export const stream = (tool: AgentTool, args: unknown, options?: RunOptions): Stream.Stream<CallEvent> =>
  streamWith(tool, args, options, {
    progress: (progress): CallEvent => ({ _tag: "Progress", progress }),
    result: (result) => Effect.succeed({ _tag: "Result", result })
  })

/**
 * How the events of a call are told.
 *
 * @category models
 */
export interface Telling<A> {
  /** Null where nobody looks at progress; a call costs no fiber of its own then. */
  readonly progress: ((progress: CallProgress) => A) | null
  readonly result: (result: ToolResult.ToolResult) => Effect.Effect<A>
}

/**
 * The same, told otherwise.
 *
 * @category running
 */
export const streamWith = <A>(
  tool: AgentTool,
  args: unknown,
  options: RunOptions | undefined,
  { progress, result }: Telling<A>
): Stream.Stream<A> => {
  if (progress === null) return LastAndBefore.lastOnly(() => told(tool, tool.run(args, options), result))
  return LastAndBefore.stream((scope, tell) => {
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

/**
 * One line about a progress, such as `3 of 10: reading`.
 *
 * @category rendering
 */
export const progressText = ({ message, progress, total }: CallProgress): string => {
  const count = total === null ? `${progress}` : `${progress} of ${total}`
  return message === null ? count : `${count}: ${message}`
}

const PROGRESS_MILLIS = 200
const PROGRESS_BYTES = 1000

/**
 * Takes progress as a server reports it and hands it on at most once in 200 ms, its message at most 1,000 bytes: the
 * first at once; of those that come too soon after it the latest, when it is time, unless the scope is closed by then.
 *
 * @category running
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
