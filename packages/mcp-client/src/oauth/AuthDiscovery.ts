/** Which authorization server guards an MCP server, and what both say about themselves (RFC 9728, RFC 8414). */
import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type OAuthProtectedResourceMetadata,
  resourceUrlFromServerUrl
} from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as SecureAddress from "../base/SecureAddress.ts"
import { AuthorizationFailed } from "../errors/McpError.ts"
import * as Challenge from "./Challenge.ts"
import * as FlowErrors from "./FlowErrors.ts"
import type { ProtectedServer } from "./ProtectedServer.ts"

/** An authorization server, as far as it concerns one MCP server. */
export interface AuthorizationServer {
  /** Credentials are bound to it. */
  readonly issuer: string
  /** Its endpoints are looked up under this URL. */
  readonly address: string
  /** Undefined for one that describes itself nowhere, as some of revision 2025-03-26 do. */
  readonly metadata: AuthorizationServerMetadata | undefined
  /** Tokens are asked for this resource (RFC 8707); undefined where the MCP server names none. */
  readonly resource: string | undefined
  /** The scopes that the MCP server knows of; undefined where it does not say. */
  readonly scopes: ReadonlyArray<string> | undefined
}

/**
 * Finds it: by the address that the server's refusal names, then at the well-known place for the server's path, then at
 * the one for its host (R82). A server that describes itself nowhere is its own authorization server (2025-03-26).
 */
export const discover = Effect.fnUntraced(function*(
  guarded: ProtectedServer,
  challenge: Challenge.Challenge
): Effect.fn.Return<AuthorizationServer, AuthorizationFailed> {
  const { fetch, oauth, scrub } = guarded
  const described = yield* protectedResource(guarded, challenge)
  const resource = yield* resourceOf(guarded, described)
  const address = yield* addressOf(guarded, described)
  const metadata = yield* FlowErrors.attempt(
    { what: "finding the authorization server", scrub },
    () => discoverAuthorizationServerMetadata(address, { fetchFn: fetch })
  )
  const isNowhere = described === undefined && metadata === undefined && oauth.issuer === null
  if (isNowhere && challenge.status === Challenge.NOT_NEEDED.status) return yield* NOTHING
  const issuer = metadata?.issuer ?? address
  if (oauth.issuer !== null && !isSame(oauth.issuer, issuer)) return yield* notAllowed(oauth.issuer, issuer)
  if (metadata === undefined && described !== undefined) return yield* undescribed(address)
  yield* Effect.forEach(endpointsOf(metadata), safe)
  return {
    issuer,
    address,
    metadata,
    resource,
    scopes: described?.scopes_supported === undefined
      ? undefined
      : Challenge.scopesOf(described.scopes_supported.join(" "))
  }
})

type Described = OAuthProtectedResourceMetadata | undefined

/** Reads how the server describes itself. A named URL that leads nowhere is no reason not to look further. */
const protectedResource = (
  { fetch, scrub, url }: ProtectedServer,
  { metadataUrl }: Challenge.Challenge
): Effect.Effect<Described, AuthorizationFailed> => {
  const ask = (resourceMetadataUrl: URL | undefined) =>
    FlowErrors.attempt(
      { what: "asking the server how to sign in", scrub },
      () =>
        discoverOAuthProtectedResourceMetadata(
          url,
          resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl },
          fetch
        )
    )
  const known = Effect.catchIf(ask(undefined), isNotThere, () => Effect.undefined)
  const found = metadataUrl === undefined ? known : Effect.catchIf(ask(metadataUrl), isNotThere, () => known)
  return Effect.filterOrFail(found, isLegible, () => ILLEGIBLE)
}

/** The names in it are shown, kept, and opened in a browser. */
const isLegible = (described: Described): boolean =>
  [described?.resource ?? "-", ...described?.authorization_servers ?? []].every((text) => LEGIBLE.test(text))

const LEGIBLE = /^[\x21-\x7e]{1,2000}$/

const ILLEGIBLE = new AuthorizationFailed({
  detail: "the server describes itself with addresses that are none",
  try: "ask the server's operator: they are too long, or hold characters that no address may have"
})

/** Whether it is an answer, if not the one hoped for: an outage is none, nor is an address that must not be asked. */
const isNotThere = ({ isTransient, try: advice }: AuthorizationFailed): boolean =>
  isTransient !== true && advice === undefined

const resourceOf = (
  { oauth, scrub, url }: ProtectedServer,
  described: Described
): Effect.Effect<string | undefined, AuthorizationFailed> => {
  if (oauth.resource !== null) {
    return described === undefined || isSame(described.resource, oauth.resource)
      ? Effect.succeed(oauth.resource)
      : Effect.fail(mismatch(scrub(described.resource), `the entry has ${oauth.resource}`))
  }
  if (described === undefined) return Effect.undefined
  const resource = described.resource
  return checkResourceAllowed({ requestedResource: resourceUrlFromServerUrl(url), configuredResource: resource })
    ? Effect.succeed(resource)
    : Effect.fail(mismatch(scrub(resource), "that is not the address of the entry"))
}

const mismatch = (resource: string, why: string) =>
  new AuthorizationFailed({
    detail: `the server says that tokens for it are for the resource ${resource}, and ${why}`,
    try: `check the url; if that resource is right, write it: "oauth": { "resource": "${resource}" }`
  })

/** The one that the entry names, else the first that the server names, else the server itself. */
const addressOf = (
  { oauth, url }: ProtectedServer,
  described: Described
): Effect.Effect<string, AuthorizationFailed> => {
  const named = described?.authorization_servers ?? []
  if (oauth.issuer === null) return Effect.succeed(named[0] ?? new URL("/", url).href)
  const { issuer } = oauth
  const found = named.find((one) => isSame(one, issuer))
  if (found === undefined && named.length > 0) return Effect.fail(notAllowed(issuer, named.slice(0, 3).join(", ")))
  return Effect.succeed(found ?? issuer)
}

/** But for one slash at the end, which some write and some do not. */
export const isSame = (one: string, other: string): boolean => one.replace(/\/$/, "") === other.replace(/\/$/, "")

const notAllowed = (issuer: string, found: string) =>
  new AuthorizationFailed({
    detail: `the server names the authorization server ${found}, and the entry allows only ${issuer}`,
    try: `if the server has moved, change "issuer" under "oauth" of the entry`
  })

const NOTHING = new AuthorizationFailed({
  detail: "the server asks for no authorization and says nothing of any: it is ready without",
  try: "use it as it is"
})

const undescribed = (address: string) =>
  new AuthorizationFailed({
    detail: `the authorization server ${address} does not say how to use it`,
    try: "ask its operator: neither of its well-known addresses answers"
  })

const endpointsOf = (metadata: AuthorizationServerMetadata | undefined): ReadonlyArray<string> =>
  metadata === undefined
    ? []
    : [metadata.authorization_endpoint, metadata.token_endpoint, metadata.registration_endpoint ?? ""]
      .filter((endpoint) => endpoint !== "")

/** Before anybody is registered or sent there. */
const safe = (endpoint: string): Effect.Effect<void, AuthorizationFailed> =>
  SecureAddress.isSecure(endpoint)
    ? Effect.void
    : Effect.fail(
      new AuthorizationFailed({
        detail: "the authorization server names an address that is neither https nor on this machine",
        try: "do not open it: the server's operator has to mend that"
      })
    )
