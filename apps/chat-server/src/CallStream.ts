/**
 * One call as it goes, for whoever wants to see its progress: what the server tells of it, then how it ended.
 */
import type { CallProgress, McpError } from "@boocode/mcp-registry"
import { CallEvents, type RunOptions, ToolResult } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ApiErrors from "./ApiErrors.ts"

/** What a stream of a call carries; `result` or `problem` is the last. */
export const CallEvent = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("progress"),
    progress: Schema.Finite,
    total: Schema.NullOr(Schema.Finite),
    message: Schema.NullOr(Schema.String)
  }),
  Schema.Struct({ type: Schema.Literal("result"), result: ToolResult.ToolResult }),
  Schema.Struct({ type: Schema.Literal("problem"), problem: Schema.Union(ApiErrors.McpProblems) })
])
export type CallEvent = typeof CallEvent.Type

/** Calls when it is read, and ends with how the call ended. Progress comes at most once in 200 ms. Whoever stops reading cancels the call. */
export const make = <R>(
  call: (options: Pick<RunOptions, "onProgress">) => Effect.Effect<ToolResult.ToolResult, McpError, R>
): Stream.Stream<CallEvent, never, R> =>
  Stream.callback<CallEvent, never, R>(Effect.fnUntraced(function*(events) {
    const tell = (event: CallEvent) => Queue.offer(events, event)
    const onProgress = yield* CallEvents.throttled((progress: CallProgress) => tell({ type: "progress", ...progress }))
    yield* call({ onProgress }).pipe(
      Effect.matchEffect({
        onSuccess: (result) => tell({ type: "result", result }),
        onFailure: (error) => tell({ type: "problem", problem: ApiErrors.fromMcp(error) })
      }),
      Effect.ensuring(Queue.end(events))
    )
  }))
