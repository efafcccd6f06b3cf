/**
 * What is kept of one authorization: who we are to the authorization server, and the tokens that it gave.
 */
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

// Whose credentials: those of one server at one address.

/** Which server: another address is another server, whatever its name. */
export interface CredentialKey {
  readonly server: string
  readonly url: string
}

/** One name for both. */
export const nameOf = ({ server, url }: CredentialKey): string => JSON.stringify([server, url])

/** Nothing is kept of it. */
export const NOBODY = new AuthorizationFailed({
  detail: "nobody is signed in",
  try: "there is nothing to sign out of"
})

// What makes a text of use to this user of this machine alone, such as a key in the system's keychain.

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
