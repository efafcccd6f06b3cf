/** Renews tokens before they end, so that no request has to wait, and each at a time of its own, so that not all do at once. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import type { Tokens } from "./credentials/Credential.ts"

/** Tokens that end sooner are renewed when the server refuses them. */
const LEAST_MILLIS = 20_000

/**
 * Is told which tokens are in use, and runs `renew` when between 75 and 90 % of their time is over. Tokens without an end, or
 * that nothing renews, are left alone. Nothing runs after the scope has closed.
 */
export const make = Effect.fnUntraced(function*(
  renew: Effect.Effect<void>
): Effect.fn.Return<(tokens: Tokens | null) => Effect.Effect<void>, never, Scope.Scope> {
  const timer = yield* FiberHandle.make<void>()
  return Effect.fnUntraced(function*(tokens) {
    const left = (tokens?.expiresAt ?? 0) - (yield* Clock.currentTimeMillis)
    if (tokens === null || tokens.refresh === null || left < LEAST_MILLIS) return yield* FiberHandle.clear(timer)
    const part = 0.75 + (yield* Random.next) * 0.15
    yield* FiberHandle.run(timer, Effect.andThen(Effect.sleep(left * part), renew))
  })
})
