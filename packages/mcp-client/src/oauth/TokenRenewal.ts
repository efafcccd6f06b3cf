/** Gets new tokens without a person: those that another program got meanwhile, else by a refresh, one program at a time. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { AuthorizationFailed } from "../errors/McpError.ts"
import * as AuthDiscovery from "./AuthDiscovery.ts"
import * as Challenge from "./Challenge.ts"
import * as ClientIdentity from "./ClientIdentity.ts"
import { type Changed, type Credential, type CredentialStore, isNews, type Tokens } from "./credentials/Credential.ts"
import type { ProtectedServer } from "./ProtectedServer.ts"
import * as SignIn from "./SignIn.ts"
import * as TokenRequest from "./TokenRequest.ts"

export interface Options {
  readonly guarded: ProtectedServer
  readonly store: CredentialStore
  readonly challenge: Challenge.Challenge
  /** The tokens that the server refused; null when none were sent. */
  readonly refused: Tokens | null
}

/**
 * Returns the stored tokens when they are news. Otherwise asks for new tokens, once, and keeps them; null when only a person
 * can help. Forgets tokens only when the authorization server rejects them, and only those that it was shown: an outage, or
 * a refusal that comes too late, takes nothing away (R80).
 */
export const run = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<Renewed | null, AuthorizationFailed> {
  const { guarded, refused, store } = options
  const kept = yield* store.read(guarded.key)
  if (isNews(kept, refused)) return asFound(kept)
  if (guarded.oauth.grant === "client_credentials") return yield* asProgram(options)
  if (kept === null || kept.tokens === null || kept.tokens.refresh === null) return null
  // Before it is our turn: others then wait for one request only.
  const server = yield* AuthDiscovery.discover(guarded, options.challenge)
  return yield* store.change(guarded.key, (now): Outcome => {
    const refresh = now?.tokens?.refresh ?? null
    if (isNews(now, refused) || now === null || now.tokens === null || refresh === null) {
      return Effect.succeed({ keep: now, give: isNews(now, refused) ? asFound(now) : null })
    }
    // A server that moved to another authorization server needs a person.
    const client = AuthDiscovery.isSame(now.issuer, server.issuer)
      ? now.client ?? ClientIdentity.ofEntry(guarded)
      : null
    if (client === null) return Effect.succeed({ keep: now, give: null })
    const { scopes } = now.tokens
    return Effect.flatMap(
      Effect.result(TokenRequest.forRefresh({ guarded, server, client, scopes }, refresh)),
      (outcome) => settle(now, now.tokens?.scopes ?? [], outcome)
    )
  })
})

export interface Renewed {
  readonly credential: Credential
  /** True where it was got just now, and by us. */
  readonly isFresh: boolean
}

type Outcome = Effect.Effect<Changed<Renewed | null>, AuthorizationFailed>

const asFound = (credential: Credential | null): Renewed | null =>
  credential === null ? null : { credential, isFresh: false }

const settle = (
  now: Credential,
  scopes: ReadonlyArray<string>,
  outcome: Result.Result<Tokens, AuthorizationFailed>
): Outcome => {
  if (Result.isSuccess(outcome)) {
    const keep: Credential = { ...now, tokens: outcome.success }
    return Effect.succeed({ keep, give: { credential: keep, isFresh: true } })
  }
  const { error } = outcome.failure
  if (!NO_GOOD.has(error ?? "")) return Effect.fail(outcome.failure)
  // The next sign-in asks for what was granted before.
  const keep: Credential = {
    ...now,
    tokens: null,
    wanted: Challenge.union(now.wanted, scopes),
    client: error === "invalid_grant" ? now.client : null
  }
  return Effect.succeed({ keep, give: null })
}

const NO_GOOD: ReadonlySet<string> = new Set(["invalid_grant", "invalid_client", "unauthorized_client"])

const asProgram = ({ challenge, guarded, refused, store }: Options) =>
  store.change(guarded.key, (now): Outcome =>
    isNews(now, refused)
      ? Effect.succeed({ keep: now, give: asFound(now) })
      : Effect.map(
        SignIn.run({ guarded, asking: null, challenge, stored: now }),
        (keep) => ({ keep, give: { credential: keep, isFresh: true } })
      ))
