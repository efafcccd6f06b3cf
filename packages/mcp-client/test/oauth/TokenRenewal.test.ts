import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { AuthorizationFailed, AuthRequired } from "../../src/errors/McpError.ts"
import { Authorizer } from "../../src/oauth/Authorizer.ts"
import { Credentials } from "../../src/oauth/credentials/Credentials.ts"
import * as MemoryDisk from "../support/MemoryDisk.ts"
import * as ScriptedAuth from "../support/ScriptedAuth.ts"

const { KEY } = ScriptedAuth

const keep = (access: string, refresh: string | null) =>
  Effect.flatMap(
    Credentials,
    (store) => store.change(KEY, () => Effect.succeed({ keep: ScriptedAuth.credential(access, refresh), give: null }))
  )

const plain = (secret: Redacted.Redacted<string> | null | undefined) =>
  secret === null || secret === undefined ? null : Redacted.value(secret)

const kept = Effect.flatMap(Credentials, (store) =>
  Effect.map(store.read(KEY), (credential) => ({
    access: plain(credential?.tokens?.access),
    refresh: plain(credential?.tokens?.refresh)
  })))

const memory = Effect.provide(Credentials.layerMemory)

/** The tokens of one file, as another program has them. */
const onDisk = (disk: ReturnType<typeof MemoryDisk.make>) =>
  Layer.fresh(Credentials.layerFile("/state/credentials.json")).pipe(Layer.provide(disk.layer))

