/** What servers ask people: which questions wait, and answering them. */
import { type QuestionErrors, Questions } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Match from "effect/Match"
import { ChatApi } from "../api/ChatApi.ts"
import * as Problems from "../api/Problems.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "questions",
  Effect.fnUntraced(function*(handlers) {
    const questions = yield* Questions
    return handlers.handleAll({
      list: () => Effect.map(questions.open, (open) => ({ questions: open })),
      answer: ({ params, payload }) => Effect.mapError(questions.reply(params.id, payload), problem)
    })
  })
)

const problem = Match.typeTags<QuestionErrors.ReplyRefused>()({
  UnknownQuestion: Problems.notFound,
  QuestionClosed: (error) => Problems.conflict(error.action, error),
  UnusableAnswer: Problems.unusableAnswer
})
