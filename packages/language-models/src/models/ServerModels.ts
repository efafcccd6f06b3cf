/** The models that a server lists itself, kept for a while. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ModelListing from "./ModelListing.ts"

/**
 * The models that a server lists, in its order. Waits 2 seconds at most and keeps a list for 5 minutes.
 * Empty when the list cannot be read; the server is then asked again after 20 seconds at the earliest.
 */
export const make = (
  at: ModelListing.ListedAt
): Effect.Effect<Effect.Effect<ReadonlyArray<ModelListing.ListedModel>>> =>
  ModelListing.list(at).pipe(
    Effect.timeout(PATIENCE),
    Effect.exit,
    Effect.tap((exit) =>
      Exit.isFailure(exit) ? Effect.logDebug("a server's models could not be listed", exit.cause) : Effect.void
    ),
    Effect.cachedWithTTL(
      Exit.match({ onSuccess: (exit) => Exit.isSuccess(exit) ? KEPT : RETRIED_AFTER, onFailure: () => 0 })
    ),
    Effect.map(Effect.map((exit) => Exit.isSuccess(exit) ? exit.value : []))
  )

const PATIENCE = "2 seconds"
const KEPT = "5 minutes"
const RETRIED_AFTER = "20 seconds"
