import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { ChatStoreFailed } from "../../../src/store/ChatStore.ts"
import { chatWith, copied, message, newStore, settle, start, until } from "../../support/Chatting.ts"
import { answer, brief, coding, done, resultOf, type Setup, valueIn, waiting, writes } from "../../support/Coding.ts"
import { agent, calls, mcpTool, model } from "../../support/Scripted.ts"
import * as ScriptedSandbox from "../../support/ScriptedSandbox.ts"

const INTERRUPTED = "The program was interrupted: the chat server ended before it did, and its state was not kept."

describe("A program that waits for a person", () => {
  /** Reads, then asks; where it goes on, it asks at once. What it is then is its state. */
  const parking =
    (snapshots: Array<Effect.Effect<void>>): Parameters<typeof ScriptedSandbox.make>[0][string] =>
    ({ call, program }) =>
      Effect.gen(function*() {
        if (program.from === undefined) yield* call("a_one", {}, 1)
        snapshots.push(program.onSnapshot?.(new Uint8Array([1, 2, 3])) ?? Effect.void)
        const asked = yield* call("a_two", {}, 2)
        return { from: program.from === undefined ? null : [...program.from], asked: valueIn(asked) }
      })

  const restarting = Effect.fnUntraced(function*() {
    const store = { ...yield* newStore }
    const ran: Array<string> = []
    const snapshots: Array<Effect.Effect<void>> = []
    const setup: Setup = {
      permissions: () => `{ "rules": [{ "ask": "a_two" }, { "ask": "execute" }] }`,
      store,
      world: {
        tools: [mcpTool("a", "one"), mcpTool("a", "two")],
        call: (name) =>
          Effect.sync(() => {
            ran.push(name)
            return answer(`${name} ran`)
          })
      }
    }
    const first = yield* coding(parking(snapshots), setup)
    const { id } = yield* first.chats.create({ agent: null, model: null })
    yield* first.chats.send(id, message("hi"))
    const [program] = yield* waiting(first.chats, id)
    yield* first.approvals.answer(id, program?.id ?? "", { decision: "once" })
    const [asked] = yield* waiting(first.chats, id)
    const again = Effect.fnUntraced(function*(more: Setup = {}) {
      yield* first.close
      const scripted = yield* model([done])
      const second = yield* start({
        ...setup,
        agents: [{ ...agent, code: true }],
        models: { m: scripted.model },
        environment: "m",
        sandbox: ScriptedSandbox.restoring(parking(snapshots), 2),
        ...more
      })
      yield* settle
      return { ...second, asked: scripted.asked }
    })
    const file = Effect.map(store.file(id, "program-x"), (bytes) => bytes === null ? null : [...bytes])
    const keep = Effect.suspend(() => snapshots.at(-1) ?? Effect.void)
    return { again, approval: asked?.id ?? "", file, first, id, keep, ran, store }
  })

  it.effect("goes on with the answer in the next run of the server, and makes no call twice", () =>
    Effect.gen(function*() {
      const { again, approval, file, id, keep, ran } = yield* restarting()
      yield* keep
      assert.isNull(yield* file, "it has not waited for long")
      yield* TestClock.adjust("10 seconds")
      yield* keep
      assert.deepStrictEqual(yield* file, [1, 2, 3])
      const { approvals, chats } = yield* again()
      assert.deepStrictEqual((yield* waiting(chats, id)).map((part) => part.id), [approval])
      assert.deepStrictEqual(yield* file, [1, 2, 3], "it survives the next kill as well")
      yield* approvals.answer(id, approval, { decision: "once" })
      const parts = yield* until(chats, id, 1)
      assert.deepStrictEqual(ran, ["a_one", "a_two"])
      assert.deepStrictEqual(brief(parts), [
        "call x execute",
        "asks x",
        "once",
        "call x.1 a_one of x",
        "result x.1",
        "call x.2 a_two of x",
        "asks x.2",
        "once",
        "result x.2",
        "result x",
        "text-delta",
        "stop"
      ])
      const document = yield* chats.export(id, "markdown")
      assert.include(document.text, "Called execute:\n\n```ts\np\n```\n")
      assert.include(document.text, "The program called a\\_one:")
      assert.include(resultOf(parts).text, `Value:\n{"from":[1,2,3],"asked":"a_two ran"}`)
      assert.deepStrictEqual(resultOf(parts).origin, { server: "a", tool: "execute", isTrusted: true })
      assert.isNull(yield* file)
    }))

  it.effect("is kept no longer once a call goes on, and then ends with the server, with its list of calls", () =>
    Effect.gen(function*() {
      const { approval, file, first, id, keep, store } = yield* restarting()
      yield* TestClock.adjust("10 seconds")
      yield* keep
      const entered = yield* Deferred.make<void>()
      first.world.call = () => Effect.andThen(Deferred.succeed(entered, undefined), Effect.never)
      yield* first.approvals.answer(id, approval, { decision: "once" })
      yield* Deferred.await(entered)
      assert.isNull(yield* file, "before the call is made")
      yield* keep
      assert.isNull(yield* file, "what was saved before that is too old")
      const killed = yield* copied(store)
      // As if the server had been killed before it was deleted.
      yield* killed.putFile(id, "program-x", new Uint8Array([1]))
      yield* first.chats.stop(id)
      const { chats } = yield* start({ store: killed })
      const parts = yield* until(chats, id, 1)
      assert.deepStrictEqual(brief(parts).slice(-4), ["once", "error x", "error x.2", "interrupted"])
      assert.strictEqual(
        resultOf(parts).text.split("\nThose")[0],
        `${INTERRUPTED}\n\nCalls:\n1 a_one (line 1): done\n2 a_two (line 2): unknown`
      )
      assert.isNull(yield* killed.file(id, "program-x"))
    }))

  it.effect("that was not kept ends as interrupted, and its question with it", () =>
    Effect.gen(function*() {
      const { again, id, ran } = yield* restarting()
      const { approvals, asked, chats } = yield* again()
      const parts = yield* until(chats, id, 1)
      assert.deepStrictEqual(ran, ["a_one"])
      assert.strictEqual(
        resultOf(parts).text,
        `${INTERRUPTED}\n\n` +
          "Calls:\n1 a_one (line 1): done\n2 a_two (line 2): not made\n" +
          "Those that are done have been made: do not repeat them. " +
          "Those that are not made were refused, or the program ended before they were."
      )
      assert.deepStrictEqual(yield* approvals.pending, [])
      assert.lengthOf(asked, 1, "the model goes on")
    }))

  it.effect("goes on though too few tools are left for a model to begin a program", () =>
    Effect.gen(function*() {
      const { again, approval, id, keep, ran } = yield* restarting()
      yield* TestClock.adjust("10 seconds")
      yield* keep
      const { approvals, chats } = yield* again({
        agents: [agent],
        codeMode: "auto",
        facts: { writesPrograms: true }
      })
      yield* approvals.answer(id, approval, { decision: "once" })
      yield* until(chats, id, 1)
      assert.deepStrictEqual(ran, ["a_one", "a_two"])
    }))

  it.effect("gives its calls ids that no call of a model has", () =>
    Effect.gen(function*() {
      const { chats } = yield* coding(({ call }) => Effect.map(call("a_one", { n: 1 }), valueIn), {
        models: {
          m: (yield* model([[calls("x_1", "a_two"), calls("x.1", "a_two"), ...writes("x", "p")], done])).model
        }
      })
      const { parts } = yield* chatWith(chats, "hi")
      assert.deepStrictEqual(
        brief(parts).filter((line) => line.startsWith("call")).toSorted(),
        ["call x execute", "call x.1 a_one of x", "call x_1 a_two", "call x_1_2 a_two"]
      )
    }))

  it.effect("does not begin anew where its state cannot be read, or where no programs run any more", () =>
    Effect.gen(function*() {
      const ends = [
        ({ store }: Effect.Success<ReturnType<typeof restarting>>): Setup => {
          let reads = 0
          const { file } = store
          store.file = (chat, name) =>
            Effect.suspend(() =>
              ++reads === 1 ? file(chat, name) : new ChatStoreFailed({ operation: "file", why: "no" })
            )
          return {}
        },
        (): Setup => ({ agents: [{ ...agent, code: false }] })
      ]
      for (const end of ends) {
        const world = yield* restarting()
        const { again, approval, file, id, keep, ran } = world
        yield* TestClock.adjust("10 seconds")
        yield* keep
        const { approvals, chats } = yield* again(end(world))
        yield* Effect.ignore(approvals.answer(id, approval, { decision: "once" }))
        const parts = yield* until(chats, id, 1)
        assert.deepStrictEqual(ran, ["a_one"])
        assert.include(resultOf(parts).text, "1 a_one (line 1): done\n2 a_two (line 2): not made")
        assert.isNull(yield* file)
      }
    }))

  it.effect("is deleted when it is stopped", () =>
    Effect.gen(function*() {
      const { file, first, id, keep } = yield* restarting()
      yield* TestClock.adjust("10 seconds")
      yield* keep
      yield* first.chats.stop(id)
      assert.isNull(yield* file)
    }))

  it.effect("is deleted with its chat, and when it is stopped after a restart; no message takes its place before", () =>
    Effect.gen(function*() {
      const removed = yield* restarting()
      yield* TestClock.adjust("10 seconds")
      yield* removed.keep
      const refused = yield* Effect.flip(removed.first.chats.send(removed.id, message("other", { replaces: 1 })))
      assert.strictEqual(refused._tag, "TurnRunning")
      assert.deepStrictEqual(yield* removed.file, [1, 2, 3])
      yield* removed.first.chats.remove(removed.id)
      assert.isNull(yield* removed.file)
      const { again, file, id, keep, ran } = yield* restarting()
      yield* TestClock.adjust("10 seconds")
      yield* keep
      const { chats } = yield* again()
      yield* chats.stop(id)
      assert.deepStrictEqual(brief(yield* until(chats, id, 1)).slice(-3), ["error x.2", "error x", "stopped"])
      assert.deepStrictEqual([...removed.ran, ...ran], ["a_one", "a_one"])
      assert.isNull(yield* file)
    }))
})
