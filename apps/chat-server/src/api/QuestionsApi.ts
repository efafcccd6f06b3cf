/**
 * What servers ask people while their calls run, in chats and outside.
 */
import { OpenQuestion, QuestionReply } from "@boocode/chat/Question"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { Conflict, NotFound, UnusableAnswer } from "../ApiErrors.ts"
import { about } from "./Describe.ts"

/** A question that belongs to no chat. */
export const QuestionEvent = Schema.Struct({ type: Schema.Literal("question"), ...OpenQuestion.fields })

/** It is over: answered, taken back or expired. */
export const QuestionAnswerEvent = Schema.Struct({ type: Schema.Literal("question-answer"), id: Schema.String })

export const QuestionsApi = HttpApiGroup.make("questions").add(
  HttpApiEndpoint.get("list", "/questions", {
    success: Schema.Struct({ questions: Schema.Array(OpenQuestion) })
  }).annotateMerge(about("What servers ask and wait for, in all chats and outside; the oldest first.")),
  HttpApiEndpoint.post("answer", "/questions/:id", {
    params: { id: Schema.String },
    payload: QuestionReply,
    success: HttpApiSchema.NoContent,
    error: [UnusableAnswer, NotFound, Conflict]
  }).annotateMerge(about(
    "Answers one question. What is filled in must fit its schema, else 400 says for each field what is wrong and the " +
      "question still waits; 409 when somebody was quicker or the call is over."
  ))
)
