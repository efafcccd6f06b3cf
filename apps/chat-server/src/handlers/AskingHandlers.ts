/** Answers about calls that want a person's yes, and questions of servers. */
import { type QuestionErrors, Questions, ToolApprovals } from "@boocode/chat"
import { Nearest } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Match from "effect/Match"
import { ChatApi } from "../api/ChatApi.ts"
import * as Problems from "../api/Problems.ts"
import { Users } from "../users/Users.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "approvals",
  Effect.fnUntraced(function*(handlers) {
    const approvals = yield* ToolApprovals

    const users = yield* Users
    const waiting = Effect.gen(function*() {
      const names = new Map((yield* users.all).map(({ id, name }) => [id, name]))
      const all = yield* approvals.waiting
      return { waiting: all.map((one) => ({ ...one, user: names.get(one.owner) ?? null })) }
    })

    const revoke = Effect.fnUntraced(function*(name: string) {
      if (yield* Effect.mapError(approvals.revoke(name), Problems.internal)) return
      const names = (yield* approvals.granted).map((grant) => grant.name)
      return yield* Effect.fail(Problems.notFound({
        _tag: "NotAllowed",
        message: `no tool is always allowed under the name ${name}`,
        hint: "list what is",
        nearest: Nearest.nearest(name, names)
      }))
    })

    return handlers.handleAll({
      list: () =>
        Effect.mapError(
          Effect.all({ pending: approvals.pending, granted: approvals.granted }),
          Problems.fromStore
        ),
      answer: ({ params, payload }) =>
        Effect.mapError(approvals.answer(params.id, params.approval, payload), Problems.fromAnswer),
      waiting: () => Effect.mapError(waiting, Problems.fromStore),
      deny: ({ params, payload: { decision, reason } }) =>
        decision === "deny"
          ? Effect.mapError(approvals.deny(params.approval, denial(reason)), Problems.fromAnswer)
          : Effect.fail(Problems.forbidden(ONLY_DENY)),
      revoke: ({ params }) => revoke(params.name)
    })
  })
)

/** The model and the chat's owner read whose no it was. */
const denial = (reason: string | null | undefined): string =>
  reason === null || reason === undefined || reason === "" ? "an admin denied it" : `an admin denied it: ${reason}`

const ONLY_DENY = {
  _tag: "OnlyDeny",
  message: "an admin can only deny a call of somebody else's chat",
  hint: "the owner of the chat can allow it; a rule in permissions.jsonc can allow such calls for everybody"
} as const

export const questionsLayer = HttpApiBuilder.group(
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
