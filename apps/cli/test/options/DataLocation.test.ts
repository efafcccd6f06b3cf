import { Environment } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as DataLocation from "../../src/options/DataLocation.ts"

const NONE = { data: null, config: null, json: false, token: null, logLevel: null, serverLog: null }

const resolve = (
  options: { readonly data?: string; readonly config?: string },
  variables: Readonly<Record<string, string>> = {}
) => Effect.provide(DataLocation.resolve({ ...NONE, ...options }), Environment.layer(variables))

describe("DataLocation", () => {
  it.effect("is what the flags name, and otherwise left to the chat server", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* resolve({}), { dataDir: null, configFile: null, isNamed: false })
      const variable = yield* resolve({}, { MCP_CONFIG_PATH: "/x/mcp.json" })
      assert.deepStrictEqual(variable, { dataDir: null, configFile: null, isNamed: true })
      const flag = yield* resolve({ data: "mine" }, { MCP_CONFIG_PATH: "/x/mcp.json" })
      assert.deepStrictEqual(flag, { dataDir: "mine", configFile: null, isNamed: true })
      const file = yield* resolve({ config: "one.json" })
      assert.deepStrictEqual(file, { dataDir: null, configFile: "one.json", isNamed: true })
    }))
})
