import { McpRegistry, type ScriptedServers } from "@boocode/mcp-registry"
import type { AgentTool } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Undos } from "../../src/journal/Undos.ts"
import * as WriteJournal from "../../src/journal/WriteJournal.ts"
import type { TurnPart } from "../../src/model/Part.ts"
import { ChatStore } from "../../src/store/ChatStore.ts"
import * as MemoryChatStore from "../../src/store/MemoryChatStore.ts"
import { CurrentUser, FIRST } from "../../src/users/CurrentUser.ts"
import { chatWith, start } from "../support/Chatting.ts"
import { calls, finish, mcpTool, model, status, tool as builtIn } from "../support/Scripted.ts"
import { record, turn } from "../support/StoreSuite.ts"
import { type Files, layer, textAt, tool, WORKSPACE } from "../support/Writing.ts"

const program = (files: Files, servers: ScriptedServers = {}) =>
  Undos.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(layer(files), MemoryChatStore.layer, McpRegistry.layerTest(servers))),
    Layer.merge(Layer.succeed(CurrentUser, FIRST))
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

  it.effect("keeps what a model's calls of servers' tools replace", () =>
    Effect.gen(function*() {
      const { model: m } = yield* model([[calls("1", "s_put"), finish("tool-calls")], [finish()]])
      const kept: Array<string> = []
      const keeping = (tools: ReadonlyArray<AgentTool>) =>
        tools.map((one) => ({
          ...one,
          run: (...given: Parameters<AgentTool["run"]>) =>
            Effect.andThen(Effect.sync(() => void kept.push(one.name)), one.run(...given))
        }))
      const { chats } = yield* start({
        models: { m },
        environment: "m",
        undos: { keeping },
        builtIn: [builtIn("view_file")],
        world: {
          servers: [status("s", "ready")],
          tools: [mcpTool("s", "put"), mcpTool("s", "get")],
          call: () => Effect.succeed({ isError: false, content: [], structuredContent: null, millis: 1 })
        }
      })
      yield* chatWith(chats, "go")
      assert.deepStrictEqual(kept, ["s_put"])
    }))

  it.effect("keeps it where an entry says how to read the target, and by no other tool", () =>
    Effect.gen(function*() {
      const listed = { ...mcpTool("s", "put"), target: { path: "key", read: "get" } }
      const tools = [builtIn("view_file"), { ...builtIn("s_get"), listed: mcpTool("s", "get") }, {
        ...builtIn("s_put"),
        listed
      }]
      const { keeping } = yield* Undos
      assert.deepStrictEqual(keeping(tools, yield* McpRegistry).map(({ before }) => before !== undefined), [
        false,
        false,
        true
      ])
    }).pipe(Effect.provide(program({}))))

  it.effect("calls no tool that writes to see what is there, whatever an entry says", () =>
    Effect.gen(function*() {
      const called: Array<string> = []
      const named = (name: string) => () => Effect.sync(() => `${name} ${called.push(name)}`)
      const servers = {
        s: {
          tools: { put: named("put"), get: named("get"), drop: named("drop") },
          definitions: { drop: { annotations: { readOnlyHint: false } } }
        }
      }
      const read = Effect.fnUntraced(function*(tool: string) {
        const registry = yield* McpRegistry
        yield* registry.settled
        const [put] = (yield* Undos).keeping([{
          ...builtIn("s_put"),
          listed: { ...mcpTool("s", "put"), target: { path: "key", read: tool } }
        }], registry)
        return yield* put?.before?.({ key: "a" }) ?? Effect.die("no preview")
      })
      yield* Effect.gen(function*() {
        assert.strictEqual(yield* read("get"), "get 1")
        assert.isNull(yield* read("drop"))
        assert.deepStrictEqual(called, ["get"])
      }).pipe(Effect.provide(program({}, servers)))
    }))
})
