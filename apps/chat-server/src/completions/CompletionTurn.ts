/** A request of OpenAI's wire as a turn of a chat, which is there for that request alone. */
import { Agents, type BegunChat, Chats, CurrentUser, type Part, ToolApprovals } from "@boocode/chat"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as CompletionError from "./CompletionError.ts"
import { YES_MINUTES } from "./CompletionProgress.ts"
import type { CompletionRequest } from "./CompletionRequest.ts"

/** Where the page shows such chats, for as long as they are there. */
const FOLDER = "Other applications"

export interface CompletionTurn {
  readonly chat: string
  /** The parts of the turn, up to its end. */
  readonly parts: Stream.Stream<Part>
}

/**
 * Begins the turn. Its agent is the one that the request names. The turn is stopped when the scope closes. The chat is
 * removed then, unless the request keeps it, or a tool wrote something: a person sees that, and can undo it. `write` is the
 * write mode of the chat.
 */
export const begin = Effect.fnUntraced(function*(
  { instructions, isKept, model, question, said }: CompletionRequest,
  write: BegunChat["write"]
): Effect.fn.Return<CompletionTurn, CompletionError.CompletionError, Agents | Chats | CurrentUser | Scope.Scope> {
  const chats = yield* Chats
  const user = yield* CurrentUser
  const { name } = yield* Effect.mapError((yield* Agents).agent(model), CompletionError.fromChats)
  const begun = { agent: name, model: null, title: question.text, folder: FOLDER, instructions, said, write }
  const { id } = yield* Effect.acquireRelease(
    Effect.mapError(chats.begin(begun), CompletionError.fromChats),
    ({ id }) => Effect.provideService(leave(chats, id, isKept), CurrentUser, user)
  )
  const { attachments, text } = question
  const { after, turn } = yield* Effect.mapError(
    chats.send(id, { text, agent: name, model: null, attachments, via: "v1" }),
    CompletionError.fromChats
  )
  const own = chats.events(id, after).pipe(
    Stream.filter((part) => part.turn === turn),
    Stream.takeUntil((part) => part.type === "finish"),
    Stream.provideService(CurrentUser, user),
    Stream.catch((error) => Stream.fromEffectDrain(Effect.logDebug(`a chat was lost: ${error.message}`)))
  )
  return { chat: id, parts: yield* impatient(id, own) }
})

const leave = (chats: typeof Chats.Service, id: string, isKept: boolean) =>
  Effect.gen(function*() {
    yield* chats.stop(id)
    const { turns } = yield* chats.get(id)
    const hasWritten = turns.some(({ parts }) => parts.some(({ type }) => type === "write"))
    if (!isKept && !hasWritten) yield* chats.remove(id)
  }).pipe(Effect.catch((error) => Effect.logWarning(`a chat of another application stays: ${error.message}`)))

/** Refuses a call that nobody has said yes to for a while: the client waits for the answer meanwhile. */
const impatient = Effect.fnUntraced(function*(chat: string, parts: Stream.Stream<Part>) {
  const approvals = yield* ToolApprovals
  const scope = yield* Effect.scope
  const user = yield* CurrentUser
  const refuse = (id: string) =>
    approvals.answer(chat, id, {
      decision: "deny",
      reason: `nobody said yes within ${YES_MINUTES} minutes on the page of BooCode`
    }).pipe(Effect.ignore, Effect.provideService(CurrentUser, user))
  return Stream.tap(parts, (part) =>
    part.type === "approval"
      ? Effect.forkIn(Effect.andThen(Effect.sleep(`${YES_MINUTES} minutes`), refuse(part.id)), scope)
      : Effect.void)
})
