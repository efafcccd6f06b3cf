/** The writes of a chat's tools, and undoing them. */
import { WritePart } from "@boocode/chat/Part"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { about } from "./Documents.ts"
import { Conflict, Internal, NotFound, NotReady } from "./Problems.ts"

const { seq: _, type: __, undo: ___, ...written } = WritePart.fields

/** One write of a chat, as far as it can be undone now. */
export const JournaledWrite = Schema.Struct({
  ...written,
  undo: Schema.Struct({
    possible: Schema.Boolean,
    undoneAt: Schema.NullOr(Schema.String).annotate({ description: "when it was undone; null when it was not" }),
    why: Schema.NullOr(Schema.String).annotate({ description: "why it cannot be undone; null when it can" })
  })
})

export const WritesApi = HttpApiGroup.make("writes").add(
  HttpApiEndpoint.get("list", "/chats/:id/writes", {
    params: { id: Schema.String },
    success: Schema.Struct({ writes: Schema.Array(JournaledWrite) }),
    error: [NotFound, NotReady]
  }).annotateMerge(about("Writes of the chat's tools, the newest first, and whether each can be undone.")),
  HttpApiEndpoint.post("undo", "/chats/:id/writes/:write/undo", {
    params: { id: Schema.String, write: Schema.String },
    success: Schema.Struct({ undone: Schema.Literal(true), text: Schema.String }),
    error: [NotFound, Conflict, Internal, NotReady]
  }).annotateMerge(about(
    "Undoes one write, by its id or the id of its call. 409 `changed` where something else changed it since, 409 " +
      "`undone` when it was undone before; nothing is done then. 404 when nothing is kept of it."
  ))
)
