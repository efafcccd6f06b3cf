/**
 * An authorization server (oidc-provider) whose person says yes to everything at once, so that a `fetch` that keeps cookies
 * is a browser. It registers clients, knows two before, takes metadata documents as client ids, and rotates refresh tokens.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import Provider from "oidc-provider"

export interface Authorization {
  readonly issuer: string
  /** How often what was asked for. */
  readonly counters: Record<string, number>
  /** What an access token of here stands for; null for one that is worth nothing. */
  readonly read: (token: string) => Promise<Token | null>
  /** Access tokens are worth nothing from now on. */
  readonly expire: () => Promise<void>
  /** Refresh tokens neither. */
  readonly forget: () => Promise<void>
  /** Token requests take so long. */
  readonly slow: (millis: number) => void
}

export interface Token {
  readonly clientId: string
  readonly scopes: Array<string>
  readonly resource: string
  readonly expiresAt: number
}

/** Clients that were registered by hand: one for people, one for machines. */
export const KNOWN = { client: "known-client", secret: "known-client-secret-of-the-tests" }
export const MACHINE = { client: "machine-client", secret: "machine-client-secret-of-the-tests" }
/** The address of a metadata document, which the authorization server is given when it asks for it. */
export const DOCUMENT = "https://boocode.example/client-metadata.json"

export const SCOPES = ["mcp:tools", "mcp:admin"] as const

const LIFE_SECONDS = 3600

/** Begins to answer; `resource` says what it gives tokens for, once that is known. */
export const start = async (resource: () => string): Promise<Authorization> => {
  const server = createServer((request, response) => handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const issuer = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  const counters: Record<string, number> = {}
  const count = (what: string) => counters[what] = (counters[what] ?? 0) + 1
  const provider = new Provider(issuer, configuration(resource))
  const living = new Set<InstanceType<Provider["AccessToken"]> | InstanceType<Provider["ClientCredentials"]>>()
  const refreshing = new Set<InstanceType<Provider["RefreshToken"]>>()
  let delay = 0

  provider.on("access_token.saved", (token) => void living.add(token))
  provider.on("client_credentials.saved", (token) => void living.add(token))
  provider.on("refresh_token.saved", (token) => void refreshing.add(token))
  provider.on("grant.success", ({ oidc }) => {
    count(`token ${String(oidc.params?.["grant_type"])}`)
    count(`token ${String(oidc.params?.["grant_type"])} of ${oidc.client?.clientId}`)
  })
  provider.on("grant.error", (_, error) => void count(`token error ${error.message}`))
  provider.on("registration_create.success", () => void count("registrations"))
  provider.use(async (context, next) => {
    if (context.path.includes("/.well-known/")) count("discovery")
    if (context.path === "/auth") count("authorizations")
    if (context.path === "/token/revocation") count("revocations")
    if (context.path === "/token") await new Promise((resolve) => setTimeout(resolve, delay))
    await next()
  })

  const answers = provider.callback()
  const handle = (request: IncomingMessage, response: ServerResponse) =>
    request.url?.startsWith("/interaction/") === true
      ? void agree(provider, request, response).catch(() => response.destroy())
      : void answers(request, response)

  const expire = async () => {
    await Promise.all([...living].map((token) => token.destroy()))
    living.clear()
  }
  return {
    issuer,
    counters,
    read: async (token) => {
      const found = await provider.AccessToken.find(token) ?? await provider.ClientCredentials.find(token)
      return found === undefined ? null : {
        clientId: found.clientId ?? "",
        scopes: found.scope?.split(" ") ?? [],
        resource: String(found.aud),
        expiresAt: found.exp ?? 0
      }
    },
    expire,
    forget: async () => {
      await expire()
      await Promise.all([...refreshing].map((token) => token.destroy()))
      refreshing.clear()
    },
    slow: (millis) => {
      delay = millis
    }
  }
}

/** Not in the types yet. */
const METADATA_DOCUMENTS = { clientIdMetadataDocument: { enabled: true, ack: "draft-02" } }

const document = {
  client_id: DOCUMENT,
  client_name: "BooCode",
  application_type: "native",
  redirect_uris: ["http://127.0.0.1/oauth/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none"
}

type Configuration = NonNullable<ConstructorParameters<typeof Provider>[1]>

const configuration = (resource: () => string): Configuration => ({
  clients: [
    {
      client_id: KNOWN.client,
      client_secret: KNOWN.secret,
      application_type: "native",
      redirect_uris: ["http://127.0.0.1/oauth/callback"],
      grant_types: ["authorization_code", "refresh_token"]
    },
    {
      client_id: MACHINE.client,
      client_secret: MACHINE.secret,
      redirect_uris: [],
      response_types: [],
      grant_types: ["client_credentials"]
    }
  ],
  claims: { openid: ["sub"] },
  scopes: ["openid", "offline_access", ...SCOPES],
  cookies: { keys: ["only for tests"] },
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    clientCredentials: { enabled: true },
    ...METADATA_DOCUMENTS,
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: resource,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: SCOPES.join(" "),
        audience: resource(),
        accessTokenFormat: "opaque",
        accessTokenTTL: LIFE_SECONDS
      })
    }
  },
  fetch: (url) =>
    String(url) === DOCUMENT
      ? Promise.resolve(Response.json(document))
      : Promise.reject(new Error("it fetches nothing else")),
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  issueRefreshToken: (_, client) => client.grantTypeAllowed("refresh_token"),
  rotateRefreshToken: true,
  findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  pkce: { required: () => true },
  ttl: { AccessToken: LIFE_SECONDS, ClientCredentials: LIFE_SECONDS, RefreshToken: 86_400, Grant: 86_400 }
})

/** What a person would do on two pages. */
const agree = async (provider: Provider, request: IncomingMessage, response: ServerResponse) => {
  const { grantId, params, prompt, session } = await provider.interactionDetails(request, response)
  if (prompt.name === "login") {
    return provider.interactionFinished(request, response, { login: { accountId: "a-person" } })
  }
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  const grant = known ?? new provider.Grant({
    accountId: session?.accountId ?? "a-person",
    clientId: String(params["client_id"])
  })
  const scopes = String(params["scope"] ?? "")
  grant.addOIDCScope(scopes)
  if (typeof params["resource"] === "string") grant.addResourceScope(params["resource"], scopes)
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
}
