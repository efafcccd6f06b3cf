/** Signing in and out of a server by name, beside whatever the server is doing. */
import { type Asking, Challenge, Credentials, FetchSend, Flows, ProtectedServer } from "@boocode/mcp-client/Auth"
import { McpFetch } from "@boocode/mcp-client/Host"
import { AuthorizationFailed, McpError, type McpErrorReason } from "@boocode/mcp-client/McpError"
import type { ConfiguredServer, Http, ServerConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { ServerStatus } from "../model/ServerStatus.ts"
import { obstacle } from "../state/ServerState.ts"

export interface Options {
  /** An entry as it may be run. Fails with `UnknownServer`. */
  readonly entry: (name: string) => Effect.Effect<ConfiguredServer, McpError>
  readonly status: (name: string) => Effect.Effect<ServerStatus, McpError>
  readonly restart: (name: string) => Effect.Effect<ServerStatus, McpError>
}

/** See `McpRegistry`. */
export interface ServerLogins {
  readonly login: (name: string, asking: Asking | null) => Effect.Effect<ServerStatus, McpError>
  readonly logout: (name: string) => Effect.Effect<ServerStatus, McpError>
}

export const make = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<ServerLogins, never, McpFetch> {
  const web = yield* McpFetch
  const store = yield* Credentials

  const find = Effect.fnUntraced(function*(name: string) {
    const entry = yield* options.entry(name)
    const remote = yield* Effect.mapError(remoteOf(entry), (reason) => new McpError({ server: name, reason }))
    const fetch = FetchSend.fetchFor(remote.http, web)
    const guarded = yield* ProtectedServer.make(remote.config, remote.http, remote.url, fetch)
    return { entry, guarded, fetch, ...remote }
  })
  const login = Effect.fn("McpRegistry.login")(function*(name: string, asking: Asking | null) {
    const { entry, fetch, guarded, http } = yield* find(name)
    const signedIn = Effect.gen(function*() {
      const heard = yield* provoke(fetch, http, guarded.url)
      const { state } = yield* options.status(name)
      const challenge = heard === Challenge.NONE && state === "ready" ? Challenge.NOT_NEEDED : heard
      // Tokens that cannot be read are about to be replaced.
      const stored = yield* Effect.orElseSucceed(store.read(guarded.key), () => null)
      const signed = yield* Flows.signIn({ guarded, asking, challenge, stored })
      yield* store.change(guarded.key, () => Effect.succeed({ keep: signed, give: null }))
    })
    yield* Effect.mapError(
      signedIn,
      (error) => error._tag === "McpError" ? error : new McpError({ server: name, reason: error })
    )
    yield* Effect.logInfo(`${name}: signed in`)
    // Nobody asked for a server that is switched off.
    return yield* entry.enabled ? options.restart(name) : options.status(name)
  })
  const logout = Effect.fn("McpRegistry.logout")(function*(name: string) {
    const { fetch, guarded, http } = yield* find(name)
    // First, in its turn: a renewal on its way ends before, and what it brought is what is taken back.
    const stored = yield* Effect.mapError(store.remove(guarded.key), (reason) => new McpError({ server: name, reason }))
    if (stored !== null) yield* Flows.revoke(guarded, stored, yield* provoke(fetch, http, guarded.url))
    yield* Effect.logInfo(`${name}: signed out`)
    const { state } = yield* options.status(name)
    if (!RUNS.has(state)) return yield* options.status(name)
    return yield* Effect.catch(options.restart(name), () => options.status(name))
  })
  return { login, logout }
})

const RUNS: ReadonlySet<ServerStatus["state"]> = new Set(["connecting", "ready", "failed", "needs-auth"] as const)

interface Remote {
  readonly config: ServerConfig
  readonly http: Http
  readonly url: URL
}

/** The remote server to sign in to. No request goes to a server that may not run yet. */
const remoteOf = (entry: ConfiguredServer): Effect.Effect<Remote, McpErrorReason> => {
  const reason = entry.enabled === false && entry.personal !== undefined ? NOBODY : obstacle(entry)
  if (reason !== null) return Effect.fail(reason)
  const config = Result.getOrNull(entry.config)
  if (config === null || config.transport._tag === "stdio") return Effect.fail(LOCAL)
  const http = config.transport
  const url = URL.parse(Redacted.value(http.url))
  return url === null || !ProtectedServer.isOpen(http)
    ? Effect.fail(http.oauth === false ? OFF : OWN)
    : Effect.succeed({ config, http, url })
}

const LOCAL = new AuthorizationFailed({
  detail: "this server is a program on this machine, and nobody signs in to it",
  try: "it takes what it needs from \"env\" of its entry"
})

const NOBODY = new AuthorizationFailed({
  detail: "each person signs in to this server for themselves, or it is switched off",
  try: "switch it on, and sign in on the page or with boocode mcp login"
})

const OFF = new AuthorizationFailed({
  detail: "signing in is switched off for this server",
  try: "take \"oauth\": false out of its entry"
})

const OWN = new AuthorizationFailed({
  detail: "the entry has credentials of its own, and those are used as they are",
  try: "take the header or \"headersHelper\" out of the entry to sign in instead"
})

/** Sends a request that changes nothing, to get the challenge of the server. Without one, discovery does. */
const provoke = (fetch: typeof globalThis.fetch, http: Http, url: URL): Effect.Effect<Challenge.Challenge> =>
  Effect.tryPromise((signal) =>
    fetch(url, {
      method: "POST",
      headers: {
        ...Record.map(http.headers, Redacted.value),
        "content-type": "application/json",
        accept: "application/json, text/event-stream"
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: "boocode-login", method: "ping" }),
      redirect: "manual",
      signal
    })
  ).pipe(
    Effect.tap((response) => Effect.ignore(Effect.tryPromise(() => response.body?.cancel() ?? Promise.resolve()))),
    Effect.map((response) =>
      response.status === 401 || response.status === 403
        ? Challenge.read(response.status, response.headers.get("www-authenticate") ?? "")
        : Challenge.NONE
    ),
    Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => Effect.succeed(Challenge.NONE) }),
    Effect.orElseSucceed(() => Challenge.NONE)
  )
