import { FIRST } from "@boocode/chat"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { AppPins, printOf } from "../../src/apps/AppPins.ts"
import * as AppPolicy from "../../src/apps/AppPolicy.ts"
import { DataFolder } from "../../src/settings/DataFolder.ts"

const APP = { owner: FIRST.id, server: "weather", uri: "ui://weather" }

const print = (html: string, connectDomains: ReadonlyArray<string> = []) =>
  printOf(html, AppPolicy.of({ csp: { connectDomains } }, []))

const kept = Effect.gen(function*() {
  const state = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
  const folder = { folder: state, isNamed: true, configFile: null, workspace: state, state }
  const files = { dataFile: "", agentsFile: "", settingsFile: "", envFile: "" }
  const layer = Layer.provide(AppPins.layer, Layer.succeed(DataFolder, { ...folder, ...files }))
  return <A, E>(use: (pins: typeof AppPins.Service) => Effect.Effect<A, E>) =>
    Effect.provide(Effect.flatMap(AppPins, use), layer)
})

describe("Apps that a person let be shown", () => {
  it.effect("are asked about again when the document or what it reaches is another, and for each person and server", () =>
    Effect.gen(function*() {
      const pins = yield* kept
      const standing = (one: Parameters<typeof AppPins.Service["standing"]>[0], which: string) =>
        pins((pins) => pins.standing(one, which))
      assert.strictEqual(yield* standing(APP, print("a")), "new")
      yield* pins((pins) => pins.pin(APP, print("a")))
      // By another run of the program.
      assert.strictEqual(yield* standing(APP, print("a")), "seen")
      assert.strictEqual(yield* standing(APP, print("b")), "changed")
      assert.strictEqual(yield* standing(APP, print("a", ["https://api.example.com"])), "changed")
      assert.strictEqual(yield* standing({ ...APP, server: "other" }, print("a")), "new")
      assert.strictEqual(yield* standing({ ...APP, owner: "somebody" }, print("a")), "new")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))
})
