/**
 * A chat as a file: JSON keeps all of it, Markdown is for people.
 */
import type * as Effect from "effect/Effect"
import type { ChatRecord, ChatTurn } from "../Chat.ts"
import { ImportRefused } from "./ImportRefused.ts"
import * as JsonDocument from "./JsonDocument.ts"
import * as MarkdownReading from "./MarkdownReading.ts"
import * as MarkdownWriting from "./MarkdownWriting.ts"

export { ImportRefused } from "./ImportRefused.ts"

/** A chat without its id: an import gets a new one. @category models */
export interface ChatDocument {
  readonly record: Omit<ChatRecord, "id">
  /** In order, with their parts. */
  readonly turns: ReadonlyArray<ChatTurn>
  /** The bytes of attachments by their id. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** The ways of a file. @category models */
export type Format = "json" | "markdown"

/** So much text is read. @category constants */
export const LIMIT_CHARACTERS = 50_000_000

/** All of a chat as one text. Reading JSON gives the same chat again, if nothing in it runs or waits. @category conversions */
export const write = (document: ChatDocument, format: Format): string =>
  format === "json" ? JsonDocument.write(document) : MarkdownWriting.write(document)

/**
 * The chat in a text. What ran or waited in it has ended, and no permission comes with it. From Markdown come messages and
 * answers only. `now` stands in for times that the file does not tell.
 *
 * @category conversions
 */
export const read = (text: string, format: Format, now: string): Effect.Effect<ChatDocument, ImportRefused> => {
  if (text.length > LIMIT_CHARACTERS) return new ImportRefused({ why: "it is larger than 50 MB" })
  return format === "json" ? JsonDocument.read(text, now) : MarkdownReading.read(text, now)
}
