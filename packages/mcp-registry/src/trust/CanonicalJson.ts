/**
 * JSON with the keys of every object sorted, so that equal values give equal texts.
 */
import type * as Schema from "effect/Schema"
import * as JsonRpc from "../transport/JsonRpc.ts"

/**
 * Writes a value the one way there is. Throws a `RangeError` on a value that is nested thousands of levels deep.
 *
 * @category encoding
 */
export const stringify = (value: Schema.Json): string =>
  JSON.stringify(value, (_key, item: Schema.Json) =>
    JsonRpc.isObject(item)
      ? Object.fromEntries(Object.entries(item).sort(([one], [other]) => one < other ? -1 : 1))
      : item)
