/** Signs a person in: from the refusal of a server to tokens (OAuth 2.1 with PKCE). */
import { startAuthorization, validateAuthorizationResponseIssuer } from "@modelcontextprotocol/client"
import * as WebCrypto from "effect/crypto/WebCrypto"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as SecureAddress from "../base/SecureAddress.ts"
import { AuthorizationFailed } from "../errors/McpError.ts"
import * as AuthDiscovery from "./AuthDiscovery.ts"
import type { AuthorizationServer } from "./AuthDiscovery.ts"
import type { Asking } from "./Authorizer.ts"
import * as Challenge from "./Challenge.ts"
import * as ClientIdentity from "./ClientIdentity.ts"
import type { Credential, Tokens } from "./credentials/Credential.ts"
import * as FlowErrors from "./FlowErrors.ts"
import type { ProtectedServer } from "./ProtectedServer.ts"
import * as TokenRequest from "./TokenRequest.ts"

/** How long a person may take. */
const PERSON_LIMIT = Duration.minutes(10)

export interface Options {
  readonly guarded: ProtectedServer
  readonly asking: Asking | null
  readonly challenge: Challenge.Challenge
  /** The credential that is kept so far. */
  readonly stored: Credential | null
}

/**
 * Signs in, and returns the credential to keep. Looks everything up anew: a server may have moved to another authorization
 * server, which must see nothing of the former one. Sends a person once at most.
 */
export const run = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<Credential, AuthorizationFailed> {
  const { asking, guarded, stored } = options
  const server = yield* AuthDiscovery.discover(guarded, options.challenge)
  const scopes = scopesFor(options, server)
  if (guarded.oauth.grant === "client_credentials") {
    const client = yield* ClientIdentity.find({ guarded, server, stored, redirectUri: null, scopes })
    const tokens = yield* TokenRequest.forProgram({ guarded, server, client, scopes })
    return { issuer: server.issuer, client: null, tokens, wanted: [] }
  }
  if (asking === null) return yield* NOBODY
  if (!knowsPkce(server)) return yield* NO_PKCE
  if (!SecureAddress.isSecure(asking.redirectUri)) return yield* badReturn(asking.redirectUri)
  const { redirectUri } = asking
  const client = yield* ClientIdentity.find({ guarded, server, stored, redirectUri, scopes })
  const tokens = yield* asked({ guarded, server, client, scopes }, asking)
  // The client of the entry is not kept a second time, least of all its secret.
  const own = ClientIdentity.ofEntry(guarded) === null ? client : null
  return { issuer: server.issuer, client: own, tokens, wanted: [] }
})

const NOBODY = new AuthorizationFailed({ detail: "nobody is there to sign in" })

/**
 * The scopes of the entry, else those that the server asks for, else those that it knows; a request for more rights
 * repeats all earlier scopes. A refresh token is asked for where the authorization server has a scope for that (SEP-2207).
 */
const scopesFor = ({ challenge, guarded: { oauth }, stored }: Options, server: AuthorizationServer) => {
  const isSame = stored !== null && AuthDiscovery.isSame(stored.issuer, server.issuer)
  const before = isSame ? Challenge.union(stored.tokens?.scopes ?? [], stored.wanted) : []
  const first = oauth.scopes ?? (challenge.scopes.length > 0 ? challenge.scopes : server.scopes ?? [])
  const isMore = Challenge.isStepUp(challenge) || (isSame && stored.wanted.length > 0)
  const all = isMore ? Challenge.union(before, oauth.scopes ?? [], challenge.scopes) : first
  const offers = server.metadata?.scopes_supported?.includes(OFFLINE) === true
  return all.length > 0 && offers && oauth.grant === "authorization_code"
    ? Challenge.union(all, [OFFLINE])
    : all
}

const OFFLINE = "offline_access"

/** A server that does not describe itself is of a revision that asks for PKCE without saying so. */
const knowsPkce = ({ metadata }: AuthorizationServer): boolean =>
  metadata === undefined || metadata.code_challenge_methods_supported?.includes("S256") === true

const NO_PKCE = new AuthorizationFailed({
  detail: "the authorization server does not say that it checks who brings a code back (PKCE with S256)",
  try: "ask its operator: MCP does not allow signing in without that"
})

