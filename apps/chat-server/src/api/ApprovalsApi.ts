/**
 * The calls that wait for a person's yes, and what a person allowed for good.
 */
import { Grant } from "@boocode/chat/AllowedTools"
import { ApprovalPart } from "@boocode/chat/Part"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { BadRequest, Conflict, Internal, NotFound, NotReady } from "../ApiErrors.ts"
import { about, name, nullable } from "./Describe.ts"

const Pending = Schema.Struct({ chat: Schema.String, ...ApprovalPart.fields })

export const ApprovalsApi = HttpApiGroup.make("approvals").add(
  HttpApiEndpoint.get("list", "/approvals", {
    success: Schema.Struct({
      pending: Schema.Array(Pending).annotate({ description: "the calls that wait, in all chats" }),
      granted: Schema.Array(Grant).annotate({ description: "what is always allowed, sorted by name" })
    }),
    error: [NotReady]
  }).annotateMerge(about("What waits for a person's yes, and what needs none any more.")),
  HttpApiEndpoint.post("answer", "/chats/:id/approvals/:approval", {
    params: { id: Schema.String, approval: Schema.String },
    payload: Schema.Struct({
      decision: Schema.Literals(["once", "chat", "always", "deny"]).annotate({
        description: "`chat`: this tool in this chat; `always`: this tool until its definition changes"
      }),
      reason: nullable(Schema.String.check(Schema.isMaxLength(10_000))).annotate({
        description: "what the model reads of a no"
      }),
      args: nullable(Schema.JsonObject).annotate({
        description: "what to send instead of the arguments that were shown"
      })
    }),
    success: HttpApiSchema.NoContent,
    error: [BadRequest, NotFound, Conflict, Internal, NotReady]
  }).annotateMerge(about(
    "Answers one call. It is written down when this answers; 409 when somebody was quicker or the call is over."
  )),
  HttpApiEndpoint.delete("revoke", "/approvals/granted/:name", {
    params: name,
    success: HttpApiSchema.NoContent,
    error: [NotFound, Internal]
  }).annotateMerge(about("Takes back what was always allowed under this name."))
)
