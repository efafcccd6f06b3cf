/** Approvals and questions of a fleet: asked at the node of their chat, shown and answered at any. */
import * as Effect from "effect/Effect"
import { openApprovals, openQuestions } from "../asking/AskedParts.ts"
import type { Questions } from "../asking/Questions.ts"
import type { ToolApprovals } from "../asking/ToolApprovals.ts"
import { UnknownApproval } from "../model/ApprovalError.ts"
import type { OpenQuestion } from "../model/Question.ts"
import type { ChatStore } from "../store/ChatStore.ts"
import { CurrentUser } from "../users/CurrentUser.ts"
import type { Homes } from "./ChatHomes.ts"
import { asked } from "./HomeRequest.ts"

interface Needs {
  readonly homes: Homes
  readonly store: ChatStore["Service"]
}

/** The approvals of this node, and those that wait elsewhere. */
export const approvals = (
  local: typeof ToolApprovals.Service,
  { homes, store }: Needs
): typeof ToolApprovals.Service => ({
  ...local,
  answer: Effect.fn("FleetApprovals.answer")(function*(chat, approval, answer) {
    const user = yield* CurrentUser
    if ((yield* store.owner(chat)) !== user.id) return yield* new UnknownApproval({ chat, id: approval })
    yield* asked(homes.of(chat).answer({ user, approval, answer }))
  }),
  pending: Effect.gen(function*() {
    const chats = yield* store.underWay((yield* CurrentUser).id)
    return [...chats].flatMap(([chat, { parts }]) => openApprovals(parts).map((part) => ({ ...part, chat })))
  })
})

/** The questions of chats anywhere, and those outside chats that this node asks. */
export const questions = (
  local: typeof Questions.Service,
  { homes, store }: Needs
): typeof Questions.Service => {
  const ofChats = Effect.gen(function*() {
    const chats = yield* store.underWay((yield* CurrentUser).id)
    return [...chats].flatMap(([chat, { parts }]) =>
      openQuestions(parts).map(({ seq: _, turn: __, type: ___, print: ____, ...question }): OpenQuestion => ({
        chat,
        ...question
      }))
    )
  }).pipe(
    Effect.catch((error) => Effect.as(Effect.logWarning(`the questions of chats cannot be read: ${error.message}`), []))
  )
  return {
    ...local,
    reply: Effect.fn("FleetQuestions.reply")(function*(id, reply) {
      const chat = (yield* ofChats).find((question) => question.id === id)?.chat ?? null
      if (chat === null) return yield* local.reply(id, reply)
      yield* asked(homes.of(chat).reply({ user: yield* CurrentUser, question: id, reply }))
    }, Effect.catchTag("ChatStoreFailed", Effect.die)),
    open: Effect.gen(function*() {
      const outside = (yield* local.open).filter(({ chat }) => chat === null)
      return [...yield* ofChats, ...outside].toSorted((one, other) => one.expiresAt < other.expiresAt ? -1 : 1)
    })
  }
}
