/**
 * Where chats are kept.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ChatRecord, ChatTurn } from "./Chat.ts"
import type { Part } from "./Part.ts"

/** A turn that begins: it has no parts yet. @category models */
export type TurnStart = Omit<ChatTurn, "parts">

/** A chat with all that was said. @category models */
export interface StoredChat {
  readonly record: ChatRecord
  /** In order; each with its parts in the order of their `seq`. */
  readonly turns: ReadonlyArray<ChatTurn>
  /** The highest `seq` there is, 0 when there is none. */
  readonly lastSeq: number
  /** The highest number that a turn, or a part of one that never began, has; 0 when there is none. */
  readonly lastTurn: number
}

/**
 * Keeps chats. Writes to one chat come one after the other, from one writer; a write to a chat that was removed does
 * nothing. After a crash the last turn may lack its end: readers must not count on a `finish` part.
 *
 * @category services
 */
export class ChatStore extends Context.Service<ChatStore, {
  /** Every chat without its turns, in no order. */
  readonly list: Effect.Effect<ReadonlyArray<ChatRecord>>
  /** Null when there is none. */
  readonly get: (id: string) => Effect.Effect<StoredChat | null>
  /** Adds a chat, or replaces what is known of it besides its turns. */
  readonly put: (record: ChatRecord) => Effect.Effect<void>
  /** Adds a turn. Its number is higher than those before it. */
  readonly begin: (id: string, turn: TurnStart) => Effect.Effect<void>
  /** Adds a part. Its `seq` is the next one of the chat; a message that was dropped leaves a part without its turn. */
  readonly append: (id: string, part: Part) => Effect.Effect<void>
  /** The parts with a `seq` above `after`, in order, at most `limit` of them. None when the chat is not there. */
  readonly parts: (id: string, after: number, limit: number) => Effect.Effect<ReadonlyArray<Part>>
  readonly remove: (id: string) => Effect.Effect<void>
}>()("chat/ChatStore") {
  /** Keeps chats in memory, for as long as the program runs. */
  static readonly layerMemory: Layer.Layer<ChatStore> = Layer.sync(ChatStore, () => memory())
}

interface MemoryChat {
  record: ChatRecord
  readonly turns: Array<TurnStart>
  /** The part with `seq` n is at n - 1. */
  readonly parts: Array<Part>
}

const memory = (): ChatStore["Service"] => {
  const chats = new Map<string, MemoryChat>()
  const change = (id: string, f: (chat: MemoryChat) => void): Effect.Effect<void> =>
    Effect.sync(() => {
      const chat = chats.get(id)
      if (chat !== undefined) f(chat)
    })
  return ChatStore.of({
    list: Effect.sync(() => [...chats.values()].map(({ record }) => record)),
    get: (id) => Effect.sync(() => stored(chats.get(id))),
    put: (record) =>
      Effect.sync(() => {
        const chat = chats.get(record.id)
        if (chat === undefined) chats.set(record.id, { record, turns: [], parts: [] })
        else chat.record = record
      }),
    begin: (id, turn) => change(id, ({ turns }) => turns.push(turn)),
    append: (id, part) => change(id, ({ parts }) => parts.push(part)),
    parts: (id, after, limit) => Effect.sync(() => chats.get(id)?.parts.slice(after, after + limit) ?? []),
    remove: (id) => Effect.sync(() => void chats.delete(id))
  })
}

const stored = (chat: MemoryChat | undefined): StoredChat | null => {
  if (chat === undefined) return null
  const parts = Map.groupBy(chat.parts, (part) => part.turn)
  return {
    record: chat.record,
    turns: chat.turns.map((turn) => ({ ...turn, parts: parts.get(turn.turn) ?? [] })),
    lastSeq: chat.parts.at(-1)?.seq ?? 0,
    lastTurn: Math.max(0, chat.turns.at(-1)?.turn ?? 0, ...parts.keys())
  }
}
