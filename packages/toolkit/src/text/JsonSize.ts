/**
 * How large a JSON value is, and what it is equal to, without recursion where a value could be too deep for it. Pure.
 */
import type * as Schema from "effect/Schema"

/** How many levels arguments may have. */
export const MAX_DEPTH = 200

/** Whether a value has at most so many values in it, and at most so many levels. Also answers for what is no JSON. */
export const isWithin = (value: unknown, maxValues: number, maxDepth: number): boolean => {
  let level: ReadonlyArray<unknown> = [value]
  let count = 0
  for (let depth = 0; level.length > 0; depth++) {
    count += level.length
    if (depth > maxDepth || count > maxValues) return false
    level = level.flatMap((at) => typeof at === "object" && at !== null ? Object.values(at) : [])
  }
  return true
}

/**
 * Whether a value is a JSON object, made of nothing but plain objects and arrays, of at most so many levels. False says
 * nothing: this is for the many that need no closer look.
 */
export const isPlainObject = (value: unknown, maxDepth: number): value is Schema.JsonObject =>
  isRecord(value) && isPlain(value, maxDepth)

const isPlain = (value: unknown, levels: number): boolean => {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object" || levels === 0) return false
  if (Array.isArray(value)) return Object.getPrototypeOf(value) === Array.prototype && isEveryPlain(value, levels - 1)
  return Object.getPrototypeOf(value) === Object.prototype && isEveryPlain(Object.values(value), levels - 1)
}

/** A list with holes is not plain, so they are looked at as well. */
const isEveryPlain = (values: ReadonlyArray<unknown>, levels: number): boolean => {
  for (const value of values) if (!isPlain(value, levels)) return false
  return true
}

/** A text that two values share when they are equal as JSON. */
export const canonical = (value: Schema.Json): string =>
  JSON.stringify(value, (_key, at: unknown) => isRecord(at) ? Object.fromEntries(Object.entries(at).sort(byKey)) : at)

const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const byKey = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number => left < right ? -1 : 1
