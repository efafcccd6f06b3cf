/**
 * Big answers of which it showed as they came that nothing in them needs cleaning: to look at each of their texts takes as
 * long as to read them.
 */
import type * as Schema from "effect/Schema"
import * as JsonRpc from "./JsonRpc.ts"

const known = new WeakSet<Schema.JsonObject>()

/**
 * Notes the result of a message whose characters all took one byte: then only a DEL and what is written as an escape can
 * be anything to remove, for JSON has no control characters.
 *
 * @category combinators
 */
export const note = (result: Schema.Json | undefined, line: string): void => {
  if (JsonRpc.isObject(result) && !SUSPECT.test(line)) known.add(result)
}

/** Whether it is known of a result. @category predicates */
export const has = (result: Schema.JsonObject): boolean => known.has(result)

/** An escaped tab or newline stays as it is. */
const SUSPECT = /\u007F|\\[bfru]/
