/** An authorization server and the MCP server that it guards, behind one `fetch`, and a person who says yes. */
import type { Http, OAuth, ServerConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { AuthorizationFailed } from "../../src/errors/McpError.ts"
import * as FetchSend from "../../src/host/FetchSend.ts"
import { McpFetch } from "../../src/host/McpFetch.ts"
import * as HttpSender from "../../src/http/HttpSender.ts"
import { type Asking, Authorizer } from "../../src/oauth/Authorizer.ts"
import type { Credential } from "../../src/oauth/credentials/Credential.ts"
import { Credentials } from "../../src/oauth/credentials/Credentials.ts"
import * as OAuthSession from "../../src/oauth/OAuthSession.ts"
import * as ProtectedServer from "../../src/oauth/ProtectedServer.ts"
import * as ServerConfigs from "./ServerConfigs.ts"

export const MCP = "https://mcp.example/mcp"
export const ISSUER = "https://auth.example"
export const REDIRECT = "http://127.0.0.1:4567/callback"

/** A request as it came, form fields included. */
export interface Seen {
  readonly verb: string
  readonly url: URL
  readonly path: string
  readonly form: URLSearchParams
  readonly body: string
  readonly authorization: string | null
}

/** What replaces the usual answer; `undefined` is the usual one. */
export type Answer = (seen: Seen, all: ReadonlyArray<Seen>) => Response | Promise<Response> | undefined

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })

export const refusal = (extra = "") =>
  json({ error: "invalid_token" }, 401, {
    "www-authenticate":
      `Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"${extra}`
  })

