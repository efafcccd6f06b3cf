/** A registry of MCP servers as one MCP server, for every client a person has. */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Caller, ClientStatus, Substitute } from "./model/GatewayClient.ts"
import type { Gate } from "./model/Gate.ts"
import type { Profile } from "./model/Profile.ts"

/**
 * How a gateway is set up.
 *
 * @category options
 */
export interface GatewayOptions {
  /** For callers that bring none. Default `Profile.standard`. */
  readonly profile?: Profile | undefined
  /** What it says of itself. Default `boocode`. */
  readonly name?: string | undefined
  /** Decides about calls. Without it a call that needs a yes is made when the client's own person gives it. */
  readonly gate?: Gate | undefined
  /** Answers what servers ask about calls of clients that cannot be asked. Without it the question is declined. */
  readonly substitute?: Substitute | undefined
  /** A client that sends nothing for so long, and has no call and no stream open, ends. Default 30 minutes. */
  readonly idleLimit?: Duration.Duration | undefined
}

/**
 * One MCP server in front of a registry.
 *
 * @category models
 */
export interface Gateway {
  /**
   * Answers one request of Streamable HTTP: POST, GET or DELETE, of any revision of the protocol. Whoever calls it has
   * looked at `Host`, `Origin` and the token already. The answer may be a stream; the abortion of the request ends it, and
   * since revision 2026-07-28 the call as well. Never fails.
   */
  readonly handle: (request: Request, caller: Caller) => Effect.Effect<Response>
  /** Serves the one client on the other side of standard input and output, until the input ends. */
  readonly serveStdio: (caller?: Partial<Caller>) => Effect.Effect<void>
  /** Who is connected, in the order they came. Answers at once. */
  readonly clients: Effect.Effect<ReadonlyArray<ClientStatus>>
  /** Emits who is connected now, and at each change, twice a second at most. */
  readonly changes: Stream.Stream<ReadonlyArray<ClientStatus>>
  /** Ends a client and its calls; false where there is none of this id. It may connect again. */
  readonly end: (id: string) => Effect.Effect<boolean>
}
