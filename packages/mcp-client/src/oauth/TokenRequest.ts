/** Requests for tokens: for a code, for a refresh token, and for ourselves. */
import { exchangeAuthorization, fetchToken, type OAuthTokens, refreshAuthorization } from "@modelcontextprotocol/client"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { AuthorizationFailed } from "../errors/McpError.ts"
import type { AuthorizationServer } from "./AuthDiscovery.ts"
import * as Challenge from "./Challenge.ts"
import * as ClientIdentity from "./ClientIdentity.ts"
import type { Client, Tokens } from "./credentials/Credential.ts"
import * as FlowErrors from "./FlowErrors.ts"
import type { ProtectedServer } from "./ProtectedServer.ts"

export interface Options {
  readonly guarded: ProtectedServer
  readonly server: AuthorizationServer
  readonly client: Client
  /** These count as granted where the answer does not say. */
  readonly scopes: ReadonlyArray<string>
}

export interface Code {
  readonly code: string
  /** The issuer that the callback named. */
  readonly iss: string | undefined
  readonly verifier: string
  readonly redirectUri: string
}

/** Tokens for a code. The code is sent once. */
export const forCode = (options: Options, { code, iss, redirectUri, verifier }: Code) =>
  ask(options, "getting tokens", () =>
    exchangeAuthorization(options.server.address, {
      ...common(options),
      authorizationCode: code,
      codeVerifier: verifier,
      redirectUri,
      ...(iss === undefined ? {} : { iss })
    }))

/** New tokens for a refresh token, which stays good where the answer has no other one. */
export const forRefresh = (options: Options, refreshToken: Redacted.Redacted<string>) =>
  ask(
    options,
    "renewing the tokens",
    () =>
      refreshAuthorization(options.server.address, { ...common(options), refreshToken: Redacted.value(refreshToken) })
  )

export const forProgram = (options: Options) =>
  ask(options, "signing in as this program", () => {
    const { metadata, resource, ...rest } = common(options)
    return fetchToken(providerOf(options), options.server.address, {
      fetchFn: rest.fetchFn,
      ...(metadata === undefined ? {} : { metadata }),
      ...(resource === undefined ? {} : { resource }),
      ...(options.scopes.length === 0 ? {} : { scope: options.scopes.join(" ") })
    })
  })

const common = ({ client, guarded, server: { metadata, resource } }: Options) => ({
  ...(metadata === undefined ? {} : { metadata }),
  ...(resource === undefined ? {} : { resource }),
  clientInformation: ClientIdentity.toSdk(client),
  ...ClientIdentity.signature(guarded, client),
  fetchFn: guarded.fetch
})

/** The SDK takes this grant from a provider only. */
const providerOf = ({ client, guarded, server }: Options): Parameters<typeof fetchToken>[0] => ({
  redirectUrl: undefined,
  clientMetadata: { redirect_uris: [] },
  clientInformation: () => ({ ...ClientIdentity.toSdk(client), issuer: server.issuer }),
  ...ClientIdentity.signature(guarded, client),
  prepareTokenRequest: (scope) =>
    new URLSearchParams({ grant_type: "client_credentials", ...(scope === undefined ? {} : { scope }) }),
  tokens: () => undefined,
  saveTokens: () => {},
  redirectToAuthorization: () => {},
  saveCodeVerifier: () => {},
  codeVerifier: () => ""
})

const ask = Effect.fnUntraced(function*(
  { guarded, scopes }: Options,
  what: string,
  request: () => Promise<OAuthTokens>
): Effect.fn.Return<Tokens, AuthorizationFailed> {
  const answer = yield* FlowErrors.attempt({ what, scrub: guarded.scrub }, request)
  for (const secret of [answer.access_token, answer.refresh_token, answer.id_token]) {
    if (secret !== undefined) guarded.hideText(secret)
  }
  if (!TOKEN.test(answer.access_token)) return yield* NO_TOKEN
  const now = yield* Clock.currentTimeMillis
  return {
    access: Redacted.make(answer.access_token),
    type: answer.token_type,
    refresh: answer.refresh_token === undefined ? null : Redacted.make(answer.refresh_token),
    scopes: answer.scope === undefined ? scopes : Challenge.scopesOf(answer.scope),
    expiresAt: answer.expires_in === undefined ? null : now + Math.min(answer.expires_in, MOST_SECONDS) * 1000
  }
})

/** The characters that a header can carry (RFC 6749, A.12). */
const TOKEN = /^[\x20-\x7e]{1,65536}$/

const NO_TOKEN = new AuthorizationFailed({
  detail: "the authorization server gave a token that cannot be sent",
  try: "ask the operator of the authorization server: it is too long, or holds characters that no token may have"
})

/** Ten years: a number without bounds is no time any more. */
const MOST_SECONDS = 315_360_000
