/**
 * The chats: each has one turn at a time, owned here and not by whoever listens to it.
 */
import type { ModelUnavailable } from "@boocode/language-models"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { UnknownAgent, UnknownChat } from "./ChatError.ts"
import { Part } from "./Part.ts"

/** One line of a list of chats. @category schemas */
export const ChatSummary = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  agent: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  updatedAt: Schema.String,
  /** The turn that runs; null when none does. */
  running: Schema.NullOr(Schema.Int)
})

/** One line of a list of chats. @category models */
export type ChatSummary = typeof ChatSummary.Type

/** One turn: what was asked, by which agent and model, and what came of it so far. @category schemas */
export const ChatTurn = Schema.Struct({
  turn: Schema.Int,
  text: Schema.String,
  agent: Schema.String,
  model: Schema.String,
  parts: Schema.Array(Part)
})

/** One turn. @category models */
export type ChatTurn = typeof ChatTurn.Type

/** A whole chat. @category schemas */
export const Chat = Schema.Struct({ ...ChatSummary.fields, turns: Schema.Array(ChatTurn) })

/** A whole chat. @category models */
export type Chat = typeof Chat.Type

/** What a person sends. @category models */
export interface Message {
  readonly text: string
  readonly agent: string | null
  readonly model: string | null
}

/** The chats of this server. @category services */
export class Chats extends Context.Service<Chats, {
  /** Begins a chat. Fails when the agent is not there or the model cannot be used. */
  readonly create: (options: {
    readonly agent: string | null
    readonly model: string | null
  }) => Effect.Effect<ChatSummary, UnknownAgent | ModelUnavailable>
  /** All chats, the last used first. */
  readonly list: Effect.Effect<ReadonlyArray<ChatSummary>>
  readonly get: (id: string) => Effect.Effect<Chat, UnknownChat>
  /** Ends the chat's turn, then forgets the chat. */
  readonly remove: (id: string) => Effect.Effect<void, UnknownChat>
  /**
   * Starts a turn, or queues the message while one runs. Answers at once with the number of the turn. Closing whatever
   * listens does not end the turn; only `stop`, `remove` and the end of the program do.
   */
  readonly send: (id: string, message: Message) => Effect.Effect<
    { readonly turn: number; readonly queued: boolean },
    UnknownChat | UnknownAgent | ModelUnavailable
  >
  /** Ends the running turn: its tools are cancelled, open calls get an error result, it finishes with `stopped`. Queued messages are dropped. */
  readonly stop: (id: string) => Effect.Effect<void, UnknownChat>
  /** Every part with a `seq` above `after`, first those there are, then each new one. Ends when the chat is removed. */
  readonly events: (id: string, after: number) => Stream.Stream<Part, UnknownChat>
}>()("chat/Chats") {}
