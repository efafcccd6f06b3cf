/** The chats in memory. A chat is in memory while a client listens to it or changes it, or while a turn of it runs. */
import { ExecuteTool } from "@boocode/toolkit/code"
import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import type * as Scope from "effect/Scope"
import { cancelledQuestions, openApprovals, openCalls } from "../asking/AskedParts.ts"
import * as WriteJournal from "../journal/WriteJournal.ts"
import { UnknownChat } from "../model/ChatError.ts"
import type { Part, TurnPart } from "../model/Part.ts"
import * as Usage from "../model/Usage.ts"
import * as ProgramParts from "../programs/ProgramParts.ts"
import { fileOf } from "../programs/TurnPrograms.ts"
import type { ChatStore, ChatStoreFailed } from "../store/ChatStore.ts"
import type { ChatNews } from "./ChatNews.ts"
import * as ChatSession from "./ChatSession.ts"
import * as PartWriter from "./PartWriter.ts"
import * as SessionState from "./SessionState.ts"

export interface ChatSessions {
  readonly live: ReadonlyMap<string, ChatSession.ChatSession>
  /** The session of a chat, for as long as the scope is open. A chat that is not in memory is read and mended first. */
  readonly hold: (id: string) => Effect.Effect<ChatSession.ChatSession, UnknownChat | ChatStoreFailed, Scope.Scope>
  /** The next `hold` reads the chat again; earlier holders keep the session they have. */
  readonly forget: (id: string) => Effect.Effect<void>
}

/**
 * No chat is in memory yet. The chats leave memory with the scope. Where this program is not alone, each chat becomes its
 * own before it is read: another one that ran it can write no more.
 */
export const make = Effect.fnUntraced(function*(
  store: ChatStore["Service"],
  news: ChatNews,
  { isAlone = true, window }: { readonly isAlone?: boolean; readonly window?: number | undefined } = {}
): Effect.fn.Return<ChatSessions, never, Scope.Scope> {
  const live = new Map<string, ChatSession.ChatSession>()
  const enter = (session: ChatSession.ChatSession) =>
    Effect.acquireRelease(
      Effect.sync(() => void live.set(session.id, session)),
      () => Effect.sync(() => live.get(session.id) === session && live.delete(session.id))
    )
  const load = Effect.fnUntraced(function*(id: string) {
    if (!isAlone) yield* store.claim(id)
    const head = (yield* store.head(id)) ?? (yield* new UnknownChat({ id }))
    const scope = yield* Effect.scope
    const session: ChatSession.ChatSession = ChatSession.make(head, {
      store,
      scope,
      ...window === undefined ? {} : { window },
      // Until it is mended, the list knows the chat as it is stored.
      news: { ...news, tell: (owner, change) => live.get(id) === session ? news.tell(owner, change) : undefined }
    })
    const stored = session.state
    yield* mend(session)
    yield* enter(session)
    if (SessionState.isNews(stored, session.state)) {
      news.tell(head.record.owner, { type: "chat", chat: SessionState.summary(session.state) })
    }
    return session
  })
  const sessions = yield* RcMap.make({ lookup: load })
  const hold = (id: string): ReturnType<ChatSessions["hold"]> =>
    Effect.flatMap(RcMap.get(sessions, id), (session) =>
      // A chat that could not be kept is read again once none of its turns runs.
      session.state.broken !== null && session.state.running === null
        ? Effect.andThen(RcMap.invalidate(sessions, id), RcMap.get(sessions, id))
        : Effect.succeed(session))
  return { live, hold, forget: (id) => RcMap.invalidate(sessions, id) }
})

/**
 * Mends a chat that was just read. Messages that wait are queued again, in their order; one that a turn took has ended. A turn that waits for a person
 * goes on where it was, before them. Any other turn without an end finishes with `interrupted`: its open questions are
 * cancelled, and its open calls get an error result. Fails, and writes nothing, when another program that runs goes on
 * with them.
 */
const mend = Effect.fnUntraced(function*(
  session: ChatSession.ChatSession
): Effect.fn.Return<void, ChatStoreFailed> {
  const { id, state: { lastTurn, turns }, store } = session
  const unfinished = [...turns.values()].filter(({ state }) => state !== "ended")
  const orphaned = [...turns.values()].filter(({ replacedBy }) => replacedBy !== null && replacedBy > lastTurn)
  if (unfinished.length + orphaned.length === 0) return
  // Another program may be running them.
  yield* store.claim(id)
  // The messages that took their place were never kept.
  for (const start of orphaned) yield* ChatSession.putTurn(session, { ...start, replacedBy: null })
  const stored = unfinished.length === 0 ? null : yield* store.get(id)
  for (const { hurried = false, state, turn } of unfinished) {
    const parts = stored?.turns.find((one) => one.turn === turn)?.parts ?? []
    if (state === "waiting" && parts.length === 0) {
      ChatSession.happened(session, { type: "queued", pending: { turn, resume: null, isUrgent: hurried } })
    } else yield* left(session, turn, parts)
  }
})

const left = Effect.fnUntraced(function*(session: ChatSession.ChatSession, turn: number, parts: ReadonlyArray<Part>) {
  const start = session.state.turns.get(turn)
  if (start === undefined) return
  if (parts.some(({ type }) => type === "finish")) {
    return yield* ChatSession.putTurn(session, { ...start, state: "ended" })
  }
  const waiting = openApprovals(parts)
  if (waiting.length > 0) {
    for (const { id } of waiting) ChatSession.happened(session, { type: "asked", approval: id, turn })
    return ChatSession.happened(session, { type: "queued", pending: { turn, resume: parts } })
  }
  const end: TurnPart = { type: "finish", reason: "interrupted", usage: Usage.ofTurn(parts) }
  yield* Effect.forEach(
    [
      ...cancelledQuestions(parts),
      ...WriteJournal.cutOff(parts),
      ...openCalls(parts).map((call) => lostResult(parts, call)),
      end
    ],
    (part) => PartWriter.write(session, turn, part)
  )
  if (session.state.broken !== null) return yield* session.state.broken
  const programs = openCalls(parts).filter(({ name }) => name === ExecuteTool.EXECUTE)
  yield* Effect.forEach(programs, (call) => session.store.removeFile(session.id, fileOf(call.id)), { discard: true })
})

const lostResult = (
  parts: ReadonlyArray<Part>,
  { id, name }: ReturnType<typeof openCalls>[number]
): TurnPart => ({
  type: "tool-result",
  id,
  isError: true,
  text: name === ExecuteTool.EXECUTE
    ? ProgramParts.lost(parts, id)
    : `${name} has no result: the chat server ended before it finished, so it may or may not have been done`,
  content: [],
  truncated: null,
  origin: null,
  millis: 0
})

/** Mends what an earlier program left, and starts what waited. */
export const goOn = (store: ChatStore["Service"], open: (id: string) => Effect.Effect<void, unknown>) =>
  store.unfinished.pipe(
    Effect.flatMap((ids) =>
      Effect.forEach(
        ids,
        (id) => Effect.catch(open(id), (error) => Effect.logError(`the chat ${id} cannot be taken up again`, error)),
        {
          concurrency: 4,
          discard: true
        }
      )
    ),
    Effect.catch((error) => Effect.logError(`what waits in chats cannot be taken up again: ${error.message}`))
  )