describe("Renewing tokens", () => {
  it.effect("R80: ten requests that are refused at the same time cause exactly one request for tokens", () =>
    Effect.gen(function*() {
      const web = ScriptedAuth.make()
      yield* keep("old", "refresh-token-0")
      const { sender } = yield* ScriptedAuth.signed(web.fetch)
      const answers = yield* Effect.all(
        Array.from({ length: 10 }, () => ScriptedAuth.post(sender)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status), Array.from({ length: 10 }, () => 200))
      assert.strictEqual(web.at("/token").length, 1)
      assert.deepStrictEqual(yield* kept, { access: "access-token-1", refresh: "refresh-token-1" })
    }).pipe(memory))

  it.effect("R80: two programs that share a file refresh once between them", () =>
    Effect.gen(function*() {
      const web = ScriptedAuth.make()
      const disk = MemoryDisk.make()
      yield* Effect.provide(keep("old", "refresh-token-0"), onDisk(disk))
      const program = Effect.provide(
        Effect.flatMap(ScriptedAuth.signed(web.fetch), ({ sender }) => ScriptedAuth.post(sender)),
        onDisk(disk)
      )
      const [first, second] = yield* Effect.all([program, program], { concurrency: "unbounded" })
      assert.deepStrictEqual([first.status, second.status], [200, 200])
      assert.strictEqual(web.at("/token").length, 1)
      assert.deepStrictEqual(yield* Effect.provide(kept, onDisk(disk)), {
        access: "access-token-1",
        refresh: "refresh-token-1"
      })
    }))

  it.effect("tokens of another program that have ended since are renewed in their turn", () =>
    Effect.gen(function*() {
      const web = ScriptedAuth.make()
      yield* keep("long ago", "lost")
      const { sender } = yield* ScriptedAuth.signed(web.fetch)
      yield* keep("not so long ago", "refresh-token-0")
      assert.strictEqual((yield* ScriptedAuth.post(sender)).status, 200)
      assert.deepStrictEqual(
        web.at("/mcp").map(({ authorization }) => authorization),
        ["Bearer long ago", "Bearer not so long ago", "Bearer access-token-1"]
      )
    }).pipe(memory))

  it.effect("a token that was just granted and is refused all the same is not renewed again, but is once it was good", () =>
    Effect.gen(function*() {
      const mood = { isRefusing: true }
      const web = ScriptedAuth.make(({ path }) =>
        path === "/mcp" && mood.isRefusing ? ScriptedAuth.refusal() : undefined
      )
      yield* keep("old", "refresh-token-0")
      const { sender } = yield* ScriptedAuth.signed(web.fetch)
      assert.instanceOf(yield* Effect.flip(ScriptedAuth.post(sender)), AuthRequired)
      assert.strictEqual(web.at("/token").length, 1)
      mood.isRefusing = false
      assert.strictEqual((yield* ScriptedAuth.post(sender)).status, 200)
      web.expire()
      assert.strictEqual((yield* ScriptedAuth.post(sender)).status, 200)
      assert.strictEqual(web.at("/token").length, 2)
    }).pipe(memory))

  it.effect("R80: an invalid_grant that comes too late leaves the tokens that somebody else has got", () =>
    Effect.gen(function*() {
      const store = yield* Credentials
      let isLate = true
      const web = ScriptedAuth.make(({ path }) => {
        if (path !== "/.well-known/oauth-authorization-server" || !isLate) return undefined
        isLate = false
        // Another program is quicker while this one still looks for the authorization server.
        const winner = ScriptedAuth.credential("winner", "refresh-w")
        return Effect.runPromise(store.change(KEY, () => Effect.succeed({ keep: winner, give: null }))).then(() =>
          ScriptedAuth.json(ScriptedAuth.METADATA)
        )
      }, "winner")
      yield* keep("old", "used-before")
      const { sender } = yield* ScriptedAuth.signed(web.fetch)
      assert.strictEqual((yield* ScriptedAuth.post(sender)).status, 200)
      assert.strictEqual(web.at("/token").length, 0)
      assert.deepStrictEqual(yield* kept, { access: "winner", refresh: "refresh-w" })
    }).pipe(memory))

  it.effect("R80: a holder of the file's lock that was taken for dead does not write over newer tokens", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      yield* Effect.provide(keep("old", "refresh-token-0"), onDisk(disk))
      const slow = Effect.flatMap(Credentials, (store) =>
        store.change(KEY, () =>
          // While this one is at it, somebody else takes its turn: as after a long sleep of the machine.
          Effect.as(Effect.sync(() => replaceOnDisk(disk, "winner")), {
            keep: ScriptedAuth.credential("loser", null),
            give: null
          })))
      yield* Effect.provide(slow, onDisk(disk))
      assert.strictEqual((yield* Effect.provide(kept, onDisk(disk))).access, "winner")
    }))

  for (
    const [what, answer] of [
      ["a network error", () => Promise.reject(new TypeError("fetch failed"))],
      ["a gateway without anybody behind it", () => new Response("", { status: 503 })]
    ] as const
  ) {
    it.effect(`R80: ${what} while refreshing takes nothing away, and is told as something that may pass`, () =>
      Effect.gen(function*() {
        const web = ScriptedAuth.make(({ path }) => path === "/token" ? answer() : undefined)
        yield* keep("old", "refresh-token-0")
        const { sender } = yield* ScriptedAuth.signed(web.fetch)
        const error = yield* Effect.flip(ScriptedAuth.post(sender))
        assert.instanceOf(error, AuthorizationFailed)
        assert.isTrue(error instanceof AuthorizationFailed && error.isTransient)
        assert.deepStrictEqual(yield* kept, { access: "old", refresh: "refresh-token-0" })
      }).pipe(memory))
  }

  it.effect("forgets tokens that are no good, keeps who we are, and asks for what was granted the next time", () =>
    Effect.gen(function*() {
      const web = ScriptedAuth.make()
      const store = yield* Credentials
      const before = ScriptedAuth.credential("old", "used-before", ["read"])
      yield* store.change(KEY, () => Effect.succeed({ keep: before, give: null }))
      const { sender } = yield* ScriptedAuth.signed(web.fetch)
      const error = yield* Effect.flip(ScriptedAuth.post(sender))
      assert.isTrue(error instanceof AuthRequired && error.login === "web")
      assert.deepStrictEqual(yield* store.read(KEY), { ...before, tokens: null, wanted: ["read"] })
      assert.strictEqual(web.at("/token").length, 1)
    }).pipe(memory))

  it.effect("tells nobody who asks of an authorization server that a server has moved to", () =>
    Effect.gen(function*() {
      const other = "https://other.example"
      const web = ScriptedAuth.make(({ path, url }) => {
        if (path.startsWith("/.well-known/oauth-protected-resource")) {
          return ScriptedAuth.json({ ...ScriptedAuth.RESOURCE, authorization_servers: [other] })
        }
        return url.host === "other.example" && path.startsWith("/.well-known")
          ? ScriptedAuth.json({ ...ScriptedAuth.METADATA, issuer: other, token_endpoint: `${other}/token` })
          : undefined
      })
      yield* keep("old", "refresh-token-0")
      const { sender } = yield* ScriptedAuth.signed(web.fetch)
      assert.instanceOf(yield* Effect.flip(ScriptedAuth.post(sender)), AuthRequired)
      assert.deepStrictEqual(web.seen.filter(({ body }) => body.includes("refresh-token-0")), [])
      assert.deepStrictEqual(yield* kept, { access: "old", refresh: "refresh-token-0" })
    }).pipe(memory))

  it.effect("a request that is given up leaves the renewal to those who still wait", () =>
    Effect.gen(function*() {
      const web = ScriptedAuth.make()
      yield* keep("old", "refresh-token-0")
      const { sender } = yield* ScriptedAuth.signed(web.fetch)
      const given = yield* Effect.forkChild(ScriptedAuth.post(sender), { startImmediately: true })
      const other = yield* Effect.forkChild(ScriptedAuth.post(sender), { startImmediately: true })
      while (web.at("/mcp").length < 2) yield* Effect.yieldNow
      yield* Fiber.interrupt(given)
      assert.strictEqual((yield* Fiber.join(other)).status, 200)
      assert.strictEqual(web.at("/token").length, 1)
    }).pipe(memory, Effect.provideService(Authorizer, null)))
})

const replaceOnDisk = (disk: ReturnType<typeof MemoryDisk.make>, access: string) => {
  const text = disk.files.get("/state/credentials.json") ?? ""
  disk.files.set("/state/credentials.json", text.replace("\"old\"", JSON.stringify(access)))
}
