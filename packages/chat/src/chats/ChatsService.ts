/** The service of chats. */
import type { ModelUnavailable } from "@boocode/language-models"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as BegunChat from "../exchange/BegunChat.ts"
import type * as ChatDocument from "../exchange/ChatDocument.ts"
import type { SummaryPart } from "../history/Summaries.ts"
import type { TurnTimeline } from "../history/TurnTimeline.ts"
import type * as Attachments from "../model/Attachments.ts"
import type { Chat, ChatEdit, ChatRecord, ChatSummary, Message } from "../model/Chat.ts"
import type * as ChatError from "../model/ChatError.ts"
import type { Part } from "../model/Part.ts"
import type { OverLimit } from "../spending/Spending.ts"
import type { ChatStoreFailed, TurnStart } from "../store/ChatStore.ts"
import type { TextHit } from "../store/SearchHits.ts"
import type { CallDraft, DraftedCall } from "../tools/CallDrafts.ts"
import type { CurrentUser } from "../users/CurrentUser.ts"
import type * as ChatNews from "./ChatNews.ts"
import type * as Sending from "./Sending.ts"
import type * as WaitingMessages from "./WaitingMessages.ts"

/** A chat in which words were found. */
export interface FoundChat extends ChatSummary {
  /** The text around the words; null in a list without a search. */
  readonly excerpt: string | null
}

type Known = ChatError.UnknownChat | ChatStoreFailed

/**
 * Each person has their own chats: to anybody else a chat is one that is not there. Any member may fail because they
 * cannot be kept or read.
 */
