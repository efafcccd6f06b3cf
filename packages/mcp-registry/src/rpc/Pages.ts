/**
 * Follows the cursor of a list to its end, or to where going on would be folly.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { ItemList } from "../Connection.ts"
import type { McpErrorReason } from "../McpError.ts"
import * as JsonRpc from "../transport/JsonRpc.ts"

/** @category constants */
export const MAX_PAGES = 100
/** @category constants */
export const MAX_ITEMS = 10_000

/** No further page is asked for once the items take more than so many characters of JSON. @category constants */
export const MAX_CHARACTERS = 32_000_000

/** What a list is a list of. @category models */
export interface Kind {
  /** Where a page has its items; also what a person calls them. */
  readonly key: string
  /** What tells one item from another. */
  readonly id: string
  readonly noun: string
}

/** @category constants */
export const TOOLS: Kind = { key: "tools", id: "name", noun: "tools" }

/**
 * Collects all pages, one request at a time. A repeated or endless cursor ends the list with what there is and a
 * diagnostic (R53, R54).
 *
 * @category constructors
 */
export const collect = Effect.fnUntraced(function*(
  kind: Kind,
  page: (cursor: string | null) => Effect.Effect<Schema.JsonObject, McpErrorReason>
): Effect.fn.Return<ItemList, McpErrorReason> {
  const { id, noun } = kind
  const items: Array<Schema.JsonObject> = []
  const seen = new Set<string>()
  const ids = new Set<Schema.Json>()
  let characters = 0
  let cursor: string | null = null
  let ttlMillis: number | null = Number.POSITIVE_INFINITY
  for (let pages = 1;; pages++) {
    const result: Schema.JsonObject = yield* page(cursor)
    const brought = itemsOf(kind, result)
    ttlMillis = shorter(ttlMillis, result["ttlMs"])
    const fresh = pages === 1 ? brought : brought.filter((item) => item[id] === undefined || !ids.has(item[id]))
    for (const item of fresh) {
      items.push(item)
      ids.add(item[id] ?? null)
    }
    const next = cursorOf(result)
    // Of the last page nobody needs to know how large it is, and most lists have no other.
    if (next !== null) characters += sizeOf(fresh)
    const isStuck = fresh.length === 0 && brought.length > 0
    const stop = isStuck
      ? stuck(pages)
      : reasonToStop(noun, next, pages, items.length, seen) ?? fullness(noun, next, pages, characters)
    if (next === null || stop !== null) {
      const diagnostics = [stop, result["nextCursor"] === "" ? "the server ended its list with an empty cursor" : null]
      return { items: items.slice(0, MAX_ITEMS), diagnostics: diagnostics.filter((words) => words !== null), ttlMillis }
    }
    seen.add(next)
    cursor = next
  }
})

/** A server that ignores the cursor answers with its first page for ever. */
const stuck = (pages: number): string => `stopped listing after page ${pages}: it brought nothing new`

const fullness = (noun: string, next: string | null, pages: number, characters: number): string | null =>
  next === null || characters <= MAX_CHARACTERS
    ? null
    : `stopped listing after page ${pages}: the ${noun} so far take ${Math.round(characters / 1_000_000)} MB`

/** What these items take; those that are nested too deep to be written out are rejected later. */
const sizeOf = (items: ReadonlyArray<Schema.JsonObject>): number =>
  written(items) ?? items.reduce((sum, item) => sum + (written(item) ?? SIZE_OF_NESTED), 0)

/** Null where a value is nested too deep, which says nothing about its size. */
const written = (value: Schema.Json): number | null =>
  Result.getOrElse(Result.try(() => JSON.stringify(value).length), () => null)

const SIZE_OF_NESTED = 1_000_000

const itemsOf = ({ key }: Kind, page: Schema.JsonObject): ReadonlyArray<Schema.JsonObject> => {
  const items = page[key]
  // What is no object is kept as an empty one, so that it is rejected by name and not lost.
  return Array.isArray(items) ? items.map((item) => JsonRpc.isObject(item) ? item : {}) : []
}

/** A list holds no longer than any of its pages; each has to say so. */
const shorter = (millis: number | null, page: Schema.Json | undefined): number | null =>
  millis === null || typeof page !== "number" || !Number.isFinite(page) ? null : Math.min(millis, page)

const cursorOf = ({ nextCursor }: Schema.JsonObject): string | null =>
  typeof nextCursor === "string" && nextCursor !== "" ? nextCursor : null

const reasonToStop = (
  noun: string,
  next: string | null,
  pages: number,
  items: number,
  seen: ReadonlySet<string>
): string | null => {
  if (items > MAX_ITEMS || (items === MAX_ITEMS && next !== null)) return `stopped listing after ${MAX_ITEMS} ${noun}`
  if (next === null) return null
  if (seen.has(next)) return `stopped listing after page ${pages}: the server gave the same cursor twice`
  return pages >= MAX_PAGES ? `stopped listing after ${MAX_PAGES} pages` : null
}
