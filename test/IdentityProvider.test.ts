/** Sign-in at a real OpenID Connect provider, and what a proxy in front says. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import * as AppServer from "./support/AppServer.ts"
import * as Command from "./support/Command.ts"
import * as ConnectorClient from "./support/ConnectorClient.ts"
import * as IdentityHost from "./support/IdentityHost.ts"
import * as RawRequest from "./support/RawRequest.ts"
import * as SignedTokens from "./support/SignedTokens.ts"

/** A browser: it follows redirects, and keeps the cookies of each address. */
const browser = () => {
  const jars = new Map<string, Map<string, string>>()
  const ask = async (
    url: string
  ): Promise<{ readonly status: number; readonly text: string; readonly url: string }> => {
    const { origin } = new URL(url)
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
    const answer = await fetch(url, { redirect: "manual", headers: { cookie } })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === "") jar.delete(name)
      else jar.set(name, value)
    }
    const next = answer.headers.get("location")
    const text = await answer.text()
    return next === null ? { status: answer.status, text, url } : ask(new URL(next, url).href)
  }
  return (url: string) => Effect.promise(() => ask(url))
}

const started = Effect.fnUntraced(
  function*(settings: object, port: number, env: Readonly<Record<string, string>> = {}) {
    const folder = yield* Command.folder({
      "data/mcp.json": "{ \"mcpServers\": {} }\n",
      "data/settings.json": JSON.stringify(settings)
    })
    return yield* AppServer.start(join(folder, "data"), env, { port })
  }
)

const parsed = ({ text }: { readonly text: string }) => JSON.parse(text)

describe.concurrent("an identity provider", () => {
  it.live(
    "signs people in with name, role and groups, lets nobody else in, and finishes only what the same browser began",
    () =>
      Effect.gen(function*() {
        const port = yield* ConnectorClient.freePort
        const url = `http://127.0.0.1:${port}`
        const host = yield* IdentityHost.start(`${url}/oauth/sign-in/callback`)
        const signIn = {
          issuer: host.issuer,
          clientId: IdentityHost.CLIENT.id,
          clientSecret: "${OIDC_SECRET}",
          label: "Sign in with Example",
          admins: ["group:admins"],
          members: ["bob@example.org"]
        }
        const server = yield* started({ signIn }, port, { OIDC_SECRET: IdentityHost.CLIENT.secret })
        assert.strictEqual((yield* RawRequest.ask(`${url}/api/chats`)).status, 401)
        const ways = yield* RawRequest.ask(`${url}/api/session`)
        assert.deepInclude(ways.body, { users: true, signedIn: false, provider: "Sign in with Example" })
        const bob = browser()
        host.be({
          sub: "b-1",
          preferred_username: "Bob",
          email: "Bob@example.org",
          email_verified: true,
          groups: ["dev"]
        })
        assert.strictEqual((yield* bob(`${url}/oauth/sign-in`)).status, 200)
        assert.deepInclude(parsed(yield* bob(`${url}/api/me`)).user, { name: "Bob", role: "member", groups: ["dev"] })
        const ann = browser()
        host.be({ sub: "a-1", preferred_username: "Ann", groups: ["admins", "dev"] })
        yield* ann(`${url}/oauth/sign-in`)
        assert.deepStrictEqual(parsed(yield* ann(`${url}/api/me`)).user, {
          id: "first",
          name: "Ann",
          role: "admin",
          groups: ["admins", "dev"]
        })
        for (
          const person of [
            { sub: "c-1", preferred_username: "Cleo", groups: ["dev"] },
            { sub: "d-1", preferred_username: "Dan", email: "bob@example.org", email_verified: false },
            { sub: "e-1", preferred_username: "bob", email: "x@example.org", groups: ["admins"] }
          ]
        ) {
          const stranger = browser()
          host.be(person)
          const refused = yield* stranger(`${url}/oauth/sign-in`)
          assert.strictEqual(refused.status, 403, person.preferred_username)
          assert.match(refused.text, /does not let you in|called bob already/)
          assert.strictEqual((yield* stranger(`${url}/api/me`)).status, 401)
        }
        host.be({ sub: "b-1", preferred_username: "Bob", email: "bob@example.org", groups: ["admins"] })
        yield* bob(`${url}/oauth/sign-in`)
        assert.strictEqual(parsed(yield* bob(`${url}/api/me`)).user.role, "admin")
        const foreign = yield* browser()(`${url}/oauth/sign-in/callback?code=x&state=y`)
        assert.strictEqual(foreign.status, 400)
        const users = parsed(yield* ann(`${url}/api/users`)).users
        assert.deepStrictEqual(
          users.map((
            { hasPassword, isFromProvider, name }: Record<string, unknown>
          ) => [name, isFromProvider, hasPassword]),
          [["Ann", true, false], ["Bob", true, false]]
        )
        assert.notInclude(server.stdout() + server.stderr(), IdentityHost.CLIENT.secret)
      }),
    60_000
  )

  it.live(
    "that is away, or whose secret is not set, is told to the person, and sign-in with a password goes on",
    () =>
      Effect.gen(function*() {
        const port = yield* ConnectorClient.freePort
        const url = `http://127.0.0.1:${port}`
        const signIn = {
          issuer: "http://127.0.0.1:9",
          clientId: "boocode",
          clientSecret: "${OIDC_SECRET}",
          members: ["*"]
        }
        yield* Effect.scoped(Effect.gen(function*() {
          yield* started({ signIn }, port)
          const unset = yield* browser()(`${url}/oauth/sign-in`)
          assert.match(unset.text, /OIDC_SECRET.* is not set/)
        }))
        yield* started({ signIn }, port, { OIDC_SECRET: "x" })
        const away = yield* browser()(`${url}/oauth/sign-in`)
        assert.strictEqual(away.status, 403)
        assert.match(away.text, /identity provider did not sign you in/)
      }),
    60_000
  )
})

