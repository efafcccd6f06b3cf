/**
 * What a person says to a question, checked: only an answer that fits is one.
 */
import { ElicitationForm } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Question, QuestionAnswer, QuestionReply } from "./Question.ts"
import { UnusableAnswer } from "./QuestionError.ts"

/**
 * The answer that a reply is, a form's defaults included. Fails with what is wrong with each field of a form.
 *
 * @category decoding
 */
export const answerOf = (
  { id, kind, schema }: Question,
  { action, content, scope }: QuestionReply
): Effect.Effect<QuestionAnswer, UnusableAnswer> => {
  const answer = { id, action, content: null, reason: null }
  if (action !== "accept" || kind === "url") return Effect.succeed(answer)
  if (kind === "sampling") return Effect.succeed({ ...answer, scope: scope ?? "once" })
  const fitting = ElicitationForm.validate(schema ?? {}, content ?? {})
  return Result.isSuccess(fitting)
    ? Effect.succeed({ ...answer, content: fitting.success })
    : new UnusableAnswer({ problems: fitting.failure })
}
