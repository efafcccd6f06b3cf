import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { type Configuration, McpConfig } from "../src/index.ts"
import { configurationOf } from "./Files.ts"

describe("McpConfig", () => {
  it.effect("reads one file, trusted, its servers sorted by name", () =>
    Effect.gen(function*() {
      const text = "{ \"mcpServers\": { \"b\": { \"command\": \"x\" }, \"a\": { \"url\": \"https://x\" } } }"
      const files = { "/p/.mcp.json": text, "/home/me/.mcprc": "{ \"c\": { \"command\": \"x\" } }" }
      const configuration = yield* configurationOf(McpConfig.layerFile("/p/.mcp.json"), files)
      assert.deepStrictEqual(
        configuration.servers.map(({ name, needsApproval, source }) => [name, needsApproval, source]),
        [["a", false, "/p/.mcp.json"], ["b", false, "/p/.mcp.json"]]
      )
      assert.deepStrictEqual(configuration.sources, [
        { file: "/p/.mcp.json", scope: "data", state: "read", hidden: [], error: null }
      ])
    }))

  it.effect("has no servers when the file is not there, and says that it is absent", () =>
    Effect.gen(function*() {
      const configuration = yield* configurationOf(McpConfig.layerFile("/data/mcp.json"), {})
      assert.deepStrictEqual(configuration, {
        servers: [],
        sources: [{ file: "/data/mcp.json", scope: "data", state: "absent", hidden: [], error: null }],
        warnings: []
      })
    }))

  it.effect("takes entries that a program has as values, with the same checks and words", () =>
    Effect.gen(function*() {
      const layer = McpConfig.layerEntries({
        a: { command: "x", env: { K: "${KEY}", GONE: undefined }, cwd: "/w" },
        b: { url: 5 }
      })
      const [a, b] = (yield* configurationOf(layer, {}, { KEY: "k" })).servers
      assert.strictEqual(a?.source, "code")
      assert.isFalse(a?.needsApproval)
      const transport = Result.isSuccess(a.config) ? a.config.success.transport : assert.fail("a is broken")
      assert.deepStrictEqual(transport, {
        _tag: "stdio",
        command: "x",
        args: [],
        env: { K: Redacted.make("k") },
        cwd: "/w",
        inheritEnv: []
      })
      const failure = b !== undefined && Result.isFailure(b.config) ? b.config.failure.message : ""
      assert.strictEqual(failure, "code:1:1: mcpServers.b.url: expected a text that is not empty, found a number")
    }))

  it.effect("gives a test the very configuration it wants", () =>
    Effect.gen(function*() {
      const configuration: Configuration = { servers: [], sources: [], warnings: ["w"] }
      const current = yield* Effect.provide(
        McpConfig.use((config) => config.current),
        McpConfig.layerTest(configuration)
      )
      assert.strictEqual(current, configuration)
    }))
})
