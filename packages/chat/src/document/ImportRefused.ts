/**
 * Why a file does not become a chat.
 */
import * as Schema from "effect/Schema"

/** The file is not a chat that can be read. @category errors */
export class ImportRefused extends Schema.TaggedError<ImportRefused>()("ImportRefused", {
  /** What is wrong with it. */
  why: Schema.String
}) {
  /** Says that it is refused, and why. */
  override get message(): string {
    return `this file cannot be imported: ${this.why}`
  }
  /** What can be imported. */
  get hint(): string {
    return "a chat that BooCode exported as JSON or Markdown can be imported, and JSON with messages of role and content"
  }
}
