/** The answers of a node about a chat that is at home there. */
import * as Effect from "effect/Effect"
import type { Questions } from "../asking/Questions.ts"
import type { ToolApprovals } from "../asking/ToolApprovals.ts"
import type { ChatEngine } from "../chats/ChatEngine.ts"
import { CurrentUser, type User } from "../users/CurrentUser.ts"
import { ChatRpcs } from "./ChatRpcs.ts"

/** The services that answer, at this node. */
export interface HomeServices {
  readonly engine: ChatEngine
  readonly approvals: typeof ToolApprovals.Service
  readonly questions: typeof Questions.Service
  /** Has this node ask for the chat until nothing of it runs or waits. */
  readonly work: Effect.Effect<unknown>
}

/** The answers for one chat. */
export type ChatHome = ReturnType<typeof make>["answers"]

/** How long a turn may go on when its chat goes to another node while nobody waits for it to be idle. */
const PATIENCE = "7 seconds"

export const make = ({ approvals, engine, questions, work }: HomeServices, chat: string) => {
  let wasCutOff = false
  const { chats } = engine
  const stop = Effect.fnUntraced(function*(turn: number | null) {
    const { running } = yield* chats.summary(chat)
    // Asked again after its node died: what runs now is not what was stopped.
    if (turn !== null && running !== null && running !== turn) return
    yield* chats.stop(chat)
  })
  const answers = ChatRpcs.of({
    send: ({ message, user }) => Effect.tap(as(user, chats.send(chat, message)), () => work),
    update: ({ edit, user }) => as(user, chats.update(chat, edit)),
    fork: ({ turn, user }) => as(user, chats.fork(chat, turn)),
    remove: ({ user }) => as(user, chats.remove(chat)),
    waiting: ({ turn, user }) => as(user, chats.waiting(chat, turn)),
    editWaiting: ({ turn, user, words: { agent, model, ...words } }) =>
      as(
        user,
        chats.editWaiting(chat, turn, {
          ...words,
          ...agent === undefined ? {} : { agent },
          ...model === undefined ? {} : { model }
        })
      ),
    hurry: ({ turn, user }) => as(user, chats.hurry(chat, turn)),
    drop: ({ turn, user }) => as(user, chats.drop(chat, turn)),
    editSummary: ({ summary, text, user }) => as(user, chats.editSummary(chat, summary, text)),
    stop: ({ turn, user }) => as(user, stop(turn)),
    answer: ({ answer, approval, user }) => as(user, approvals.answer(chat, approval, answer)),
    reply: ({ question, reply, user }) => as(user, questions.reply(question, reply)),
    work: () => Effect.onInterrupt(engine.work(chat), () => Effect.sync(() => void (wasCutOff = true)))
  })
  return {
    answers,
    /**
     * Ends what runs here: another node takes the chat. A request that waits for it to be idle has kept it here for as long
     * as it may. Where none has come yet, a turn has just begun.
     */
    leave: Effect.suspend(() => engine.leave(chat, wasCutOff ? Effect.void : Effect.sleep(PATIENCE)))
  }
}

const as = <A, E, R>(user: User, effect: Effect.Effect<A, E, R>) => Effect.provideService(effect, CurrentUser, user)
