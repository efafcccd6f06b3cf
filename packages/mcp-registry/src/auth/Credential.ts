/**
 * What is kept of one authorization: who we are to the authorization server, and the tokens that it gave.
 */
import * as Redacted from "effect/Redacted"
import type { Credential, Tokens } from "../shapes/Credential.ts"

export type { Client, Credential, Tokens } from "../shapes/Credential.ts"

/** The values that no text may show. @category getters */
export const secretsOf = ({ client, tokens }: Credential): ReadonlyArray<string> =>
  [client?.secret, tokens?.access, tokens?.refresh].flatMap((secret) =>
    secret === null || secret === undefined ? [] : [Redacted.value(secret)]
  )

/** Whether there are tokens other than those that were refused. @category predicates */
export const isNews = (credential: Credential | null, refused: Tokens | null): boolean => {
  const tokens = credential?.tokens ?? null
  return tokens !== null && (refused === null || Redacted.value(tokens.access) !== Redacted.value(refused.access))
}
