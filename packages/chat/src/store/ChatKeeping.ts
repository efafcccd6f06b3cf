/** What a store of chats can do. */
import type * as Effect from "effect/Effect"
import type { ChatRecord, ChatTurn } from "../model/Chat.ts"
import type { Part } from "../model/Part.ts"
import type { ChatStoreFailed } from "./ChatStoreFailed.ts"

/** A turn without what came of it. */
export type TurnStart = Omit<ChatTurn, "parts">

/** A chat without what came of its turns. */
export interface ChatHead {
  readonly record: ChatRecord
  /** In order. */
  readonly turns: ReadonlyArray<TurnStart>
  /** The highest `seq` there is, 0 when there is none. */
  readonly lastSeq: number
  /** The highest number that a turn has or had; 0 when there is none. */
  readonly lastTurn: number
}

/** A chat with all that was said. */
export interface StoredChat extends ChatHead {
  /** In order; each with its parts in the order of their `seq`. */
  readonly turns: ReadonlyArray<ChatTurn>
}

/** A chat that comes from outside, as a whole. */
export interface NewChat {
  readonly record: ChatRecord
  /** All ended, in order. */
  readonly turns: ReadonlyArray<ChatTurn>
  /** The bytes of attachments by their id. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** A chat in which words were found. */
export interface ChatHit {
  readonly record: ChatRecord
  /** Where they stand: at most 200 characters of a title, a message or an answer. */
  readonly excerpt: string
}

type Stored<A = void> = Effect.Effect<A, ChatStoreFailed>

/** What `ChatStore` can do. */
export interface ChatKeeping {
  /** Every chat without its turns, in no order. */
  readonly list: Stored<ReadonlyArray<ChatRecord>>
  /**
   * The chats with all these words, or beginnings of words, in title, messages or answers, the last used first; at most
   * `limit` of them. Neither case nor accents matter. None when there is no word in it.
   */
  readonly search: (words: string, limit: number) => Stored<ReadonlyArray<ChatHit>>
  /** Null when there is none. */
  readonly get: (id: string) => Stored<StoredChat | null>
  /** The same without parts: it costs little however long the chat is. */
  readonly head: (id: string) => Stored<ChatHead | null>
  /** Adds a whole chat that is not there yet, all of it or nothing. */
  readonly add: (chat: NewChat) => Stored
  /**
   * Makes the chat this program's own until it ends, as the first write to its turns does. Fails when it is that of
   * another program that runs; then nothing is written.
   */
  readonly claim: (id: string) => Stored
  /** Adds a chat, or replaces what is known of it besides its turns. */
  readonly put: (record: ChatRecord) => Stored
  /** Adds a turn, or replaces what is known of it besides its parts. The numbers of new ones rise. */
  readonly putTurn: (id: string, turn: TurnStart) => Stored
  /** Removes a turn that never began. */
  readonly removeTurn: (id: string, turn: number) => Stored
  /** Adds parts, all or none. Their `seq` are the next ones of the chat. */
  readonly append: (id: string, parts: ReadonlyArray<Part>) => Stored
  /**
   * The parts with a `seq` above `after`, in order, at most `limit` of them, and beyond the first no more than about
   * `bytes`. None when the chat is not there.
   */
  readonly parts: (id: string, after: number, limit: number, bytes?: number) => Stored<ReadonlyArray<Part>>
  /** The chats with a turn that is not `ended`: those that a program left behind when it was killed. */
  readonly unfinished: Stored<ReadonlyArray<string>>
  /** Keeps the bytes of an attachment. */
  readonly putFile: (id: string, file: string, data: Uint8Array) => Stored
  /** Null when there is none. */
  readonly file: (id: string, file: string) => Stored<Uint8Array | null>
  /** Removes a chat with all that belongs to it. */
  readonly remove: (id: string) => Stored
}
