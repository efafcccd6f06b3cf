/**
 * What may be given as the arguments of a call (Decision 9, as far as the registry goes).
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { InvalidArguments } from "./McpError.ts"
import * as JsonRpc from "./transport/JsonRpc.ts"

/**
 * Missing, null and "" become {}; anything else has to be an object (R57).
 *
 * @category decoding
 */
export const decode = (tool: string, args: unknown): Result.Result<Schema.JsonObject, InvalidArguments> => {
  if (args === undefined || args === null || args === "") return Result.succeed({})
  if (JsonRpc.isObject(args)) return Result.succeed(args)
  const found = Array.isArray(args) ? "an array" : `a ${typeof args}`
  return Result.fail(new InvalidArguments({ tool, detail: `they are ${found}, not a JSON object` }))
}
