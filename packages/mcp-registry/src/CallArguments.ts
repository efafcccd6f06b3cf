/**
 * What may be given as the arguments of a call (Decision 9, as far as the registry goes).
 */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { InvalidArguments } from "./McpError.ts"
import * as JsonRpc from "./transport/JsonRpc.ts"

/**
 * Missing, null and "" become {}; anything else has to be an object (R57).
 *
 * @category decoding
 */
export const decode = (tool: string, args: unknown): Effect.Effect<Schema.JsonObject, InvalidArguments> => {
  if (args === undefined || args === null || args === "") return Effect.succeed({})
  if (JsonRpc.isObject(args)) return Effect.succeed(args)
  const found = Array.isArray(args) ? "an array" : `a ${typeof args}`
  return Effect.fail(new InvalidArguments({ tool, detail: `they are ${found}, not a JSON object` }))
}
