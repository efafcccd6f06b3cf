/** Routes about chats that people show to others of this server. */
import { ChatTurn } from "@boocode/chat/Chat"
import { Part } from "@boocode/chat/Part"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { about, Seq } from "../Documents.ts"
import { NotFound, NotReady } from "../Problems.ts"

const chat = { id: Schema.String }

const share = { share: Schema.String.check(Schema.isMaxLength(100)) }

export const Share = Schema.Struct({
  id: Schema.String.annotate({ description: "the page shows the chat at /#/shared/ID" }),
  chat: Schema.String,
  created: Schema.String
})

export const SharedChat = Schema.Struct({
  title: Schema.String,
  by: Schema.String.annotate({ description: "the name of its owner" }),
  createdAt: Schema.String,
  updatedAt: Schema.String,
  turns: Schema.Array(ChatTurn)
})

export const SharesApi = HttpApiGroup.make("shares").add(
  HttpApiEndpoint.get("list", "/shares", {
    success: Schema.Struct({ shares: Schema.Array(Schema.Struct({ ...Share.fields, title: Schema.String })) }),
    error: [NotReady]
  }).annotateMerge(about("The chats that this person shows to others, the newest link first.")),
  HttpApiEndpoint.put("share", "/chats/:id/share", { params: chat, success: Share, error: [NotFound, NotReady] })
    .annotateMerge(about(
      "Gives the chat a link with which the other people of this server can read it, and what comes. A chat has one link."
    )),
  HttpApiEndpoint.delete("takeBack", "/chats/:id/share", {
    params: chat,
    success: HttpApiSchema.NoContent,
    error: [NotFound, NotReady]
  }).annotateMerge(about("Takes the link back. Readers get 404 from then on; their streams end within 5 seconds.")),
  HttpApiEndpoint.get("get", "/shared/:share", { params: share, success: SharedChat, error: [NotFound, NotReady] })
    .annotateMerge(
      about(
        "A chat that somebody shows, to read. Calls and questions that wait for its owner are left out until they are answered."
      )
    ),
  HttpApiEndpoint.get("events", "/shared/:share/events", {
    params: share,
    query: { after: Schema.optionalKey(Seq) },
    headers: { "last-event-id": Schema.optionalKey(Seq) },
    success: HttpApiSchema.StreamSse({ data: Part }),
    error: [NotFound, NotReady]
  }).annotateMerge(about(
    "Its parts as those of one's own chat, until the link is taken back, without approvals and questions: when they are " +
      "answered, the chat has them."
  )),
  HttpApiEndpoint.get("file", "/shared/:share/files/:file", {
    params: { ...share, file: Schema.String },
    success: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
    error: [NotFound, NotReady]
  }).annotateMerge(about("The bytes of an attachment of that chat.")),
  HttpApiEndpoint.get("resultFile", "/shared/:share/calls/:call/files/:file", {
    params: { ...share, call: Schema.String, file: Schema.String },
    success: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
    error: [NotFound, NotReady]
  }).annotateMerge(about("Sound, an image or other bytes that a tool gave in that chat, as its owner gets them."))
)
