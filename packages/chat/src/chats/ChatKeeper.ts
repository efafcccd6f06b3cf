/** What can be done with chats. */
import type { ModelUnavailable } from "@boocode/language-models"
import type { Deferral } from "@boocode/toolkit"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Format, ImportRefused } from "../exchange/ChatDocument.ts"
import type { Exported } from "../exchange/ChatExchange.ts"
import type { AttachedFile } from "../model/Attachments.ts"
import type { Chat, ChatSummary, Message } from "../model/Chat.ts"
import type * as ChatError from "../model/ChatError.ts"
import type { Part } from "../model/Part.ts"
import type { ChatStoreFailed } from "../store/ChatStore.ts"
import type { ChatChange } from "./ChatSession.ts"
import type { Sent } from "./Sending.ts"

/** How the chats of a program run. */
export interface ChatsOptions {
  /**
   * The model when neither message, chat nor agent names one (`--model`, `BOOCODE_MODEL`); null is the command mode.
   */
  readonly model: string | null
  /** How long turns may go on when the program ends. Default 4 s. */
  readonly grace?: Duration.Input | undefined
  /** When models search for tools instead of being given them all. */
  readonly toolSearch?: Deferral.Policy | undefined
  /** What names a chat: its first message, or its model once it has answered that. Default `message`. */
  readonly titles?: "model" | "message" | undefined
}

/** A change of what is known of a chat; what is left out stays. */
export interface ChatEdit {
  /** Not blank. From now on no model gives it another. */
  readonly title?: string | undefined
  /** Null leaves it to the first agent there is. */
  readonly agent?: string | null | undefined
  /** Null leaves it to agent and program. */
  readonly model?: string | null | undefined
}

/** A chat in which words were found. */
export interface FoundChat extends ChatSummary {
  /** Where they stand; null in a list that nobody searched. */
  readonly excerpt: string | null
}

type Known = ChatError.UnknownChat | ChatStoreFailed

/** What `Chats` can do. */
export interface ChatKeeper {
  /** Begins a chat. Fails when the agent is not there or the model cannot be used. */
  readonly create: (options: {
    readonly agent: string | null
    readonly model: string | null
  }) => Effect.Effect<ChatSummary, ChatError.UnknownAgent | ModelUnavailable | ChatStoreFailed>
  /** All chats, the last used first. */
  readonly list: Effect.Effect<ReadonlyArray<ChatSummary>, ChatStoreFailed>
  /** Each change of the list from now on; who is slow gets only the last change of each chat. */
  readonly changes: Stream.Stream<ChatChange>
  /** The chats with all these words in title, messages or answers, the last used first. */
  readonly search: (words: string, limit: number) => Effect.Effect<ReadonlyArray<FoundChat>, ChatStoreFailed>
  /** A whole chat as it is stored; asks no server and no model. */
  readonly get: (id: string) => Effect.Effect<Chat, Known>
  /**
   * The line of the list for one chat; it costs little however long the chat is. Mends what an earlier program left.
   */
  readonly summary: (id: string) => Effect.Effect<ChatSummary, Known>
  /** Gives a chat another title, agent or model. */
  readonly update: (id: string, edit: ChatEdit) => Effect.Effect<
    ChatSummary,
    Known | ChatError.UnknownAgent | ModelUnavailable | ChatError.BlankTitle
  >
  /** Ends the chat's turn, then forgets the chat. */
  readonly remove: (id: string) => Effect.Effect<void, Known>
  /** What a message of this key became; null when none was sent, or without a key. */
  readonly sent: (id: string, key: string | null) => Effect.Effect<Sent | null, Known>
  /**
   * Starts a turn, or queues the message while one runs; at most 20 messages wait in a chat. Answers as soon as the
   * message is kept: it is answered even if the program ends now and is started again. Closing whatever listens does
   * not end the turn; only `stop`, `remove` and the end of the program do.
   *
   * A message that `replaces` a turn takes its place and that of all later ones: they stay readable, and no model sees
   * them again. That cannot be done while a turn runs or waits. A message with the `key` of an earlier one is that one.
   */
  readonly send: (id: string, message: Message) => Effect.Effect<
    Sent,
    | Known
    | ChatError.UnknownAgent
    | ChatError.UnknownTurn
    | ModelUnavailable
    | ChatError.QueueFull
    | ChatError.TurnRunning
    | ChatError.AttachmentRefused
  >
  /** Drops a message that waits, as if it had never been sent. */
  readonly drop: (id: string, turn: number) => Effect.Effect<void, Known | ChatError.UnknownTurn>
  /**
   * Ends the running turn: its tools are cancelled, open calls get an error result, it finishes with `stopped`.
   * Messages that wait are dropped: their turns end with `stopped`, too, and no model sees them. Answers when all that
   * has happened.
   */
  readonly stop: (id: string) => Effect.Effect<void, Known>
  /**
   * Every part with a `seq` above `after`, first those there are, then each new one. Ends when the chat is removed,
   * also for who has not read all of it: the parts are gone then.
   */
  readonly events: (id: string, after: number) => Stream.Stream<Part, Known>
  /** An attachment with its bytes. */
  readonly file: (id: string, file: string) => Effect.Effect<AttachedFile, Known | ChatError.UnknownFile>
  /** All of a chat as one text: JSON to keep it, Markdown to read it. */
  readonly export: (id: string, format: Format) => Effect.Effect<Exported, Known>
  /** A new chat from such a text: nothing in it runs or allows anything. */
  readonly import: (text: string, format: Format) => Effect.Effect<ChatSummary, ImportRefused | ChatStoreFailed>
  /**
   * Ends the chats of this program: no turn starts any more, and those that run may go on until `patience` ends. Then
   * they finish with `interrupted`; one that waits for a person is left, and goes on at the next start, as do messages
   * that wait. Gives how many turns ran.
   */
  readonly close: (patience: Effect.Effect<unknown>) => Effect.Effect<number>
}