export interface ChatsService {
  /** Begins a chat. Fails when the agent is not there or the model cannot be used. */
  readonly create: (options: Pick<ChatRecord, "agent" | "model">) => Effect.Effect<
    ChatSummary,
    ChatError.UnknownAgent | ModelUnavailable | ChatStoreFailed,
    CurrentUser
  >
  /** Begins a chat that goes on with a conversation of another program: it is there as a whole, or not at all. */
  readonly begin: (options: Pick<ChatRecord, "agent" | "model"> & BegunChat.BegunChat) => Effect.Effect<
    ChatSummary,
    ChatError.UnknownAgent | ModelUnavailable | ChatError.AttachmentRefused | ChatStoreFailed,
    CurrentUser
  >
  /** All chats of the person, the last used first. */
  readonly list: Effect.Effect<ReadonlyArray<ChatSummary>, ChatStoreFailed, CurrentUser>
  /** Each change of the list from now on. A slow listener gets only the last change of each chat. */
  readonly changes: Stream.Stream<ChatNews.ChatChange, never, CurrentUser>
  /** The chats with all these words in title, messages or answers, the last used first. */
  readonly search: (
    words: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<FoundChat>, ChatStoreFailed, CurrentUser>
  /**
   * The titles, messages and answers with all these words, of the chat last used first. Where the words of a chat stand
   * in different texts, each text with one of them is a hit.
   */
  readonly find: (words: string, limit: number) => Effect.Effect<ReadonlyArray<TextHit>, ChatStoreFailed, CurrentUser>
  /** A whole chat as it is stored; asks no server and no model. */
  readonly get: (id: string) => Effect.Effect<Chat, Known, CurrentUser>
  /** The line of the list for one chat; it costs little however long the chat is. Mends what an earlier program left. */
  readonly summary: (id: string) => Effect.Effect<ChatSummary, Known, CurrentUser>
  /** Gives a chat another title, agent, model, folder or pin, or turns servers and tools off in it. */
  readonly update: (id: string, edit: ChatEdit) => Effect.Effect<
    ChatSummary,
    Known | ChatError.UnknownAgent | ModelUnavailable | ChatError.BlankTitle,
    CurrentUser
  >
  /**
   * A new chat with every turn of this one up to and including `turn`, its agent, model, folder and what is off in it.
   * Fails when one of those turns has not ended.
   */
  readonly fork: (
    id: string,
    turn: number
  ) => Effect.Effect<ChatSummary, Known | ChatError.UnknownTurn | ChatError.TurnRunning, CurrentUser>
  /** Ends the chat's turn, then forgets the chat. */
  readonly remove: (id: string) => Effect.Effect<void, Known, CurrentUser>
  /** The turn that the message of this key became; null without a key, or when no such message was sent. */
  readonly sent: (id: string, key: string | null) => Effect.Effect<Sending.Sent | null, Known, CurrentUser>
  /**
   * Starts a turn, or queues the message while one runs; at most 20 messages wait in a chat. Returns as soon as the
   * message is kept: it is answered even if the program ends now and is started again. `stop`, `remove`, a limit of the person
   * and the end of the program end a turn. Fails where the person has used what they may, or has as many chats answered as they may.
   *
   * A message that `replaces` a turn takes its place and that of all later ones: they stay readable, and no model sees
   * them again. That cannot be done while a turn runs or waits. A second message with the same `key` is the first one.
   */
  readonly send: (id: string, message: Message) => Effect.Effect<
    Sending.Sent,
    | Known
    | ChatError.UnknownAgent
    | ChatError.UnknownTurn
    | ModelUnavailable
    | ChatError.QueueFull
    | ChatError.TurnRunning
    | ChatError.AttachmentRefused
    | OverLimit,
    CurrentUser
  >
  /** A message that waits. */
  readonly waiting: (id: string, turn: number) => Effect.Effect<TurnStart, Known | ChatError.UnknownTurn, CurrentUser>
  /**
   * Gives a message that waits another text, and other names of agent and model where they are given. With `prompt`,
   * models read that in its place, as in `send`.
   */
  readonly editWaiting: (
    id: string,
    turn: number,
    words: WaitingMessages.Words
  ) => Effect.Effect<void, Known | ChatError.UnknownTurn, CurrentUser>
  /**
   * Has the turn that runs take a message that waits at its next step, between two requests to its model. When the turn
   * ends before that, the message is the next turn. A message that was taken is a `message` part of the turn that took
   * it, whose agent and model answer, and its own turn ends with `joined`. A message to the command mode is not taken.
   */
  readonly hurry: (id: string, turn: number) => Effect.Effect<void, Known | ChatError.UnknownTurn, CurrentUser>
  /**
   * Gives the note that stands in place of older turns another text, which models read in the turns that begin from now
   * on. Listeners of `events` who saw the note already hear nothing.
   */
  readonly editSummary: (
    id: string,
    summary: string,
    text: string
  ) => Effect.Effect<SummaryPart, Known | ChatError.UnknownSummary, CurrentUser>
  /** Drops a message that waits, as if it had never been sent. */
  readonly drop: (id: string, turn: number) => Effect.Effect<void, Known | ChatError.UnknownTurn, CurrentUser>
  /**
   * Ends the running turn: its tools are cancelled, open calls get an error result, it finishes with `stopped`.
   * Messages that wait stay, and the next one begins. Answers when all that has happened.
   */
  readonly stop: (id: string) => Effect.Effect<void, Known, CurrentUser>
  /**
   * Every part with a `seq` above `after`, first those there are, then each new one. Ends when the chat is removed,
   * also for a listener who has not read all parts: they are gone then.
   */
  readonly events: (id: string, after: number) => Stream.Stream<Part, Known, CurrentUser>
  /**
   * The pieces of the arguments that a model writes just now, each some 75 ms after the one before, until the listener
   * leaves. Whether a call came of them, `events` tells. In a fleet there are none.
   */
  readonly drafts: (id: string) => Stream.Stream<CallDraft, Known, CurrentUser>
  /** A call that is being written just now; null where there is none of this id. */
  readonly draft: (id: string, call: string) => Effect.Effect<DraftedCall | null, Known, CurrentUser>
  /** The time of the turn so far, by requests, calls and waits. */
  readonly timeline: (
    id: string,
    turn: number
  ) => Effect.Effect<TurnTimeline, Known | ChatError.UnknownTurn, CurrentUser>
  /** An attachment with its bytes. */
  readonly file: (
    id: string,
    file: string
  ) => Effect.Effect<Attachments.AttachedFile, Known | ChatError.UnknownFile, CurrentUser>
  /** All of a chat as one text: JSON to keep it, Markdown to read it. */
  readonly export: (id: string, format: ChatDocument.Format) => Effect.Effect<ChatDocument.Exported, Known, CurrentUser>
  /** A new chat from such a text: nothing in it runs or allows anything. */
  readonly import: (
    text: string,
    format: ChatDocument.Format
  ) => Effect.Effect<ChatSummary, ChatDocument.ImportRefused | ChatStoreFailed, CurrentUser>
  /** Removes all chats of somebody who is gone, and ends their turns. */
  readonly forget: (owner: string) => Effect.Effect<void, ChatStoreFailed>
  /**
   * Ends the chats of this program: no turn starts any more, and those that run may go on until `patience` ends. Then
   * they finish with `interrupted`; one that waits for a person is left, and goes on at the next start, as do messages
   * that wait. Gives how many turns ran.
   */
  readonly close: (patience: Effect.Effect<unknown>) => Effect.Effect<number>
}
