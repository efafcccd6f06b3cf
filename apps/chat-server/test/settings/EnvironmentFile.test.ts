import { Environment } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import { DataFolder } from "../../src/settings/DataFolder.ts"
import * as EnvironmentFile from "../../src/settings/EnvironmentFile.ts"

const failure = (path: string, _tag: "NotFound" | "PermissionDenied") =>
  PlatformError.systemError({ _tag, module: "FileSystem", method: "readFile", pathOrDescriptor: path })

/** The variables of a process and these files; a null is a file that may not be read. */
const environment = (texts: Map<string, string | null>, configFile: string | null = null) =>
  Effect.provide(
    Environment.use(Effect.succeed),
    EnvironmentFile.layer.pipe(
      Layer.provide(Environment.layer({ HOME: "/home/ada", WINS: "process" })),
      Layer.provide(Layer.succeed(DataFolder, {
        folder: "/data",
        dataFile: "/data/mcp.json",
        isNamed: true,
        configFile,
        agentsFile: "/data/AGENTS.md",
        settingsFile: "/data/settings.json",
        envFile: "/data/.env",
        workspace: "/data/workspace",
        state: "/state"
      })),
      Layer.provide(Path.layer),
      Layer.provide(FileSystem.layerNoop({
        readFileString: (path) => {
          const text = texts.get(path)
          return typeof text === "string"
            ? Effect.succeed(text)
            : Effect.fail(failure(path, text === null ? "PermissionDenied" : "NotFound"))
        }
      }))
    )
  )

describe("EnvironmentFile", () => {
  it.effect("adds what .env of the data folder says; the process wins", () =>
    Effect.gen(function*() {
      const { files, variables } = yield* environment(new Map([["/data/.env", "TOKEN=one\nWINS=file\n"]]))
      assert.deepStrictEqual({ ...variables }, {
        TOKEN: "one",
        WINS: "process",
        HOME: "/home/ada",
        workspace: "/data/workspace"
      })
      assert.deepStrictEqual(files, ["/data/.env"])
    }))

  it.effect("reads .env beside the file of --config too, which goes before that of the data folder", () =>
    Effect.gen(function*() {
      const texts = new Map([["/data/.env", "TOKEN=data\nKEY=data"], ["/own/.env", "TOKEN=own"]])
      const { files, variables } = yield* environment(texts, "/own/servers.json")
      assert.include(variables, { TOKEN: "own", KEY: "data" })
      assert.deepStrictEqual(files, ["/data/.env", "/own/.env"])
      const beside = yield* environment(new Map([["/data/.env", "TOKEN=data"]]), "/data/other.json")
      assert.deepStrictEqual(beside.files, ["/data/.env"])
    }))

  it.effect("has the new values when it is asked to read again, and the old ones while a file cannot be read", () =>
    Effect.gen(function*() {
      const texts = new Map<string, string | null>([["/data/.env", "TOKEN=one"]])
      const found = yield* environment(texts)
      texts.set("/data/.env", "TOKEN=two")
      assert.strictEqual(found.variables["TOKEN"], "one")
      yield* found.refresh
      assert.strictEqual(found.variables["TOKEN"], "two")
      texts.set("/data/.env", null)
      yield* found.refresh
      assert.strictEqual(found.variables["TOKEN"], "two")
      texts.delete("/data/.env")
      yield* found.refresh
      assert.isUndefined(found.variables["TOKEN"])
    }))
})
