import { Environment } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as DataLocation from "../../src/options/DataLocation.ts"

const NONE = { data: null, config: null, json: false, token: null, logLevel: null, serverLog: null }

const resolve = (
  options: Partial<typeof NONE> | { readonly data?: string; readonly config?: string },
  variables: Readonly<Record<string, string>>,
  there: ReadonlyArray<string>
) =>
  DataLocation.resolve({ ...NONE, ...options }, "/checkout").pipe(
    Effect.provide(Layer.mergeAll(
      FileSystem.layerNoop({ exists: (file) => Effect.succeed(there.includes(file)) }),
      Path.layer,
      Environment.layer(variables)
    ))
  )

const CHECKOUT = ["/checkout/pnpm-workspace.yaml", "/checkout/data/mcp.json"]

describe("DataLocation", () => {
  it.effect("takes the checkout's own data folder only when nothing else is named or there (DESIGN 3.5)", () =>
    Effect.gen(function*() {
      const own = yield* resolve({}, {}, CHECKOUT)
      assert.deepStrictEqual(own, { dataDir: "/checkout/data", configFile: null, isNamed: false })
      const image = yield* resolve({}, {}, [...CHECKOUT, "/data/mcp.json"])
      assert.deepStrictEqual(image, { dataDir: "/data", configFile: null, isNamed: false })
      const variable = yield* resolve({}, { MCP_CONFIG_PATH: "/x/mcp.json" }, CHECKOUT)
      assert.deepStrictEqual(variable, { dataDir: null, configFile: null, isNamed: true })
      const flag = yield* resolve({ data: "mine" }, { MCP_CONFIG_PATH: "/x/mcp.json" }, CHECKOUT)
      assert.deepStrictEqual(flag, { dataDir: "mine", configFile: null, isNamed: true })
    }))

  it.effect("leaves an installed command to the default, where there is no checkout around it", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* resolve({}, {}, ["/checkout/data/mcp.json"]), {
        dataDir: null,
        configFile: null,
        isNamed: false
      })
    }))

  it.effect("keeps the data folder for agents and settings when --config names the servers", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* resolve({ config: "one.json" }, {}, CHECKOUT), {
        dataDir: "/checkout/data",
        configFile: "one.json",
        isNamed: true
      })
    }))
})
