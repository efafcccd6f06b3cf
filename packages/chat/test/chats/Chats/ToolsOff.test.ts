import { ToolResult } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { brief, message, newStore, start, until } from "../../support/Chatting.ts"
import { calls, finish, mcpTool, model, says, status, tool, type World } from "../../support/Scripted.ts"

const named = (asked: ReadonlyArray<{ readonly tools: ReadonlyArray<{ readonly name: string }> }>) =>
  asked.map(({ tools }) => tools.map(({ name }) => name))

const world: Partial<World> = {
  servers: [status("a", "ready"), status("a_b", "ready")],
  tools: [mcpTool("a", "one"), mcpTool("a", "two"), mcpTool("a_b", "three")],
  call: () => Effect.die("not used")
}

describe("What is off for a chat", () => {
  it.effect("is not given to its models, and is given to those of other chats", () =>
    Effect.gen(function*() {
      const { asked, model: m } = yield* model([[finish()], [finish()]])
      const { chats } = yield* start({
        models: { m },
        environment: "m",
        world,
        builtIn: [tool("view_file"), tool("grep")]
      })
      const { id } = yield* chats.create({ agent: null, model: null })
      const other = yield* chats.create({ agent: null, model: null })
      const changed = yield* chats.update(id, { off: { servers: ["a"], tools: ["gr*"] } })
      assert.deepStrictEqual(changed.off, { servers: ["a"], tools: ["gr*"] })
      yield* chats.send(id, message("go"))
      yield* until(chats, id, 1)
      yield* chats.send(other.id, message("go"))
      yield* until(chats, other.id, 1)
      assert.deepStrictEqual(named(asked), [
        ["a_b_three", "view_file"],
        ["a_b_three", "a_one", "a_two", "grep", "view_file"]
      ])
      assert.deepStrictEqual((yield* chats.update(id, { off: { servers: [] } })).off, { servers: [], tools: ["gr*"] })
    }))

  it.effect("changes at the next step of the turn that runs, and a call of it is refused with the reason", () =>
    Effect.gen(function*() {
      const { asked, model: m } = yield* model([
        [calls("1", "flip"), finish("tool-calls")],
        [calls("2", "a_one"), calls("3", "flip"), finish("tool-calls")],
        [...says("done"), finish()]
      ])
      const edits = [{ servers: ["a"] }, { servers: [], tools: ["a_two"] }]
      const turning = { next: (): Effect.Effect<unknown, unknown> => Effect.void }
      const { chats } = yield* start({
        models: { m },
        environment: "m",
        world,
        builtIn: [tool("flip", () => Effect.as(Effect.orDie(turning.next()), ToolResult.success("flipped")))]
      })
      const { id } = yield* chats.create({ agent: null, model: null })
      turning.next = () => chats.update(id, { off: edits.shift() })
      yield* chats.send(id, message("go"))
      const parts = brief(yield* until(chats, id, 1))
      assert.deepStrictEqual(named(asked), [
        ["a_b_three", "a_one", "a_two", "flip"],
        ["a_b_three", "flip"],
        ["a_b_three", "a_one", "flip"]
      ])
      assert.match(parts.join("\n"), /a_one was not called: the person turned it off for this chat/)
    }))

  it.effect("is kept with the chat", () =>
    Effect.gen(function*() {
      const store = yield* newStore
      const first = yield* start({ store })
      const { id } = yield* first.chats.create({ agent: null, model: null })
      yield* first.chats.update(id, { off: { servers: ["x"] }, pinned: true, folder: " Work\n " })
      yield* first.close
      const { chats } = yield* start({ store })
      assert.deepInclude(yield* chats.summary(id), {
        off: { servers: ["x"], tools: [] },
        pinned: true,
        folder: "Work"
      })
      assert.isNull((yield* chats.update(id, { folder: "  " })).folder)
    }))

  it.effect("is not missed: a turn waits for no such server, and warns of none", () =>
    Effect.gen(function*() {
      const servers = [status("slow", "connecting"), status("dead", "failed", "exit 3")]
      const { chats } = yield* start({ world: { servers, settled: Effect.never } })
      const { id } = yield* chats.create({ agent: null, model: null })
      yield* chats.update(id, { off: { servers: ["slow", "dead"] } })
      yield* chats.send(id, message("hello"))
      assert.notInclude(brief(yield* until(chats, id, 1)).join(), "not available")
    }))
})

describe("A warning of servers that are not there", () => {
  it.effect("comes again when another is missing or for another reason, and not when one is back", () =>
    Effect.gen(function*() {
      const steps = [
        [status("a", "failed", "ENOENT in /usr/bin:/bin"), status("b", "needs-auth", "login")],
        [status("a", "failed", "another text"), status("b", "ready")],
        [status("a", "failed"), status("b", "needs-auth"), status("c", "connecting")],
        [status("a", "failed"), status("b", "failed")],
        [status("a", "ready"), status("b", "ready")]
      ]
      const { chats, world } = yield* start()
      const { id } = yield* chats.create({ agent: null, model: null })
      const seen = []
      for (const [index, servers] of steps.entries()) {
        world.servers = servers
        yield* chats.send(id, message("hello"))
        const parts = (yield* until(chats, id, index + 1)).filter(({ turn }) => turn === index + 1)
        seen.push(parts.flatMap((part) => part.type === "warning" && part.servers !== undefined ? [part.servers] : []))
        assert.notInclude(JSON.stringify(parts), "/usr/bin")
      }
      const [a, b] = [{ name: "a", reason: "failed" }, { name: "b", reason: "needs-auth" }] as const
      assert.deepStrictEqual(seen, [[[a, b]], [], [], [[a, { ...b, reason: "failed" }]], []])
    }))
})
