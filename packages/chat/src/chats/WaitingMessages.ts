/**
 * Changes to messages that wait for their turn: a person edits, hurries or takes them back. Each caller has the permit
 * of `sending`.
 */
import * as Effect from "effect/Effect"
import type { Message } from "../model/Chat.ts"
import { UnknownTurn } from "../model/ChatError.ts"
import * as ModelChoice from "../model/ModelChoice.ts"
import * as PromptText from "../model/PromptText.ts"
import type { ChatStoreFailed } from "../store/ChatStore.ts"
import * as ChatSession from "./ChatSession.ts"

/** The words of a message and who answers; an agent and a model that are left out stay. */
export interface Words extends Pick<Message, "text" | "prompt">, Partial<Pick<Message, "agent" | "model">> {}

type Changed = Effect.Effect<void, UnknownTurn | ChatStoreFailed>

/** The text of the message is another one. */
export const edit = (
  session: ChatSession.ChatSession,
  turn: number,
  { agent, model, prompt, text }: Words
): Changed =>
  Effect.flatMap(waitingIn(session, turn), ({ start: { prompt: before, ...start } }) => {
    const kept = PromptText.kept(prompt ?? before, text)
    return ChatSession.putTurn(session, {
      ...start,
      text,
      ...agent === undefined ? {} : { agent: ModelChoice.given(agent) ?? "" },
      ...model === undefined ? {} : { model: ModelChoice.given(model) ?? "" },
      ...kept === null ? {} : { prompt: kept }
    })
  })

/** The running turn takes the message at its next step; else it is the next turn, also after a restart. */
export const hurry = (session: ChatSession.ChatSession, turn: number): Changed =>
  Effect.flatMap(waitingIn(session, turn), ({ pending, start }) =>
    Effect.map(
      ChatSession.putTurn(session, { ...start, hurried: true }),
      () => ChatSession.happened(session, { type: "hurried", pending })
    ))

/** The message was never sent. */
export const drop = Effect.fnUntraced(function*(session: ChatSession.ChatSession, turn: number) {
  const { pending } = yield* waitingIn(session, turn)
  // Taken out first: it must not begin while it is removed.
  ChatSession.happened(session, { type: "unqueued", pending: [pending] })
  yield* Effect.tapError(
    session.store.removeTurn(session.id, turn),
    () => Effect.sync(() => ChatSession.happened(session, { type: "queued", pending }))
  )
  ChatSession.happened(session, { type: "turn-removed", turn })
})

export const waitingIn = ({ id, state: { queue, turns } }: ChatSession.ChatSession, turn: number) => {
  const [pending, start] = [queue.find((one) => one.turn === turn && one.resume === null), turns.get(turn)]
  return pending === undefined || start === undefined
    ? Effect.fail(new UnknownTurn({ id, turn, isWaiting: true }))
    : Effect.succeed({ pending, start })
}
