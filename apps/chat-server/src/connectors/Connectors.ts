/** Connectors such as claude.ai and ChatGPT: they sign in by OAuth 2.1, and act for the person who lets them in. */
import { McpFetch } from "@boocode/mcp-registry"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type { default as Provider } from "oidc-provider"
import { AccessToken } from "../access/AccessToken.ts"
import { ClientProfiles, DEFAULT } from "../clients/ClientProfiles.ts"
import { DataFolder } from "../settings/DataFolder.ts"
import { Settings } from "../settings/Settings.ts"
import * as ConnectorProvider from "./ConnectorProvider.ts"
import type * as ConnectorStore from "./ConnectorStore.ts"
import * as SharedConnectors from "./SharedConnectors.ts"

type Request = HttpServerRequest.HttpServerRequest

/** A connector that shows a token of this server. */
export interface SignedIn {
  /** Tells it from other sign-ins, those of the same client too. */
  readonly id: string
  /** The client's own name. */
  readonly client: string
  readonly profile: string
  /** The id of the person who let it in. */
  readonly owner: string
}

/** The facts about a sign-in that people are shown. */
export interface LetIn extends Pick<SignedIn, "client" | "owner" | "profile"> {
  readonly created: string
}

/** A sign-in that waits for a person. */
export interface Asked {
  readonly client: string
  readonly redirect: string
  readonly profile: string
}

export interface ConnectorsService {
  /** The metadata of `/mcp`, or of `/mcp/PROFILE`: where tokens for it come from (RFC 9728). */
  readonly metadata: (profile: string | null) => object
  /** The address of that, as a refusal of `/mcp` names it. */
  readonly metadataUrl: (profile: string | null) => string
  /** The sign-in that a token stands for; null for a token of something else, or one that ended. */
  readonly signedIn: (token: string) => Effect.Effect<SignedIn | null>
  /** The clients that people let in, one for each person and each profile they may use. */
  readonly all: Effect.Effect<ReadonlyArray<LetIn>>
  /** Ends all sign-ins for which this holds; false when there is none. */
  readonly remove: (isOne: (one: Pick<LetIn, "client" | "owner">) => boolean) => Effect.Effect<boolean>
  /** Answers a request to the authorization server. */
  readonly handle: (request: Request) => Effect.Effect<HttpServerResponse.HttpServerResponse>
  /** The sign-in that the browser of a request is about to decide; null when none waits. */
  readonly asked: (request: Request) => Effect.Effect<Asked | null>
  /** Decides it: the id of the person who says yes, null for a no. Gives where the browser goes next. */
  readonly decide: (request: Request, owner: string | null) => Effect.Effect<string | null>
}

export class Connectors extends Context.Service<Connectors, {
  /** Null where the settings have no `publicUrl`, or nobody needs a token: then no connector can sign in. */
  readonly service: ConnectorsService | null
}>()("chat-server/Connectors") {
  /** Keeps what it knows in `connectors.json` of the state folder. The library is loaded with the first request. */
  static readonly layer = Layer.effect(
    Connectors,
    Effect.gen(function*() {
      const { publicUrl } = yield* Settings
      const { token } = yield* AccessToken
      if (publicUrl === null || token === null) return { service: null }
      const origin = new URL(publicUrl).origin
      const file = (yield* Path.Path).join((yield* DataFolder).state, "connectors.json")
      const { fetch, publicFetch } = yield* McpFetch
      const profiles = yield* ClientProfiles
      const isResource = (resource: string) => {
        const profile = profileOf(origin, resource)
        return profile === null ? Effect.succeed(false) : Effect.isSuccess(profiles.get(profile))
      }
      const store = yield* SharedConnectors.make(file, token)
      const options = { origin, token, store, fetch: publicFetch ?? fetch, isResource }
      const provider = yield* Effect.cached(ConnectorProvider.make(options))
      return { service: make(origin, provider, store) }
    })
  )

  static readonly layerNone = Layer.succeed(Connectors, { service: null })
}

const LONGEST_NAME = 64

/** The profile that a resource stands for; null for one of another server. */
export const profileOf = (origin: string, resource: string): string | null => {
  const url = URL.parse(resource)
  if (url === null || url.origin !== origin || url.search !== "" || url.hash !== "") return null
  if (url.pathname === "/mcp") return DEFAULT
  const name = /^\/mcp\/([^/]+)$/.exec(url.pathname)?.[1]
  return name === undefined || /%(?![0-9a-f]{2})/i.test(name) ? null : decodeURIComponent(name)
}

const resourceOf = (origin: string, profile: string | null): string =>
  profile === null ? `${origin}/mcp` : `${origin}/mcp/${encodeURIComponent(profile)}`

