/** The chats of a running server. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Archive } from "./Archive.ts"
import { Failed } from "./Failure.ts"
import { Remote } from "./Remote.ts"
import * as RemoteFailure from "./RemoteFailure.ts"

export const layer = Layer.effect(
  Archive,
  Effect.map(Remote, ({ api, quick }) => {
    const plainly = <A>(request: Effect.Effect<A, unknown>) => Effect.mapError(quick(request), RemoteFailure.plainly)
    return Archive.of({
      list: (words, limit) =>
        Effect.map(
          plainly(api.chats.list({ query: words === null ? { limit } : { q: words, limit } })),
          ({ chats }) => chats
        ),
      get: (id) => plainly(api.chats.get({ params: { id } })),
      export: (id, format) =>
        Effect.flatMap(
          plainly(api.chats.export({ params: { id }, query: { format } })),
          (bytes) => plainly(Stream.mkString(Stream.decodeText(bytes)))
        ),
      import: (text, format) =>
        format === "markdown"
          ? plainly(api.chats.import({ payload: text }))
          : Effect.flatMap(json(text), (payload) => plainly(api.chats.import({ payload }))),
      remove: (id) => plainly(api.chats.remove({ params: { id } }))
    })
  })
)

const json = (text: string) =>
  Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Union([Schema.JsonObject, Schema.Array(Schema.JsonObject)])))(
    text
  )
    .pipe(
      Effect.mapError(() =>
        new Failed({ tag: "ImportRefused", message: "it is no JSON", hint: "give a file that chats export wrote" })
      )
    )
