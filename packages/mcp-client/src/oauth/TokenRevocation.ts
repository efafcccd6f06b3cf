/** Revokes tokens at the authorization server, where it offers that (RFC 7009). */
import { selectClientAuthMethod } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { AuthorizationFailed } from "../errors/McpError.ts"
import * as AuthDiscovery from "./AuthDiscovery.ts"
import type * as Challenge from "./Challenge.ts"
import * as ClientIdentity from "./ClientIdentity.ts"
import type { Client, Credential } from "./credentials/Credential.ts"
import * as FlowErrors from "./FlowErrors.ts"
import type { ProtectedServer } from "./ProtectedServer.ts"

/**
 * Asks for it, the refresh token first, 10 s for each at most. Never fails: what cannot be taken back is forgotten all the
 * same, and the log says so.
 */
export const run = Effect.fnUntraced(function*(
  guarded: ProtectedServer,
  { client: own, issuer, tokens }: Credential,
  challenge: Challenge.Challenge
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
        Effect.catch(revokeToken({ guarded, server, client, offer }, token), (error) => notBack(guarded, error)),
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

const revokeToken = Effect.fnUntraced(function*(asked: Asked, token: Redacted.Redacted<string>) {
  const { guarded, offer } = asked
  const step = { what: "taking the tokens back", scrub: guarded.scrub }
  const body = new URLSearchParams({ token: Redacted.value(token) })
  const { ok, status } = yield* FlowErrors.attempt(
    step,
    () => signed(asked, body).then((form) => guarded.fetch(offer.revocation_endpoint, { method: "POST", ...form }))
  )
  if (!ok) return yield* new AuthorizationFailed({ detail: `the authorization server says no (HTTP ${status})` })
})

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
