/** A fetch that asks before it connects: every address it is about to reach, whatever name or redirect led there. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Refusal } from "./GuardedAgent.ts"
import * as LazyHttp from "./LazyHttp.ts"

/**
 * Makes a guarded fetch and the `HttpSend` that belongs to it. They connect to the very addresses that were judged, so a
 * name that changes its meaning in between changes nothing. One refused address refuses the host. They use no proxy of the
 * environment, because nobody here can tell what a proxy reaches. A refused connection fails with the code
 * `ERR_PRIVATE_ADDRESS`. Like `NodeFetch` they limit nothing but connecting, and the scope's close destroys their
 * connections.
 */
export const make = (refusal: Refusal): Effect.Effect<LazyHttp.Ways, never, Scope.Scope> =>
  LazyHttp.make(Effect.flatMap(Effect.promise(() => import("./GuardedAgent.ts")), (agent) => agent.waysOf(refusal)))

export type { Refusal } from "./GuardedAgent.ts"
