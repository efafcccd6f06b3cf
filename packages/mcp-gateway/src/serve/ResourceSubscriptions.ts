/** Updates of resources, for clients that subscribe to them. */
import { McpRegistry } from "@boocode/mcp-registry"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Profile } from "../model/Profile.ts"
import { INTERNAL, notFound, type Refusal, refusal } from "../model/Sdk.ts"
import type { OfferingAnswers } from "./OfferingAnswers.ts"

/** How long a server may take to subscribe; its updates are passed on whenever they come. */
const PATIENCE = "10 seconds"

/**
 * Tells of each update of a resource until the scope closes. Answers when the server has subscribed, or did not in time. Fails where no
 * server has the resource, or its server tells of no updates.
 */
export type Watch = (
  profile: Profile,
  uri: string,
  tell: (uri: string) => void
) => Effect.Effect<void, Refusal, Scope.Scope>

export const make = (
  { routeOf }: Pick<OfferingAnswers, "routeOf">
): Effect.Effect<Watch, never, McpRegistry> =>
  Effect.map(McpRegistry, (registry): Watch =>
    Effect.fnUntraced(function*(profile, uri, tell) {
      const route = yield* routeOf(profile, uri)
      if (route === null) return yield* Effect.fail(notFound(uri))
      const begun = yield* Deferred.make<void, Refusal>()
      let isFirst = true
      const updates = Stream.runForEach(
        registry.watchResource(route.server, route.uri, { atStart: true }),
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
    }))
