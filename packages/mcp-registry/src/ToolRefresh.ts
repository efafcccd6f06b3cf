/**
 * Lists a server's tools again when it says that they changed, without letting a burst cost more than two listings.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type { Connection, Listing } from "./Connection.ts"
import type { McpErrorReason } from "./McpError.ts"

/** How long a burst of notifications may go on before the list is asked for. @category constants */
export const DEBOUNCE = "300 millis"

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

/** Refreshes for ever. A listing that fails keeps the old list. @category constructors */
export const run = (options: Options): Effect.Effect<never> =>
  Effect.gen(function*() {
    yield* Queue.take(options.changes)
    yield* Effect.sleep(DEBOUNCE)
    yield* Queue.clear(options.changes)
    yield* Effect.matchEffect(options.listing, {
      onFailure: (reason) => Effect.logWarning(`${options.server}: kept the old list of tools: ${reason.message}`),
      onSuccess: Option.match({
        onNone: () =>
          Effect.logWarning(`${options.server}: kept the old list of tools: the new one did not come in time`),
        onSome: options.apply
      })
    })
  }).pipe(Effect.forever)
