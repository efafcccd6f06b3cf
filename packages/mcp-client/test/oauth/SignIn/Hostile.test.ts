import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { AuthorizationFailed, AuthRequired } from "../../../src/errors/McpError.ts"
import { Authorizer } from "../../../src/oauth/Authorizer.ts"
import * as AuthState from "../../../src/oauth/AuthState.ts"
import { Credentials } from "../../../src/oauth/credentials/Credentials.ts"
import type { ServerAuth } from "../../../src/oauth/credentials/CredentialSchema.ts"
import * as ScriptedAuth from "../../support/ScriptedAuth.ts"

const { ask, json, KEY, metadata, resource } = ScriptedAuth

const token = (change: Record<string, unknown>): ScriptedAuth.Answer => ({ path }) =>
  path === "/token" ? json({ access_token: "access-token-1", token_type: "Bearer", ...change }) : undefined

/** What is told of a sign-in with these tokens. */
const told = Effect.fnUntraced(function*(change: Record<string, unknown>) {
  const news: Array<ServerAuth | null> = []
  const { kept, outcome } = yield* Effect.provideService(
    ask({ answer: (seen, all) => token(change)(seen, all) ?? (seen.authorization === null ? undefined : json({})) }),
    AuthState.AuthState,
    (auth) => Effect.sync(() => void news.push(auth))
  )
  return { kept, outcome, auth: news.at(-1) ?? null }
})

