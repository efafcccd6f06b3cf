/** What goes with the text of a message. */
import * as Schema from "effect/Schema"

/** An attachment of a message. Its bytes are kept beside the chat. */
export const Attachment = Schema.Struct({
  /** Unique in its chat. */
  id: Schema.String,
  kind: Schema.Literals(["image", "resource"]),
  name: Schema.String,
  mediaType: Schema.String,
  bytes: Schema.Int,
  /** Where a resource comes from; null for an image. */
  server: Schema.NullOr(Schema.String),
  uri: Schema.NullOr(Schema.String)
})
export type Attachment = typeof Attachment.Type

/** One message of a prompt that a server filled in, as text. */
export const PromptMessage = Schema.Struct({ role: Schema.Literals(["user", "assistant"]), text: Schema.String })
export type PromptMessage = typeof PromptMessage.Type
