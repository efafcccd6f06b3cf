/** Approvals and elicitation: calls that wait for a person's yes, what is always allowed, and the questions of servers. */
import { Grant } from "@boocode/chat/AllowedTools"
import { ApprovalPart } from "@boocode/chat/Part"
import { OpenQuestion, QuestionReply } from "@boocode/chat/Question"
import { Conditions } from "@boocode/toolkit"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { about, describeName, nullable } from "./Documents.ts"
import { BadRequest, Conflict, Forbidden, Internal, NotFound, NotReady, UnusableAnswer } from "./Problems.ts"

const Pending = Schema.Struct({ chat: Schema.String, ...ApprovalPart.fields })

/** The calls that wait, and the tools that no longer ask. */
export const Approvals = Schema.Struct({
  pending: Schema.Array(Pending).annotate({ description: "the calls that wait, in all chats" }),
  granted: Schema.Array(Grant).annotate({ description: "what is always allowed, sorted by name" })
})

export const ApprovalReply = Schema.Struct({
  decision: Schema.Literals(["once", "chat", "hour", "always", "deny"]).annotate({
    description:
      "`chat`: this tool in this chat; `hour` and `always`: this tool in every chat, for an hour or until its definition changes"
  }),
  where: nullable(Conditions.Where).annotate({
    description:
      "which calls a yes for more than this one holds for: of a suggestion, or changed; all of the tool unless given"
  }),
  reason: nullable(Schema.String.check(Schema.isMaxLength(10_000))).annotate({
    description: "what the model reads of a no"
  }),
  args: nullable(Schema.JsonObject).annotate({
    description: "what to send instead of the arguments that were shown"
  }),
  also: nullable(Schema.Array(Schema.String).check(Schema.isMaxLength(200))).annotate({
    description:
      "further approvals of the chat that get the same answer, such as those of one program: a no, or a yes for their call alone"
  })
})

export const Waiting = Schema.Struct({
  id: Schema.String.annotate({ description: "what to deny it by" }),
  owner: Schema.String.annotate({ description: "the id of the person whose chat asks" }),
  user: Schema.NullOr(Schema.String).annotate({ description: "their name; null where nobody has one" }),
  name: Schema.String.annotate({ description: "the tool, as models know it" }),
  server: Schema.NullOr(Schema.String).annotate({ description: "null for a built-in tool" }),
  class: nullable(Schema.String).annotate({ description: "reads, writes, destroys or undeclared" }),
  since: Schema.String.annotate({ description: "when the message was sent whose turn asks: ISO 8601, in UTC" })
})

export const AskingApi = HttpApiGroup.make("approvals").add(
  HttpApiEndpoint.get("list", "/approvals", {
    success: Approvals,
    error: [NotReady]
  }).annotateMerge(about("Calls that wait for a person's yes, and grants that need none any more.")),
  HttpApiEndpoint.post("answer", "/chats/:id/approvals/:approval", {
    params: { id: Schema.String, approval: Schema.String },
    payload: ApprovalReply,
    success: HttpApiSchema.NoContent,
    error: [BadRequest, NotFound, Conflict, Internal, NotReady]
  }).annotateMerge(about(
    "Answers one call. It is written down when this answers; 409 when somebody was quicker or the call is over."
  )),
  HttpApiEndpoint.get("waiting", "/admin/approvals", {
    success: Schema.Struct({ waiting: Schema.Array(Waiting) }),
    error: [NotReady]
  }).annotateMerge(about("Calls that wait for a yes in the chats of everybody, without arguments and chats.")),
  HttpApiEndpoint.post("deny", "/admin/approvals/:approval", {
    params: { approval: Schema.String },
    payload: Schema.Struct({ decision: ApprovalReply.fields.decision, reason: ApprovalReply.fields.reason }),
    success: HttpApiSchema.NoContent,
    error: [BadRequest, Forbidden, NotFound, Conflict, Internal, NotReady]
  }).annotateMerge(about(
    "Denies a call of anybody's chat. Another answer than `deny` is refused with 403: a yes is the chat's owner's."
  )),
  HttpApiEndpoint.delete("revoke", "/approvals/granted/:name", {
    params: describeName,
    success: HttpApiSchema.NoContent,
    error: [NotFound, Internal]
  }).annotateMerge(about("Takes back what was always allowed under this name."))
)

/** A question that belongs to no chat. */
export const QuestionEvent = Schema.Struct({ type: Schema.Literal("question"), ...OpenQuestion.fields })

/** It is over: answered, taken back or expired. */
export const QuestionAnswerEvent = Schema.Struct({ type: Schema.Literal("question-answer"), id: Schema.String })

export const QuestionsApi = HttpApiGroup.make("questions").add(
  HttpApiEndpoint.get("list", "/questions", {
    success: Schema.Struct({ questions: Schema.Array(OpenQuestion) })
  }).annotateMerge(about("Questions of servers that wait for an answer, in all chats and outside; the oldest first.")),
  HttpApiEndpoint.post("answer", "/questions/:id", {
    params: { id: Schema.String },
    payload: QuestionReply,
    success: HttpApiSchema.NoContent,
    error: [UnusableAnswer, NotFound, Conflict]
  }).annotateMerge(about(
    "Answers one question. The form as filled in must fit its schema, else 400 says for each field what is wrong and the " +
      "question still waits; 409 when somebody was quicker or the call is over."
  ))
)
