/**
 * What is kept of a person who signed in, by which key, and what keeps it.
 */
import type * as Effect from "effect/Effect"
import type { AuthorizationFailed } from "../../errors/McpError.ts"
import type { Credential, CredentialKey } from "./Credential.ts"

/** What a change leads to. */
export interface Changed<A> {
  /** What is kept from now on; null for nothing. */
  readonly keep: Credential | null
  readonly give: A
}

/** One way to keep them. */
export interface CredentialStore {
  /** What is kept for a server; null for nothing. Fails with `AuthorizationFailed` when it cannot be read. */
  readonly read: (key: CredentialKey) => Effect.Effect<Credential | null, AuthorizationFailed>
  /**
   * Changes what is kept for a server, with what is kept now at hand. Nobody else, in this program or another one that
   * shares the file, changes the same server's meanwhile; `change` has 10 s for that, or what it keeps may come to nothing
   * because somebody else was quicker. A change that fails changes nothing. Fails with `AuthorizationFailed` when it is
   * another's turn for too long, or when it cannot be written.
   */
  readonly change: <A, E>(
    key: CredentialKey,
    change: (current: Credential | null) => Effect.Effect<Changed<A>, E>
  ) => Effect.Effect<A, E | AuthorizationFailed>
  /**
   * Forgets what is kept for a server, when it is our turn. Gives it; null where it cannot be opened any more. Fails with
   * `AuthorizationFailed` when nothing is kept, when it is another's turn for too long, or when it cannot be written.
   */
  readonly remove: (key: CredentialKey) => Effect.Effect<Credential | null, AuthorizationFailed>
}
