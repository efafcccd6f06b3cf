/** Updates of resources, for clients that subscribe to them. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { INTERNAL, notFound, type Refusal, refusal } from "../model/Sdk.ts"
import type { OfferingAnswers } from "./OfferingAnswers.ts"
import type { ServedClient } from "./ServedClient.ts"

/** How long a server may take to subscribe; its updates are passed on whenever they come. */
const PATIENCE = "10 seconds"

/**
 * Tells of each update of a resource until the scope closes. Answers when the server has subscribed, or did not in time. Fails where no
 * server has the resource, or its server tells of no updates.
 */
export type Watch = (
  served: ServedClient,
  uri: string,
  tell: (uri: string) => void
) => Effect.Effect<void, Refusal, Scope.Scope>

export const make = (
  { routeOf }: Pick<OfferingAnswers, "routeOf">
): Watch =>
  Effect.fnUntraced(function*(served, uri, tell) {
    const route = yield* routeOf(served, uri)
    if (route === null) return yield* Effect.fail(notFound(uri))
    const begun = yield* Deferred.make<void, Refusal>()
    let isFirst = true
    const updates = Stream.runForEach(
      served.registry.watchResource(route.server, route.uri, { atStart: true }),
      (update) => {
        const wasFirst = isFirst
        isFirst = false
        // The first one says that the subscription began.
        if (wasFirst) return Effect.asVoid(Deferred.succeed(begun, undefined))
        return Effect.sync(() => tell(update.uri === route.uri ? uri : update.uri))
      }
    )
    yield* Effect.forkScoped(
      Effect.catch(updates, ({ hint, message }) => Deferred.fail(begun, refusal(INTERNAL, `${message}; ${hint}`)))
    )
    yield* Effect.timeoutOption(Deferred.await(begun), PATIENCE)
  })
