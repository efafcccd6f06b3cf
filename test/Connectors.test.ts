/** How connectors sign in to `/mcp` by OAuth 2.1: the official client, a person's browser, and those who try what they must not. */
import { assert, describe, layer } from "@effect/vitest"
import {
  auth,
  Client,
  discoverAuthorizationServerMetadata,
  exchangeAuthorization,
  refreshAuthorization,
  registerClient,
  startAuthorization,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError
} from "@modelcontextprotocol/client"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as ConnectorClient from "./support/ConnectorClient.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as RawRequest from "./support/RawRequest.ts"

const LIMIT = 60_000
const TOKEN = "a-token-of-some-length"
const YES = { answer: "yes", token: TOKEN }

const started = Effect.fnUntraced(function*(port: number, publicUrl: string | null) {
  const folder = yield* Command.folder({
    "data/mcp.json": JSON.stringify({
      mcpServers: { echo: { ...FixtureServer.entry("Echo"), env: Command.COMPILED } }
    }),
    "data/gateway.jsonc": JSON.stringify({ profiles: { work: { tools: ["echo_*"] } } }),
    "data/settings.json": JSON.stringify({ token: TOKEN, allowedHosts: ["chat.example"], publicUrl })
  })
  const server = yield* AppServer.start(join(folder, "data"), {}, { port })
  return { server, state: join(folder, "state") }
})

/** A server whose address is known before it starts, and a client that is registered there. */
class Stage extends Context.Service<Stage>()("test/ConnectorsStage", {
  make: Effect.gen(function*() {
    const port = yield* ConnectorClient.freePort
    const url = `http://127.0.0.1:${port}`
    const { server, state } = yield* started(port, url)
    const health = Effect.promise(async () =>
      Object(await (await fetch(`${url}/api/health`, { headers: { authorization: `Bearer ${TOKEN}` } })).json())
    )
    yield* ChatServer.until(health, ({ ready }) => ready === true)
    const metadata = yield* Effect.promise(() => discoverAuthorizationServerMetadata(url)).pipe(
      Effect.flatMap(Effect.fromNullishOr),
      Effect.orDie
    )
    const client = yield* Effect.promise(() =>
      registerClient(url, { metadata, clientMetadata: ConnectorClient.make().provider.clientMetadata })
    )
    return { url, server, state, metadata, client }
  })
}) {
  static readonly layer = Layer.effect(Stage, Stage.make)
}

/** The same with two people, by name, and the cookies of their sessions. */
class People extends Context.Service<People>()("test/ConnectorsPeople", {
  make: Effect.gen(function*() {
    const stage = yield* Stage.make
    const ask = (path: string, body: object, cookie = "") =>
      RawRequest.ask(`${stage.url}${path}`, {
        body: JSON.stringify(body),
        headers: cookie === "" ? { authorization: `Bearer ${TOKEN}` } : { cookie }
      })
    const people: Record<string, string> = {}
    for (const name of ["Ann", "Bob"]) {
      const invited = yield* ask("/api/users", { name }, people["Ann"])
      const token = /#\/invitation\/([\w-]{43})/.exec(invited.text)?.[1] ?? ""
      const { headers } = yield* RawRequest.ask(`${stage.url}/api/invitations/${token}`, {
        body: JSON.stringify({ password: "correct horse battery" })
      })
      const [set = ""] = [headers["set-cookie"] ?? []].flat()
      people[name] = set.split(";")[0] ?? ""
    }
    return { ...stage, people }
  })
}) {
  static readonly layer = Layer.effect(People, People.make)
}

const names = (client: Client) => Effect.promise(async () => (await client.listTools()).tools.map(({ name }) => name))

/** The error that a client of the wire ends with. */
const failure = (call: () => Promise<unknown>) =>
  Effect.promise(async () => {
    try {
      await call()
    } catch (error) {
      return Object(error)
    }
    return assert.fail("it did not fail")
  })

