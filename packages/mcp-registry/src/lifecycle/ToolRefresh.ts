/**
 * Lists a server's tools again when it says that they changed, or they may be old, without letting a burst cost more than two listings.
 */
import type { Connection, Listing } from "@boocode/mcp-client/Connection"
import type { McpErrorReason } from "@boocode/mcp-client/McpError"
import type { ServerConfig } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as AttemptFailure from "../state/AttemptFailure.ts"
import type { Freshness, Occasion } from "../tools/Freshness.ts"

/** How long a burst of notifications may go on before the list is asked for. */
const DEBOUNCE = Duration.millis(300)

/** The list changes that a connection announces from now on, several as one. */
export const listen = (connection: Pick<Connection, "onToolsChanged">): Effect.Effect<Queue.Queue<Occasion>> =>
  Effect.tap(Queue.sliding<Occasion>(1), (changes) =>
    Effect.sync(() => {
      connection.onToolsChanged(() => void Queue.offerUnsafe(changes, "told"))
    }))

/** Lists the tools, and notes for how long the list is believed. */
export const list = (
  connection: Connection,
  freshness: Freshness,
  changes: Queue.Queue<Occasion>
): Effect.Effect<Listing, McpErrorReason> =>
  Effect.tap(connection.listTools, ({ ttlMillis }) =>
    Effect.map(
      Clock.currentTimeMillis,
      (now) => freshness.listed(ttlMillis, now, (occasion) => void Queue.offerUnsafe(changes, occasion))
    ))

/** Lists the tools now, because somebody asked: `startupTimeout` at most, and a failure is theirs to hear. */
export const once = (config: ServerConfig, connection: Connection): Effect.Effect<Listing, McpErrorReason> => {
  const attempt = { step: "tools/list", elapsed: () => 0, stderr: () => connection.stderr(), said: () => [] }
  return connection.listTools.pipe(
    Effect.mapError((reason) => AttemptFailure.ofListing(reason, attempt)),
    Effect.timeoutOrElse({
      duration: config.startupTimeout,
      orElse: () => Effect.fail(AttemptFailure.tookTooLong(config, attempt))
    })
  )
}

export interface Options {
  readonly changes: Queue.Queue<Occasion>
  /** None when it took too long. */
  readonly listing: Effect.Effect<Option.Option<Listing>, McpErrorReason>
  readonly apply: (listing: Listing) => Effect.Effect<void>
  readonly server: string
}

/** A server that announces changes without end is asked less and less often, down to this; so much quiet ends it. */
const SLOWEST = Duration.seconds(30)
/** A list may really change so many times in a row before it counts as one that never stops. */
const FREE_CHANGES = 10

/**
 * Refreshes for ever. A listing that fails keeps the old list, and one that is as before changes nothing; both double the
 * time to the next, and so does a list that changes too often. One that was only old is listed at once, and costs the
 * server nothing of its credit.
 */
export const run = (options: Options): Effect.Effect<never> => {
  let known = ""
  let complaint = ""
  let endedAt = 0
  let changes = 0
  let wasted = 0
  let isTold = true

  const pause = () => Duration.min(Duration.times(DEBOUNCE, 2 ** Math.max(wasted, changes - FREE_CHANGES, 0)), SLOWEST)
  const apply = (listing: Listing) => {
    const text = Result.getOrElse(Result.try(() => JSON.stringify(listing.tools)), () => "")
    const isNews = known === "" || text !== known
    known = text
    complaint = ""
    if (!isNews) return waste
    changes++
    wasted = 0
    return options.apply(listing)
  }
  const waste = Effect.sync(() => {
    if (isTold) wasted++
  })
  const keep = (why: string) => {
    const log = why === complaint ? Effect.logDebug : Effect.logWarning
    complaint = why
    return Effect.andThen(waste, log(`${options.server}: kept the old list of tools: ${why}`))
  }
  const afterQuiet = (now: number) => {
    if (now - endedAt < Duration.toMillis(SLOWEST)) return
    changes = 0
    wasted = 0
  }
  return Effect.gen(function*() {
    const occasion = yield* Queue.take(options.changes)
    afterQuiet(yield* Clock.currentTimeMillis)
    isTold = occasion === "told"
    if (isTold) yield* Effect.sleep(pause())
    yield* Queue.clear(options.changes)
    yield* Effect.matchEffect(options.listing, {
      onFailure: (reason) => keep(reason.message),
      onSuccess: Option.match({ onNone: () => keep("the new one did not come in time"), onSome: apply })
    })
    endedAt = yield* Clock.currentTimeMillis
  }).pipe(Effect.forever)
}