export const stepUp = (scope: string) =>
  json({ error: "insufficient_scope" }, 403, {
    "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"`
  })

export const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  registration_endpoint: `${ISSUER}/register`,
  revocation_endpoint: `${ISSUER}/revoke`,
  response_types_supported: ["code"],
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: ["none"]
}

export const RESOURCE = { resource: MCP, authorization_servers: [ISSUER] }

/** Begins with `good` as the only token that the MCP server takes; each grant makes another one the good one. */
export const make = (answer: Answer = () => undefined, good = "none") => {
  const seen: Array<Seen> = []
  let current = good
  let refresh = "refresh-token-0"
  let grants = 0
  const grant = () => {
    grants += 1
    current = `access-token-${grants}`
    refresh = `refresh-token-${grants}`
    return json({ access_token: current, refresh_token: refresh, token_type: "Bearer", expires_in: 3600 })
  }
  const token = ({ form }: Seen): Response => {
    if (form.get("grant_type") !== "refresh_token" || form.get("refresh_token") === refresh) return grant()
    return json({ error: "invalid_grant", error_description: "used before" }, 400)
  }
  const usual = (one: Seen): Response => {
    switch (`${one.url.host}${one.path}`) {
      case "mcp.example/.well-known/oauth-protected-resource/mcp":
        return json(RESOURCE)
      case "auth.example/.well-known/oauth-authorization-server":
        return json(METADATA)
      case "auth.example/register":
        return json({ ...JSON.parse(one.body), client_id: "registered" }, 201)
      case "auth.example/token":
        return token(one)
      case "auth.example/revoke":
        return new Response(null, { status: 200 })
      case "mcp.example/mcp":
        return one.authorization === `Bearer ${current}` ? json({ ok: true }) : refusal()
      default:
        return new Response("not here", { status: 404 })
    }
  }
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input))
    const body = String(init?.body ?? "")
    const one = {
      verb: init?.method ?? "GET",
      url,
      path: url.pathname,
      body,
      form: new URLSearchParams(body),
      authorization: new Headers(init?.headers).get("authorization")
    }
    seen.push(one)
    // As a network has it: nobody is answered in the same breath.
    await Promise.resolve()
    return (await answer(one, seen)) ?? usual(one)
  }
  return {
    fetch,
    seen,
    at: (path: string) => seen.filter((one) => one.path === path),
    tokens: () => ({ current, refresh }),
    expire: () => void (current = "none")
  }
}

/** A person who visits each address and comes back with a code. */
export const person = (visits: Array<URL> = [], change: (callback: URL, visited: URL) => void = () => {}): Asking => ({
  redirectUri: REDIRECT,
  authorize: ({ url }) =>
    Effect.sync(() => {
      const visited = new URL(url)
      visits.push(visited)
      const callback = new URL(REDIRECT)
      callback.searchParams.set("code", "a-code")
      callback.searchParams.set("state", visited.searchParams.get("state") ?? "")
      change(callback, visited)
      return callback.href
    })
})

export const credential = (access: string, refresh: string | null, scopes: ReadonlyArray<string> = []): Credential => ({
  issuer: ISSUER,
  client: {
    id: "registered",
    secret: null,
    method: "none",
    redirectUris: [REDIRECT],
    scopes: null,
    secretExpiresAt: null
  },
  tokens: {
    access: Redacted.make(access),
    type: "Bearer",
    refresh: refresh === null ? null : Redacted.make(refresh),
    scopes,
    expiresAt: null
  },
  wanted: []
})

export const KEY = { server: "web", url: MCP }

export const entry = (http: Partial<Http> = {}): { readonly config: ServerConfig; readonly http: Http } => {
  const transport = { ...ServerConfigs.http(MCP), ...http }
  return { config: ServerConfigs.config({ name: "web", transport }), http: transport }
}

/** What signs the requests of an entry, and what sends them. */
export const signed = Effect.fnUntraced(function*(fetch: typeof globalThis.fetch, http: Partial<Http> = {}) {
  const { config, http: whole } = entry(http)
  const auth = yield* Effect.provideService(
    OAuthSession.make(config, whole, new URL(MCP)),
    McpFetch,
    McpFetch.of({ fetch })
  )
  return { auth, sender: yield* HttpSender.make(auth, FetchSend.over(fetch)) }
})

/** Sends one request, and gives the status of its answer; fails with a reason, or with what was thrown. */
export const post = (sender: HttpSender.HttpSender, url = MCP): Effect.Effect<{ readonly status: number }, unknown> =>
  Effect.callback((resume) => {
    const abort = sender({
      method: "POST",
      url: new URL(url),
      rpcMethod: "ping",
      headers: (authorizing) => authorizing,
      body: "{}",
      onSuccess: (status) => {
        resume(Effect.succeed({ status }))
        return HttpSender.IGNORED
      },
      onFailure: (failure) => {
        if (failure._tag === "Refused") resume(Effect.succeed({ status: failure.status }))
        else resume(Effect.fail(failure._tag === "Known" ? failure.reason : failure))
      }
    })
    return Effect.sync(abort)
  })

export interface Setting {
  readonly answer?: Answer
  readonly oauth?: Partial<OAuth>
  readonly asking?: Asking | null
}

/** One request of an entry to a server that wants authorization, and what came of it. */
export const ask = Effect.fnUntraced(function*({ answer, asking, oauth }: Setting) {
  const visits: Array<URL> = []
  const web = make(answer)
  const http = oauth === undefined ? {} : { oauth: { ...ProtectedServer.PLAIN, ...oauth } }
  const outcome = yield* signed(web.fetch, http).pipe(
    Effect.flatMap(({ sender }) => post(sender)),
    Effect.provideService(Authorizer, asking === undefined ? person(visits) : asking),
    Effect.match({ onFailure: (error) => error, onSuccess: ({ status }) => status })
  )
  const kept = yield* Effect.flatMap(Credentials, (store) => store.read(KEY))
  const paths = web.seen.map(({ path, url }) => `${url.host}${path}`)
  return { outcome, visits, web, kept, paths, failure: outcome instanceof AuthorizationFailed ? outcome.detail : null }
}, Effect.provide(Credentials.layerMemory))

/** An authorization server that describes itself otherwise. */
export const metadata = (change: Record<string, unknown>): Answer => ({ path }) =>
  path === "/.well-known/oauth-authorization-server" ? json({ ...METADATA, ...change }) : undefined

/** A server that describes itself otherwise. */
export const resource = (change: Record<string, unknown>): Answer => ({ path }) =>
  path.startsWith("/.well-known/oauth-protected-resource") ? json({ ...RESOURCE, ...change }) : undefined