/** A sign-in step by step: with it a test changes one of them. */
const code = Effect.fnUntraced(function*(
  resource: string,
  change: (url: URL) => void = () => {},
  fill: Readonly<Record<string, string>> = YES,
  session = ""
) {
  const { client, metadata, url } = yield* Stage
  const begun = yield* Effect.promise(() =>
    startAuthorization(url, {
      metadata,
      clientInformation: client,
      redirectUrl: ConnectorClient.REDIRECT,
      resource: new URL(resource),
      scope: "mcp"
    })
  )
  change(begun.authorizationUrl)
  const visit = yield* ConnectorClient.visit(begun.authorizationUrl, fill, session)
  const found = visit.end instanceof URL ? visit.end.searchParams.get("code") : null
  const redeem = (more: { readonly codeVerifier?: string; readonly resource?: URL } = {}) =>
    exchangeAuthorization(url, {
      metadata,
      clientInformation: client,
      authorizationCode: found ?? "",
      codeVerifier: begun.codeVerifier,
      iss: url,
      redirectUri: ConnectorClient.REDIRECT,
      ...more
    })
  return { visit, code: found, redeem }
})

const redeemed = ({ redeem }: Effect.Success<ReturnType<typeof code>>) => Effect.promise(() => redeem())

const status = (url: string, token: string) =>
  Effect.promise(async () => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } }
    const message = { jsonrpc: "2.0", id: 1, method: "initialize", params }
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream"
      },
      body: JSON.stringify(message)
    })
    await answer.body?.cancel()
    return answer.status
  })

