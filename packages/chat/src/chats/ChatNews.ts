/**
 * What changes in the list of chats, for whoever shows it.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ChatSummary } from "../Chat.ts"

/** One change of the list. @category models */
export type ChatChange =
  | { readonly type: "chat"; readonly chat: ChatSummary }
  | { readonly type: "chat-removed"; readonly id: string }

/** Tells changes to all who listen. @category models */
export interface ChatNews {
  readonly tell: (change: ChatChange) => void
  /** Each change from now on. Who is slow gets only the last change of each chat, so nobody holds more than one a chat. */
  readonly changes: Stream.Stream<ChatChange>
}

interface Listener {
  readonly waiting: Map<string, ChatChange>
  news: Deferred.Deferred<void>
}

/**
 * News that nobody listens to yet.
 *
 * @category constructors
 */
export const make = (): ChatNews => {
  const listeners = new Set<Listener>()
  const listen = Effect.acquireRelease(
    Effect.sync(() => {
      const listener: Listener = { waiting: new Map(), news: Deferred.makeUnsafe() }
      listeners.add(listener)
      return listener
    }),
    (listener) => Effect.sync(() => listeners.delete(listener))
  )
  return {
    tell: (change) => {
      for (const listener of listeners) hear(listener, change)
    },
    changes: Stream.unwrap(Effect.map(listen, (listener) => Stream.fromIterableEffectRepeat(take(listener))))
  }
}

const hear = (listener: Listener, change: ChatChange): void => {
  const id = change.type === "chat" ? change.chat.id : change.id
  // The last that changed stands last.
  listener.waiting.delete(id)
  listener.waiting.set(id, change)
  Deferred.doneUnsafe(listener.news, Effect.void)
}

const take = (listener: Listener): Effect.Effect<ReadonlyArray<ChatChange>> =>
  Effect.suspend(() =>
    Effect.map(Deferred.await(listener.news), () => {
      const all = [...listener.waiting.values()]
      listener.waiting.clear()
      listener.news = Deferred.makeUnsafe()
      return all
    })
  )
