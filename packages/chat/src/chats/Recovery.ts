/**
 * What becomes of turns that a program left behind, killed or not: what was shown stays, and each turn gets its end.
 */
import * as Effect from "effect/Effect"
import * as OpenApprovals from "../approvals/OpenApprovals.ts"
import { NO_USAGE, type Part, type TurnPart } from "../Part.ts"
import type { ChatStoreFailed, StoredChat } from "../store/ChatStore.ts"
import * as ChatSession from "./ChatSession.ts"
import * as PartWriter from "./PartWriter.ts"

/**
 * Mends a chat that was just read, before anything else is done with it: messages that wait are queued again, in their
 * order; a turn that waits for a person goes on where it was, before them; of any other turn that has no end the open
 * calls get an error result, and it finishes with `interrupted`.
 *
 * @category mending
 */
export const mend = Effect.fnUntraced(function*(
  session: ChatSession.ChatSession,
  stored: StoredChat
): Effect.fn.Return<void, ChatStoreFailed> {
  for (const { parts, ...start } of stored.turns) {
    // The message that took its place was never kept.
    if (start.replacedBy !== null && start.replacedBy > stored.lastTurn) {
      yield* ChatSession.putTurn(session, { ...start, replacedBy: null })
    }
    if (start.state === "waiting") session.queue.push({ turn: start.turn, resume: null })
    else if (start.state === "running") yield* left(session, start.turn, parts)
  }
})

const left = Effect.fnUntraced(function*(session: ChatSession.ChatSession, turn: number, parts: ReadonlyArray<Part>) {
  const start = session.turns.get(turn)
  if (start === undefined) return
  if (parts.some(({ type }) => type === "finish")) {
    return yield* ChatSession.putTurn(session, { ...start, state: "ended" })
  }
  const waiting = OpenApprovals.open(parts)
  if (waiting.length > 0) {
    for (const { id } of waiting) session.approvals.set(id, turn)
    session.queue.unshift({ turn, resume: parts })
    return
  }
  yield* Effect.forEach([...openCalls(parts), INTERRUPTED], (part) => PartWriter.write(session, turn, part))
  if (session.broken !== null) return yield* session.broken
})

const INTERRUPTED: TurnPart = { type: "finish", reason: "interrupted", usage: NO_USAGE }

const openCalls = (parts: ReadonlyArray<Part>): ReadonlyArray<TurnPart> => {
  const done = new Set(parts.flatMap((part) => part.type === "tool-result" ? [part.id] : []))
  return parts.flatMap((part) =>
    part.type !== "tool-call" || done.has(part.id) ? [] : [{
      type: "tool-result" as const,
      id: part.id,
      isError: true,
      text: `${part.name} has no result: the chat server ended before it finished, so it may or may not have been done`,
      content: [],
      truncated: null,
      origin: null,
      millis: 0
    }]
  )
}
