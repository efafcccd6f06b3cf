import { Environment } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import { join } from "node:path"
import { DataFolder, type DataFolderOptions } from "../../src/settings/DataFolder.ts"
import * as Installation from "../../src/settings/Installation.ts"

const OWN = join(Installation.checkout ?? "", "data")

interface Machine {
  /** The files and folders that are there. */
  readonly there?: ReadonlyArray<string>
  /** Those of them that can be written to. */
  readonly writable?: ReadonlyArray<string>
  readonly platform?: string
  readonly env?: Record<string, string>
}

const disk = ({ there = [], writable = [] }: Machine) =>
  FileSystem.layerNoop({
    access: (path, options) =>
      (options?.writable === true ? writable : there).includes(path)
        ? Effect.void
        : Effect.fail(PlatformError.systemError({ _tag: "NotFound", module: "FileSystem", method: "access" }))
  })

const resolve = (
  options: Partial<DataFolderOptions>,
  variables: Record<string, string> = {},
  machine: Machine = { there: ["/data/mcp.json"] }
) => {
  const { env = { HOME: "/home/ada" }, platform = "linux" } = machine
  const environment = Environment.layer({ INIT_CWD: "/here", ...env, ...variables })
  return Effect.provide(
    DataFolder.use(Effect.succeed),
    DataFolder.layer({ dataDir: null, configFile: null, ...options }, platform).pipe(
      Layer.provide([Path.layer, disk(machine), environment])
    )
  )
}

describe("DataFolder", () => {
  it.effect("is /data without flag and variable, where that has servers", () =>
    Effect.gen(function*() {
      const found = yield* resolve({})
      assert.strictEqual(found.dataFile, "/data/mcp.json")
      assert.strictEqual(found.agentsFile, "/data/AGENTS.md")
      assert.strictEqual(found.workspace, "/data/workspace")
      assert.isFalse(found.isNamed)
    }))

  it.effect("is a container's /data that can be written to, else that of the checkout, else the platform's", () =>
    Effect.gen(function*() {
      const checkout = join(OWN, "mcp.json")
      const fresh = yield* resolve({}, {}, { there: [checkout], writable: ["/data"] })
      assert.strictEqual(fresh.dataFile, "/data/mcp.json")
      const own = yield* resolve({}, {}, { there: ["/data", checkout] })
      assert.deepStrictEqual([own.folder, own.isNamed], [OWN, false])
      const config = yield* resolve({ configFile: "own.json" }, {}, { there: [checkout] })
      assert.deepStrictEqual([config.folder, config.configFile], [OWN, "/here/own.json"])
      assert.strictEqual((yield* resolve({}, {}, {})).folder, "/home/ada/.local/share/boocode")
    }))

  it.effect("lies where each platform keeps data, if the command was installed", () =>
    Effect.gen(function*() {
      const on = (platform: string, env: Record<string, string>) =>
        Effect.map(resolve({}, { BOOCODE_STATE_DIR: "/s" }, { platform, env }), ({ folder }) => folder)
      assert.strictEqual(yield* on("linux", { HOME: "/home/ada", XDG_DATA_HOME: "/big" }), "/big/boocode")
      assert.strictEqual(
        yield* on("linux", { HOME: "/home/ada", XDG_DATA_HOME: "near" }),
        "/home/ada/.local/share/boocode"
      )
      assert.strictEqual(yield* on("darwin", { HOME: "/Users/ada" }), "/Users/ada/Library/Application Support/boocode")
      const windows = { USERPROFILE: "C:\\Users\\ada", APPDATA: "C:\\Users\\ada\\AppData\\Roaming" }
      for (const env of [windows, { USERPROFILE: "C:\\Users\\ada" }]) {
        assert.include(yield* on("win32", env), "C:\\Users\\ada\\AppData\\Roaming\\boocode")
      }
    }))

  it.effect("says what to set where no home is known", () =>
    Effect.gen(function*() {
      const failure = yield* Effect.flip(resolve({}, {}, { env: {} }))
      assert.include(failure.message, "no home folder is set")
      assert.include(Object(failure).hint, "--data DIR and BOOCODE_STATE_DIR")
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
