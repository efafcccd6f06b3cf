/** How large a JSON value is, and what it is equal to, without recursion where a value could be too deep for it. Pure. */
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import { isObject } from "./JsonSchema.ts"

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
 * Whether a value is JSON, as `Schema.is(Schema.Json)` says it. For values of few levels: it walks them by recursion.
 * The schema makes a WeakMap for each value, and V8's quick collections then keep memory of calls that are over.
 */
export const isJson = (value: unknown): value is Schema.Json => {
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object") return typeof value === "string" || typeof value === "boolean"
  if (value === null) return true
  // A hole in an array is read as undefined.
  return Array.isArray(value) ? Array.from(value).every(isJson) : isPlain(value) && Object.values(value).every(isJson)
}

/** A plain object of another realm has another `Object.prototype`, which has none either. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

/** Whether a value has no more than so many parts. Never walks further than that, nor deeper than schemas go. */
export const isSmall = (value: Schema.Json, most = 256): boolean => {
  let left = most
  const fits = (at: Schema.Json, depth: number): boolean => {
    left -= typeof at === "string" ? 1 + at.length / 64 : 1
    if (left < 0 || depth > SMALL_DEPTH) return false
    if (Array.isArray(at)) return at.every((part) => fits(part, depth + 1))
    return !isObject(at) || Object.entries(at).every(([key, part]) => key.length < 1024 && fits(part, depth + 1))
  }
  return fits(value, 0)
}

const SMALL_DEPTH = 48

/** A text that two values share when they are equal as JSON. */
export const canonical = (value: Schema.Json): string =>
  JSON.stringify(
    value,
    (_key, at: unknown) => Predicate.isObject(at) ? Object.fromEntries(Object.entries(at).sort(byKey)) : at
  )

const byKey = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number => left < right ? -1 : 1
