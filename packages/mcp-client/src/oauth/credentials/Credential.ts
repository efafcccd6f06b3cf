/** The record of an authorization, and the key under which it is kept. */
import type * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { AuthorizationFailed } from "../../errors/McpError.ts"
import type { Credential, Tokens } from "./CredentialSchema.ts"

export type { Client, Credential, Tokens } from "./CredentialSchema.ts"

/** The values that no text may show. */
export const secretsOf = ({ client, tokens }: Credential): ReadonlyArray<string> =>
  [client?.secret, tokens?.access, tokens?.refresh].flatMap((secret) =>
    secret === null || secret === undefined ? [] : [Redacted.value(secret)]
  )

/** Whether there are tokens other than those that were refused. */
export const isNews = (credential: Credential | null, refused: Tokens | null): boolean => {
  const tokens = credential?.tokens ?? null
  return tokens !== null && (refused === null || Redacted.value(tokens.access) !== Redacted.value(refused.access))
}

/** A server at one URL: another URL is another server, whatever its name. */
export interface CredentialKey {
  readonly server: string
  readonly url: string
}

/** One name for both. */
export const nameOf = ({ server, url }: CredentialKey): string => JSON.stringify([server, url])

/** There is nothing to remove. */
export const NOBODY = new AuthorizationFailed({
  detail: "nobody is signed in",
  try: "there is nothing to sign out of"
})

/** Encrypts a text for this user of this machine alone, such as with a key of the system's keychain. */
export interface Seal {
  /** True where nothing may be kept that is not sealed. */
  readonly isRequired: boolean
  /** The text as nobody else can read it; null where that cannot be done now. Never fails. */
  readonly seal: (text: string, of: string) => Effect.Effect<string | null>
  /**
   * The text again; null where that cannot be done: the key is gone, the keychain locked, or the text was sealed as another's
   * than `of`, so that nobody can move it to another place of the file. Never fails.
   */
  readonly open: (sealed: string, of: string) => Effect.Effect<string | null>
}

/** The outcome of a change. */
export interface Changed<A> {
  /** The credential to keep from now on; null for none. */
  readonly keep: Credential | null
  readonly give: A
}

/** One way to keep credentials. */
export interface CredentialStore {
  /** Reads the credential of a server; null where there is none. Fails with `AuthorizationFailed` when it cannot be read. */
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
   * Forgets the credential of a server, and returns it; null where it cannot be opened any more. Fails with
   * `AuthorizationFailed` when nothing is kept, when it is another's turn for too long, or when it cannot be written.
   */
  readonly remove: (key: CredentialKey) => Effect.Effect<Credential | null, AuthorizationFailed>
  /** Forgets what is kept for these servers, without a look at it. Fails with `AuthorizationFailed` when it cannot be written. */
  readonly forget: (isOf: (server: string) => boolean) => Effect.Effect<void, AuthorizationFailed>
}
