import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { Credentials } from "../../../../mcp-client/src/oauth/credentials/Credentials.ts"
import * as ScriptedAuth from "../../../../mcp-client/test/support/ScriptedAuth.ts"
import type { McpRegistry } from "../../../src/index.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

const USERS = ["alice", "bob"] as const
type User = (typeof USERS)[number]

const Step = Schema.Struct({
  user: Schema.Literals(USERS),
  does: Schema.Literals(["call", "call", "refresh", "restart", "expire"]),
  /** Whether the next step waits for this one. */
  isAwaited: Schema.Boolean
})

const bearer = (seen: ScriptedWeb.Seen) => seen.headers.get("authorization")?.replace("Bearer ", "") ?? ""

/** One server for both users: who asks is who the token says, and a session is its opener's. */
const shared = Effect.gen(function*() {
  const owners = new Map<string, User>()
  const crossings: Array<string> = []
  const good: Record<User, string> = { alice: "alice-0", bob: "bob-0" }
  const userOf = (token: string) => USERS.find((user) => token === good[user])
  const web = yield* ScriptedWeb.server((seen) => {
    const user = userOf(bearer(seen))
    if (user === undefined) return ScriptedAuth.refusal()
    const session = seen.headers.get("mcp-session-id")
    if (session !== null && owners.get(session) !== user) {
      crossings.push(`${user} on ${session} of ${owners.get(session)}`)
    }
    const args = seen.method === "tools/call" ? JSON.stringify(seen.message?.["params"]) : null
    if (args !== null && !args.includes(user)) crossings.push(`a call with the token of ${user}: ${args}`)
    if (seen.method !== "initialize") return undefined
    const answer = ScriptedWeb.initialized(seen, "2025-11-25")
    owners.set(answer.headers.get("mcp-session-id") ?? "", user)
    return answer
  })
  /** A refresh token is its user's, too. */
  const token = (form: URLSearchParams) => {
    const isLogin = form.get("grant_type") === "authorization_code"
    const user = isLogin ? "alice" : USERS.find((one) => form.get("refresh_token")?.startsWith(`${one}-refresh`))
    if (user === undefined) return ScriptedAuth.json({ error: "invalid_grant" }, 400)
    good[user] = `${user}-${Number(good[user].split("-")[1]) + 1}`
    return ScriptedAuth.json({
      access_token: good[user],
      refresh_token: `${user}-refresh`,
      token_type: "Bearer",
      expires_in: 60
    })
  }
  const guard = ScriptedAuth.make(({ form, path }) => path === "/token" ? token(form) : undefined)
  const fetch: typeof globalThis.fetch = (input, init) =>
    String(input) === ScriptedAuth.MCP ? web.fetch(input, init) : guard.fetch(input, init)
  const expire = (user: User) => {
    good[user] = `${user}-${Number(good[user].split("-")[1]) + 1}`
  }
  return { fetch, crossings, expire, owners, calls: () => web.of("tools/call").length }
})

/** A registry of this user's own, who has signed in before. */
const as = <A, E>(
  user: User,
  fetch: typeof globalThis.fetch,
  body: (registry: McpRegistry["Service"]) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const store = yield* Credentials
    const keep = ScriptedAuth.credential(`${user}-0`, `${user}-refresh`)
    yield* store.change(ScriptedAuth.KEY, () => Effect.succeed({ keep, give: null }))
    return yield* ScriptedWeb.withRegistry(fetch, {}, body)
  }).pipe(Effect.provide(Credentials.layerMemory, { local: true }))

describe("two users of one server entry", () => {
  it.effect.prop(
    "have sessions and tokens of their own, whatever they do at the same time (R92)",
    [Schema.Array(Step).check(Schema.isMinLength(2), Schema.isMaxLength(12))],
    ([steps]) =>
      Effect.gen(function*() {
        const { calls, crossings, expire, fetch, owners } = yield* shared
        yield* as("alice", fetch, (alice) =>
          as("bob", fetch, (bob) =>
            Effect.gen(function*() {
              const registries = { alice, bob }
              const run = ({ does, user }: typeof Step.Type) => {
                const registry = registries[user]
                if (does === "expire") return Effect.sync(() => expire(user))
                if (does === "call") return Effect.ignore(registry.call("web_find", { user }))
                return Effect.ignore(does === "refresh" ? registry.refresh("web") : registry.restart("web"))
              }
              const begun: Array<Fiber.Fiber<unknown>> = []
              for (const step of steps) {
                const fiber = yield* Effect.forkChild(run(step))
                if (step.isAwaited) yield* Fiber.join(fiber)
                begun.push(fiber)
              }
              yield* Fiber.awaitAll(begun)
              yield* registries.alice.call("web_find", { user: "alice" })
              yield* registries.bob.call("web_find", { user: "bob" })
            })))
        assert.deepStrictEqual(crossings, [])
        assert.isAtLeast(calls(), 2)
        assert.sameMembers([...new Set(owners.values())], [...USERS])
      }),
    { arbitrary: { runs: 20 } }
  )

  it.effect("share no login in one program where nobody says where logins are kept (R92)", () =>
    Effect.gen(function*() {
      const { fetch } = yield* shared
      const signIn = (url: string) => {
        const visited = new URL(url)
        return `${ScriptedAuth.REDIRECT}?code=a-code&state=${visited.searchParams.get("state")}`
      }
      const asking = {
        redirectUri: ScriptedAuth.REDIRECT,
        authorize: ({ url }: { url: string }) => Effect.succeed(signIn(url))
      }
      yield* ScriptedWeb.withRegistry(
        fetch,
        {},
        (alice) =>
          ScriptedWeb.withRegistry(fetch, {}, (bob) =>
            Effect.gen(function*() {
              assert.strictEqual((yield* alice.login("web", asking)).state, "ready")
              yield* Effect.ignore(bob.restart("web"))
              assert.strictEqual((yield* bob.server("web")).state, "needs-auth")
            }))
      )
    }))
})
