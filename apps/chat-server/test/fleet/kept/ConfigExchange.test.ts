import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ConfigExchange from "../../../src/fleet/kept/ConfigExchange.ts"
import * as MemoryRows from "../../support/MemoryRows.ts"

/** The rows of one file with these versions; null is one that removed it. */
const stage = Effect.fnUntraced(function*(...texts: ReadonlyArray<string | null>) {
  const { layer, versions } = yield* MemoryRows.make
  versions.set("mcp.json", texts)
  return {
    versions: () => versions.get("mcp.json"),
    restored: (version: number, name = "mcp.json") => Effect.provide(ConfigExchange.restored(name, version), layer)
  }
})

describe("An older version of a fleet's configuration", () => {
  it.effect("becomes the newest one, also one that removed the file", () =>
    Effect.gen(function*() {
      const { restored, versions } = yield* stage("one", null, "three")
      assert.strictEqual(yield* restored(1), 4)
      assert.deepStrictEqual(versions(), ["one", null, "three", "one"])
      assert.strictEqual(yield* restored(2), 5)
      assert.deepStrictEqual(versions(), ["one", null, "three", "one", null])
    }))

  it.effect("is written once where the newest one is the same", () =>
    Effect.gen(function*() {
      const { restored, versions } = yield* stage("one", "two", "one")
      assert.deepStrictEqual([yield* restored(1), yield* restored(3)], [3, 3])
      assert.lengthOf(versions() ?? [], 3)
    }))

  it.effect("that is not kept is told with those that are", () =>
    Effect.gen(function*() {
      const { restored } = yield* stage("one", "two")
      const older = yield* Effect.flip(restored(9))
      assert.strictEqual(older.message, "no version 9 of mcp.json is kept")
      assert.include(older.hint, "there are 1 to 2")
      assert.strictEqual((yield* Effect.flip(restored(1, "mcp.jsn"))).message, "the fleet has no file mcp.jsn")
    }))
})
