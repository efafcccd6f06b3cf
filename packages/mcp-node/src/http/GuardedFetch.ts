/**
 * A fetch that asks before it connects: every address it is about to reach, whatever name or redirect led there.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Refusal } from "./GuardedAgent.ts"
import * as LazyWays from "./LazyWays.ts"

/**
 * Makes it, with the `HttpSend` that belongs to it. The answer of the resolver that was judged is the one that is connected to, so a name that changes its
 * meaning in between changes nothing. One address of a host that is refused refuses the host. Proxies of the environment
 * are not used: what they reach nobody here can tell. A refused connection fails with the code `ERR_PRIVATE_ADDRESS`. Like
 * `NodeFetch` it has no limits of its own but for connecting, and its connections are destroyed when the scope closes.
 */
export const make = (refusal: Refusal): Effect.Effect<LazyWays.Ways, never, Scope.Scope> =>
  LazyWays.make(Effect.flatMap(Effect.promise(() => import("./GuardedAgent.ts")), (agent) => agent.waysOf(refusal)))

export type { Refusal } from "./GuardedAgent.ts"
