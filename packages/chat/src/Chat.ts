/**
 * What a chat is to API, page and storage.
 */
import * as Schema from "effect/Schema"
import { Part } from "./Part.ts"

/** What a chat is called, by whom it is answered, and when it was used. @category schemas */
export const ChatRecord = Schema.Struct({
  id: Schema.String,
  /** The first 60 characters of the first message; `New chat` before it. */
  title: Schema.String,
  agent: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  updatedAt: Schema.String
})

/** What a chat is called, by whom it is answered, and when it was used. @category models */
export type ChatRecord = typeof ChatRecord.Type

/** One line of a list of chats. @category schemas */
export const ChatSummary = Schema.Struct({
  ...ChatRecord.fields,
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
