/**
 * One call as it goes: its progress, then its result.
 */
import type { CallProgress } from "@boocode/mcp-registry"
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AgentTool, RunOptions } from "./AgentTool.ts"
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
  Stream.unwrap(Effect.gen(function*() {
    const events = yield* Queue.sliding<CallEvent, Cause.Done>(16)
    const onProgress = yield* throttled((progress) => Queue.offer(events, { _tag: "Progress", progress }))
    yield* tool.run(args, { ...options, onProgress }).pipe(
      Effect.catchDefect((defect) =>
        Effect.as(
          Effect.logError(`${tool.name} failed unexpectedly`, defect),
          ToolResult.failure(`${tool.name} failed: an unexpected error here; the log has the details`)
        )
      ),
      Effect.flatMap((result) => Queue.offer(events, { _tag: "Result", result })),
      Effect.andThen(Queue.end(events)),
      Effect.forkScoped
    )
    return Stream.fromQueue(events)
  }))

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
export const throttled = Effect.fnUntraced(function*(emit: (progress: CallProgress) => Effect.Effect<unknown>) {
  const scope = yield* Scope.Scope
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
  return Effect.fnUntraced(function*(progress: CallProgress) {
    const isTimed = waiting !== null
    const wait = last + PROGRESS_MILLIS - (yield* Clock.currentTimeMillis)
    if (wait <= 0 && !isTimed) return yield* send(progress)
    waiting = progress
    if (!isTimed) yield* Effect.forkIn(Effect.delay(sendWaiting, wait), scope)
  })
})
