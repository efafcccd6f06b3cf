/** The conditions of rules as a person reads and types them. Pure. */
import type { Json, Wanted, Where } from "../../api/Types.ts"
import { isObject } from "../../forms/SchemaReading.ts"
import { answered as words } from "../../messages/ChatMessages.ts"

const inWords = (wanted: Wanted): string => {
  if (typeof wanted === "string") return wanted
  if ("in" in wanted) return wanted.in.length === 1 ? String(wanted.in[0]) : words.oneOf(wanted.in.join(", "))
  const { max, min } = wanted
  if (min === undefined) return words.atMost(Number(max))
  return max === undefined ? words.atLeast(min) : words.between(min, max)
}

/** `path is notes/* and count is at most 10`; empty without conditions. */
export const whereWords = (where: Where): string =>
  Object.entries(where).map(([name, wanted]) => words.is(name, inWords(wanted))).join(words.and)

/** The condition on an argument, as it is typed: a pattern as it is, all else as JSON. */
export const toText = (wanted: Json | undefined): string =>
  typeof wanted === "string" ? wanted : JSON.stringify(wanted ?? "")

const isLimit = (value: Json | undefined): boolean => value === undefined || typeof value === "number"

const isScalar = (value: Json): boolean => ["string", "number", "boolean"].includes(typeof value)

const isWanted = (value: Json): value is Wanted => {
  if (!isObject(value)) return false
  const { in: some, max, min, ...others } = value
  if (Object.keys(others).length > 0) return false
  if (Array.isArray(some)) return some.length > 0 && some.every(isScalar) && max === undefined && min === undefined
  return some === undefined && (max !== undefined || min !== undefined) && isLimit(max) && isLimit(min)
}

/** The condition that was typed; undefined where no argument can be so. */
export const fromText = (text: string): Wanted | undefined => {
  const trimmed = text.trim()
  if (trimmed === "" || trimmed.startsWith("!")) return undefined
  if (!trimmed.startsWith("{")) return text
  try {
    const value: Json = JSON.parse(trimmed)
    return isWanted(value) ? value : undefined
  } catch {
    return undefined
  }
}
