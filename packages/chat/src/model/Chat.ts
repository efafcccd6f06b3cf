/** Chats, turns and messages, the same in API, page and storage. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { FIRST } from "../users/CurrentUser.ts"
import { Attachment, Part, PromptMessage, Usage } from "./Part.ts"

export { Attachment, PromptMessage } from "./Part.ts"

/**
 * The servers and tools that a person turned off for one chat. Models of that chat are given none of it, and their
 * calls of it are refused.
 */
export const ChatOff = Schema.Struct({
  /** Names of servers, whether they are there now or not. */
  servers: Schema.Array(Schema.String),
  /** Patterns over names of tools, without `!`. */
  tools: Schema.Array(Schema.String)
})
export type ChatOff = typeof ChatOff.Type

/** Nothing is turned off. */
export const NOTHING_OFF: ChatOff = { servers: [], tools: [] }

/** The write mode that a person gave one chat (docs/permissions.md). */
export const ChatWrite = Schema.Struct({
  mode: Schema.Literals(["off", "ask", "rules"]),
  /** An ISO time at which it ends; null for as long as the chat is there. */
  until: Schema.NullOr(Schema.String)
})
export type ChatWrite = typeof ChatWrite.Type

/** A chat without its turns: its title, who answers it, and when it was used. */
export const ChatRecord = Schema.Struct({
  id: Schema.String,
  /** The id of the person whose chat it is. */
  owner: Schema.String,
  /** `New chat` until there is a better one. */
  title: Schema.String,
  /** A person's title stays; the others give way to a better one. */
  titledBy: Schema.Literals(["none", "message", "model", "person"]),
  agent: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  /** Whether a person wants it in front of the others. */
  pinned: Schema.Boolean,
  /** The folder that a person put it into; null for none. */
  folder: Schema.NullOr(Schema.String),
  off: ChatOff,
  /** Null leaves it to permissions.jsonc. */
  write: Schema.NullOr(ChatWrite),
  /** The instructions that another program, which began the chat, adds to the prompt of its agents; left out for none. */
  instructions: Schema.optionalKey(Schema.String),
  createdAt: Schema.String,
  updatedAt: Schema.String,
  /** The usage of asking a model for a title; left out when no model was asked. */
  titleUsage: Schema.optionalKey(Usage)
})
export type ChatRecord = typeof ChatRecord.Type

/** The choices of a person about a chat, before they make any. */
export const UNCHOSEN: Pick<ChatRecord, "pinned" | "folder" | "off" | "write"> = {
  pinned: false,
  folder: null,
  off: NOTHING_OFF,
  write: null
}

/** A record as an older program may have kept it: without the keys that came later. */
export const KeptRecord = Schema.Struct({
  ...ChatRecord.fields,
  owner: ChatRecord.fields.owner.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(FIRST.id))),
  pinned: ChatRecord.fields.pinned.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(false))),
  folder: ChatRecord.fields.folder.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(null))),
  off: ChatOff.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(NOTHING_OFF))),
  write: ChatRecord.fields.write.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(null)))
})

const { owner: _, ...shown } = ChatRecord.fields

/** A record as its owner sees it. */
export const shownOf = ({ owner: _, ...record }: ChatRecord): Omit<ChatRecord, "owner"> => record

/** One line of a list of chats. */
export const ChatSummary = Schema.Struct({
  ...shown,
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

/** One turn: the message, who answers it, and the parts so far. */
export const ChatTurn = Schema.Struct({
  turn: Schema.Int,
  /** The key that a client gave this message: a second message with the key is the same turn. Null for none. */
  key: Schema.NullOr(Schema.String),
  text: Schema.String,
  /** The messages of a server's prompt in which both sides speak: `text` names each speaker, as models read it. */
  prompt: Schema.optionalKey(Schema.Array(PromptMessage)),
  agent: Schema.String,
  model: Schema.String,
  createdAt: Schema.String,
  /** A turn that waits is a message behind one that runs. */
  state: Schema.Literals(["waiting", "running", "ended"]),
  /** True where a person sent the message now, for the running turn to take; else left out. */
  hurried: Schema.optionalKey(Schema.Literal(true)),
  /** The turn that was sent in its place, when its message was edited or tried again; no model sees it any more. */
  replacedBy: Schema.NullOr(Schema.Int),
  attachments: Schema.Array(Attachment),
  /** True when nobody can answer its questions: what needs a yes is refused at once. */
  unattended: Schema.optionalKey(Schema.Boolean),
  /** The interface through which another application sent it; left out for none. */
  via: Schema.optionalKey(Schema.Literal("v1")),
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
  /** Nobody can answer the questions of its turn: a call that needs a yes is refused at once. False unless told. */
  readonly unattended?: boolean | undefined
  /** The interface through which another application sends it; left out for none. */
  readonly via?: "v1" | undefined
  /** Chosen by the client: a second message of this name is the first one. */
  readonly key?: string | null | undefined
}

/** A change of what is known of a chat; what is left out stays. */
export interface ChatEdit {
  /** Not blank. From now on no model gives it another. */
  readonly title?: string | undefined
  /** Null leaves it to the first agent there is. */
  readonly agent?: string | null | undefined
  /** Null leaves it to agent and program. */
  readonly model?: string | null | undefined
  readonly pinned?: boolean | undefined
  /** Null and a blank name take it out of its folder. */
  readonly folder?: string | null | undefined
  /** Holds from the next request to a model, also of the turn that runs. A key that is left out stays. */
  readonly off?: Partial<ChatOff> | undefined
  /**
   * The write mode of the chat, from the next call on; null leaves it to permissions.jsonc. For a person to choose, never
   * for a model or a server.
   */
  readonly write?: ChatWrite | null | undefined
}