describe("What an authorization server or a server may try", () => {
  it.effect("a lifetime that is no time is cut down, and what is kept of it can be told at every start", () =>
    Effect.gen(function*() {
      for (const [expires_in, at] of [[1e300, "1979-12-30"], [-1e300, undefined], [3600, "1970-01-01"]] as const) {
        const { auth, outcome } = yield* told({ expires_in })
        assert.strictEqual(outcome, 200)
        assert.strictEqual(auth?.expiresAt?.slice(0, 10), at)
      }
    }))

  it.effect("a token that could not be sent is not kept, and not told", () =>
    Effect.gen(function*() {
      for (const access_token of ["ab\r\nx-evil: canary", "", "x".repeat(70_000)]) {
        const { failure, kept } = yield* ask({ answer: token({ access_token }) })
        assert.include(failure, "a token that cannot be sent")
        assert.isNull(kept)
      }
    }))

  it.effect("of endless scopes a hundred are taken, whoever names them", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 5_000 }, (_, index) => `scope-${index}`)
      const { auth } = yield* told({ scope: many.join(" ") })
      assert.strictEqual(auth?.scopes.length, 100)
      const { visits: [visit] } = yield* ask({
        answer: resource({ scopes_supported: [...many, "not a scope\u001b[0m"] })
      })
      assert.strictEqual(visit?.searchParams.get("scope")?.split(" ").length, 100)
    }))

  it.effect("wishes for ever other rights do not fill the file", () =>
    Effect.gen(function*() {
      const store = yield* Credentials
      const keep = ScriptedAuth.credential("token-0", null, ["read"])
      yield* store.change(KEY, () => Effect.succeed({ keep, give: null }))
      let wishes = 0
      const web = ScriptedAuth.make(({ path }) =>
        path === "/mcp" ? ScriptedAuth.stepUp(`wish-${wishes += 1}`) : undefined
      )
      const { sender } = yield* ScriptedAuth.signed(web.fetch)
      for (let call = 0; call < 120; call += 1) {
        const error = yield* Effect.flip(ScriptedAuth.post(sender))
        assert.instanceOf(error, AuthRequired)
      }
      assert.strictEqual((yield* store.read(KEY))?.wanted.length, 100)
    }).pipe(Effect.provide(Credentials.layerMemory)))

  for (
    const [what, change] of [
      ["an escape sequence", { authorization_servers: ["https://auth.example/\u001b[31m"] }],
      ["a megabyte", { authorization_servers: [`https://auth.example/${"a".repeat(100_000)}`] }],
      ["a turn of the writing", { resource: "https://mcp.example/mcp/\u202e" }]
    ] as const
  ) {
    it.effect(`addresses with ${what} are neither asked nor told`, () =>
      Effect.gen(function*() {
        const { failure, visits, web } = yield* ask({ answer: resource(change) })
        assert.include(failure, "addresses that are none")
        assert.deepStrictEqual(visits, [])
        assert.isFalse(web.seen.some(({ url }) => url.host === "auth.example"))
      }))
  }

  it.effect("an error code without an end is cut", () =>
    Effect.gen(function*() {
      const { outcome } = yield* ask({
        answer: ({ path }) => path === "/token" ? json({ error: "e".repeat(100_000) }, 400) : undefined
      })
      assert.isTrue(outcome instanceof AuthorizationFailed)
      assert.isBelow(JSON.stringify(outcome).length, 2_000)
    }))

  it.effect("an address to sign in at that no system could open is not opened", () =>
    Effect.gen(function*() {
      const { failure, visits } = yield* ask({
        answer: metadata({ authorization_endpoint: `https://auth.example/authorize?${"q".repeat(200_000)}` })
      })
      assert.include(failure, "too long")
      assert.deepStrictEqual(visits, [])
    }))

  it.effect("R79: an address with a user in it, who looks like a host, is not opened", () =>
    Effect.gen(function*() {
      const { outcome, visits } = yield* ask({
        answer: metadata({ authorization_endpoint: "https://accounts.example@evil.example/authorize" })
      })
      assert.instanceOf(outcome, AuthorizationFailed)
      assert.deepStrictEqual(visits, [])
    }))

  for (
    const [what, answer] of [
      ["its description", ({ path }) =>
        path === "/mcp"
          ? json({}, 401, { "www-authenticate": `Bearer resource_metadata="http://127.0.0.1:9200/_all"` })
          : undefined],
      ["its authorization server", resource({ authorization_servers: ["http://127.0.0.1:9200"] })],
      ["a registration", metadata({ registration_endpoint: "https://localhost:9200/_bulk" })]
    ] as ReadonlyArray<readonly [string, ScriptedAuth.Answer]>
  ) {
    it.effect(`a server elsewhere cannot have programs of this machine asked for ${what}`, () =>
      Effect.gen(function*() {
        const { failure, web } = yield* ask({ answer })
        assert.include(failure, "this machine")
        assert.deepStrictEqual(web.seen.filter(({ url }) => url.port === "9200"), [])
      }))
  }

  it.effect("a person may name an authorization server of this machine", () =>
    Effect.gen(function*() {
      const issuer = "http://127.0.0.1:9300"
      const { outcome, web } = yield* ask({
        oauth: { issuer },
        answer: ({ body, path, url }) => {
          if (path.startsWith("/.well-known/oauth-protected-resource")) {
            return json({ ...ScriptedAuth.RESOURCE, authorization_servers: [issuer] })
          }
          if (url.port !== "9300") return undefined
          if (path === "/register") return json({ ...JSON.parse(body), client_id: "registered" }, 201)
          return path === "/token" ? json({ access_token: "x", token_type: "Bearer" }) : json({
            ...ScriptedAuth.METADATA,
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`,
            registration_endpoint: `${issuer}/register`
          })
        }
      })
      assert.instanceOf(outcome, AuthRequired)
      assert.strictEqual(web.at("/token").filter(({ url }) => url.port === "9300").length, 3)
    }))

  it.effect("R76: a request to another origin carries no token, and gets none by refusing it", () =>
    Effect.gen(function*() {
      const store = yield* Credentials
      const keep = ScriptedAuth.credential("canary-token", "refresh-token-0")
      yield* store.change(KEY, () => Effect.succeed({ keep, give: null }))
      const web = ScriptedAuth.make(({ url }) => url.host === "other.example" ? ScriptedAuth.refusal() : undefined)
      const { sender } = yield* ScriptedAuth.signed(web.fetch)
      const response = yield* ScriptedAuth.post(sender, "https://other.example/mcp")
      assert.strictEqual(response.status, 401)
      assert.deepStrictEqual(web.seen.map(({ authorization }) => authorization), [null])
    }).pipe(Effect.provide(Credentials.layerMemory)))

  it.effect("an answer that never ends is let go of when its time is over", () =>
    Effect.gen(function*() {
      let isAborted = false
      const web = ScriptedAuth.make()
      const fetch: typeof globalThis.fetch = (input, init) => {
        if (!String(input).includes("oauth-protected-resource")) return web.fetch(input, init)
        init?.signal?.addEventListener("abort", () => void (isAborted = true))
        return Promise.resolve(new Response(new ReadableStream({ pull: () => new Promise(() => {}) })))
      }
      const asked = yield* ScriptedAuth.signed(fetch).pipe(
        Effect.flatMap((signed) => Effect.flip(ScriptedAuth.post(signed.sender))),
        Effect.provideService(Authorizer, ScriptedAuth.person()),
        Effect.forkChild
      )
      while (web.seen.length === 0) yield* Effect.yieldNow
      yield* TestClock.adjust("11 seconds")
      while (asked.pollUnsafe() === undefined) yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(asked)
      assert.include(error instanceof AuthorizationFailed ? error.detail : "", "did not answer within")
      assert.isTrue(isAborted)
    }).pipe(Effect.provide(Credentials.layerMemory)))
})
