import { type KeptState, StateStorage } from "@boocode/mcp-client/StateStorage"
import { Environment } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Path from "effect/Path"
import * as TestClock from "effect/testing/TestClock"
import { MemoryFiles } from "../../../../../packages/mcp-config/test/support/MemoryFiles.ts"
import * as SharedWorkspace from "../../../src/fleet/kept/SharedWorkspace.ts"
import { NodeTable } from "../../../src/fleet/NodeTable.ts"
import { DataFolder } from "../../../src/settings/DataFolder.ts"

const MARK = "/data/workspace/.boocode/workspace-mark"

/** A fleet whose nodes start one after the other, each with a disk as its workspace. Gives what each warns of. */
const stage = () => {
  const state = new Map<string, KeptState>()
  const storage: StateStorage = {
    nameOf: () => null,
    read: (name) => Effect.sync(() => state.get(name) ?? null),
    write: (name, text, before) =>
      Effect.sync(() => {
        if ((state.get(name)?.version ?? 0) !== before) return false
        state.set(name, { text, version: before + 1 })
        return true
      }),
    list: () => Effect.succeed([]),
    remove: () => Effect.void
  }
  return (disk: MemoryFiles, others: number) =>
    Effect.gen(function*() {
      const warned: Array<string> = []
      const table = {
        self: "self",
        all: Effect.succeed([{ address: "self", age: 0 }, { address: "dead", age: 60 }].concat(
          Array.from({ length: others }, (_, at) => ({ address: `other ${at}`, age: 1 }))
        ))
      } as unknown as NodeTable["Service"]
      yield* Layer.build(SharedWorkspace.layer).pipe(
        Effect.provide(
          Layer.mergeAll(
            Layer.provide(DataFolder.layer({ dataDir: "/data", configFile: null }), [
              Environment.layer({ HOME: "/home" }),
              Path.layer,
              Layer.succeed(FileSystem.FileSystem, disk.view())
            ]),
            Layer.succeed(NodeTable, table),
            Layer.succeed(StateStorage, storage),
            Layer.succeed(FileSystem.FileSystem, disk.view()),
            Path.layer,
            Logger.layer([Logger.make(({ message }) => void warned.push(String(message)))])
          )
        )
      )
      for (let count = 0; count < 12; count++) yield* TestClock.adjust("500 millis")
      return warned
    })
}

describe("The workspace of a node", () => {
  it.effect("is marked by the first one, and known by the others as the same folder", () =>
    Effect.gen(function*() {
      const [start, disk] = [stage(), new MemoryFiles()]
      assert.deepStrictEqual(yield* start(disk, 0), [])
      assert.match(disk.text(MARK) ?? "", /^[0-9a-f-]{36}$/)
      assert.deepStrictEqual(yield* start(disk, 1), [])
    }).pipe(Effect.scoped))

  it.effect("is warned of where the others have another one", () =>
    Effect.gen(function*() {
      const start = stage()
      yield* start(new MemoryFiles(), 0)
      for (const disk of [new MemoryFiles(), new MemoryFiles({ [MARK]: "of another fleet" })]) {
        const [warning] = yield* start(disk, 1)
        assert.include(warning ?? "", "/data/workspace, is not the folder of the other nodes")
      }
    }).pipe(Effect.scoped))

  it.effect("may be another folder when all nodes were stopped", () =>
    Effect.gen(function*() {
      const start = stage()
      yield* start(new MemoryFiles(), 0)
      const disk = new MemoryFiles()
      assert.deepStrictEqual(yield* start(disk, 0), [])
      assert.deepStrictEqual(yield* start(disk, 1), [])
    }).pipe(Effect.scoped))
})
