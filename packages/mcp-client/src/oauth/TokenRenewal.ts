/**
 * New tokens without a person: what somebody else has got meanwhile, else a refresh, alone among all who share the tokens.
 */
import { selectClientAuthMethod } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { AuthorizationFailed } from "../errors/McpError.ts"
import * as AuthDiscovery from "./AuthDiscovery.ts"
import * as ClientIdentity from "./ClientIdentity.ts"
import { type Client, type Credential, isNews, type Tokens } from "./credentials/Credential.ts"
import type { Changed, CredentialStore } from "./credentials/CredentialStore.ts"
import * as FlowErrors from "./FlowErrors.ts"
import * as OAuthHttp from "./OAuthHttp.ts"
import type { Challenge } from "./OAuthHttp.ts"
import type { ProtectedServer } from "./ProtectedServer.ts"
import * as SignIn from "./SignIn.ts"
import * as TokenRequest from "./TokenRequest.ts"

export interface Options {
  readonly guarded: ProtectedServer
  readonly store: CredentialStore
  readonly challenge: OAuthHttp.Challenge
  /** The tokens that the server refused; null when none were sent. */
  readonly refused: Tokens | null
}

/**
 * Gives what is kept when that is news. Otherwise asks for new tokens, once, and keeps them; null when only a person can
 * help. Tokens are forgotten only when the authorization server says that they are no good, and only those that it was
 * shown: an outage, or a refusal that comes to somebody who was too late, takes nothing away (R80).
 */
export const run = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<Renewed | null, AuthorizationFailed> {
  const { guarded, refused, store } = options
  const kept = yield* store.read(guarded.key)
  if (isNews(kept, refused)) return asFound(kept)
  if (guarded.oauth.grant === "client_credentials") return yield* asProgram(options)
  if (kept === null || kept.tokens === null || kept.tokens.refresh === null) return null
  // Before it is our turn: whoever waits for it waits for one request only.
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

/** What there is now. */
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
    wanted: OAuthHttp.unionOfChallenges(now.wanted, scopes),
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

// Takes tokens back where the authorization server offers that (RFC 7009).

/**
 * Asks for it, the refresh token first, 10 s for each at most. Never fails: what cannot be taken back is forgotten all the
 * same, and the log says so.
 */
export const revoke = Effect.fnUntraced(function*(
  guarded: ProtectedServer,
  { client: own, issuer, tokens }: Credential,
  challenge: Challenge
) {
  const client = own ?? ClientIdentity.ofEntry(guarded)
  if (tokens === null || client === null) return
  const revoked = Effect.gen(function*() {
    const server = yield* AuthDiscovery.discover(guarded, challenge)
    const offer = Option.getOrNull(decode(server.metadata))
    if (offer === null || !AuthDiscovery.isSame(server.issuer, issuer)) return
    const all = tokens.refresh === null ? [tokens.access] : [tokens.refresh, tokens.access]
    yield* Effect.forEach(
      all,
      (token) =>
        Effect.catch(revokeRevocation({ guarded, server, client, offer }, token), (error) => notBack(guarded, error)),
      { discard: true }
    )
  })
  yield* Effect.catch(revoked, (error) => notBack(guarded, error))
})

const notBack = ({ name }: ProtectedServer, { detail }: AuthorizationFailed) =>
  Effect.logWarning(`${name}: its tokens were not taken back: ${detail}`)

const Methods = Schema.optionalKey(Schema.Array(Schema.String))

const Offer = Schema.Struct({
  revocation_endpoint: Schema.String,
  revocation_endpoint_auth_methods_supported: Methods,
  token_endpoint_auth_methods_supported: Methods
})

const decode = Schema.decodeUnknownOption(Offer)

interface Asked {
  readonly guarded: ProtectedServer
  readonly server: AuthDiscovery.AuthorizationServer
  readonly client: Client
  readonly offer: typeof Offer.Type
}

const revokeRevocation = Effect.fnUntraced(function*(asked: Asked, token: Redacted.Redacted<string>) {
  const { guarded, offer } = asked
  const step = { what: "taking the tokens back", scrub: guarded.scrub }
  const body = new URLSearchParams({ token: Redacted.value(token) })
  const { ok, status } = yield* FlowErrors.attempt(
    step,
    () => signed(asked, body).then((form) => guarded.fetch(offer.revocation_endpoint, { method: "POST", ...form }))
  )
  if (!ok) return yield* new AuthorizationFailed({ detail: `the authorization server says no (HTTP ${status})` })
})

/** The form with who we are. */
const signed = ({ client, guarded, offer, server }: Asked, body: URLSearchParams) => {
  const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" })
  const { addClientAuthentication } = ClientIdentity.signature(guarded, client)
  if (addClientAuthentication !== undefined) {
    const added = addClientAuthentication(headers, body, offer.revocation_endpoint, server.metadata)
    return Promise.resolve(added).then(() => ({ headers, body }))
  }
  const methods = offer.revocation_endpoint_auth_methods_supported ?? offer.token_endpoint_auth_methods_supported ?? []
  const secret = client.secret === null ? null : Redacted.value(client.secret)
  if (selectClientAuthMethod(ClientIdentity.toSdk(client), [...methods]) === "client_secret_basic" && secret !== null) {
    headers.set("authorization", `Basic ${btoa(`${client.id}:${secret}`)}`)
  } else {
    body.set("client_id", client.id)
    if (secret !== null) body.set("client_secret", secret)
  }
  return Promise.resolve({ headers, body })
}
