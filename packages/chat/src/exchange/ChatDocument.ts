/** A chat as a file: JSON keeps all of it, Markdown is for people. */
import type * as Effect from "effect/Effect"
import * as ChatJson from "./ChatJson.ts"
import * as ChatMarkdown from "./ChatMarkdown.ts"
import type { ChatDocument } from "./ExportedChat.ts"
import { ImportRefused } from "./ImportedTurn.ts"

export { ImportRefused } from "./ImportedTurn.ts"

/** The ways of a file. */
export type Format = "json" | "markdown"

/** So much text is read. */
export const LIMIT_CHARACTERS = 50_000_000

/** All of a chat as one text. Reading JSON gives the same chat again, if nothing in it runs or waits. */
export const write = (document: ChatDocument, format: Format): string =>
  format === "json" ? ChatJson.write(document) : ChatMarkdown.write(document)

/**
 * The chat in a text. What ran or waited in it has ended, and no permission comes with it. From Markdown come messages
 * and answers only. `now` stands in for times that the file does not tell.
 */
export const read = (text: string, format: Format, now: string): Effect.Effect<ChatDocument, ImportRefused> => {
  if (text.length > LIMIT_CHARACTERS) return new ImportRefused({ why: "it is larger than 50 MB" })
  return format === "json" ? ChatJson.read(text, now) : ChatMarkdown.readMarkdown(text, now)
}

export type { ChatDocument } from "./ExportedChat.ts"
