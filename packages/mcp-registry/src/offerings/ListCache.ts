/**
 * A list of one server, fetched when it is asked for and kept until the server says that it changed, or for as long as it
 * says that it holds.
 */
import type { Connection, ItemList, ListKind } from "@boocode/mcp-client/Connection"
import { CallTimeout, type McpErrorReason, NotReady } from "@boocode/mcp-client/McpError"
import { CleanText, JsonRpc } from "@boocode/mcp-client/Text"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Dispatch } from "../calls/Dispatch.ts"
import * as Freshness from "../tools/Freshness.ts"

/** How long a list is believed of a server that neither would tell that it changed nor says how long it holds. */
const BELIEVED = Duration.minutes(1)

export interface ListCache<A> {
  /**
   * The list as it is now. Callers at the same time share one request; it goes on when they go away, the entry's
   * `timeout` at most. Wakes a server that sleeps; fails with `NotReady` and with what a request fails with.
   */
  readonly get: Effect.Effect<Listed<A>, McpErrorReason>
  readonly fresh: Effect.Effect<Listed<A>, McpErrorReason>
  /** The last list, also of a connection that is gone; null before that. */
  readonly last: () => Listed<A> | null
}

export interface Options<A> {
  readonly kind: ListKind
  readonly decode: (listing: ItemList) => Listed<A>
  readonly dispatch: Dispatch
  /** The connection there is; null while there is none. */
  readonly current: Effect.Effect<Connection | null>
  /** Where requests run on when nobody waits for them any more. */
  readonly scope: Scope.Scope
  /** How often the server has said that the list changed. */
  readonly changes: (connection: Connection) => number
}

interface Kept<A> {
  readonly connection: Connection
  readonly changes: number
  readonly at: number
  readonly list: Listed<A>
  /** For how long the server says that it holds; null where it does not say. */
  readonly ttlMillis: number | null
}

/** Nothing is known yet. */
export const make = <A>({ changes, current, decode, dispatch, kind, scope }: Options<A>): ListCache<A> => {
  const what = kind === "prompts" ? "prompts" : "resources"
  let kept: Kept<A> | null = null
  let running: Fiber.Fiber<Listed<A>, McpErrorReason> | null = null
  let askedAfter = 0

  const fetch = dispatch.use(({ config, connection }) =>
    Effect.gen(function*() {
      // Before it is asked for: what changes meanwhile makes the answer an old one.
      askedAfter = changes(connection)
      const found = { connection, changes: askedAfter, at: yield* Clock.currentTimeMillis }
      const listing = yield* limited(connection.list(kind), kind, config.timeout)
      kept = { ...found, list: decode(listing), ttlMillis: listing.ttlMillis }
      return kept.list
    })
  )
  const shared = Effect.gen(function*() {
    const connection = yield* current
    const mayJoin = running !== null && (connection === null || changes(connection) === askedAfter)
    if (running === null || !mayJoin) running = yield* start
    return yield* Fiber.join(running)
  }).pipe(
    Effect.catchCauseIf(Cause.hasInterruptsOnly, () => new NotReady({ state: "stopped", why: null }))
  )
  const start = Effect.gen(function*() {
    const fiber = yield* Effect.forkIn(fetch, scope, { startImmediately: true })
    fiber.addObserver(() => {
      if (running === fiber) running = null
    })
    return fiber
  })
  const get = Effect.gen(function*() {
    const connection = yield* current
    if (kept === null || connection !== kept.connection || kept.changes !== changes(connection)) return yield* shared
    const { at, list, ttlMillis } = kept
    const holds = ttlMillis === null
      ? connection.tellsOf(what) ? Number.POSITIVE_INFINITY : Duration.toMillis(BELIEVED)
      : Freshness.believed(ttlMillis)
    return (yield* Clock.currentTimeMillis) - at < holds ? list : yield* shared
  })
  return { get, fresh: shared, last: () => kept?.list ?? null }
}

const limited = (asked: Effect.Effect<ItemList, McpErrorReason>, kind: ListKind, limit: Duration.Duration) =>
  Effect.timeoutOrElse(asked, {
    duration: limit,
    orElse: () =>
      Effect.fail(
        new CallTimeout({ tool: `the list of its ${kind}`, limitMillis: Duration.toMillis(limit), limit: "timeout" })
      )
  })

/** The readable items of a listing, and the faults of the others. */
export interface Listed<A> {
  readonly items: ReadonlyArray<A>
  readonly diagnostics: ReadonlyArray<string>
}

/** Reads each item that has an identifier of its own under this key; the first of two with the same one stays. */
export const decodeItems = <A>(
  { diagnostics, items }: ItemList,
  noun: string,
  key: string,
  read: (item: Schema.JsonObject, id: string) => A
): Listed<A> => {
  const found = new Map<string, A>()
  const left: Array<string> = []
  items.forEach((item, index) => {
    const id = identifierOf(item[key])
    if (id === null) left.push(`left out the ${noun} at place ${index + 1}: it has no readable ${key}`)
    else if (found.has(id)) left.push(`listed more than once: the ${noun} ${id}; the first one is kept`)
    else found.set(id, read(item, id))
  })
  const more = left.length - MOST_TOLD
  return {
    items: [...found.values()],
    diagnostics: [
      ...diagnostics,
      ...left.slice(0, MOST_TOLD),
      ...(more > 0 ? [`${more} more of its list could not be used`] : [])
    ]
  }
}

const MOST_TOLD = 10

/** It goes back to the server as it is, so one that hides something cannot be cleaned, only left out (R100). */
export const identifierOf = (value: Schema.Json | undefined): string | null =>
  typeof value === "string" && value !== "" && CleanText.clean(value) === value ? value : null

export const textOf = (value: Schema.Json | undefined): string | null =>
  typeof value === "string" && value !== "" ? CleanText.clean(value) : null

export const objectsOf = (value: Schema.Json | undefined): ReadonlyArray<Schema.JsonObject> =>
  Array.isArray(value) ? value.filter(JsonRpc.isObject) : []
