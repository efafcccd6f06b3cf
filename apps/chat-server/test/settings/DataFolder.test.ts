import { Environment } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as UserDirectories from "effect/persistence/UserDirectories"
import { DataFolder, type DataFolderOptions } from "../../src/settings/DataFolder.ts"

const resolve = (options: Partial<DataFolderOptions>, variables: Record<string, string> = {}) =>
  Effect.provide(
    DataFolder.use(Effect.succeed),
    DataFolder.layer({ dataDir: null, configFile: null, ...options }).pipe(
      Layer.provide([Path.layer, UserDirectories.layer, Environment.layer({ INIT_CWD: "/here", ...variables })]),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { HOME: "/home/ada" } })))
    )
  )

describe("DataFolder", () => {
  it.effect("is /data without flag and variable", () =>
    Effect.gen(function*() {
      const found = yield* resolve({})
      assert.strictEqual(found.dataFile, "/data/mcp.json")
      assert.strictEqual(found.agentsFile, "/data/AGENTS.md")
      assert.strictEqual(found.workspace, "/data/workspace")
      assert.isFalse(found.isNamed)
    }))

  it.effect("takes relative paths from where the person stands", () =>
    Effect.gen(function*() {
      const found = yield* resolve({ dataDir: "data", configFile: "../own.json" })
      assert.strictEqual(found.dataFile, "/here/data/mcp.json")
      assert.strictEqual(found.configFile, "/own.json")
      assert.strictEqual(found.settingsFile, "/here/data/settings.json")
      assert.isTrue(found.isNamed)
    }))

  it.effect("looks beside the file that MCP_CONFIG_PATH names", () =>
    Effect.gen(function*() {
      const found = yield* resolve({}, { MCP_CONFIG_PATH: "/etc/boocode/servers.json" })
      assert.strictEqual(found.dataFile, "/etc/boocode/servers.json")
      assert.strictEqual(found.envFile, "/etc/boocode/.env")
      const flag = yield* resolve({ dataDir: "/d" }, { MCP_CONFIG_PATH: "/etc/boocode/servers.json" })
      assert.strictEqual(flag.dataFile, "/d/mcp.json")
    }))

  it.effect("keeps state in BOOCODE_STATE_DIR, else where the platform keeps it", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* resolve({}, { BOOCODE_STATE_DIR: "state" })).state, "/here/state")
      assert.match((yield* resolve({})).state, /^\/home\/ada\/.*boocode/)
    }))
})
