/**
 * A prompt of a server, and what the server makes of it.
 */
import * as Schema from "effect/Schema"

/**
 * One prompt of a server, under the name that goes on the wire.
 *
 * @category schemas
 */
export const McpPrompt = Schema.Struct({
  server: Schema.String,
  name: Schema.String,
  title: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  arguments: Schema.Array(Schema.Struct({
    name: Schema.String,
    title: Schema.NullOr(Schema.String),
    description: Schema.NullOr(Schema.String),
    required: Schema.Boolean
  }))
})

/** One prompt of a server. @category models */
export type McpPrompt = typeof McpPrompt.Type

/**
 * What a server made of a prompt: messages for a model, each with one block of content as the server wrote it.
 *
 * @category schemas
 */
export const PromptResult = Schema.Struct({
  description: Schema.NullOr(Schema.String),
  messages: Schema.Array(Schema.Struct({
    role: Schema.Literals(["user", "assistant"]),
    content: Schema.JsonObject
  })),
  /** Where it is larger than the entry's `maxResultBytes`. */
  truncated: Schema.NullOr(Schema.Struct({ bytes: Schema.Int, shownBytes: Schema.Int }))
})

/** What a server made of a prompt. @category models */
export type PromptResult = typeof PromptResult.Type
