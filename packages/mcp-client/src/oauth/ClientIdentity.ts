/** Finds our identity at an authorization server: from the entry, from a document of ours, or by registering. */
import {
  createPrivateKeyJwtAuth,
  type OAuthClientInformationFull,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  registerClient,
  resolveClientMetadata
} from "@modelcontextprotocol/client"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { AuthorizationFailed } from "../errors/McpError.ts"
import * as AuthDiscovery from "./AuthDiscovery.ts"
import type { AuthorizationServer } from "./AuthDiscovery.ts"
import * as Challenge from "./Challenge.ts"
import type { Client, Credential } from "./credentials/Credential.ts"
import * as FlowErrors from "./FlowErrors.ts"
import type { ProtectedServer } from "./ProtectedServer.ts"

export interface Options {
  readonly guarded: ProtectedServer
  readonly server: AuthorizationServer
  readonly stored: Credential | null
  /** Where a person comes back to; null where no person is needed. */
  readonly redirectUri: string | null
  readonly scopes: ReadonlyArray<string>
}

/**
 * Registers only where nothing else is left (2026-07-28, Authorization: Client Registration). A registration is used again
 * for the same authorization server, the same redirect URI, and no more scopes.
 */
export const find = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<Client, AuthorizationFailed> {
  const { guarded: { oauth }, server, stored } = options
  const configured = ofEntry(options.guarded)
  if (configured !== null) {
    const isMoved = stored !== null && !AuthDiscovery.isSame(stored.issuer, server.issuer)
    // Else the MCP server alone would decide who gets our secret.
    if (isMoved && oauth.issuer === null && configured.secret !== null) {
      return yield* moved(stored.issuer, server.issuer)
    }
    return configured
  }
  const again = yield* usable(options)
  if (again !== null) return again
  if (oauth.clientMetadataUrl !== null && server.metadata?.client_id_metadata_document_supported === true) {
    return { ...ANYBODY, id: oauth.clientMetadataUrl, secret: null }
  }
  return yield* register(options)
})

/** The identity that the entry names; null where it names none. */
export const ofEntry = ({ oauth: { clientId, clientSecret } }: ProtectedServer): Client | null =>
  clientId === null
    ? null
    : { ...ANYBODY, id: clientId, secret: clientSecret }

/** A client that we did not register has none of these. */
const ANYBODY = { method: null, redirectUris: null, scopes: null, secretExpiresAt: null }

const usable = Effect.fnUntraced(function*({ redirectUri, scopes, server, stored }: Options) {
  const client = stored?.client ?? null
  if (stored === null || client === null || !AuthDiscovery.isSame(stored.issuer, server.issuer)) return null
  if (client.redirectUris === null || redirectUri === null || !client.redirectUris.includes(redirectUri)) return null
  if (client.scopes !== null && !scopes.every((scope) => client.scopes?.includes(scope))) return null
  const isOver = client.secretExpiresAt !== null && client.secretExpiresAt <= (yield* Clock.currentTimeMillis)
  return isOver ? null : client
})

const register = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<Client, AuthorizationFailed> {
  const { guarded, redirectUri, scopes, server } = options
  const { address, metadata } = server
  if (redirectUri === null || (metadata !== undefined && metadata.registration_endpoint === undefined)) {
    return yield* new AuthorizationFailed({
      detail: "the authorization server does not know this program, and registers none by itself",
      try: FlowErrors.NO_REGISTRATION
    })
  }
  const registered = yield* FlowErrors.attempt(
    { what: "registering this program", scrub: guarded.scrub },
    () =>
      registerClient(address, {
        ...(metadata === undefined ? {} : { metadata }),
        clientMetadata: describe(server, redirectUri),
        ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
        fetchFn: guarded.fetch
      })
  )
  if (registered.client_secret !== undefined) guarded.hideText(registered.client_secret)
  return toClient(registered, redirectUri, scopes)
})

const describe = ({ metadata }: AuthorizationServer, redirectUri: string): OAuthClientMetadata =>
  resolveClientMetadata({
    redirectUrl: redirectUri,
    clientMetadata: {
      client_name: "BooCode",
      redirect_uris: [redirectUri],
      response_types: ["code"],
      ...methodOf(metadata?.token_endpoint_auth_methods_supported)
    }
  })

/** A program on a person's machine keeps no secret where it need not. */
const methodOf = (supported: ReadonlyArray<string> | undefined) => {
  const method = ["none", "client_secret_basic", "client_secret_post"].find((one) => supported?.includes(one))
  return method === undefined ? {} : { token_endpoint_auth_method: method }
}

const toClient = (
  registered: OAuthClientInformationFull,
  redirectUri: string,
  scopes: ReadonlyArray<string>
): Client => ({
  id: registered.client_id,
  secret: registered.client_secret === undefined ? null : Redacted.make(registered.client_secret),
  method: registered.token_endpoint_auth_method ?? null,
  redirectUris: [redirectUri],
  scopes: registered.scope === undefined ? scopes.length === 0 ? null : scopes : Challenge.scopesOf(registered.scope),
  secretExpiresAt: registered.client_secret_expires_at === undefined || registered.client_secret_expires_at === 0
    ? null
    : registered.client_secret_expires_at * 1000
})

const moved = (from: string, to: string) =>
  new AuthorizationFailed({
    detail: `the server names another authorization server than before: ${to} in place of ${from}`,
    try: `if that is right, write "issuer": "${to}" under "oauth" of the entry: it gets the clientSecret`
  })

/** As the SDK has it. */
export const toSdk = (client: Client) => ({
  client_id: client.id,
  ...(client.secret === null ? {} : { client_secret: Redacted.value(client.secret) }),
  ...(client.method === null ? {} : { token_endpoint_auth_method: client.method })
})

/** Signs who we are, where the entry has a key for that; nothing otherwise. */
export const signature = (
  { oauth: { algorithm, privateKey } }: ProtectedServer,
  client: Client
): Pick<OAuthClientProvider, "addClientAuthentication"> =>
  privateKey === null
    ? {}
    : {
      addClientAuthentication: createPrivateKeyJwtAuth({
        issuer: client.id,
        subject: client.id,
        privateKey: Redacted.value(privateKey),
        alg: algorithm
      })
    }
