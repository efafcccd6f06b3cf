import { Frame } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import * as FrameNumbers from "../../src/services/FrameNumbers.ts"
import { DataFolder } from "../../src/settings/DataFolder.ts"
import * as Standing from "../support/Standing.ts"

const folder = DataFolder.of({
  folder: "/d",
  dataFile: "/d/mcp.json",
  isNamed: false,
  configFile: null,
  agentsFile: "",
  settingsFile: "",
  envFile: "",
  workspace: "",
  state: "/s"
})

/** The number of a text in a new start of the program. */
const numberOf = (text: string, files: Layer.Layer<FileSystem.FileSystem>) =>
  Effect.map(Frame.Numbers, (numbers) => numbers(text)).pipe(
    Effect.provide(Layer.provide(FrameNumbers.layer, [files, Path.layer, Layer.succeed(DataFolder, folder)]))
  )

describe("FrameNumbers", () => {
  it.effect("are the same after a restart, and others in another state folder", () =>
    Effect.gen(function*() {
      const disk = new Map<string, string>()
      const first = yield* numberOf("a", Standing.files(disk))
      assert.match(first, /^[0-9a-f]{8}$/)
      assert.deepStrictEqual([...disk.keys()], ["/s/frame-key"])
      assert.strictEqual(yield* numberOf("a", Standing.files(disk)), first)
      assert.notStrictEqual(yield* numberOf("b", Standing.files(disk)), first)
      assert.notStrictEqual(yield* numberOf("a", Standing.files(new Map())), first)
    }))

  it.effect("have a new key where the file has none in it", () =>
    Effect.gen(function*() {
      const disk = new Map([["/s/frame-key", "\n"]])
      const first = yield* numberOf("a", Standing.files(disk))
      assert.strictEqual(yield* numberOf("a", Standing.files(disk)), first)
    }))

  it.effect("are those of one run where nothing can be kept", () =>
    Effect.gen(function*() {
      const refused = PlatformError.systemError({ _tag: "PermissionDenied", module: "FileSystem", method: "open" })
      const files = FileSystem.layerNoop({ readFileString: () => Effect.fail(refused) })
      const first = yield* numberOf("a", files)
      assert.match(first, /^[0-9a-f]{8}$/)
      assert.notStrictEqual(yield* numberOf("a", files), first)
    }))
})
