/** Two people and their chats: what one has is not there for the other. */
import { ToolResult } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { CurrentUser, FIRST, type User } from "../../../src/users/CurrentUser.ts"
import { BOB } from "../../support/AsPerson.ts"
import { message, newStore, settle, start, until } from "../../support/Chatting.ts"
import { calls, finish, model, says, tool } from "../../support/Scripted.ts"

const tagOf = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
  Effect.match(effect, { onFailure: ({ _tag }) => _tag, onSuccess: () => "there" })

describe("The chats of two people", () => {
  it.effect("are each other's in no list, no search, no news and under no id", () =>
    Effect.gen(function*() {
      const { model: m } = yield* model([[...says("pumpkin soup"), finish()], [...says("bread"), finish()]])
      const { chats: anns, of } = yield* start({ models: { m }, environment: "m" })
      const { chats: bobs } = of(BOB)
      const heard = yield* Effect.forkChild(Stream.runCollect(Stream.take(bobs.changes, 1)))
      yield* settle
      const ann = yield* anns.create({ agent: null, model: null })
      yield* anns.send(ann.id, message("pumpkin?"))
      yield* until(anns, ann.id, 1)
      const bob = yield* bobs.create({ agent: null, model: null })
      assert.deepStrictEqual([...yield* Fiber.join(heard)], [{ type: "chat", chat: bob }])
      assert.notProperty(bob, "owner")
      assert.deepStrictEqual((yield* anns.list).map(({ id }) => id), [ann.id])
      assert.deepStrictEqual((yield* bobs.list).map(({ id }) => id), [bob.id])
      assert.deepStrictEqual(yield* bobs.search("pumpkin", 9), [])
      assert.deepStrictEqual(yield* bobs.find("pumpkin", 9), [])
      assert.lengthOf(yield* anns.search("pumpkin", 9), 1)
      const { id } = ann
      const tried = [
        tagOf(bobs.get(id)),
        tagOf(bobs.summary(id)),
        tagOf(bobs.update(id, { title: "mine" })),
        tagOf(bobs.fork(id, 1)),
        tagOf(bobs.remove(id)),
        tagOf(bobs.sent(id, null)),
        tagOf(bobs.send(id, message("hi"))),
        tagOf(bobs.waiting(id, 1)),
        tagOf(bobs.editWaiting(id, 1, { text: "hi" })),
        tagOf(bobs.hurry(id, 1)),
        tagOf(bobs.drop(id, 1)),
        tagOf(bobs.editSummary(id, "s", "hi")),
        tagOf(bobs.stop(id)),
        tagOf(Stream.runDrain(bobs.events(id, 0))),
        tagOf(bobs.file(id, "1-0")),
        tagOf(bobs.export(id, "json"))
      ]
      for (const [at, tag] of (yield* Effect.all(tried)).entries()) assert.strictEqual(tag, "UnknownChat", `${at}`)
      const { text } = yield* anns.export(id, "json")
      assert.notInclude(text, "owner")
      const copy = yield* bobs.import(text, "json")
      assert.lengthOf(yield* bobs.list, 2)
      assert.strictEqual(yield* tagOf(anns.get(copy.id)), "UnknownChat")
      assert.strictEqual((yield* anns.fork(id, 1)).title, `${(yield* anns.get(id)).title} (fork)`)
      assert.lengthOf(yield* anns.list, 2)
    }))

  it.effect("have turns that run for their owner, whoever holds the program, and after a restart", () =>
    Effect.gen(function*() {
      const store = yield* newStore
      const seen: Array<User["id"]> = []
      const looks = tool("a_look", () =>
        Effect.gen(function*() {
          const user = yield* Effect.serviceOption(CurrentUser)
          seen.push(user._tag === "Some" ? user.value.id : "nobody")
          return ToolResult.success("seen")
        }))
      const script = () => model([[calls("c", "a_look"), finish("tool-calls")], [...says("done"), finish()]])
      const first = yield* start({ models: { m: (yield* script()).model }, environment: "m", builtIn: [looks], store })
      const { chats } = first.of(BOB)
      const { id } = yield* chats.create({ agent: null, model: null })
      yield* chats.send(id, message("go"))
      yield* until(chats, id, 1)
      // A message that was kept when the program was killed.
      yield* store.putTurn(id, {
        turn: 2,
        text: "again",
        agent: "",
        model: "m",
        createdAt: "",
        state: "waiting",
        replacedBy: null,
        attachments: [],
        key: null
      })
      yield* first.close
      const second = yield* start({ models: { m: (yield* script()).model }, environment: "m", builtIn: [looks], store })
      yield* until(second.of(BOB).chats, id, 2)
      assert.deepStrictEqual(seen, ["bob", "bob"])
    }))

  it.effect("have approvals and grants of their own", () =>
    Effect.gen(function*() {
      const { model: m } = yield* model([
        [calls("1", "a_write"), finish("tool-calls")],
        [...says("done"), finish()],
        [calls("2", "a_write"), finish("tool-calls")],
        [...says("done"), finish()]
      ])
      const writer = {
        ...tool("a_write", () => Effect.succeed(ToolResult.success("w"))),
        server: null,
        class: "writes" as const
      }
      const { approvals: anns, chats, of } = yield* start({
        models: { m },
        environment: "m",
        writers: [writer],
        permissions: () => `{ "write": "ask" }`
      })
      const { approvals: bobs, chats: bobsChats } = of(BOB)
      const { id } = yield* chats.create({ agent: null, model: null })
      yield* chats.send(id, message("go"))
      yield* settle
      const [asked] = yield* anns.pending
      const request = asked?.id ?? ""
      assert.deepStrictEqual(yield* bobs.pending, [])
      assert.strictEqual(yield* tagOf(bobs.answer(id, request, { decision: "once" })), "UnknownApproval")
      yield* anns.answer(id, request, { decision: "always" })
      yield* until(chats, id, 1)
      assert.lengthOf(yield* anns.granted, 1)
      assert.deepStrictEqual(yield* bobs.granted, [])
      assert.isFalse(yield* bobs.revoke("a_write"))
      const own = yield* bobsChats.create({ agent: null, model: null })
      yield* bobsChats.send(own.id, message("go"))
      yield* settle
      assert.lengthOf(yield* bobs.pending, 1, "a yes of Ann is none of Bob")
      yield* bobsChats.stop(own.id)
      yield* bobs.forget(FIRST.id)
      assert.deepStrictEqual(yield* anns.granted, [])
    }))
})
