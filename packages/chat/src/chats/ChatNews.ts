/** The changes in the list of chats, for those who show it. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ChatSummary } from "../model/Chat.ts"

/** One change of the list. */
export type ChatChange =
  | { readonly type: "chat"; readonly chat: ChatSummary }
  | { readonly type: "chat-removed"; readonly id: string }

export interface ChatNews {
  readonly tell: (change: ChatChange) => void
  /** Each change from now on. A slow listener gets the last change of each chat only, and holds no more than those. */
  readonly changes: Stream.Stream<ChatChange>
}

interface Listener {
  readonly waiting: Map<string, ChatChange>
  news: Deferred.Deferred<void>
}

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

const hear = ({ news, waiting }: Listener, change: ChatChange): void => {
  const id = change.type === "chat" ? change.chat.id : change.id
  // The last that changed stands last.
  waiting.delete(id)
  waiting.set(id, change)
  Deferred.doneUnsafe(news, Effect.void)
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
