import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { AuthorizationFailed, AuthRequired } from "../../src/errors/McpError.ts"
import { Authorizer } from "../../src/oauth/Authorizer.ts"
import { Credentials } from "../../src/oauth/credentials/Credentials.ts"
import * as ProtectedServer from "../../src/oauth/ProtectedServer.ts"
import * as ScriptedAuth from "../support/ScriptedAuth.ts"

const { ask, ISSUER, json, KEY, metadata, METADATA, resource, RESOURCE, stepUp } = ScriptedAuth

const person = (change: (callback: URL, visited: URL) => void) => ScriptedAuth.person([], change)

describe("Signing in", () => {
  it.effect("registers this program, proves whose code it is, and names the server that the token is for", () =>
    Effect.gen(function*() {
      const { kept, outcome, visits: [visit], web } = yield* ask({})
      assert.strictEqual(outcome, 200)
      const asked = visit?.searchParams
      assert.strictEqual(asked?.get("client_id"), "registered")
      assert.strictEqual(asked?.get("redirect_uri"), ScriptedAuth.REDIRECT)
      assert.strictEqual(asked?.get("code_challenge_method"), "S256")
      assert.strictEqual(asked?.get("resource"), ScriptedAuth.MCP)
      assert.include(JSON.parse(web.at("/register")[0]?.body ?? "{}"), {
        client_name: "BooCode",
        application_type: "native",
        token_endpoint_auth_method: "none"
      })
      const form = web.at("/token")[0]?.form
      assert.strictEqual(form?.get("code"), "a-code")
      assert.strictEqual(form?.get("resource"), ScriptedAuth.MCP)
      const verifier = new TextEncoder().encode(form?.get("code_verifier") ?? "")
      const digest = yield* Effect.promise(() => crypto.subtle.digest("SHA-256", verifier))
      assert.strictEqual(asked?.get("code_challenge"), Buffer.from(digest).toString("base64url"))
      assert.strictEqual(kept?.issuer, ISSUER)
      assert.deepStrictEqual(kept?.client?.redirectUris, [ScriptedAuth.REDIRECT])
    }))

  it.effect("without anybody to ask fails at once, and says how to sign in", () =>
    Effect.gen(function*() {
      const { outcome, paths } = yield* ask({ asking: null })
      assert.isTrue(outcome instanceof AuthRequired)
      assert.include(outcome instanceof AuthRequired ? outcome.hint : "", "boocode mcp login web")
      assert.deepStrictEqual(paths, ["mcp.example/mcp"])
    }))

  for (
    const [what, change] of [
      ["javascript:", { authorization_endpoint: "javascript:alert(1)" }],
      ["file:", { authorization_endpoint: "file:///etc/passwd" }],
      ["http to another machine", { authorization_endpoint: "http://auth.example/authorize" }],
      ["a token endpoint without TLS", { token_endpoint: "http://auth.example/token" }],
      ["a registration endpoint without TLS", { registration_endpoint: "http://auth.example/register" }]
    ] as const
  ) {
    it.effect(`R79: ${what} of an authorization server is not opened, and nobody is registered there`, () =>
      Effect.gen(function*() {
        const { outcome, visits, web } = yield* ask({ answer: metadata(change) })
        assert.instanceOf(outcome, AuthorizationFailed)
        assert.deepStrictEqual(visits, [])
        assert.deepStrictEqual(web.seen.filter(({ verb, url }) => verb === "POST" && url.host !== "mcp.example"), [])
      }))
  }

  it.effect("R79: a description of the server over plain http is not read", () =>
    Effect.gen(function*() {
      const { failure, web } = yield* ask({
        answer: ({ path }) =>
          path === "/mcp"
            ? json({}, 401, { "www-authenticate": `Bearer resource_metadata="http://evil.example/metadata"` })
            : undefined
      })
      assert.include(failure, "not reached over https")
      assert.isFalse(web.seen.some(({ url }) => url.host === "evil.example"))
    }))

  it.effect("R82: the address in the refusal is asked first, then the one for the path, then the one for the host", () =>
    Effect.gen(function*() {
      const { outcome, paths } = yield* ask({
        answer: ({ authorization, path }) => {
          if (path === "/mcp" && authorization === null) {
            return json({}, 401, { "www-authenticate": `Bearer resource_metadata="https://mcp.example/elsewhere"` })
          }
          if (path === "/.well-known/oauth-protected-resource/mcp") return new Response("", { status: 404 })
          return path === "/.well-known/oauth-protected-resource" ? json(RESOURCE) : undefined
        }
      })
      assert.strictEqual(outcome, 200)
      assert.deepStrictEqual(paths.slice(1, 4), [
        "mcp.example/elsewhere",
        "mcp.example/.well-known/oauth-protected-resource/mcp",
        "mcp.example/.well-known/oauth-protected-resource"
      ])
    }))

  it.effect("R82: a server that says its tokens are for another resource is refused, with both addresses", () =>
    Effect.gen(function*() {
      const { failure, visits, web } = yield* ask({ answer: resource({ resource: "https://other.example/mcp" }) })
      assert.include(failure, "https://other.example/mcp")
      assert.deepStrictEqual(visits, [])
      assert.deepStrictEqual(web.at("/register"), [])
      const allowed = yield* ask({
        answer: resource({ resource: "https://other.example/mcp" }),
        oauth: { resource: "https://other.example/mcp" }
      })
      assert.strictEqual(allowed.visits[0]?.searchParams.get("resource"), "https://other.example/mcp")
    }))

  it.effect("a server that describes itself nowhere is its own authorization server, as in revision 2025-03-26", () =>
    Effect.gen(function*() {
      const { outcome, visits } = yield* ask({
        answer: ({ authorization, path, url }) => {
          if (path.startsWith("/.well-known/")) return new Response("", { status: 404 })
          if (url.host !== "mcp.example") return undefined
          if (path === "/register") {
            return json({ client_id: "registered", redirect_uris: [ScriptedAuth.REDIRECT] }, 201)
          }
          if (path === "/token") return json({ access_token: "its own", token_type: "Bearer" })
          return path === "/mcp" && authorization === "Bearer its own" ? json({}) : undefined
        }
      })
      assert.strictEqual(visits[0]?.href.startsWith("https://mcp.example/authorize?"), true)
      assert.strictEqual(outcome, 200)
    }))

  it.effect("an authorization server that does not say it checks codes (PKCE) is not used", () =>
    Effect.gen(function*() {
      for (const methods of [undefined, ["plain"]]) {
        const { failure, visits } = yield* ask({ answer: metadata({ code_challenge_methods_supported: methods }) })
        assert.include(failure, "PKCE")
        assert.deepStrictEqual(visits, [])
      }
    }))

  it.effect("an authorization server that calls itself by another name is not used", () =>
    Effect.gen(function*() {
      const { failure, visits } = yield* ask({ answer: metadata({ issuer: "https://evil.example" }) })
      assert.include(failure, "another name")
      assert.notInclude(failure, "evil.example")
      assert.deepStrictEqual(visits, [])
    }))

  for (
    const [what, change, says] of [
      ["of another attempt", (url: URL) => url.searchParams.set("state", "other"), "another attempt"],
      ["without a state", (url: URL) => url.searchParams.delete("state"), "another attempt"],
      ["of another issuer", (url: URL) => url.searchParams.set("iss", "https://evil.example"), "did not come from"],
      ["without a code", (url: URL) => url.searchParams.delete("code"), "no code"],
      [
        "that says no",
        (url: URL) => {
          url.searchParams.delete("code")
          url.searchParams.set("error", "access_denied")
          url.searchParams.set("error_description", "not \u001b[31mtoday")
        },
        "access_denied: not today"
      ],
      [
        "of another issuer that says something",
        (url: URL) => {
          url.searchParams.set("iss", "https://evil.example")
          url.searchParams.set("error", "call_0900_EVIL")
        },
        "did not come from"
      ]
    ] as const
  ) {
    it.effect(`a callback ${what} gets no tokens`, () =>
      Effect.gen(function*() {
        const { failure, kept, web } = yield* ask({ asking: person(change) })
        assert.include(failure, says)
        assert.deepStrictEqual(web.at("/token"), [])
        assert.isNull(kept)
      }))
  }

  it.effect("a callback without the issuer that its authorization server promised gets no tokens", () =>
    Effect.gen(function*() {
      const promised = metadata({ authorization_response_iss_parameter_supported: true })
      const { failure, web } = yield* ask({ answer: promised })
      assert.include(failure, "did not come from")
      assert.deepStrictEqual(web.at("/token"), [])
      const { outcome } = yield* ask({ answer: promised, asking: person((url) => url.searchParams.set("iss", ISSUER)) })
      assert.strictEqual(outcome, 200)
    }))

  it.effect("asks for more rights with all that were granted before, and sends the request again", () =>
    Effect.gen(function*() {
      const { outcome, visits } = yield* ask({
        answer: ({ authorization, path }) => {
          if (path !== "/mcp") return undefined
          if (authorization === null) return ScriptedAuth.refusal(`, scope="read"`)
          return authorization === "Bearer access-token-1" ? stepUp("write") : undefined
        }
      })
      assert.strictEqual(outcome, 200)
      assert.deepStrictEqual(visits.map(({ searchParams }) => searchParams.get("scope")), ["read", "read write"])
    }))

  it.effect("a server that never has enough is asked for at most three authorizations, and then told so", () =>
    Effect.gen(function*() {
      let wishes = 0
      const { outcome, visits } = yield* ask({
        answer: ({ authorization, path }) =>
          path === "/mcp" && authorization !== null ? stepUp(`wish-${wishes += 1}`) : undefined
      })
      assert.isTrue(outcome instanceof AuthRequired && outcome.isStepUp === true)
      assert.strictEqual(visits.length, 3)
    }))

  it.effect("rights that were granted already are not asked for again", () =>
    Effect.gen(function*() {
      const { outcome, visits } = yield* ask({
        answer: ({ authorization, path }) =>
          path === "/mcp"
            ? authorization === null ? ScriptedAuth.refusal(`, scope="admin"`) : stepUp("admin")
            : undefined
      })
      assert.isTrue(outcome instanceof AuthRequired && outcome.isStepUp === true)
      assert.strictEqual(visits.length, 1)
    }))

  it.effect("a registration is used again for no more than it was made for", () =>
    Effect.gen(function*() {
      const { visits, web } = yield* ask({
        answer: ({ authorization, body, path }) => {
          if (path === "/register") {
            return json({ ...JSON.parse(body), client_id: `for ${JSON.parse(body).scope}` }, 201)
          }
          if (path !== "/mcp") return undefined
          if (authorization === null) return ScriptedAuth.refusal(`, scope="read write"`)
          if (authorization === "Bearer access-token-1") return ScriptedAuth.refusal(`, scope="read"`)
          return authorization === "Bearer access-token-2" ? stepUp("admin") : undefined
        }
      })
      assert.strictEqual(web.at("/register").length, 2)
      assert.deepStrictEqual(
        visits.map(({ searchParams }) => searchParams.get("client_id")),
        ["for read write", "for read write", "for read admin"]
      )
    }))

  it.effect("a wish for more rights that nobody could grant is remembered for the next sign-in", () =>
    Effect.gen(function*() {
      const store = yield* Credentials
      yield* store.change(
        KEY,
        () => Effect.succeed({ keep: ScriptedAuth.credential("token-0", null, ["read"]), give: null })
      )
      const web = ScriptedAuth.make(({ path }) => path === "/mcp" ? stepUp("write") : undefined)
      const { sender } = yield* ScriptedAuth.signed(web.fetch)
      const error = yield* Effect.flip(ScriptedAuth.post(sender))
      assert.isTrue(error instanceof AuthRequired && error.isStepUp && error.scopes?.[0] === "write")
      assert.deepStrictEqual((yield* store.read(KEY))?.wanted, ["write"])
      assert.isNotNull((yield* store.read(KEY))?.tokens)
    }).pipe(Effect.provide(Credentials.layerMemory)))

  it.effect("uses the id that the entry has, and tells its secret to no other authorization server than before", () =>
    Effect.gen(function*() {
      const store = yield* Credentials
      const oauth = { ...ProtectedServer.PLAIN, clientId: "ours", clientSecret: Redacted.make("canary-secret") }
      const methods = metadata({ token_endpoint_auth_methods_supported: ["client_secret_post"] })
      const run = (web: ReturnType<typeof ScriptedAuth.make>) =>
        ScriptedAuth.signed(web.fetch, { oauth }).pipe(
          Effect.flatMap(({ sender }) => ScriptedAuth.post(sender)),
          Effect.provideService(Authorizer, ScriptedAuth.person())
        )
      const first = ScriptedAuth.make(methods)
      assert.strictEqual((yield* run(first)).status, 200)
      assert.deepStrictEqual(first.at("/register"), [])
      assert.strictEqual(first.at("/token")[0]?.form.get("client_secret"), "canary-secret")
      assert.isNull((yield* store.read(KEY))?.client)

      const other = "https://other.example"
      const moved = ScriptedAuth.make(({ path, url }) => {
        if (path.includes("oauth-protected-resource")) return json({ ...RESOURCE, authorization_servers: [other] })
        return url.host === "other.example" && path.startsWith("/.well-known")
          ? json({ ...METADATA, issuer: other, token_endpoint: `${other}/token` })
          : undefined
      })
      const error = yield* Effect.flip(run(moved))
      assert.isTrue(error instanceof AuthorizationFailed && error.detail.includes(other))
      assert.deepStrictEqual(moved.seen.filter(({ body }) => body.includes("canary-secret")), [])
    }).pipe(Effect.provide(Credentials.layerMemory)))

  it.effect("names itself by its document where the authorization server reads such", () =>
    Effect.gen(function*() {
      const { visits, web } = yield* ask({
        answer: metadata({ client_id_metadata_document_supported: true }),
        oauth: { clientMetadataUrl: "https://boocode.example/client.json" }
      })
      assert.strictEqual(visits[0]?.searchParams.get("client_id"), "https://boocode.example/client.json")
      assert.deepStrictEqual(web.at("/register"), [])
    }))

  it.effect("signs in as a program without a person, with its secret or with its key", () =>
    Effect.gen(function*() {
      const oauth = { grant: "client_credentials", clientId: "robot", scopes: ["a", "b"] } as const
      const basic = yield* ask({
        answer: metadata({ token_endpoint_auth_methods_supported: ["client_secret_basic"] }),
        oauth: { ...oauth, clientSecret: Redacted.make("s3cret-of-robot") },
        asking: null
      })
      assert.strictEqual(basic.outcome, 200)
      const [request] = basic.web.at("/token")
      assert.strictEqual(request?.form.get("grant_type"), "client_credentials")
      assert.strictEqual(request?.form.get("scope"), "a b")
      assert.strictEqual(request?.authorization, `Basic ${btoa("robot:s3cret-of-robot")}`)

      const signed = yield* ask({
        oauth: { ...oauth, privateKey: Redacted.make("a key that both know well enough"), algorithm: "HS256" },
        asking: null
      })
      assert.strictEqual(signed.outcome, 200)
      const [, claims = ""] = signed.web.at("/token")[0]?.form.get("client_assertion")?.split(".") ?? []
      assert.include(JSON.parse(Buffer.from(claims, "base64url").toString()), {
        iss: "robot",
        sub: "robot",
        aud: ISSUER
      })
    }))

  it.effect("only the authorization server that the entry allows is asked", () =>
    Effect.gen(function*() {
      const { failure, visits } = yield* ask({ oauth: { issuer: "https://ours.example" } })
      assert.include(failure, "allows only https://ours.example")
      assert.deepStrictEqual(visits, [])
      assert.strictEqual((yield* ask({ oauth: { issuer: `${ISSUER}/` } })).outcome, 200)
    }))

  it.effect("waits ten minutes for a person, and no longer", () =>
    Effect.gen(function*() {
      const asked = yield* Deferred.make<void>()
      const authorize = () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
      const waiting = yield* Effect.forkChild(ask({ asking: { redirectUri: ScriptedAuth.REDIRECT, authorize } }))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("9 minutes")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("2 minutes")
      assert.include((yield* Fiber.join(waiting)).failure, "nobody came back")
    }))
})
