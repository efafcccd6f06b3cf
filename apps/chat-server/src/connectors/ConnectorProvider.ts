/**
 * The authorization server for connectors: oidc-provider, which is loaded when somebody first asks for it. It speaks
 * OAuth 2.1: codes with PKCE, refresh tokens that rotate, and tokens for one resource.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { generateKeyPairSync, hkdfSync } from "node:crypto"
import type { Adapter, Configuration, default as Provider } from "oidc-provider"
import * as FailureLimit from "../access/FailureLimit.ts"
import type { ConnectorStore } from "./ConnectorStore.ts"

export interface ProviderOptions {
  /** The issuer, without a slash at the end. */
  readonly origin: string
  readonly token: Redacted.Redacted<string>
  readonly store: ConnectorStore
  /** Reads the metadata documents of clients. Clients name the address, so it reaches public ones only. */
  readonly fetch: typeof globalThis.fetch
  /** Whether tokens are given for a resource. */
  readonly isResource: (resource: string) => Effect.Effect<boolean>
}

/** The one scope: what a token is good for is the profile of its resource. */
export const SCOPE = "mcp"

/** The paths on which it answers, all with `/oauth` in front but for its metadata. */
export const ROUTES = {
  authorization: "/oauth/authorize",
  token: "/oauth/token",
  registration: "/oauth/register",
  revocation: "/oauth/revoke",
  jwks: "/oauth/jwks"
} as const

export const METADATA = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"] as const

/** The page on which a person says yes. */
export const consentOf = (uid: string): string => `/oauth/consent/${uid}`

const HOUR = 3600
const DAY = 24 * HOUR

const TTL = {
  AccessToken: HOUR,
  AuthorizationCode: 60,
  Grant: 365 * DAY,
  IdToken: HOUR,
  Interaction: 600,
  RefreshToken: 30 * DAY,
  Session: 600
}

export const make = Effect.fnUntraced(function*(options: ProviderOptions): Effect.fn.Return<Provider> {
  const library = yield* Effect.promise(() => import("oidc-provider"))
  const context = yield* Effect.context<never>()
  // oxlint-disable-next-line house/no-run -- the library wants promises
  const run = Effect.runPromiseWith(context)
  const prompts = library.interactionPolicy.base()
  const { Check } = library.interactionPolicy
  // A browser that signed in for one client says nothing about the next.
  prompts.get("login")?.checks.add(
    new Check(
      "person_needed",
      "a person has to say yes",
      ({ oidc }) => oidc.result?.["login"] === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT
    )
  )
  const provider = new library.default(options.origin, {
    ...configuration(options),
    adapter: (model) => adapter(options.store, model, run),
    interactions: { policy: prompts, url: (_, { uid }) => consentOf(uid) },
    features: {
      ...FEATURES,
      ...metadataDocuments(run),
      resourceIndicators: {
        enabled: true,
        defaultResource: () => `${options.origin}/mcp`,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) =>
          run(options.isResource(resource)).then((isOurs) =>
            isOurs
              ? { scope: SCOPE, audience: resource, accessTokenFormat: "opaque", accessTokenTTL: TTL.AccessToken }
              : Promise.reject(new library.errors.InvalidTarget("this server has no such resource"))
          )
      }
    }
  })
  // The address that a client sees is told by the headers that this program sets.
  provider.proxy = true
  const warn = (what: string) => (_: unknown, error: Error) => void run(Effect.logWarning(`${what}: ${error.message}`))
  provider.on("server_error", warn("a connector could not be answered"))
  provider.on("registration_create.error", warn("a connector could not register"))
  provider.on("grant.error", warn("a connector got no token"))
  return provider
})

interface Visit {
  readonly req: { readonly socket: { readonly remoteAddress?: string | undefined } }
}

/** Not in the types yet. Anybody may name a document, so a peer has as many read as it may have clients registered. */
const metadataDocuments = (run: <A>(effect: Effect.Effect<A>) => Promise<A>) => {
  const limit = FailureLimit.make()
  const allowFetch = (visit: Visit | undefined) =>
    run(Effect.map(limit.failed(visit?.req.socket.remoteAddress ?? ""), (wait) => wait === null))
  return { clientIdMetadataDocument: { enabled: true, ack: "draft-02", allowFetch } }
}

const FEATURES = {
  devInteractions: { enabled: false },
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  registration: { enabled: true, issueRegistrationAccessToken: false },
  revocation: { enabled: true },
  rpInitiatedLogout: { enabled: false },
  userinfo: { enabled: false }
}

const configuration = ({ fetch, origin, token }: ProviderOptions): Configuration => ({
  // Connectors that listen on the machine of a person may come back to any port of it.
  clientDefaults: { application_type: "native", id_token_signed_response_alg: "ES256" },
  claims: { openid: ["sub"] },
  clientBasedCORS: () => false,
  cookies: {
    keys: [Buffer.from(hkdfSync("sha256", Redacted.value(token), "", "connector cookies", 32)).toString("base64url")],
    long: { signed: true, secure: origin.startsWith("https:") },
    short: { signed: true, secure: origin.startsWith("https:") }
  },
  enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
  fetch: (url, init) => fetch(url, init),
  findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  issueRefreshToken: (_, client) => client.grantTypeAllowed("refresh_token"),
  // Nothing that lasts is signed with it.
  jwks: { keys: [{ ...generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" }) }] },
  pkce: { required: () => true },
  renderError: (context, { error, error_description }) => {
    context.type = "text/plain"
    context.body = `This sign-in cannot go on: ${error_description ?? error}\n\nBegin it again in the application.\n`
  },
  responseTypes: ["code"],
  rotateRefreshToken: true,
  routes: ROUTES,
  scopes: [SCOPE, "offline_access"],
  ttl: TTL
})

const adapter = (
  store: ConnectorStore,
  model: string,
  run: <A>(effect: Effect.Effect<A>) => Promise<A>
): Adapter => ({
  upsert: (id, payload, seconds) => run(store.upsert(model, id, payload, seconds ?? null)),
  find: (id) => run(store.find(model, id)),
  findByUid: (uid) => run(store.findByUid(model, uid)),
  findByUserCode: () => Promise.resolve(undefined),
  consume: (id) => run(store.consume(model, id)),
  destroy: (id) => run(store.destroy(model, id)),
  revokeByGrantId: (grantId) => run(store.revokeByGrantId(grantId))
})
