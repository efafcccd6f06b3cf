/**
 * Takes tokens back where the authorization server offers that (RFC 7009).
 */
import { selectClientAuthMethod } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as AuthDiscovery from "./AuthDiscovery.ts"
import * as Challenge from "./Challenge.ts"
import * as ClientIdentity from "./ClientIdentity.ts"
import type { Client, Credential } from "./Credential.ts"
import * as FlowErrors from "./FlowErrors.ts"
import type { Guarded } from "./Guarded.ts"

/**
 * Asks for it, the refresh token first, 10 s for each at most. Never fails: what cannot be taken back is forgotten all the
 * same, and the log says so.
 *
 * @category constructors
 */
export const run = Effect.fnUntraced(function*(guarded: Guarded, { client: own, issuer, tokens }: Credential) {
  const client = own ?? ClientIdentity.ofEntry(guarded)
  if (tokens === null || client === null) return
  const revoked = Effect.gen(function*() {
    const server = yield* AuthDiscovery.discover(guarded, Challenge.NONE)
    const offer = Option.getOrNull(decode(server.metadata))
    if (offer === null || !AuthDiscovery.isSame(server.issuer, issuer)) return
    const endpoint = offer.revocation_endpoint
    const methods = offer.revocation_endpoint_auth_methods_supported ?? offer.token_endpoint_auth_methods_supported ??
      []
    const all = tokens.refresh === null ? [tokens.access] : [tokens.refresh, tokens.access]
    yield* Effect.forEach(all, (token) => revoke(guarded, endpoint, client, methods, token), { discard: true })
  })
  yield* Effect.catch(
    revoked,
    (error) => Effect.logWarning(`${guarded.name}: its tokens were not taken back: ${error.detail}`)
  )
})

const Methods = Schema.optionalKey(Schema.Array(Schema.String))

const decode = Schema.decodeUnknownOption(Schema.Struct({
  revocation_endpoint: Schema.String,
  revocation_endpoint_auth_methods_supported: Methods,
  token_endpoint_auth_methods_supported: Methods
}))

const revoke = (
  guarded: Guarded,
  endpoint: string,
  client: Client,
  methods: ReadonlyArray<string>,
  token: Redacted.Redacted<string>
) => {
  const body = new URLSearchParams({ token: Redacted.value(token) })
  const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" })
  const secret = client.secret === null ? null : Redacted.value(client.secret)
  if (selectClientAuthMethod(ClientIdentity.toSdk(client), [...methods]) === "client_secret_basic" && secret !== null) {
    headers.set("authorization", `Basic ${btoa(`${client.id}:${secret}`)}`)
  } else {
    body.set("client_id", client.id)
    if (secret !== null) body.set("client_secret", secret)
  }
  return FlowErrors.attempt(
    { what: "taking the tokens back", scrub: guarded.scrub },
    () => guarded.fetch(endpoint, { method: "POST", headers, body })
  )
}