describe.concurrent("a proxy in front", () => {
  it.live(
    "is believed at its addresses alone, by a header or by a token that its keys have signed",
    () =>
      Effect.gen(function*() {
        const [near, far, keyed] = [
          yield* ConnectorClient.freePort,
          yield* ConnectorClient.freePort,
          yield* ConnectorClient.freePort
        ]
        const who = { admins: ["ann"], members: ["group:dev"] }
        const header = { header: "X-Forwarded-User", groupsHeader: "X-Forwarded-Groups", ...who }
        yield* started({ proxySignIn: { addresses: ["127.0.0.0/8"], ...header } }, near)
        yield* started({ proxySignIn: { addresses: ["10.1.2.3"], ...header } }, far)
        const me = (port: number, headers: Readonly<Record<string, string>>) =>
          RawRequest.ask(`http://127.0.0.1:${port}/api/me`, { headers })
        const ann = yield* me(near, { "x-forwarded-user": "Ann" })
        assert.deepInclude(Object(ann.body["user"]), { id: "first", name: "Ann", role: "admin" })
        const bob = yield* me(near, { "x-forwarded-user": "bob", "x-forwarded-groups": "ops, dev" })
        assert.deepInclude(Object(bob.body["user"]), { name: "bob", role: "member", groups: ["dev", "ops"] })
        assert.strictEqual((yield* me(near, { "x-forwarded-user": "cleo" })).status, 401)
        assert.strictEqual((yield* me(near, {})).status, 401)
        assert.strictEqual((yield* me(far, { "x-forwarded-user": "Ann" })).status, 401)
        const keys = yield* SignedTokens.start
        yield* started({
          proxySignIn: {
            addresses: ["127.0.0.1"],
            header: "Cf-Access-Jwt-Assertion",
            jwks: keys.jwks,
            issuer: "https://team.example",
            audience: "boocode",
            name: "email",
            members: ["ann@example.org"]
          }
        }, keyed)
        const ask = Effect.fnUntraced(function*(claims: SignedTokens.Claims, isOurs = true) {
          const token = yield* keys.sign({ ...ANN, ...claims }, isOurs)
          return yield* me(keyed, { "cf-access-jwt-assertion": token })
        })
        assert.deepInclude(Object((yield* ask({})).body["user"]), { name: "ann@example.org", role: "member" })
        assert.strictEqual((yield* ask({ aud: "another" })).status, 401)
        assert.strictEqual((yield* ask({ iss: "https://evil.example" })).status, 401)
        assert.strictEqual((yield* ask({ exp: 1 })).status, 401)
        assert.strictEqual((yield* ask({}, false)).status, 401)
        assert.strictEqual((yield* me(keyed, { "cf-access-jwt-assertion": "ann@example.org" })).status, 401)
      }),
    60_000
  )
})

const ANN = { sub: "1", email: "ann@example.org", iss: "https://team.example", aud: "boocode", exp: 4_000_000_000 }
