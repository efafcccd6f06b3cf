import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { type ChatStore, ChatStoreFailed } from "../../../src/store/ChatStore.ts"
import { brief, chatWith, message, newStore, settle, start, until } from "../../support/Chatting.ts"
import { agent, calls, finish, model, tool } from "../../support/Scripted.ts"

describe("Chats at their limits", () => {
  it.effect("says what broke when a turn ends outside of its loop", () =>
    Effect.gen(function*() {
      const { chats } = yield* start({ world: { settled: Effect.die(new Error("the registry broke")) } })
      const { parts } = yield* chatWith(chats, "hi")
      assert.deepStrictEqual(brief(parts), ["1 error", "1 error"])
      assert.deepStrictEqual(parts[0]?.type === "error" ? [parts[0]._tag, parts[0].message] : [], [
        "Defect",
        "the registry broke"
      ])
    }))

  it.effect("takes no message for a chat while it is removed", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const slow = tool("a_wait", () => Effect.onInterrupt(Effect.never, () => Deferred.await(gate)))
      const { asked, model: m } = yield* model([[calls("c", "a_wait"), finish("tool-calls")], [finish()]])
      const { chats } = yield* start({ models: { m }, environment: "m", builtIn: [slow] })
      const { id } = yield* chats.create({ agent: null, model: null })
      yield* chats.send(id, message("one"))
      yield* settle
      const removing = yield* Effect.forkChild(chats.remove(id))
      yield* settle
      assert.strictEqual((yield* Effect.flip(chats.send(id, message("two"))))._tag, "UnknownChat")
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(removing)
      yield* settle
      assert.strictEqual(asked.length, 1)
    }))

  it.effect("removes a chat once: of two removals at once the second finds none, also where the store would fail it", () =>
    Effect.gen(function*() {
      const kept = yield* newStore
      const gate = yield* Deferred.make<void>()
      let removals = 0
      const store: ChatStore["Service"] = {
        ...kept,
        remove: (id) =>
          Effect.suspend(() =>
            removals++ === 0
              ? Effect.andThen(Deferred.await(gate), kept.remove(id))
              : Effect.fail(new ChatStoreFailed({ operation: "remove", why: "a test" }))
          )
      }
      const { chats } = yield* start({ store })
      const { id } = yield* chats.create({ agent: null, model: null })
      yield* Effect.forkChild(Stream.runDrain(chats.events(id, 0)))
      const first = yield* Effect.forkChild(chats.remove(id))
      const second = yield* Effect.forkChild(Effect.flip(chats.remove(id)))
      yield* settle
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(first)
      assert.strictEqual((yield* Fiber.join(second))._tag, "UnknownChat")
      assert.strictEqual((yield* Effect.flip(chats.send(id, message("hi"))))._tag, "UnknownChat")
      assert.deepStrictEqual(yield* chats.list, [])
    }))

  it.effect("removes a chat after the change that is on its way, and refuses the change behind it", () =>
    Effect.gen(function*() {
      const kept = yield* newStore
      const gate = yield* Deferred.make<void>()
      let puts = 0
      const store: ChatStore["Service"] = {
        ...kept,
        put: (record) =>
          Effect.suspend(() => puts++ === 1 ? Effect.andThen(Deferred.await(gate), kept.put(record)) : kept.put(record))
      }
      const { chats } = yield* start({ store })
      const { id } = yield* chats.create({ agent: null, model: null })
      const renaming = yield* Effect.forkChild(chats.update(id, { title: "kept" }))
      yield* settle
      const late = yield* Effect.forkChild(Effect.flip(Effect.andThen(
        Effect.forEach(Array.from({ length: 10 }), () => Effect.yieldNow),
        chats.update(id, { title: "late" })
      )))
      const removing = yield* Effect.forkChild(chats.remove(id))
      yield* settle
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Fiber.join(renaming)).title, "kept")
      yield* Fiber.join(removing)
      assert.strictEqual((yield* Fiber.join(late))._tag, "UnknownChat")
      assert.deepStrictEqual(yield* chats.list, [])
    }))

  it.effect("starts no turn while the program ends", () =>
    Effect.gen(function*() {
      const { asked, model: m } = yield* model([Stream.never, [finish()]])
      const { chats, close } = yield* start({ models: { m }, environment: "m" })
      const [one, two] = [
        yield* chats.create({ agent: null, model: null }),
        yield* chats.create({ agent: null, model: null })
      ]
      yield* chats.send(one.id, message("one"))
      yield* settle
      const closing = yield* Effect.forkChild(close)
      yield* settle
      yield* chats.send(two.id, message("two"))
      yield* settle
      assert.strictEqual(asked.length, 1)
      yield* TestClock.adjust("4 seconds")
      yield* Fiber.join(closing)
    }))

  it.effect("lets at most 20 messages of a chat wait", () =>
    Effect.gen(function*() {
      const { model: m } = yield* model([Stream.never])
      const { chats } = yield* start({ models: { m }, environment: "m" })
      const { id } = yield* chats.create({ agent: null, model: null })
      for (let turn = 1; turn <= 21; turn++) yield* chats.send(id, message("hi"))
      const error = yield* Effect.flip(chats.send(id, message("one too many")))
      assert.strictEqual(error._tag, "QueueFull")
      assert.match(error.message, /20 messages wait/)
      yield* chats.drop(id, 5)
      assert.deepStrictEqual(yield* chats.send(id, message("again")), { turn: 22, queued: true, after: 0 })
      yield* chats.remove(id)
    }))

  it.effect("takes the model of the message, else of the chat, else of the agent, else of the program", () =>
    Effect.gen(function*() {
      const { model: m } = yield* model(Array.from({ length: 4 }, () => [finish()]))
      const models = { "m/message": m, "m/chat": m, "m/agent": m, "m/environment": m }
      const { chats } = yield* start({
        models,
        environment: "m/environment",
        agents: [{ ...agent, model: "m/agent" }, { ...agent, name: "Plain" }]
      })
      const { id } = yield* chats.create({ agent: null, model: "m/chat" })
      yield* chats.send(id, message("hi"))
      yield* chats.send(id, message("hi", { model: "m/message" }))
      yield* until(chats, id, 2)
      yield* chats.update(id, { model: null })
      yield* chats.send(id, message("hi"))
      yield* chats.send(id, message("hi", { agent: "Plain" }))
      yield* until(chats, id, 4)
      assert.deepStrictEqual((yield* chats.get(id)).turns.map((turn) => turn.model), [
        "m/chat",
        "m/message",
        "m/agent",
        "m/environment"
      ])
    }))
})
