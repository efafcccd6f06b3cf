/** How a host takes a person to an authorization server, and brings back the URL that it sent them to. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { AuthorizationFailed } from "../errors/McpError.ts"

/** A request that a person allows. All but `server` and `state` comes from the MCP server or the authorization server. */
export interface AuthorizationRequest {
  /** The server's name. */
  readonly server: string
  /** The whole address to open: https, or http to this machine. It is never to be given to a shell (R79). */
  readonly url: string
  /** The `state` that the callback must carry, by which a host knows whose callback it is. */
  readonly state: string
  /** Where the authorization server sends the person back to. */
  readonly redirectUri: string
  /** The authorization server. */
  readonly issuer: string
  /** The requested scopes; none leave it to the authorization server. */
  readonly scopes: ReadonlyArray<string>
}

/** One way to ask. */
export interface Asking {
  /** Where the authorization server sends the person back to: https, or http to this machine. */
  readonly redirectUri: string
  /**
   * Has a person visit the address and gives the whole callback address that they came back to, error or not; what is in
   * it is checked by who asked. Interrupted when nobody needs it any more, after 10 minutes at the latest.
   */
  readonly authorize: (request: AuthorizationRequest) => Effect.Effect<string, AuthorizationFailed>
}

/**
 * Asks somebody whenever a server wants authorization, or more of it, while the registry uses it: for hosts that can
 * always ask. At most three times in a row for one trouble; the time it takes counts as the server's. Without a layer
 * nobody is asked, and such a server waits for `McpRegistry.login`.
 */
export class Authorizer extends Context.Reference<Asking | null>("mcp-client/Authorizer", {
  defaultValue: (): Asking | null => null
}) {}
