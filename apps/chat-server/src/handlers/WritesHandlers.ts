/** The writes of a chat: which there are, and undoing them. */
import { Undos } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { ChatApi } from "../api/ChatApi.ts"
import * as Problems from "../api/Problems.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "writes",
  Effect.fnUntraced(function*(handlers) {
    const undos = yield* Undos
    return handlers.handleAll({
      list: ({ params }) =>
        Effect.mapBoth(undos.list(params.id), {
          onSuccess: (writes) => ({ writes }),
          onFailure: Problems.fromKnownChat
        }),
      undo: ({ params }) =>
        Effect.mapBoth(undos.undo(params.id, params.write), {
          onSuccess: (text) => ({ undone: true as const, text }),
          onFailure: Problems.fromUndo
        })
    })
  })
)
