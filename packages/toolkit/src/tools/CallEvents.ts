/** One call as it goes: its progress, then its result. */
import type { CallProgress } from "@boocode/mcp-registry"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ToolResult from "../results/ToolResult.ts"
import * as Utf8 from "../text/Utf8.ts"
import type { AgentTool, RunOptions } from "./AgentTool.ts"

/** An event of a call. */
export type CallEvent =
  | { readonly _tag: "Progress"; readonly progress: CallProgress }
  | { readonly _tag: "Result"; readonly result: ToolResult.ToolResult }

/**
 * Calls when it is run, and ends with the one result. Progress comes at most once in 200 ms, the latest, its message at
 * most 1,000 bytes; a slow reader misses some. Never fails: a defect is an error result. A reader that stops
 * cancels the call.
 */
export const stream = (tool: AgentTool, args: unknown, options?: RunOptions): Stream.Stream<CallEvent> =>
  streamWith(tool, args, options, {
    progress: (progress): CallEvent => ({ _tag: "Progress", progress }),
    result: (result) => Effect.succeed({ _tag: "Result", result })
  })

/** How the events of a call become items of a stream. */
export interface EventMapping<A> {
  /** Null where nobody looks at progress: the server is then not asked for any. */
  readonly progress: ((progress: CallProgress) => A) | null
  readonly result: (result: ToolResult.ToolResult) => Effect.Effect<A>
}

/** Does what `stream` does, and makes other items of the events. */
export const streamWith = <A>(
  tool: AgentTool,
  args: unknown,
  options: RunOptions | undefined,
  { progress, result }: EventMapping<A>
): Stream.Stream<A> => {
  if (progress === null) return Stream.fromEffect(Effect.suspend(() => resultOf(tool, tool.run(args, options), result)))
  return Stream.callback<A>((queue) =>
    Effect.gen(function*() {
      const onProgress = yield* throttled((seldom) => Queue.offer(queue, progress(seldom)))
      const last = yield* resultOf(tool, tool.run(args, { ...options, onProgress }), result)
      yield* Queue.offer(queue, last)
      yield* Queue.end(queue)
    }), UNREAD)
}

/** Progress that was not read yet; what is beyond replaces the oldest. */
const UNREAD = { bufferSize: 17, strategy: "sliding" } as const

/** The item of a result; a defect is an error result. */
const resultOf = <A>(
  tool: AgentTool,
  call: Effect.Effect<ToolResult.ToolResult>,
  result: EventMapping<A>["result"]
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
export const throttled = Effect.fnUntraced(function*(
  emit: (progress: CallProgress) => Effect.Effect<unknown>
): Effect.fn.Return<(progress: CallProgress) => Effect.Effect<void>, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const state: { last: number; waiting: CallProgress | null } = { last: -Infinity, waiting: null }
  const send = (progress: CallProgress) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      state.last = now
      state.waiting = null
      const message = progress.message === null ? null : Utf8.prefix(progress.message, PROGRESS_BYTES)
      return Effect.asVoid(emit({ ...progress, message }))
    })
  const sendWaiting = Effect.suspend(() => state.waiting === null ? Effect.void : send(state.waiting))
  return (progress) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const isTimed = state.waiting !== null
      const wait = state.last + PROGRESS_MILLIS - now
      if (wait <= 0 && !isTimed) return send(progress)
      state.waiting = progress
      return isTimed ? Effect.void : Effect.asVoid(Effect.forkIn(Effect.delay(sendWaiting, wait), scope))
    })
})
