/**
 * The chats that are in memory: each while somebody listens to it, changes it, or a turn of it runs.
 */
import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import type * as Scope from "effect/Scope"
import { UnknownChat } from "../ChatError.ts"
import type { ChatStore, ChatStoreFailed } from "../store/ChatStore.ts"
import type { ChatNews } from "./ChatNews.ts"
import * as ChatSession from "./ChatSession.ts"
import * as Recovery from "./Recovery.ts"

/** The chats in memory. @category models */
export interface ChatSessions {
  /** Those that are ready, by id. */
  readonly live: ReadonlyMap<string, ChatSession.ChatSession>
  /** The one session of a chat, as long as the scope is open. It is read and mended when nobody has it. */
  readonly hold: (id: string) => Effect.Effect<ChatSession.ChatSession, UnknownChat | ChatStoreFailed, Scope.Scope>
  /** The next who asks reads the chat again; who has it keeps what he has. */
  readonly forget: (id: string) => Effect.Effect<void>
}

/**
 * None yet; they are dropped with the scope.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  store: ChatStore["Service"],
  news: ChatNews
): Effect.fn.Return<ChatSessions, never, Scope.Scope> {
  const live = new Map<string, ChatSession.ChatSession>()
  const enter = (session: ChatSession.ChatSession) =>
    Effect.acquireRelease(
      Effect.sync(() => void live.set(session.id, session)),
      () => Effect.sync(() => live.get(session.id) === session && live.delete(session.id))
    )
  const load = Effect.fnUntraced(function*(id: string) {
    const head = (yield* store.head(id)) ?? (yield* new UnknownChat({ id }))
    const session = ChatSession.make(head, { store, news, scope: yield* Effect.scope })
    yield* Recovery.mend(session)
    yield* enter(session)
    return session
  })
  const sessions = yield* RcMap.make({ lookup: load })
  const hold = (id: string): ReturnType<ChatSessions["hold"]> =>
    Effect.flatMap(RcMap.get(sessions, id), (session) =>
      // What could not be kept is read again once nothing of it runs.
      session.broken !== null && session.running === null
        ? Effect.andThen(RcMap.invalidate(sessions, id), RcMap.get(sessions, id))
        : Effect.succeed(session))
  return { live, hold, forget: (id) => RcMap.invalidate(sessions, id) }
})
