/**
 * Follows the cursor of `tools/list` to its end, or to where going on would be folly.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Listing } from "../Connection.ts"
import type { McpErrorReason } from "../McpError.ts"
import * as JsonRpc from "../transport/JsonRpc.ts"

/** @category constants */
export const MAX_PAGES = 100
/** @category constants */
export const MAX_TOOLS = 10_000

/** No further page is asked for once the tools take more than so many characters of JSON. @category constants */
export const MAX_CHARACTERS = 32_000_000

/**
 * Collects all pages, one request at a time. A repeated or endless cursor ends the listing with what there is and a
 * diagnostic (R53, R54).
 *
 * @category constructors
 */
export const collect = Effect.fnUntraced(function*(
  page: (cursor: string | null) => Effect.Effect<Schema.JsonObject, McpErrorReason>
): Effect.fn.Return<Listing, McpErrorReason> {
  const tools: Array<Schema.JsonObject> = []
  const seen = new Set<string>()
  const names = new Set<Schema.Json>()
  let characters = 0
  let cursor: string | null = null
  for (let pages = 1;; pages++) {
    const result: Schema.JsonObject = yield* page(cursor)
    const fresh = toolsOf(result).filter(({ name }) => name === undefined || !names.has(name) || pages === 1)
    for (const tool of fresh) {
      tools.push(tool)
      names.add(tool["name"] ?? null)
      characters += sizeOf(tool)
    }
    const next = cursorOf(result)
    const isStuck = fresh.length === 0 && toolsOf(result).length > 0
    const stop = isStuck
      ? stuck(pages)
      : reasonToStop(next, pages, tools.length, seen) ?? fullness(next, pages, characters)
    if (next === null || stop !== null) {
      const diagnostics = [stop, result["nextCursor"] === "" ? "the server ended its list with an empty cursor" : null]
      return { tools: tools.slice(0, MAX_TOOLS), diagnostics: diagnostics.filter((words) => words !== null) }
    }
    seen.add(next)
    cursor = next
  }
})

/** A server that ignores the cursor answers with its first page for ever. */
const stuck = (pages: number): string => `stopped listing after page ${pages}: it brought nothing new`

const fullness = (next: string | null, pages: number, characters: number): string | null =>
  next === null || characters <= MAX_CHARACTERS
    ? null
    : `stopped listing after page ${pages}: the tools so far take ${Math.round(characters / 1_000_000)} MB`

/** A tool that is nested too deep to be written out is rejected later; how deep says nothing about its size. */
const sizeOf = (tool: Schema.JsonObject): number =>
  Result.getOrElse(Result.try(() => JSON.stringify(tool).length), () => SIZE_OF_NESTED)

const SIZE_OF_NESTED = 1_000_000

const toolsOf = ({ tools }: Schema.JsonObject): ReadonlyArray<Schema.JsonObject> =>
  // What is no object is kept as an empty one, so that it is rejected by name and not lost.
  Array.isArray(tools) ? tools.map((tool) => JsonRpc.isObject(tool) ? tool : {}) : []

const cursorOf = ({ nextCursor }: Schema.JsonObject): string | null =>
  typeof nextCursor === "string" && nextCursor !== "" ? nextCursor : null

const reasonToStop = (next: string | null, pages: number, tools: number, seen: ReadonlySet<string>): string | null => {
  if (tools > MAX_TOOLS || (tools === MAX_TOOLS && next !== null)) return `stopped listing after ${MAX_TOOLS} tools`
  if (next === null) return null
  if (seen.has(next)) return `stopped listing after page ${pages}: the server gave the same cursor twice`
  return pages >= MAX_PAGES ? `stopped listing after ${MAX_PAGES} pages` : null
}
