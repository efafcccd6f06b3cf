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
  readonly tell: (owner: string, change: ChatChange) => void
  /** More parts of a chat can be read, or it is gone: for those who listen to it without its session. */
  readonly wrote: (chat: string) => void
  /**
   * Each change of a person's chats from now on. A slow listener gets the last change of each chat only, and holds no
   * more than those.
   */
  readonly changes: (owner: string) => Stream.Stream<ChatChange>
}

interface Listener {
  readonly owner: string
  readonly waiting: Map<string, ChatChange>
  news: Deferred.Deferred<void>
}

export const make = (): ChatNews => {
  const listeners = new Set<Listener>()
  const listen = (owner: string) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const listener: Listener = { owner, waiting: new Map(), news: Deferred.makeUnsafe() }
        listeners.add(listener)
        return listener
      }),
      (listener) => Effect.sync(() => listeners.delete(listener))
    )
  return {
    tell: (owner, change) => {
      for (const listener of listeners) if (listener.owner === owner) hear(listener, change)
    },
    wrote: () => {},
    changes: (owner) =>
      Stream.unwrap(Effect.map(listen(owner), (listener) => Stream.fromIterableEffectRepeat(take(listener))))
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
