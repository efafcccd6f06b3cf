/** The connections of `GuardedFetch`: undici's, judged by their addresses when they are made. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { lookup } from "node:dns"
import { isIP, type LookupFunction } from "node:net"
import { Agent, buildConnector } from "undici"
import * as DispatchSend from "./DispatchSend.ts"
import type { Ways } from "./LazyHttp.ts"

/** The ways over such connections, which the scope's close destroys. */
export const waysOf = (refusal: Refusal): Effect.Effect<Ways, never, Scope.Scope> => {
  const agent = Effect.sync(() => new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: guardedConnector(refusal) }))
  const destroy = (made: Agent) => Effect.promise(() => made.destroy()).pipe(Effect.timeoutOption("1 second"))
  return Effect.map(Effect.acquireRelease(agent, destroy), (made) => DispatchSend.ways(made))
}

const guardedConnector = (refusal: Refusal): buildConnector.connector => {
  const connect = buildConnector({
    timeout: DispatchSend.CONNECT_TIMEOUT_MILLIS,
    allowH2: false,
    lookup: guardedLookup(refusal)
  })
  return (options, callback) => {
    const host = options.hostname.replace(/^\[(.*)\]$/, "$1")
    // Nothing is looked up for an address, so it is judged here.
    const why = isIP(host) === 0 ? null : refusal(host, [host])
    if (why === null) connect(options, callback)
    else callback(refused(host, why), null)
  }
}

const guardedLookup = (refusal: Refusal): LookupFunction => (host, options, callback) =>
  lookup(host, { ...options, all: true }, (error, found) => {
    if (error !== null) return callback(error, "")
    const why = refusal(host, found.map(({ address }) => address))
    if (why !== null) return callback(refused(host, why), "")
    const [first] = found
    if (options.all === true) callback(null, found)
    else callback(null, first?.address ?? "", first?.family)
  })

const refused = (hostname: string, why: string): Error =>
  Object.assign(new Error(why), { code: "ERR_PRIVATE_ADDRESS", hostname })

/** Says why a host may not be reached that has these addresses; null when it may. */
export type Refusal = (host: string, addresses: ReadonlyArray<string>) => string | null
