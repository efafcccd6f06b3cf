/** The lists of a server: follows the cursor of each to its end, or to its limits. */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as JsonRpc from "../base/JsonRpc.ts"
import type { Capability, Connection, ItemList, Listing, ListKind } from "../contract/Connection.ts"
import { HandshakeFailed, type McpErrorReason } from "../errors/McpError.ts"
import * as Refusal from "./Refusal.ts"
import type { Requests } from "./Requests.ts"

const MAX_PAGES = 100
const MAX_ITEMS = 10_000

/** No further page is asked for once the pages so far took more than about so many characters of JSON. */
const MAX_CHARACTERS = 32_000_000

export interface Kind {
  /** Where a page has its items; also what a person calls them. */
  readonly key: string
  /** The key that tells one item from another. */
  readonly id: string
  readonly noun: string
}

export const TOOLS: Kind = { key: "tools", id: "name", noun: "tools" }

/**
 * Collects all pages, one request at a time. A repeated or endless cursor ends the list with what there is and a
 * diagnostic (R53, R54).
 */
export const collect = Effect.fnUntraced(function*(
  kind: Kind,
  page: (cursor: string | null) => Effect.Effect<Schema.JsonObject, McpErrorReason>
): Effect.fn.Return<ItemList, McpErrorReason> {
  const { noun } = kind
  const gathered = new Gathered(kind)
  const seen = new Set<string>()
  let cursor: string | null = null
  let ttlMillis: number | null = Number.POSITIVE_INFINITY
  for (let pages = 1;; pages++) {
    const result: Schema.JsonObject = yield* page(cursor)
    const next = cursorOf(result)
    const isStuck = !gathered.add(result, pages, next === null)
    ttlMillis = shorter(ttlMillis, result["ttlMs"])
    const { characters, items } = gathered
    const stop = isStuck
      ? stuck(pages)
      : reasonToStop(noun, next, pages, items.length, seen) ?? fullness(noun, next, pages, characters)
    if (next === null || stop !== null) {
      const diagnostics = [...gathered.losses, stop, oddEnd(result, pages)].filter((words) => words !== null)
      return { items: items.slice(0, MAX_ITEMS), diagnostics, ttlMillis }
    }
    seen.add(next)
    cursor = next
  }
})

class Gathered {
  readonly items: Array<Schema.JsonObject> = []
  /** Missing parts, in words: the first few. */
  readonly losses: Array<string> = []
  /** How many characters the pages take. */
  characters = 0
  private readonly kind: Kind
  private readonly ids = new Set<Schema.Json>()

  constructor(kind: Kind) {
    this.kind = kind
  }

  /** Adds what a page brings that no page before it has brought; false where it brings nothing else. */
  add(page: Schema.JsonObject, number: number, isLast: boolean): boolean {
    const { id, key } = this.kind
    // Most lists have one page, and nothing to compare it with.
    if (!isLast) this.characters += charactersOf(page)
    const brought = page[key]
    if (!Array.isArray(brought)) {
      if (this.losses.length < MOST_TOLD) {
        this.losses.push(`page ${number} of its list has no list of ${this.kind.noun}`)
      }
      return true
    }
    const before = this.items.length
    const isFirst = before === 0
    for (const value of brought) {
      // An item that is no object becomes an empty one, so that it is rejected by name and not lost.
      const item = JsonRpc.isObject(value) ? value : {}
      if (isFirst || item[id] === undefined || !this.ids.has(item[id])) this.items.push(item)
    }
    if (!isLast) { for (const item of this.items.slice(before)) this.ids.add(item[id] ?? null) }
    return brought.length === 0 || this.items.length > before
  }
}

const MOST_TOLD = 3

/**
 * About how many characters a page takes as JSON: escapes count once, and what is no text counts as 8. Writing the page out
 * would take several times as long, and fail where it is nested deep.
 */
const charactersOf = (page: Schema.JsonObject): number => {
  const left: Array<Schema.JsonObject | Schema.JsonArray> = [page]
  let count = 0
  const note = (value: Schema.Json) => {
    if (typeof value === "object" && value !== null) left.push(value)
    count += typeof value === "string" ? value.length + 3 : 8
  }
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (JsonRpc.isObject(value)) {
      for (const key in value) {
        count += key.length + 3
        note(value[key] ?? null)
      }
    } else for (const item of value) note(item)
  }
  return count
}