const badReturn = (redirectUri: string) =>
  new AuthorizationFailed({
    detail: `a code cannot come back to ${redirectUri}`,
    try: "an address to come back to begins with https://, or is on this machine"
  })

const asked = Effect.fnUntraced(function*(
  request: TokenRequest.Options,
  asking: Asking
): Effect.fn.Return<Tokens, AuthorizationFailed> {
  const { client, guarded, scopes, server } = request
  const state = yield* Effect.map(WebCrypto.WebCrypto, (crypto) => crypto.randomUUID() + crypto.randomUUID())
  const { authorizationUrl, codeVerifier } = yield* FlowErrors.attempt(
    { what: "preparing to sign in", scrub: guarded.scrub },
    () =>
      startAuthorization(server.address, {
        ...(server.metadata === undefined ? {} : { metadata: server.metadata }),
        clientInformation: ClientIdentity.toSdk(client),
        redirectUrl: asking.redirectUri,
        state,
        ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
        ...(server.resource === undefined ? {} : { resource: server.resource })
      })
  )
  guarded.hideText(codeVerifier)
  const url = authorizationUrl.href
  if (!SecureAddress.isSecure(url)) return yield* NOT_SAFE
  if (url.length > MOST_OF_ADDRESS) return yield* TOO_LONG
  const { issuer } = server
  const { redirectUri } = asking
  const callback = yield* asking.authorize({ server: guarded.name, url, state, redirectUri, issuer, scopes }).pipe(
    Effect.timeoutOrElse({ duration: PERSON_LIMIT, orElse: () => Effect.fail(TOO_LATE) })
  )
  const { code, iss } = yield* readCallback(callback, state, server, guarded)
  guarded.hideText(code)
  return yield* TokenRequest.forCode(request, { code, iss, verifier: codeVerifier, redirectUri })
})

const NOT_SAFE = new AuthorizationFailed({ detail: "the address to sign in at is neither https nor on this machine" })

/** No browser takes much more, nor does a system that starts one. */
const MOST_OF_ADDRESS = 32_000

const TOO_LONG = new AuthorizationFailed({
  detail: "the address to sign in at is too long to be opened",
  try: "write fewer \"scopes\" under \"oauth\" of the entry, or ask the operator of the authorization server"
})

const TOO_LATE = new AuthorizationFailed({ detail: `nobody came back within ${Duration.format(PERSON_LIMIT)}` })

/** Nothing in it is believed before it is known whose it is: first `state`, then `iss` (RFC 9207). */
const readCallback = Effect.fnUntraced(function*(
  callback: string,
  state: string,
  server: AuthorizationServer,
  { scrub }: ProtectedServer
): Effect.fn.Return<{ readonly code: string; readonly iss: string | undefined }, AuthorizationFailed> {
  const query = URL.parse(callback.trim())?.searchParams
  if (query === undefined) return yield* NO_CALLBACK
  if (query.get("state") !== state) return yield* OTHER_STATE
  const iss = query.get("iss") ?? undefined
  yield* FlowErrors.attempt(
    { what: "coming back", scrub },
    () =>
      Promise.resolve().then(() =>
        validateAuthorizationResponseIssuer({
          iss,
          expectedIssuer: server.metadata?.issuer,
          issParameterSupported: server.metadata?.authorization_response_iss_parameter_supported === true
        })
      )
  )
  const error = query.get("error")
  if (error !== null) return yield* refused(error, query.get("error_description") ?? "", scrub)
  const code = query.get("code")
  return code === null || code === "" ? yield* NO_CALLBACK : { code, iss }
})

const NO_CALLBACK = new AuthorizationFailed({
  detail: "the address that came back holds no code",
  try: "copy the whole address that the browser ended at"
})

const OTHER_STATE = new AuthorizationFailed({
  detail: "the address that came back belongs to another attempt to sign in",
  try: "use the address that the last attempt ended at"
})

const refused = (error: string, description: string, scrub: (text: string) => string) => {
  const words = scrub(description).replace(/\s+/g, " ").trim().slice(0, 300)
  const code = scrub(error).slice(0, 100)
  return new AuthorizationFailed({
    detail: `the authorization server says ${code}${words === "" ? "" : `: ${words}`}`,
    error: code
  })
}
