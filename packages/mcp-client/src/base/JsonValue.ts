/** JSON with the keys of every object sorted, so that equal values give equal texts. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as JsonRpc from "./JsonRpc.ts"

/** Writes a value the one way there is. Throws a `RangeError` on a value that is nested thousands of levels deep. */
export const stringify = (value: Schema.Json): string =>
  JSON.stringify(value, (_key, item: Schema.Json) =>
    JsonRpc.isObject(item)
      ? Object.fromEntries(Object.entries(item).sort(([one], [other]) => one < other ? -1 : 1))
      : item)

/**
 * Whether this holds for every text of a value, keys included; false when it is nested too deep, and when a number in it is
 * infinite, as `1e400` is here: that could not be sent on.
 */
export const isEveryText = (value: Schema.JsonObject, holds: (text: string) => boolean): boolean => {
  const isEvery = (item: Schema.Json): boolean => {
    if (typeof item === "string") return holds(item)
    if (Array.isArray(item)) return item.every(isEvery)
    if (!JsonRpc.isObject(item)) return typeof item !== "number" || Number.isFinite(item)
    // Makes no list of keys, of which most values consist.
    for (const key in item) if (!holds(key) || !isEvery(item[key] ?? null)) return false
    return true
  }
  return Result.getOrElse(Result.try(() => isEvery(value)), () => false)
}

/** Whether a value can be sent on: it is not nested too deep, and no number in it is infinite. */
export const isSound = (value: Schema.JsonObject): boolean => isEveryText(value, () => true)

/**
 * The value with every text of it, keys included, changed, and null in place of infinite numbers; null when it is nested too
 * deep.
 */
export const mapTexts = (value: Schema.JsonObject, change: (text: string) => string): Schema.JsonObject | null => {
  const mapped = (item: Schema.Json): Schema.Json => {
    if (typeof item === "string") return change(item)
    if (Array.isArray(item)) return item.map(mapped)
    if (typeof item === "number") return Number.isFinite(item) ? item : null
    return JsonRpc.isObject(item) ? mappedObject(item) : item
  }
  const mappedObject = (object: Schema.JsonObject): Schema.JsonObject =>
    Object.fromEntries(Object.entries(object).map(([key, item]) => [change(key), mapped(item)]))
  return Result.getOrNull(Result.try(() => mappedObject(value)))
}