/** A list that ends as no list should. */
const oddEnd = ({ nextCursor }: Schema.JsonObject, page: number): string | null => {
  if (nextCursor === "") return "the server ended its list with an empty cursor"
  if (nextCursor === undefined || nextCursor === null || typeof nextCursor === "string") return null
  return `stopped listing after page ${page}: its nextCursor is no text (${JSON.stringify(nextCursor).slice(0, SHOWN)})`
}

const SHOWN = 100

/** A server that ignores the cursor answers with its first page for ever. */
const stuck = (pages: number): string => `stopped listing after page ${pages}: it brought nothing new`

const fullness = (noun: string, next: string | null, pages: number, characters: number): string | null =>
  next === null || characters <= MAX_CHARACTERS
    ? null
    : `stopped listing after page ${pages}: the ${noun} so far take ${Math.round(characters / 1_000_000)} MB`

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

const LISTS = {
  prompts: { method: "prompts/list", declared: "prompts", pages: { key: "prompts", id: "name", noun: "prompts" } },
  resources: {
    method: "resources/list",
    declared: "resources",
    pages: { key: "resources", id: "uri", noun: "resources" }
  },
  templates: {
    method: "resources/templates/list",
    declared: "resources",
    pages: { key: "resourceTemplates", id: "uriTemplate", noun: "templates" }
  }
} as const satisfies Record<ListKind, { method: string; declared: "prompts" | "resources"; pages: Kind }>

export const isDeclared = (capabilities: Schema.JsonObject, capability: Capability): boolean =>
  capability === "subscribe"
    ? capabilityOf(capabilities, "resources")?.["subscribe"] === true
    : capabilityOf(capabilities, capability) !== null

export const isTold = (capabilities: Schema.JsonObject, list: "tools" | "prompts" | "resources"): boolean =>
  capabilityOf(capabilities, list)?.["listChanged"] === true

const capabilityOf = (capabilities: Schema.JsonObject, name: string): Schema.JsonObject | null => {
  const capability = capabilities[name]
  return JsonRpc.isObject(capability) ? capability : null
}

export const listOffered = (
  asked: Pick<Connection, "declares"> & { readonly requests: Pick<Requests, "send"> },
  kind: ListKind
): ReturnType<Connection["list"]> =>
  Effect.suspend(() => {
    const { declared, method, pages } = LISTS[kind]
    if (!asked.declares(declared)) return Effect.succeed({ items: [], diagnostics: [], ttlMillis: null })
    const page = (cursor: string | null) => asked.requests.send({ method, params: cursor === null ? {} : { cursor } })
    // Templates have no capability of their own, so a server without any may not know how to list them.
    const unknown = kind === "templates" ? [] : [`the server declares ${declared} but cannot list them`]
    return Effect.catchIf(
      collect(pages, page),
      Refusal.isUnknownMethod,
      () => Effect.succeed({ items: [], diagnostics: unknown, ttlMillis: null })
    )
  })

export interface ToolListingOptions {
  readonly requests: Pick<Requests, "send">
  /** Whether nothing has shown yet that the server speaks the revision in which it is spoken to. */
  readonly isClaim: boolean
}

/**
 * Lists the tools, and tells by it whether the server is of the revision that it was taken for. A server may declare tools
 * and not know the method, which is no reason to lose it (R55).
 */
export const listTools = (options: ToolListingOptions): Effect.Effect<Listing, McpErrorReason> =>
  Effect.map(
    collect(TOOLS, (cursor) => page(options, cursor)),
    ({ diagnostics, items, ttlMillis }) => ({ tools: items, diagnostics, ttlMillis })
  ).pipe(
    Effect.catchIf(
      (reason) => Refusal.isUnknownMethod(reason) && !options.isClaim,
      () =>
        Effect.succeed({ tools: [], diagnostics: ["the server declares tools but cannot list them"], ttlMillis: null })
    )
  )

/**
 * An older server may take the question of a later revision for its own. Its answer lacks what every result of that
 * revision has.
 */
const page = ({ isClaim, requests }: ToolListingOptions, cursor: string | null) => {
  const asked = requests.send({ method: "tools/list", params: cursor === null ? {} : { cursor } })
  return isClaim
    ? Effect.filterOrFail(asked, ({ resultType }) => resultType !== undefined, () => OLDER)
    : asked
}

const OLDER = new HandshakeFailed({
  method: "tools/list",
  detail: "it answered as servers of older revisions do",
  code: null,
  stderr: ""
})
