import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as StateFile from "../../src/host/StateFile.ts"
import * as MemoryDisk from "../support/MemoryDisk.ts"
import * as MemoryStorage from "../support/MemoryStorage.ts"

const Numbers = Schema.Struct({ numbers: Schema.Array(Schema.Int) })

const numbersIn = (content: StateFile.Content<typeof Numbers.Type>) =>
  Result.getOrElse(content, () => null)?.numbers ?? []

const added = (file: StateFile.StateFile<typeof Numbers.Type>, number: number) =>
  file.change((content) => ({ numbers: [...numbersIn(content), number] }))

describe("State that programs keep together", () => {
  it.effect("loses no change, however many programs change it at once", () => {
    const { layer } = MemoryStorage.make("/state")
    return Effect.gen(function*() {
      const files = yield* Effect.replicateEffect(StateFile.make("/state/numbers.json", Numbers), 5)
      yield* Effect.forEach(files, (file, at) => added(file, at), { concurrency: "unbounded" })
      const contents = yield* Effect.forEach(files, ({ read }) => read)
      for (const content of contents) assert.sameMembers([...numbersIn(content)], [0, 1, 2, 3, 4])
    }).pipe(Effect.provide([layer, MemoryDisk.make().layer]))
  })

  it.effect("takes over the file that the first of them has, and leaves others outside alone", () => {
    const { kept, layer } = MemoryStorage.make("/state")
    return Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      yield* fs.makeDirectory("/state", { recursive: true })
      yield* fs.writeFileString("/state/numbers.json", `{ "numbers": [7] }`)
      const file = yield* StateFile.make("/state/numbers.json", Numbers)
      yield* fs.writeFileString("/state/numbers.json", `{ "numbers": [9] }`)
      yield* StateFile.make("/state/numbers.json", Numbers)
      assert.deepStrictEqual(numbersIn(yield* file.read), [7])
      yield* added(yield* StateFile.make("/project/numbers.json", Numbers), 1)
      assert.deepStrictEqual([...kept.keys()], ["numbers.json"])
    }).pipe(Effect.provide([layer, MemoryDisk.make().layer]))
  })

  it.effect("is not taken for empty when it is damaged or away, and what was damaged is kept", () => {
    const { kept, layer, state } = MemoryStorage.make("/state")
    return Effect.gen(function*() {
      const file = yield* StateFile.make("/state/numbers.json", Numbers)
      kept.set("numbers.json", { text: "{ broken", version: 3 })
      assert.isTrue(Result.isFailure(yield* file.read))
      yield* added(file, 1)
      assert.deepStrictEqual(numbersIn(yield* file.read), [1])
      assert.strictEqual(kept.get("numbers.json.unusable")?.text, "{ broken")
      state.isAway = true
      const read = yield* file.read
      assert.match(Result.isFailure(read) ? read.failure.message : "", /numbers\.json .*it is away/)
      assert.match((yield* Effect.flip(added(file, 2))).message, /it is away/)
    }).pipe(Effect.provide([layer, MemoryDisk.make().layer]))
  })
})