describe("Connectors", () => {
  layer(Stage.layer, { excludeTestServices: true, timeout: LIMIT })((it) => {
    it.effect("sign in with the official client: a person gives the server's token on one page, and tools are listed", () =>
      Effect.gen(function*() {
        const { state, url } = yield* Stage
        const { provider, seen } = ConnectorClient.make()
        const connect = () => {
          const client = new Client({ name: "connector", version: "1" })
          const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider: provider })
          return { client, transport, connected: () => client.connect(transport) }
        }
        const first = connect()
        assert.instanceOf(yield* failure(first.connected), UnauthorizedError)
        const { end, page, policy } = yield* ConnectorClient.visit(seen.authorization ?? new URL(url), YES)
        assert.match(page ?? "", /Let A &#60;b&#62;connector&#60;\/b&#62; use your MCP servers\?/)
        assert.match(policy, /form-action 'self' http:\/\/127\.0\.0\.1:33333; frame-ancestors 'none'/)
        if (!(end instanceof URL)) return assert.fail(end.text)
        yield* Effect.promise(() => first.transport.finishAuth(end.searchParams))
        const { client, connected } = connect()
        yield* Effect.promise(connected)
        assert.include(yield* names(client), "echo_echo")
        // A token that has run out is renewed without a person.
        const old = seen.tokens?.refresh_token
        seen.tokens = { ...seen.tokens, access_token: "out-of-date", token_type: "Bearer" }
        const later = connect()
        yield* Effect.promise(later.connected)
        assert.include(yield* names(later.client), "echo_echo")
        assert.notStrictEqual(seen.tokens?.refresh_token, old)
        yield* Effect.promise(() => Promise.all([client.close(), later.client.close()]))
        const kept = readFileSync(join(state, "connectors.json"), "utf8")
        for (const secret of [seen.tokens?.access_token, seen.tokens?.refresh_token, TOKEN, "127.0.0.1:33333"]) {
          assert.notInclude(kept, secret ?? "none")
        }
      }))

    it.effect("are let in by nobody without the server's token, and hear it when a person says no", () =>
      Effect.gen(function*() {
        const { url } = yield* Stage
        const wrong = yield* code(`${url}/mcp`, () => {}, { answer: "yes", token: "a-wrong-token-of-length" })
        if (wrong.visit.end instanceof URL) return assert.fail("it went on")
        assert.strictEqual(wrong.visit.end.status, 403)
        assert.match(wrong.visit.end.text, /This is not the token of this server/)
        const no = yield* code(`${url}/mcp`, () => {}, { answer: "no" })
        if (!(no.visit.end instanceof URL)) return assert.fail("it stayed")
        assert.strictEqual(no.visit.end.searchParams.get("error"), "access_denied")
        const nowhere = yield* RawRequest.ask(`${url}/oauth/consent/unknown`)
        assert.strictEqual(nowhere.status, 400)
        assert.match(nowhere.text, /No sign-in waits for this/)
      }))

    it.effect("get a token for one resource: neither another profile nor another server takes it", () =>
      Effect.gen(function*() {
        const { url } = yield* Stage
        const tokens = yield* redeemed(yield* code(`${url}/mcp/work`))
        assert.strictEqual(yield* status(`${url}/mcp/work`, tokens.access_token), 200)
        assert.strictEqual(yield* status(`${url}/mcp`, tokens.access_token), 403)
        const api = yield* RawRequest.ask(`${url}/api/chats`, {
          headers: { authorization: `Bearer ${tokens.access_token}` }
        })
        assert.strictEqual(api.status, 401)
        const models = yield* RawRequest.ask(`${url}/v1/models`, {
          headers: { authorization: `Bearer ${tokens.access_token}` }
        })
        assert.strictEqual(models.status, 401)
        for (const resource of ["https://other.example/mcp", `${url}/mcp/none`, `${url}/api`]) {
          const { visit } = yield* code(resource)
          if (!(visit.end instanceof URL)) return assert.fail(visit.end.text)
          assert.strictEqual(visit.end.searchParams.get("error"), "invalid_target", resource)
        }
        const other = yield* code(`${url}/mcp`)
        const refused = yield* failure(() => other.redeem({ resource: new URL(`${url}/mcp/work`) }))
        assert.strictEqual(refused.code, "invalid_target")
      }))

    it.effect("are refused with another redirect, without PKCE, with another verifier, and with a code used twice", () =>
      Effect.gen(function*() {
        const { url } = yield* Stage
        const resource = `${url}/mcp`
        const elsewhere = yield* code(resource, (at) => at.searchParams.set("redirect_uri", "https://evil.example/"))
        if (elsewhere.visit.end instanceof URL) return assert.fail(elsewhere.visit.end.href)
        assert.strictEqual(elsewhere.visit.end.status, 400)
        assert.match(elsewhere.visit.end.text, /This sign-in cannot go on: redirect_uri did not match/)
        const open = yield* code(resource, (at) => at.searchParams.delete("code_challenge"))
        if (!(open.visit.end instanceof URL)) return assert.fail(open.visit.end.text)
        assert.strictEqual(open.visit.end.searchParams.get("error"), "invalid_request")
        const stolen = yield* code(resource)
        const guessed = yield* failure(() => stolen.redeem({ codeVerifier: "x".repeat(64) }))
        assert.strictEqual(guessed.code, "invalid_grant")
        const used = yield* code(resource)
        const tokens = yield* redeemed(used)
        assert.strictEqual(yield* status(resource, tokens.access_token), 200)
        assert.strictEqual((yield* failure(() => used.redeem())).code, "invalid_grant")
        // What the code gave ends as well: one of the two who showed it is a thief.
        assert.strictEqual(yield* status(resource, tokens.access_token), 401)
      }))

    it.effect("get tokens once at most for a code, and for a refresh token, that is shown many times at one moment", () =>
      Effect.gen(function*() {
        const { client, metadata, url } = yield* Stage
        const fulfilled = (calls: ReadonlyArray<Promise<StoredOAuthTokens>>) =>
          Effect.map(
            Effect.promise(() => Promise.allSettled(calls)),
            (all) => all.flatMap((one) => one.status === "fulfilled" ? [one.value] : [])
          )
        const stolen = yield* code(`${url}/mcp`)
        const [given, ...more] = yield* fulfilled(Array.from({ length: 8 }, () => stolen.redeem()))
        assert.deepStrictEqual(more, [])
        assert.strictEqual(yield* status(`${url}/mcp`, given?.access_token ?? "none"), 401)
        const { refresh_token: refreshToken = "" } = yield* redeemed(yield* code(`${url}/mcp`))
        const refreshed = yield* fulfilled(
          Array.from(
            { length: 8 },
            () => refreshAuthorization(url, { metadata, clientInformation: client, refreshToken })
          )
        )
        assert.isAtMost(refreshed.length, 1)
      }))

    it.effect("lose everything that a refresh token gave when it is used twice, and what they revoke", () =>
      Effect.gen(function*() {
        const { client, metadata, url } = yield* Stage
        const resource = `${url}/mcp`
        const refresh = (refreshToken = "") =>
          refreshAuthorization(url, { metadata, clientInformation: client, refreshToken, resource: new URL(resource) })
        const first = yield* redeemed(yield* code(resource))
        const second = yield* Effect.promise(() => refresh(first.refresh_token))
        assert.strictEqual(yield* status(resource, second.access_token), 200)
        assert.strictEqual((yield* failure(() => refresh(first.refresh_token))).code, "invalid_grant")
        assert.strictEqual(yield* status(resource, second.access_token), 401)
        assert.strictEqual((yield* failure(() => refresh(second.refresh_token))).code, "invalid_grant")
        const third = yield* redeemed(yield* code(resource))
        const revoke = yield* Effect.promise(() =>
          fetch(`${url}/oauth/revoke`, {
            method: "POST",
            body: new URLSearchParams({ token: third.refresh_token ?? "", client_id: client.client_id })
          })
        )
        assert.strictEqual(revoke.status, 200)
        assert.strictEqual(yield* status(resource, third.access_token), 401)
      }))

    it.effect("stand among the clients of this server, where a person ends what they let in", () =>
      Effect.gen(function*() {
        const { url } = yield* Stage
        const tokens = yield* redeemed(yield* code(`${url}/mcp/work`))
        const headers = { authorization: `Bearer ${TOKEN}` }
        const known = Effect.map(
          RawRequest.ask(`${url}/api/clients`, { headers }),
          ({ body }) => (Array.isArray(body["known"]) ? body["known"] : []).map((one) => [one.name, one.profile])
        )
        assert.deepInclude(yield* known, ["A <b>connector</b>", "work"])
        const name = encodeURIComponent("A <b>connector</b>")
        const removed = yield* RawRequest.ask(`${url}/api/clients/${name}`, { method: "DELETE", headers })
        assert.strictEqual(removed.status, 204, removed.text)
        assert.deepStrictEqual(yield* known, [])
        assert.strictEqual(yield* status(`${url}/mcp/work`, tokens.access_token), 401)
      }))

    it.effect("tell in a refusal of /mcp where a client can sign in", () =>
      Effect.gen(function*() {
        const { url } = yield* Stage
        const refused = yield* RawRequest.ask(`${url}/mcp/work`, { body: "{}" })
        assert.strictEqual(refused.status, 401)
        const at = `${url}/.well-known/oauth-protected-resource/mcp/work`
        assert.strictEqual(refused.headers["www-authenticate"], `Bearer realm="boocode", resource_metadata="${at}"`)
        assert.deepStrictEqual((yield* RawRequest.ask(at)).body, {
          resource: `${url}/mcp/work`,
          authorization_servers: [url],
          scopes_supported: ["mcp"],
          bearer_methods_supported: ["header"],
          resource_name: "BooCode"
        })
      }))

    it.effect("act for the person who is signed in at the browser and lets them in, and for nobody once that person is removed", () =>
      Effect.gen(function*() {
        const { people, url } = yield* People
        const resource = `${url}/mcp`
        const on = Effect.provideService(Stage, yield* People)
        const nobody = yield* on(code(resource))
        if (nobody.visit.end instanceof URL) return assert.fail("the server's token let it in")
        assert.strictEqual(nobody.visit.end.status, 403)
        assert.match(nobody.visit.page ?? "", /Sign in to BooCode/)
        assert.notMatch(nobody.visit.page ?? "", /name="token"/)
        const tokens: Record<string, string> = {}
        for (const [name, cookie] of Object.entries(people)) {
          const asked = yield* on(code(resource, () => {}, { answer: "yes" }, cookie))
          assert.match(asked.visit.page ?? "", new RegExp(`signed in as <b>${name}</b>`))
          tokens[name] = (yield* on(redeemed(asked))).access_token
        }
        const get = (path: string, name: string, method = "GET") =>
          RawRequest.ask(`${url}${path}`, { method, headers: { cookie: people[name] ?? "" } })
        const known = (name: string) =>
          Effect.map(get("/api/clients", name), ({ body }) => JSON.parse(JSON.stringify(body["known"])).length)
        assert.deepStrictEqual([yield* known("Ann"), yield* known("Bob")], [2, 1])
        for (const name of ["Ann", "Bob"]) assert.strictEqual(yield* status(resource, tokens[name] ?? ""), 200)
        assert.strictEqual((yield* get("/api/users/Bob", "Ann", "DELETE")).status, 204)
        assert.strictEqual(yield* status(resource, tokens["Bob"] ?? ""), 401)
        assert.strictEqual(yield* status(resource, tokens["Ann"] ?? ""), 200)
        assert.strictEqual(yield* known("Ann"), 1)
        // The two that Ann's began; Bob's has ended.
        assert.lengthOf(Object((yield* get("/api/clients", "Ann")).body)["clients"], 2)
      }).pipe(Effect.provide(People.layer)))

    it.effect("may not register in floods, nor with an address of plain http elsewhere", () =>
      Effect.gen(function*() {
        const { metadata, url } = yield* Stage
        const { clientMetadata } = ConnectorClient.make().provider
        const plain = yield* failure(() =>
          registerClient(url, {
            metadata,
            clientMetadata: { ...clientMetadata, redirect_uris: ["http://evil.example/"] }
          })
        )
        assert.match(plain.message, /invalid_redirect_uri/)
        const answers = yield* Effect.forEach(
          Array.from({ length: 30 }),
          () => RawRequest.ask(`${url}/oauth/register`, { body: JSON.stringify(clientMetadata) }),
          { concurrency: 5 }
        )
        const refused = answers.filter((answer) => answer.status === 429)
        assert.isAtLeast(refused.length, 20)
        assert.match(String(refused[0]?.headers["retry-after"]), /^\d+$/)
      }))
  })

  layer(Layer.empty, { excludeTestServices: true, timeout: LIMIT })((it) => {
    it.effect("stay signed in over a restart, and tell the address of the proxy in front", () =>
      Effect.gen(function*() {
        const port = yield* ConnectorClient.freePort
        const { server, state } = yield* started(port, "https://chat.example")
        const ask = (path: string, options: RawRequest.Options = {}) =>
          RawRequest.ask(`${server.url}${path}`, {
            ...options,
            headers: { host: "chat.example", "x-forwarded-proto": "https", ...options.headers }
          })
        const { body } = yield* ask("/.well-known/oauth-authorization-server")
        assert.deepStrictEqual(
          [body["issuer"], body["authorization_endpoint"], body["token_endpoint"], body["registration_endpoint"]],
          [
            "https://chat.example",
            "https://chat.example/oauth/authorize",
            "https://chat.example/oauth/token",
            "https://chat.example/oauth/register"
          ]
        )
        assert.strictEqual(body["client_id_metadata_document_supported"], true)
        assert.deepStrictEqual(body["code_challenge_methods_supported"], ["S256"])
        assert.isFalse(existsSync(join(state, "connectors.json")))
        const metadata = { redirect_uris: ["https://claude.ai/api/mcp/auth_callback"], client_name: "Claude" }
        const registered = yield* ask("/oauth/register", { body: JSON.stringify(metadata) })
        assert.strictEqual(registered.status, 201)
        const query = new URLSearchParams({
          client_id: String(registered.body["client_id"]),
          response_type: "code",
          redirect_uri: "https://claude.ai/api/mcp/auth_callback",
          code_challenge: "a".repeat(43),
          code_challenge_method: "S256"
        })
        const authorize = yield* ask(`/oauth/authorize?${query}`)
        assert.strictEqual(authorize.status, 303)
        assert.notInclude(`${server.stdout()}${server.stderr()}`, "oidc-provider")
        const cookies = [authorize.headers["set-cookie"] ?? []].flat()
        assert.isTrue(cookies.length > 0 && cookies.every((cookie) => /secure/i.test(cookie)))
        // The same client, known to the next program on this state.
        yield* server.end("SIGTERM", "process")
        const again = yield* AppServer.start(join(state, "..", "data"), {}, { port })
        const known = yield* RawRequest.ask(`${again.url}/oauth/authorize?${query}`, {
          headers: { host: "chat.example", "x-forwarded-proto": "https" }
        })
        assert.strictEqual(known.status, 303, known.text)
      }))

    it.effect("find no authorization server where the settings name no public address", () =>
      Effect.gen(function*() {
        const { server } = yield* started(0, null)
        const { provider } = ConnectorClient.make()
        const register = yield* RawRequest.ask(`${server.url}/oauth/register`, { body: "{}" })
        assert.strictEqual(register.status, 404)
        const refused = yield* failure(() => auth(provider, { serverUrl: `${server.url}/mcp` }))
        assert.notInstanceOf(refused, UnauthorizedError)
      }))
  })
})
