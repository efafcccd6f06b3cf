/**
 * What a server suggests while a person types an argument of a prompt, or a part of a template's URI.
 */
import * as Schema from "effect/Schema"
import * as CleanText from "./CleanText.ts"
import * as JsonRpc from "./transport/JsonRpc.ts"

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

/** Of a server that suggests nothing. @category constants */
export const NONE: Completion = { values: [], hasMore: false }

const MOST = 100

/** The parameters of `completion/complete`. @category encoding */
export const encode = ({ argument, context, ref }: CompletionRequest): Schema.JsonObject => ({
  ref,
  argument,
  ...(context === undefined || context === null ? {} : { context })
})

/** The answer to it. @category decoding */
export const toCompletion = (raw: Schema.JsonObject): Completion => {
  const completion = JsonRpc.isObject(raw["completion"]) ? raw["completion"] : {}
  const values = Array.isArray(completion["values"])
    ? completion["values"].filter((value) => typeof value === "string")
    : []
  return {
    values: values.slice(0, MOST).map(CleanText.clean),
    hasMore: completion["hasMore"] === true || values.length > MOST
  }
}
