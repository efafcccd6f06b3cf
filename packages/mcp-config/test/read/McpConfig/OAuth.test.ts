import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { Environment, McpConfig } from "../../../src/index.ts"

const entryOf = (entry: Readonly<Record<string, unknown>>, variables: Record<string, string> = {}) =>
  McpConfig.use(({ current }) => current).pipe(
    Effect.flatMap(({ servers }) => Effect.fromNullishOr(servers[0])),
    Effect.orDie,
    Effect.provide(
      McpConfig.layerEntries({ web: entry }).pipe(
        Layer.provide([Environment.layer(variables), FileSystem.layerNoop({}), Path.layer])
      )
    )
  )

const oauthOf = (oauth: unknown, variables: Record<string, string> = {}) =>
  Effect.map(entryOf({ url: "https://mcp.example/mcp", oauth }, variables), ({ config, warnings }) => {
    if (Result.isFailure(config)) return { failure: config.failure.message, oauth: undefined, warnings }
    const { transport } = config.success
    return { failure: null, oauth: transport._tag === "stdio" ? undefined : transport.oauth, warnings }
  })

describe("the key oauth", () => {
  it.effect("is absent by default, false for never, and true says nothing new", () =>
    Effect.gen(function*() {
      const plain = yield* entryOf({ url: "https://mcp.example/mcp" })
      assert.notProperty(Result.getOrThrow(plain.config).transport, "oauth")
      assert.isFalse((yield* oauthOf(false)).oauth)
      assert.isUndefined((yield* oauthOf(true)).oauth)
    }))

  it.effect("fills in variables, hides what is secret, and reads scopes as a list or as OAuth writes them", () =>
    Effect.gen(function*() {
      const variables = { ID: "abc", SECRET: "canary-secret" }
      const { oauth } = yield* oauthOf({ clientId: "${ID}", clientSecret: "${SECRET}", scopes: "a  b a" }, variables)
      assert.isTrue(oauth !== undefined && oauth !== false && oauth.clientId === "abc")
      if (oauth === undefined || oauth === false) return
      assert.strictEqual(oauth.clientSecret === null ? null : Redacted.value(oauth.clientSecret), "canary-secret")
      assert.notInclude(JSON.stringify(oauth), "canary-secret")
      assert.deepStrictEqual(oauth.scopes, ["a", "b"])
      assert.strictEqual(oauth.grant, "authorization_code")
      const list = yield* oauthOf({ scopes: ["a", "b c"] })
      assert.deepStrictEqual(list.oauth === false ? null : list.oauth?.scopes, ["a", "b", "c"])
    }))

  it.effect("says what is missing, wrong or unknown in it", () =>
    Effect.gen(function*() {
      const failures = {
        "a clientId": { grant: "client_credentials", clientSecret: "x" },
        "a secret, or a key": { grant: "client_credentials", clientId: "x" },
        "no clientId that it belongs to": { clientSecret: "x" },
        "a port from 1 to 65535": { callbackPort: 70_000 },
        "starts with https://": { issuer: "http://auth.example" },
        "false, or an object": "yes"
      }
      for (const [words, oauth] of Object.entries(failures)) {
        assert.include((yield* oauthOf(oauth)).failure, words)
      }
      const { warnings } = yield* oauthOf({ clientID: "x" })
      assert.include(warnings.join(), "did you mean clientId?")
    }))

  it.effect("means nothing for a program on this machine", () =>
    Effect.gen(function*() {
      const stdio = yield* entryOf({ command: "x", oauth: { clientId: "a" } })
      assert.include(stdio.warnings.join(), "oauth: has no meaning for a stdio")
    }))
})
