/** A call that a running server tells of as it goes. */
import type { CallEvent } from "@boocode/chat-server/ToolsApi"
import type { ToolResult } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Failed } from "./Failure.ts"
import type { Remote } from "./Remote.ts"
import * as RemoteFailure from "./RemoteFailure.ts"
import type { Call } from "./Servers.ts"

/** Reads to the end: shows the progress and gives the result, or fails with the problem that came in its place. */
export const result = <E, R>(
  { alive, url }: Remote["Service"],
  events: Stream.Stream<CallEvent, E, R>,
  onProgress: NonNullable<Call["onProgress"]>
): Effect.Effect<ToolResult.ToolResult, Failed | RemoteFailure.Problem, R> =>
  alive(events).pipe(
    Stream.mapEffect((event) => event.type === "progress" ? Effect.as(onProgress(event), null) : ended(event)),
    Stream.filter((ending) => ending !== null),
    Stream.runHead,
    Effect.flatMap((ending) => Effect.fromOption(ending)),
    Effect.catchTag("NoSuchElementError", () => Effect.fail(RemoteFailure.cutOff(url)))
  )

const ended = (event: Exclude<CallEvent, { readonly type: "progress" }>) =>
  event.type === "result" ? Effect.succeed(event.result) : Effect.fail(RemoteFailure.fromDocument(event.problem))
