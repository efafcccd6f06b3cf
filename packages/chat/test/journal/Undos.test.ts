import { McpRegistry } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Undos } from "../../src/journal/Undos.ts"
import * as WriteJournal from "../../src/journal/WriteJournal.ts"
import type { TurnPart } from "../../src/model/Part.ts"
import { ChatStore } from "../../src/store/ChatStore.ts"
import * as MemoryChatStore from "../../src/store/MemoryChatStore.ts"
import { record, turn } from "../support/StoreSuite.ts"
import { type Files, layer, textAt, tool, WORKSPACE } from "../support/Writing.ts"

const program = (files: Files) =>
  Undos.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(layer(files), MemoryChatStore.layer, McpRegistry.layerTest({})))
  )

/** A chat with one turn, whose tool calls are written down. */
const chat = Effect.fnUntraced(function*(id: string) {
  const store = yield* ChatStore
  yield* store.put(record(id))
  yield* store.putTurn(id, turn(1))
  let seq = 0
  const emit = (part: TurnPart) => Effect.orDie(store.append(id, [{ ...part, turn: 1, seq: ++seq }]))
  return Effect.fnUntraced(function*(callId: string, name: string, args: unknown) {
    const journaled = WriteJournal.journaled(yield* tool(name), {
      emit,
      allowed: () => ({ by: "person", source: "a person's yes" })
    })
    yield* journaled.run(args, { callId })
  })
})

describe("Undos", () => {
  it.effect("lists the writes of a chat, the newest first, and undoes them by the ids of their calls", () =>
    Effect.gen(function*() {
      const files: Files = { [`${WORKSPACE}/a.md`]: "one", [`${WORKSPACE}/b`]: "b" }
      yield* Effect.gen(function*() {
        const call = yield* chat("c")
        yield* call("1", "write_file", { path: "a.md", content: "two" })
        yield* call("2", "edit_file", { path: "a.md", oldText: "none", newText: "" })
        yield* call("3", "delete", { path: "a.md" })
        const { list, undo } = yield* Undos
        const brief = Effect.map(
          list("c"),
          (writes) =>
            writes.map((write) => [write.call, write.turn, write.outcome, write.undo.possible, write.undo.why] as const)
        )
        assert.deepStrictEqual(yield* brief, [
          ["3", 1, "done", true, null],
          ["2", 1, "failed", false, "nothing is kept of what it replaced"],
          ["1", 1, "done", true, null]
        ])
        assert.strictEqual((yield* Effect.flip(undo("c", "1")))._tag, "ChangedSince")
        assert.strictEqual(yield* undo("c", "3"), "a.md is back")
        const [, , first] = yield* list("c")
        assert.strictEqual(yield* undo("c", first?.id ?? ""), "a.md is as it was before")
        assert.strictEqual(textAt(files, "a.md"), "one")
        assert.deepStrictEqual((yield* brief).map(([call, , , possible, why]) => [call, possible, why]), [
          ["3", false, "it was undone"],
          ["2", false, "nothing is kept of what it replaced"],
          ["1", false, "it was undone"]
        ])
        assert.match((yield* list("c"))[0]?.undo.undoneAt ?? "", /^1970-/)
        assert.strictEqual((yield* Effect.flip(undo("c", "2")))._tag, "NothingToUndo")
      }).pipe(Effect.provide(program(files)))
    }))

  it.effect("undoes nothing of another chat, and of none that is not there", () =>
    Effect.gen(function*() {
      const files: Files = { [`${WORKSPACE}/a.md`]: "one" }
      yield* Effect.gen(function*() {
        yield* (yield* chat("c"))("1", "write_file", { path: "a.md", content: "two" })
        yield* chat("other")
        const { list, undo } = yield* Undos
        const [write] = yield* list("c")
        assert.strictEqual((yield* Effect.flip(undo("other", write?.id ?? "")))._tag, "NothingToUndo")
        assert.strictEqual((yield* Effect.flip(undo("none", "1")))._tag, "UnknownChat")
        assert.strictEqual((yield* Effect.flip(list("none")))._tag, "UnknownChat")
        assert.strictEqual(textAt(files, "a.md"), "two")
      }).pipe(Effect.provide(program(files)))
    }))
})
