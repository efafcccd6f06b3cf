/** The lists of chats that any node runs, as the store has them, and their changes. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { openApprovals, openQuestions } from "../asking/AskedParts.ts"
import * as ChatNews from "../chats/ChatNews.ts"
import * as SessionState from "../chats/SessionState.ts"
import { type ChatRecord, type ChatSummary, shownOf } from "../model/Chat.ts"
import type { ChatStore, ChatStoreFailed, UnderWay } from "../store/ChatStore.ts"

/** The turn and the waiting messages of a chat, as its line of the list shows them. */
export type Live = Pick<ChatSummary, "running" | "waiting" | "approvals" | "questions">

const NOTHING: UnderWay = { turns: [], parts: [] }

export const liveOf = ({ parts, turns }: UnderWay = NOTHING): Live => ({
  running: turns.find(({ state }) => state === "running")?.turn ?? null,
  waiting: turns.filter(({ state }) => state === "waiting").length,
  approvals: openApprovals(parts).length,
  questions: openQuestions(parts).length
})

/** The line of the list for a chat. */
export const summaryOf = (record: ChatRecord, underWay?: UnderWay): ChatSummary => ({
  ...shownOf(record),
  ...liveOf(underWay)
})

export interface ChatLists {
  /** All chats of a person, the last used first. */
  readonly list: (owner: string) => Effect.Effect<ReadonlyArray<ChatSummary>, ChatStoreFailed>
  /**
   * Each change of a person's chats from now on, wherever it was made. One that nobody tells of comes within 5 s. A slow
   * listener gets the last change of each chat only.
   */
  readonly changes: (owner: string) => Stream.Stream<ChatNews.ChatChange>
  /** This program changed a chat. */
  readonly tell: ChatNews.ChatNews["tell"]
  /** Another program changed a chat of this person. */
  readonly wake: (owner: string) => void
}

/** A list that somebody in this program sees. */
interface ShownList {
  listeners: number
  /** The lines as they were last read; null before the first look. */
  known: ReadonlyMap<string, string> | null
  isStale: boolean
}

/** Changes that come together are read together. */
const GATHERED = "100 millis"
const TICKS_TO_LOOK = 50

export const make = Effect.fnUntraced(function*(
  store: ChatStore["Service"]
): Effect.fn.Return<ChatLists, never, Scope.Scope> {
  const news = ChatNews.make()
  const shown = new Map<string, ShownList>()

  const list = Effect.fnUntraced(function*(owner: string) {
    const records = yield* store.list(owner)
    const underWay = yield* store.underWay(owner)
    return records.map((record) => summaryOf(record, underWay.get(record.id))).toSorted(SessionState.lastUsedFirst)
  })

  /** Tells what is different from the last look. */
  const look = Effect.fnUntraced(function*(owner: string, one: ShownList) {
    one.isStale = false
    const chats = yield* list(owner)
    const before = one.known
    const now = new Map(chats.map((chat) => [chat.id, JSON.stringify(chat)]))
    one.known = now
    if (before === null) return
    // The last used comes last, so that a listener who reads them in order ends with it.
    for (const chat of chats.toReversed()) {
      if (before.get(chat.id) !== now.get(chat.id)) news.tell(owner, { type: "chat", chat })
    }
    for (const id of before.keys()) if (!now.has(id)) news.tell(owner, { type: "chat-removed", id })
  }, Effect.catch((error) => Effect.logDebug(`a list of chats cannot be read: ${error.message}`)))

  let ticks = 0
  const tick = Effect.suspend(() => {
    const isTime = ++ticks % TICKS_TO_LOOK === 0
    const due = [...shown].filter(([, one]) => isTime || one.isStale)
    return Effect.forEach(due, ([owner, one]) => look(owner, one), { concurrency: 4, discard: true })
  })
  yield* Effect.forkScoped(Effect.forever(Effect.delay(tick, GATHERED)))

  const show = (owner: string) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const one: ShownList = shown.get(owner) ?? { listeners: 0, known: null, isStale: false }
        one.listeners++
        shown.set(owner, one)
        return one
      }),
      () =>
        Effect.sync(() => {
          const one = shown.get(owner)
          if (one !== undefined && --one.listeners === 0) shown.delete(owner)
        })
    )

  return {
    list,
    // A chat from before the listener asks for the list is no news to it, and all that come later are.
    changes: (owner) =>
      Stream.unwrap(
        Effect.flatMap(show(owner), (one) =>
          Effect.as(one.known === null ? look(owner, one) : Effect.void, news.changes(owner)))
      ),
    tell: news.tell,
    wake: (owner) => {
      const one = shown.get(owner)
      if (one !== undefined) one.isStale = true
    }
  }
})
