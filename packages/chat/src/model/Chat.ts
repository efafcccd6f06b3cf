/** Chats, turns and messages, the same in API, page and storage. */
import * as Schema from "effect/Schema"
import { Part, Usage } from "./Part.ts"

/** A chat without its turns: its title, who answers it, and when it was used. */
export const ChatRecord = Schema.Struct({
  id: Schema.String,
  /** `New chat` until there is a better one. */
  title: Schema.String,
  /** A person's title stays; the others give way to a better one. */
  titledBy: Schema.Literals(["none", "message", "model", "person"]),
  agent: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  updatedAt: Schema.String,
  /** The usage of asking a model for a title; left out when no model was asked. */
  titleUsage: Schema.optionalKey(Usage)
})
export type ChatRecord = typeof ChatRecord.Type

/** One line of a list of chats. */
export const ChatSummary = Schema.Struct({
  ...ChatRecord.fields,
  /** The turn that runs; null when none does. */
  running: Schema.NullOr(Schema.Int),
  /** How many messages wait behind it. */
  waiting: Schema.Int,
  /** How many calls wait for a person's approval. */
  approvals: Schema.Int,
  /** How many questions of servers wait. */
  questions: Schema.Int
})
export type ChatSummary = typeof ChatSummary.Type

/** An attachment of a message. Its bytes are kept beside the chat. */
export const Attachment = Schema.Struct({
  /** Unique in its chat. */
  id: Schema.String,
  /** A file that a person attaches is an image, a PDF or a text, as its bytes say. */
  kind: Schema.Literals(["image", "text", "pdf", "resource"]),
  name: Schema.String,
  mediaType: Schema.String,
  bytes: Schema.Int,
  /** Where a resource comes from; null for all else. */
  server: Schema.NullOr(Schema.String),
  uri: Schema.NullOr(Schema.String),
  /** How many pages a PDF has; left out for all else. */
  pages: Schema.optionalKey(Schema.Int),
  /** What a person should know of how it is read, such as that a PDF has no text; left out when there is nothing. */
  note: Schema.optionalKey(Schema.String)
})
export type Attachment = typeof Attachment.Type

/** One message of a prompt that a server filled in, as text. */
export const PromptMessage = Schema.Struct({ role: Schema.Literals(["user", "assistant"]), text: Schema.String })
export type PromptMessage = typeof PromptMessage.Type

/** One turn: the message, who answers it, and the parts so far. */
export const ChatTurn = Schema.Struct({
  turn: Schema.Int,
  /** The key that a client gave this message: a second message with the key is the same turn. Null for none. */
  key: Schema.NullOr(Schema.String),
  text: Schema.String,
  /** Of a server's prompt in which both sides speak: `text` by who says what, as models read it. */
  prompt: Schema.optionalKey(Schema.Array(PromptMessage)),
  agent: Schema.String,
  model: Schema.String,
  createdAt: Schema.String,
  /** A turn that waits is a message behind one that runs. */
  state: Schema.Literals(["waiting", "running", "ended"]),
  /** The turn that was sent in its place, when its message was edited or tried again; no model sees it any more. */
  replacedBy: Schema.NullOr(Schema.Int),
  attachments: Schema.Array(Attachment),
  parts: Schema.Array(Part)
})
export type ChatTurn = typeof ChatTurn.Type

/** A whole chat. */
export const Chat = Schema.Struct({
  ...ChatSummary.fields,
  /** The usage of all turns, replaced ones included, and of the title. */
  usage: Usage,
  turns: Schema.Array(ChatTurn)
})
export type Chat = typeof Chat.Type

/** An attachment as a person sends it. */
export interface NewAttachment extends Pick<Attachment, "name" | "mediaType" | "server" | "uri"> {
  /** A `file` becomes what its bytes are; an `image` has to be one. */
  readonly kind: "file" | "image" | "resource"
  readonly data: Uint8Array
}

/** A message as a person sends it. */
export interface Message {
  readonly text: string
  /**
   * The messages of a server's prompt. Models read them with their roles as long as `text` is their text unchanged.
   * Left out, a message that replaces a turn keeps the prompt of that turn.
   */
  readonly prompt?: ReadonlyArray<PromptMessage> | null | undefined
  readonly agent: string | null
  readonly model: string | null
  /** The turn whose place this message takes, and that of those after it. */
  readonly replaces?: number | null | undefined
  /** Left out, a message that replaces a turn takes over the attachments of that turn. */
  readonly attachments?: ReadonlyArray<NewAttachment> | undefined
  /** Chosen by the client: a second message of this name is the first one. */
  readonly key?: string | null | undefined
}
