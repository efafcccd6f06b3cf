/** The conditions of rules as a person reads and types them. Pure. */
import type { Json, JsonObject } from "../../api/Types.ts"
import { isObject } from "../../forms/SchemaReading.ts"
import { answered as words } from "../../messages/ChatMessages.ts"

const inWords = (wanted: Json | undefined): string => {
  if (wanted === undefined || !isObject(wanted)) return String(wanted)
  const { in: some, max, min } = wanted
  if (Array.isArray(some)) return some.length === 1 ? String(some[0]) : words.oneOf(some.join(", "))
  if (typeof min !== "number") return words.atMost(Number(max))
  return typeof max === "number" ? words.between(min, max) : words.atLeast(min)
}

/** `path is notes/* and count is at most 10`; empty without conditions. */
export const whereWords = (where: JsonObject): string =>
  Object.entries(where).map(([name, wanted]) => words.is(name, inWords(wanted))).join(words.and)

/** What an argument must be, as it is typed: a pattern as it is, all else as JSON. */
export const toText = (wanted: Json | undefined): string =>
  typeof wanted === "string" ? wanted : JSON.stringify(wanted ?? "")

const isLimit = (value: Json | undefined): boolean => value === undefined || typeof value === "number"

const isScalar = (value: Json): boolean => ["string", "number", "boolean"].includes(typeof value)

const isWanted = (value: Json): boolean => {
  if (!isObject(value)) return false
  const { in: some, max, min, ...others } = value
  if (Object.keys(others).length > 0) return false
  if (Array.isArray(some)) return some.length > 0 && some.every(isScalar) && max === undefined && min === undefined
  return some === undefined && (max !== undefined || min !== undefined) && isLimit(max) && isLimit(min)
}

/** What was typed; undefined where no argument can be so. */
export const fromText = (text: string): Json | undefined => {
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
