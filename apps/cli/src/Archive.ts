/** The chats that are kept, in a running server or in the database that the next one would open. */
import type { Chat, ChatSummary } from "@boocode/chat"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Failed } from "./Failure.ts"

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
