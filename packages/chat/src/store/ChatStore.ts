/** Where chats are kept. `SqlChatStore` and `MemoryChatStore` are its layers. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { TimedPart } from "../history/TurnTimeline.ts"
import type { ChatRecord, ChatTurn } from "../model/Chat.ts"
import type { Part } from "../model/Part.ts"
import type { TextHit } from "./SearchHits.ts"

/** A turn without what came of it. */
export type TurnStart = Omit<ChatTurn, "parts">

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

export interface NewChat {
  readonly record: ChatRecord
  /** All ended, in order. */
  readonly turns: ReadonlyArray<ChatTurn>
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** The turn and the waiting messages of a chat, as they are stored. */
export interface UnderWay {
  /** The turns that have not ended, in order. */
  readonly turns: ReadonlyArray<Pick<TurnStart, "turn" | "state">>
  /** Their parts of the kinds `ASKING`, in order. */
  readonly parts: ReadonlyArray<Part>
}

/** The parts of one turn with their times. */
export interface TimedParts {
  /** When the part before the first of them was kept; null where none was. */
  readonly before: number | null
  readonly parts: ReadonlyArray<TimedPart>
}

/** The kinds of parts that tell what waits for a person. */
export const ASKING = [
  "approval",
  "approval-answer",
  "question",
  "question-answer",
  "tool-result",
  "finish"
] as const satisfies ReadonlyArray<Part["type"]>

/** A chat in which words were found. */
export interface ChatHit {
  readonly record: ChatRecord
  /** Where they stand: at most 200 characters of a title, a message or an answer. */
  readonly excerpt: string
}

type Stored<A = void> = Effect.Effect<A, ChatStoreFailed>

/**
 * Keeps chats. Writes to one chat come one after the other, from one writer. A write to a chat that was removed does
 * nothing. A write that was answered survives a kill of the program. After a crash the last turn may lack its end:
 * readers must not count on a `finish` part.
 */
export class ChatStore extends Context.Service<ChatStore, {
  /** The chats of this person without their turns, in no order. */
  readonly list: (owner: string) => Stored<ReadonlyArray<ChatRecord>>
  /** The ids of the chats of everybody, in no order. */
  readonly ids: Stored<ReadonlyArray<string>>
  /** The owner of the chat; null when there is no such chat. */
  readonly owner: (id: string) => Stored<string | null>
  /**
   * The chats of this person with all these words, or beginnings of words, in title, messages or answers, the last used
   * first; at most `limit` of them. Neither case nor accents matter. Gives none where `words` holds no word.
   */
  readonly search: (owner: string, words: string, limit: number) => Stored<ReadonlyArray<ChatHit>>
  /**
   * The titles, messages and answers of this person with all these words, or beginnings of words, at most `limit` of them: those of the
   * chat last used first, and in a chat in its order, at most 20. Where the words of a chat stand in different texts,
   * each text with one of them counts.
   */
  readonly find: (owner: string, words: string, limit: number) => Stored<ReadonlyArray<TextHit>>
  /** Null when there is none. */
  readonly get: (id: string) => Stored<StoredChat | null>
  /** The chat without parts. It costs little however long the chat is. */
  readonly head: (id: string) => Stored<ChatHead | null>
  /** Adds a whole chat that is not there yet, all of it or nothing. */
  readonly add: (chat: NewChat) => Stored
  /**
   * Makes the chat this program's own until it ends, as the first write to its turns does. Fails when it is that of
   * another program that runs; then nothing is written.
   */
  readonly claim: (id: string) => Stored
  /** Adds a chat, or replaces what is known of it besides its turns and its owner. */
  readonly put: (record: ChatRecord) => Stored
  /** Adds a turn, or replaces what is known of it besides its parts. The numbers of new ones rise. */
  readonly putTurn: (id: string, turn: TurnStart) => Stored
  /** Removes a turn that never began. */
  readonly removeTurn: (id: string, turn: number) => Stored
  /** Adds parts, all or none. Their `seq` are the next ones of the chat. */
  readonly append: (id: string, parts: ReadonlyArray<Part>) => Stored
  /** Replaces the part with that `seq`. Does nothing where there is none. */
  readonly putPart: (id: string, part: Part) => Stored
  /**
   * The parts with a `seq` above `after`, in order, at most `limit` of them, and beyond the first no more than about
   * `bytes`. None when the chat is not there.
   */
  readonly parts: (id: string, after: number, limit: number, bytes?: number) => Stored<ReadonlyArray<Part>>
  /** The parts of a turn, each with the time at which `append` kept it. Empty when the turn is not there. */
  readonly timed: (id: string, turn: number) => Stored<TimedParts>
  /** The highest `seq` of each of these chats, 0 where it has no part; a chat that is not there is left out. */
  readonly lastSeqs: (ids: ReadonlyArray<string>) => Stored<ReadonlyMap<string, number>>
  /** The turns and the waiting messages of this person's chats. */
  readonly underWay: (owner: string) => Stored<ReadonlyMap<string, UnderWay>>
  /** The chats with a turn that is not `ended`: those that a program left behind when it was killed. */
  readonly unfinished: Stored<ReadonlyArray<string>>
  /** The chats of this person with a turn that is not `ended`. */
  readonly busy: (owner: string) => Stored<ReadonlyArray<string>>
  /** Keeps the bytes of an attachment. */
  readonly putFile: (id: string, file: string, data: Uint8Array) => Stored
  /** Null when there is none. */
  readonly file: (id: string, file: string) => Stored<Uint8Array | null>
  /** Removes what `putFile` kept. Does nothing where there is none. */
  readonly removeFile: (id: string, file: string) => Stored
  /** Removes a chat with all that belongs to it. */
  readonly remove: (id: string) => Stored
}>()("chat/ChatStore") {}

/** The store could not do something. The chats in it stay as they were. */
export class ChatStoreFailed extends Schema.TaggedError<ChatStoreFailed>()("ChatStoreFailed", {
  /** The operation that failed, such as `append`. */
  operation: Schema.String,
  /** Why, in the words of the database. */
  why: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return `the chats cannot be kept or read (${this.operation}): ${this.why}`
  }
  readonly hint: string = "see that the database is there and its disk is not full, then try again"
}

/** The database cannot be used for chats at all. */
export class ChatStoreUnusable extends Schema.TaggedError<ChatStoreUnusable>()("ChatStoreUnusable", {
  /** Its file, or its address without user and password. */
  database: Schema.String,
  why: Schema.String,
  hint: Schema.String,
  /**
   * True when it can be read or reached by somebody who may write there, or not at all: nothing is wrong with what is
   * in it.
   */
  isOutOfReach: Schema.Boolean,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return `the chats in ${this.database} cannot be used: ${this.why}`
  }
}

/** A program that keeps chats. */
export interface ChatWriter {
  /** This one's name and no other's. */
  readonly id: string
  /** Whether another program of that name still runs. Answers at once, and yes when in doubt. */
  readonly isAlive: (id: string) => Effect.Effect<boolean>
  /** Whether this program goes on with what a killed one left behind. */
  readonly recovers: boolean
  /**
   * Whether another program may take a chat over while this one believes that it is its own. Then `claim` takes it from
   * any other, and each write first sees, in its own transaction, that the chat is still this program's. Left out, it is
   * false.
   */
  readonly isFenced?: boolean
}

/** This program as a writer of chats. It is alone, unless an app says otherwise. */
export const ChatWriter = Context.Reference<ChatWriter>("chat/ChatWriter", {
  defaultValue: () => ({ id: "alone", isAlive: () => Effect.succeed(false), recovers: true })
})