const make = (
  origin: string,
  provider: Effect.Effect<Provider>,
  store: ConnectorStore.ConnectorStore
): ConnectorsService => {
  const { host, protocol } = new URL(origin)
  /** The library sees the address that the browser sees, whatever the proxy in between says. */
  const raw = (request: Request) => {
    const incoming = NodeHttpServerRequest.toIncomingMessage(request)
    incoming.headers["x-forwarded-host"] = host
    incoming.headers["x-forwarded-proto"] = protocol.slice(0, -1)
    return { incoming, outgoing: NodeHttpServerRequest.toServerResponse(request) }
  }
  /** A client that is known by the address of its document is called by that: it could change its name at any time. */
  const nameOf = (clientId: string) =>
    Effect.map(store.find("Client", clientId), (client) => {
      const name = client?.["client_name"]
      return typeof name === "string" && name.trim() !== "" ? name.trim().slice(0, LONGEST_NAME) : clientId
    })
  const asked = Effect.fnUntraced(function*(request: Request) {
    const { incoming, outgoing } = raw(request)
    const library = yield* provider
    return yield* Effect.tryPromise(() => library.interactionDetails(incoming, outgoing)).pipe(
      Effect.flatMap(({ params }) =>
        Effect.map(nameOf(String(params["client_id"])), (client) => ({
          params,
          clientId: String(params["client_id"]),
          client,
          redirect: String(params["redirect_uri"]),
          resource: typeof params["resource"] === "string" ? params["resource"] : resourceOf(origin, null)
        }))
      ),
      Effect.option,
      Effect.map((found) => found._tag === "Some" ? found.value : null)
    )
  })
  const granted = Effect.fnUntraced(function*(accountId: string, clientId: string, resource: string, scope: unknown) {
    const library = yield* provider
    const grant = new library.Grant({ accountId, clientId })
    const scopes = typeof scope === "string" ? scope : ""
    grant.addOIDCScope(scopes)
    grant.addResourceScope(resource, scopes)
    return yield* Effect.promise(() => grant.save())
  })
  return {
    metadata: (profile) => ({
      resource: resourceOf(origin, profile),
      authorization_servers: [origin],
      scopes_supported: [ConnectorProvider.SCOPE],
      bearer_methods_supported: ["header"],
      resource_name: "BooCode"
    }),
    metadataUrl: (profile) =>
      resourceOf(origin, profile).replace(`${origin}/`, `${origin}/.well-known/oauth-protected-resource/`),
    signedIn: Effect.fnUntraced(function*(token) {
      const library = yield* provider
      const found = yield* Effect.promise(() => library.AccessToken.find(token))
      const profile = found === undefined || !found.isValid ? null : profileOf(origin, String(found.aud))
      if (found === undefined || profile === null) return null
      const client = yield* nameOf(String(found.clientId))
      return { id: String(found.grantId), client, profile, owner: String(found.accountId) }
    }),
    all: Effect.gen(function*() {
      const named = new Map<string, LetIn>()
      for (const { iat, resources, ...grant } of yield* store.all("Grant")) {
        const client = yield* nameOf(String(grant.clientId))
        const owner = String(grant.accountId)
        const created = DateTime.formatIso(DateTime.makeUnsafe((iat ?? 0) * 1000))
        for (const resource of Object.keys(resources ?? {})) {
          const profile = profileOf(origin, resource)
          if (profile !== null) named.set(JSON.stringify([client, profile, owner]), { client, profile, owner, created })
        }
      }
      return [...named.values()]
    }),
    remove: Effect.fnUntraced(function*(isOne) {
      let isFound = false
      for (const { accountId, clientId, jti } of yield* store.all("Grant")) {
        const client = yield* nameOf(String(clientId))
        if (jti === undefined || !isOne({ client, owner: String(accountId) })) continue
        isFound = true
        yield* store.revokeByGrantId(jti)
        yield* store.destroy("Grant", jti)
      }
      return isFound
    }),
    handle: Effect.fnUntraced(function*(request) {
      const { incoming, outgoing } = raw(request)
      const answer = (yield* provider).callback()
      yield* Effect.callback<void>((resume) => {
        outgoing.once("close", () => resume(Effect.void))
        void answer(incoming, outgoing)
      })
      // It was sent already.
      return HttpServerResponse.empty({ status: outgoing.statusCode })
    }),
    asked: (request) =>
      Effect.map(asked(request), (found) =>
        found === null ? null : {
          client: found.client,
          redirect: found.redirect,
          profile: profileOf(origin, found.resource) ?? found.resource
        }),
    decide: Effect.fnUntraced(function*(request, owner) {
      const found = yield* asked(request)
      if (found === null) return null
      const library = yield* provider
      const { incoming, outgoing } = raw(request)
      const result = owner === null
        ? { error: "access_denied", error_description: "the person said no" }
        : {
          login: { accountId: owner, remember: false },
          consent: { grantId: yield* granted(owner, found.clientId, found.resource, found.params["scope"]) }
        }
      return yield* Effect.tryPromise(() => library.interactionResult(incoming, outgoing, result)).pipe(
        Effect.option,
        Effect.map((next) => next._tag === "Some" ? next.value : null)
      )
    })
  }
}
