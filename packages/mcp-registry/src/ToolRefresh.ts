/**
 * Lists a server's tools again when it says that they changed, without letting a burst cost more than two listings.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type { Connection, Listing } from "./Connection.ts"
import type { McpErrorReason } from "./McpError.ts"

/** How long a burst of notifications may go on before the list is asked for. @category constants */
export const DEBOUNCE = Duration.millis(300)

/** Collects the notifications of a connection from now on, as one. @category constructors */
export const listen = Effect.fnUntraced(function*(connection: Connection) {
  const changes = yield* Queue.sliding<void>(1)
  connection.onToolsChanged(() => Queue.offerUnsafe(changes, undefined))
  return changes
})

/** What refreshing needs. @category models */
export interface Options {
  readonly changes: Queue.Queue<void>
  /** None when it took too long. */
  readonly listing: Effect.Effect<Option.Option<Listing>, McpErrorReason>
  readonly apply: (listing: Listing) => Effect.Effect<void>
  readonly server: string
}

/** A server that announces changes without end is asked less and less often, down to this. */
const SLOWEST = Duration.seconds(30)

/**
 * Refreshes for ever. A listing that fails keeps the old list; one that is as before changes nothing, and doubles the
 * time to the next.
 *
 * @category constructors
 */
export const run = (options: Options): Effect.Effect<never> => {
  let known = ""
  let pause = DEBOUNCE
  const apply = (listing: Listing) => {
    const text = Result.getOrElse(Result.try(() => JSON.stringify(listing.tools)), () => "")
    const isNews = known === "" || text !== known
    known = text
    pause = isNews ? DEBOUNCE : Duration.min(Duration.times(pause, 2), SLOWEST)
    return isNews ? options.apply(listing) : Effect.void
  }
  return Effect.gen(function*() {
    yield* Queue.take(options.changes)
    yield* Effect.sleep(pause)
    yield* Queue.clear(options.changes)
    yield* Effect.matchEffect(options.listing, {
      onFailure: (reason) => Effect.logWarning(`${options.server}: kept the old list of tools: ${reason.message}`),
      onSuccess: Option.match({
        onNone: () =>
          Effect.logWarning(`${options.server}: kept the old list of tools: the new one did not come in time`),
        onSome: apply
      })
    })
  }).pipe(Effect.forever)
}
