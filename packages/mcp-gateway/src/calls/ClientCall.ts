/** Calls of tools by clients: from the name and the arguments that a client sent to the result that it is sent. */
import { McpRegistry, ToolClass } from "@boocode/mcp-registry"
import type { CallProgress, McpTool } from "@boocode/mcp-registry"
import type { Asker } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Traits } from "../clients/ClientTable.ts"
import type { ClientChannel } from "./ClientChannel.ts"
import * as SentResult from "./SentResult.ts"

export interface Call {
  readonly tool: McpTool
  readonly args: Schema.JsonObject
  readonly asker: Asker
  readonly traits: Traits
  /** Null where the client asked for no progress. */
  readonly onProgress: ((progress: CallProgress) => Effect.Effect<void>) | null
}

/** Calls the server. A failure is a result that a model can read. */
export const run = Effect.fnUntraced(function*({ args, asker, onProgress, tool, traits }: Call) {
  const registry = yield* McpRegistry
  return yield* Effect.match(
    registry.callTool(tool, args, {
      asker,
      writes: ToolClass.isWriter(tool.class),
      ...(onProgress === null ? {} : { onProgress })
    }),
    {
      onFailure: ({ hint, message }) => SentResult.text(`${message}; ${hint}`, true),
      onSuccess: (result) => SentResult.make(result, tool, traits.shows)
    }
  )
})

/** Tells a client of the progress of its call. */
export const progressTo =
  (channel: ClientChannel, progressToken: string | number) => ({ message, progress, total }: CallProgress) =>
    channel.notify("notifications/progress", {
      progressToken,
      progress,
      ...(total === null ? {} : { total }),
      ...(message === null ? {} : { message })
    })
