import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { ConfiguredServer, PersonalEntry } from "../../src/index.ts"
import { configurationOfServers } from "../support/Files.ts"

const one = (entry: unknown, variables: Readonly<Record<string, string>> = {}) =>
  Effect.map(
    configurationOfServers({ a: entry }, variables),
    ({ servers }): ConfiguredServer => servers[0] ?? assert.fail("there is no server")
  )

const personal = (server: ConfiguredServer): PersonalEntry => server.personal ?? assert.fail("it is not personal")

const httpOf = (server: ConfiguredServer, values: Readonly<Record<string, string>>) => {
  const given = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.make(value)]))
  const config = Result.getOrElse(personal(server).resolve(given, null), (error) => assert.fail(error.message))
  return config.transport._tag === "stdio" ? assert.fail("it is stdio") : { config, http: config.transport }
}

const REMOTE = { url: "https://mail.example/mcp", headers: { Authorization: "Bearer ${user:TOKEN}" } }

describe("A value of each person", () => {
  it.effect("makes an entry personal, which is nobody's until a person's value is there", () =>
    Effect.gen(function*() {
      const server = yield* one(REMOTE, { TOKEN: "everybody's" })
      assert.deepStrictEqual([personal(server).names, personal(server).needed], [["TOKEN"], ["TOKEN"]])
      const missing = Result.getFailure(server.config)
      assert.include(missing._tag === "Some" ? missing.value.message : "", "takes TOKEN from each person")
      assert.include(missing._tag === "Some" ? missing.value.hint : "", "boocode mcp secret set TOKEN")
      const { config, http } = httpOf(server, { TOKEN: "ann's" })
      assert.strictEqual(http.headers["Authorization"]?.pipe(Redacted.value), "Bearer ann's")
      // What was filled in is hidden wherever the server's words go.
      assert.strictEqual(config.filledIn?.["user:TOKEN"]?.pipe(Redacted.value), "ann's")
      assert.deepStrictEqual(config.idleTtl, Duration.minutes(10))
      assert.isUndefined(http.publicOnly)
    }))

  it.effect("may have a default, and the entry may say how long its server stays", () =>
    Effect.gen(function*() {
      const headers = { "X-Team": "${user:TEAM:-${TEAM:-none}}" }
      const server = yield* one({ ...REMOTE, headers, idleTtl: "1 hour" }, { TEAM: "ops" })
      assert.deepStrictEqual([personal(server).names, personal(server).needed], [["TEAM"], []])
      const { config, http } = httpOf(server, {})
      assert.strictEqual(http.headers["X-Team"]?.pipe(Redacted.value), "ops")
      assert.deepStrictEqual(config.idleTtl, Duration.hours(1))
    }))

  it.effect.each([
    [{ command: "x", args: ["${user:TOKEN}"] }, "args[0]"],
    [{ command: "${user:TOKEN}" }, "command"],
    [{ command: "x", cwd: "${user:TOKEN}", env: { A: "${user:TOKEN}" } }, "cwd"],
    [{ ...REMOTE, headersHelper: "get ${user:TOKEN}" }, "headersHelper"],
    [{ ...REMOTE, oauth: { clientId: "${user:TOKEN}" } }, "oauth.clientId"],
    [{ command: "x", roots: ["${user:TOKEN}"] }, "roots[0]"]
  ])("is refused where all people share what stands there: %o", ([entry, key]) =>
    Effect.gen(function*() {
      const server = yield* one(entry)
      assert.isUndefined(server.personal)
      const why = Result.getFailure(server.config)
      assert.include(why._tag === "Some" ? why.value.message : "", `${key}: a value of each person may stand in`)
    }))

  it.effect("leaves a mistake of the entry a mistake", () =>
    Effect.gen(function*() {
      const server = yield* one({ ...REMOTE, url: "ftp://mail.example/${user:TOKEN}" })
      assert.isUndefined(server.personal)
      assert.isTrue(Result.isFailure(server.config))
    }))

  it.effect.each(
    [
      ["https://${user:HOST}/mcp", true],
      ["${user:HOST}", true],
      ["https://mail.example/${user:HOST}", undefined]
    ] as const
  )("leads to public addresses only where it decides on the host: %s", ([url, isPublic]) =>
    Effect.gen(function*() {
      const { http } = httpOf(yield* one({ url }), { HOST: url === "${user:HOST}" ? "https://a.example" : "a.example" })
      assert.strictEqual(http.publicOnly, isPublic)
    }))

  it.effect("may be the folder of the person, which alone makes an entry personal among several people only", () =>
    Effect.gen(function*() {
      const server = yield* one(
        { command: "x", args: ["--dir=${workspace}/in"], cwd: "${workspace}", env: { AT: "${workspace}" } },
        { workspace: "/srv" }
      )
      const texts = (config: ConfiguredServer["config"]) => {
        const { filledIn, transport } = Result.getOrElse(config, (error) => assert.fail(error.message))
        assert.isUndefined(filledIn, "a folder is no secret")
        return transport._tag !== "stdio"
          ? assert.fail("it is remote")
          : [...transport.args, ...Object.values(transport.env)].map(Redacted.value).concat(transport.cwd)
      }
      assert.deepStrictEqual(texts(server.config), ["--dir=/srv/in", "/srv", "/srv"])
      const { amongSeveral, resolve } = personal(server)
      assert.isTrue(amongSeveral)
      assert.deepStrictEqual(texts(resolve({}, "/srv/users/b")), [
        "--dir=/srv/users/b/in",
        "/srv/users/b",
        "/srv/users/b"
      ])
      assert.isTrue(Result.isFailure(resolve({}, null)), "nobody gets the folder of everybody")
      const both = yield* one({ command: "x", args: ["${workspace}"], env: { A: "${user:TOKEN}" } })
      assert.isFalse(personal(both).amongSeveral)
    }))

  it.effect.each([
    [{ command: "${workspace}/x" }, "command"],
    [{ url: "https://x.example/${workspace}" }, "url"],
    [{ command: "x", args: ["${workspace}"], roots: ["${A:-${workspace}}"] }, "roots[0]"]
  ])("is refused where all people share the folder that stands there: %o", ([entry, key]) =>
    Effect.gen(function*() {
      const server = yield* one(entry, { workspace: "/srv" })
      assert.isUndefined(server.personal)
      const why = Result.getFailure(server.config)
      assert.include(why._tag === "Some" ? why.value.message : "", `${key}: the folder of each person may stand in`)
    }))

  it.effect("is not needed for a login of each person, which makes an entry personal as well", () =>
    Effect.gen(function*() {
      const server = yield* one({ url: "https://mail.example/mcp", oauth: { login: "user" } })
      assert.deepStrictEqual(personal(server).names, [])
      const program = yield* one({
        url: "https://mail.example/mcp",
        oauth: { login: "user", grant: "client_credentials", clientId: "a", clientSecret: "b" }
      })
      assert.isTrue(Result.isFailure(program.config))
    }))
})
