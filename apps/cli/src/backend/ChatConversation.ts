/** One chat as `chat` leads it, whether its turns run in this command or in a server that was there before it. */
import type { Answer, Chat, ChatSummary, Part, QuestionReply } from "@boocode/chat"
import type { ToolDocument } from "@boocode/chat-server/Documents"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Failed } from "../terminal/Failure.ts"

/** Whom a chat is with; null leaves it to agents, settings and environment. */
export interface Partner {
  readonly agent: string | null
  readonly model: string | null
}

/** Which chat it is: a new one, the last that was used, or the one of an id. */
export type Which = { readonly _tag: "New" } | { readonly _tag: "Last" } | { readonly _tag: "Id"; readonly id: string }

export interface Image {
  readonly name: string
  readonly data: Uint8Array
}

export interface Message {
  readonly text: string
  readonly images?: ReadonlyArray<Image> | undefined
  /** The turn that is tried again. */
  readonly replaces?: number | undefined
}

export interface Saying {
  /** Its parts as they come, up to `finish`. Not listening any more ends nothing: the turn goes on. */
  readonly parts: Stream.Stream<Part, Failed>
  /** Those with a `seq` above this one, up to `finish`. */
  readonly after: (seq: number) => Stream.Stream<Part, Failed>
}

export class ChatConversation extends Context.Service<ChatConversation, {
  /** Whether nobody names a model, so that the command mode answers (DESIGN 3.4). */
  readonly isCommandMode: Effect.Effect<boolean, Failed>
  /** Waits until the servers are there or have failed. */
  readonly settled: Effect.Effect<void>
  /** Starts the turn of a message, which may be a prompt of a server. */
  readonly say: (message: Message) => Effect.Effect<Saying, Failed>
  /** The turn that runs already; null when none does. */
  readonly running: Effect.Effect<Saying | null, Failed>
  /** Ends the turn that runs; none is no error. */
  readonly stop: Effect.Effect<void>
  /** Answers a call that waits for a person's yes. */
  readonly answer: (approval: string, answer: Answer) => Effect.Effect<void, Failed>
  /** Answers a question of a server. */
  readonly reply: (question: string, reply: QuestionReply) => Effect.Effect<void, Failed>
  /** The chat as it is kept. */
  readonly chat: Effect.Effect<Chat, Failed>
  /** All of it as one text. */
  readonly exported: (format: "json" | "markdown") => Effect.Effect<string, Failed>
  /** Goes on in another chat with the same partner. */
  readonly begin: Effect.Effect<void, Failed>
  /** Talks to this agent, or this model, from now on. */
  readonly address: (partner: Partial<Partner>) => Effect.Effect<void, Failed>
  /** The tools of servers that the agent sees. */
  readonly tools: Effect.Effect<ReadonlyArray<typeof ToolDocument.Type>, Failed>
}>()("cli/Conversation") {}

// The chats that are kept, in a running server or in the database that the next one would open.

export type Format = "json" | "markdown"

/** One line of a list. */
export type ListedChat = ChatSummary & {
  /** Where the words were found; null when none were asked for. */
  readonly excerpt: string | null
}

export class Archive extends Context.Service<Archive, {
  /** The last used first; with words those chats in which all of them are. At most `limit`. */
  readonly list: (words: string | null, limit: number) => Effect.Effect<ReadonlyArray<ListedChat>, Failed>
  readonly get: (id: string) => Effect.Effect<Chat, Failed>
  /** All of a chat as one text. */
  readonly export: (id: string, format: Format) => Effect.Effect<string, Failed>
  /** A new chat of such a text. */
  readonly import: (text: string, format: Format) => Effect.Effect<ChatSummary, Failed>
  readonly remove: (id: string) => Effect.Effect<void, Failed>
}>()("cli/Archive") {}
