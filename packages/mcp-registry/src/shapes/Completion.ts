/**
 * What is asked of a server about an argument, and what it suggests.
 */
import * as Schema from "effect/Schema"

/** What is asked for. @category schemas */
export const CompletionRequest = Schema.Struct({
  ref: Schema.Union([
    Schema.Struct({ type: Schema.Literal("ref/prompt"), name: Schema.String }),
    Schema.Struct({
      type: Schema.Literal("ref/resource"),
      uri: Schema.String.annotate({ description: "the template, or the URI" })
    })
  ]),
  argument: Schema.Struct({ name: Schema.String, value: Schema.String }),
  context: Schema.optionalKey(Schema.NullOr(Schema.Struct({
    arguments: Schema.Record(Schema.String, Schema.String).annotate({ description: "those that are filled in already" })
  })))
})

/** What is asked for. @category models */
export type CompletionRequest = typeof CompletionRequest.Type

/** What may be typed; at most 100 values. @category schemas */
export const Completion = Schema.Struct({ values: Schema.Array(Schema.String), hasMore: Schema.Boolean })

/** What may be typed. @category models */
export type Completion = typeof Completion.Type
