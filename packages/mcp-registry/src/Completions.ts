/**
 * What a server suggests while a person types an argument of a prompt, or a part of a template's URI.
 */
import type * as Schema from "effect/Schema"
import * as CleanText from "./CleanText.ts"
import type { Completion, CompletionRequest } from "./shapes/Completion.ts"
import * as JsonRpc from "./transport/JsonRpc.ts"

export type { Completion, CompletionRequest } from "./shapes/Completion.ts"

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
