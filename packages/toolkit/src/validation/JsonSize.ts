/**
 * How large a JSON value is, and what it is equal to, without recursion where a value could be too deep for it. Pure.
 */
import type * as Schema from "effect/Schema"

/** How many levels arguments may have. @category constants */
export const MAX_DEPTH = 200

/**
 * Whether a value has at most so many values in it, and at most so many levels. Also answers for what is no JSON.
 *
 * @category guards
 */
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

/** A text that two values share when they are equal as JSON. @category rendering */
export const canonical = (value: Schema.Json): string =>
  JSON.stringify(value, (_key, at: unknown) => isRecord(at) ? Object.fromEntries(Object.entries(at).sort(byKey)) : at)

const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const byKey = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number => left < right ? -1 : 1
