import { ToolResult } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { Agent } from "../../src/agents/Agent.ts"
import { brief, chatWith, message, settle, start, until } from "../support/Chatting.ts"
import * as Scripted from "../support/Scripted.ts"
import { agent, calls, finish, mcpTool, model, says, status, tool } from "../support/Scripted.ts"

describe("Chats", () => {
  it.effect("answers a message, numbers every part without gaps, and names the chat by its first message", () =>
    Effect.gen(function*() {
      const { model: m } = yield* model([[...says("Hel", "lo"), finish()], [...says("again"), finish()]])
      const { chats } = yield* start({ models: { "x/m": m }, environment: "x/m" })
      const created = yield* chats.create({ agent: null, model: null })
      assert.strictEqual(created.title, "New chat")
      assert.deepStrictEqual(yield* chats.send(created.id, message(`  Hi\n${"😀".repeat(80)}`)), {
        turn: 1,
        queued: false,
        after: 0
      })
      yield* until(chats, created.id, 1)
      yield* chats.send(created.id, message("second"))
      const parts = yield* until(chats, created.id, 2)
      assert.deepStrictEqual(parts.map(({ seq }) => seq), [1, 2, 3, 4, 5])
      assert.deepStrictEqual(brief(parts), ["1 Hel", "1 lo", "1 stop", "2 again", "2 stop"])
      const chat = yield* chats.get(created.id)
      assert.strictEqual(chat.title, `Hi ${"😀".repeat(55)} …`)
      assert.deepStrictEqual(chat.turns.map(({ agent, model, text, turn }) => ({ agent, model, text, turn })).at(-1), {
        agent: "A",
        model: "x/m",
        text: "second",
        turn: 2
      })
      assert.deepStrictEqual(chat.turns.flatMap((turn) => turn.parts), [...parts])
      assert.isNull(chat.running)
    }))

  it.effect("R97: keeps a turn running when its listener goes away, and lets another listener go on from there", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { model: m } = yield* model([
        Stream.concat(
          Stream.fromIterable(says("one", "two")),
          Stream.unwrap(Effect.as(Deferred.await(gate), Stream.fromIterable([...says("three"), finish()])))
        )
      ])
      const { chats } = yield* start({ models: { m }, environment: "m" })
      const { id } = yield* chats.create({ agent: null, model: null })
      yield* chats.send(id, message("hi"))
      const first = yield* Stream.runCollect(Stream.take(chats.events(id, 0), 1))
      assert.deepStrictEqual(brief(first), ["1 one"])
      const leaving = yield* Effect.forkChild(Stream.runDrain(chats.events(id, 0)))
      yield* settle
      yield* Fiber.interrupt(leaving)
      assert.strictEqual((yield* chats.get(id)).running, 1)
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(brief(yield* until(chats, id, 1, first[0]?.seq)), ["1 twothree", "1 stop"])
    }))

  it.effect("gives slow, fast and late listeners the same parts, none lost and none twice", () =>
    Effect.gen(function*() {
      const words = Array.from({ length: 1500 }, (_, index) => `w${index}`)
      const { model: m } = yield* model([
        Stream.fromIterable([...says(...words), finish()]).pipe(
          Stream.tap(() => Effect.sleep("40 millis"))
        )
      ])
      const { chats } = yield* start({ models: { m }, environment: "m" })
      const { id } = yield* chats.create({ agent: null, model: null })
      const fast = yield* Effect.forkChild(until(chats, id, 1))
      const slow = yield* Effect.forkChild(
        chats.events(id, 0).pipe(
          Stream.tap(({ seq }) => seq % 50 === 0 ? Effect.sleep("1 second") : Effect.void),
          Stream.takeUntil((part) => part.type === "finish"),
          Stream.runCollect
        )
      )
      yield* chats.send(id, message("hi"))
      yield* TestClock.adjust("2 minutes")
      const fastParts = yield* Fiber.join(fast)
      const slowParts = yield* Fiber.join(slow)
      const late = yield* until(chats, id, 1, 1400)
      assert.deepStrictEqual(fastParts.map(({ seq }) => seq), Array.from({ length: 1501 }, (_, index) => index + 1))
      assert.deepStrictEqual(slowParts, fastParts)
      assert.deepStrictEqual(late, fastParts.slice(1400))
    }))

  it.effect("stops a turn: its tools are cancelled, it finishes with `stopped`, and what waits is answered (R31)", () =>
    Effect.gen(function*() {
      let cancelled = 0
      const waits = tool("a_wait", () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => void cancelled++)))
      const { asked, model: m } = yield* model([
        [calls("c", "a_wait"), finish("tool-calls")],
        [...says("after"), finish()]
      ])
      const { chats } = yield* start({ models: { m }, environment: "m", builtIn: [waits] })
      const { id } = yield* chats.create({ agent: null, model: null })
      yield* chats.send(id, message("one"))
      yield* settle
      assert.deepStrictEqual(yield* chats.send(id, message("two")), { turn: 2, queued: true, after: 1 })
      yield* chats.stop(id)
      assert.strictEqual(cancelled, 1)
      assert.deepStrictEqual(brief(yield* until(chats, id, 2)), [
        "1 tool-call",
        "1 a_wait has no result: it was cancelled before it finished",
        "1 stopped",
        "2 after",
        "2 stop"
      ])
      assert.strictEqual((yield* chats.get(id)).running, null)
      const left = (yield* chats.get(id)).turns.map(({ state, text, turn }) => [turn, text, state])
      assert.deepStrictEqual(left, [[1, "one", "ended"], [2, "two", "ended"]])
      assert.deepStrictEqual(yield* chats.send(id, message("three")), { turn: 3, queued: false, after: 5 })
      yield* until(chats, id, 3)
      assert.deepStrictEqual(Scripted.outline(asked[1]?.prompt.content ?? []).slice(1), [
        "user \"one\"",
        "assistant call c a_wait",
        "tool error c a_wait has no result: it was cancelled before it finished",
        "user \"two\""
      ])
      yield* chats.stop(id)
      yield* chats.stop(id)
      assert.strictEqual((yield* chats.get(id)).turns.length, 3)
    }))

  it.effect("ends a turn that is stopped in the moment it was sent", () =>
    Effect.gen(function*() {
      const { model: m } = yield* model([Stream.never])
      const { chats } = yield* start({ models: { m }, environment: "m" })
      const { id } = yield* chats.create({ agent: null, model: null })
      yield* chats.send(id, message("one"))
      yield* chats.stop(id)
      assert.deepStrictEqual(brief(yield* until(chats, id, 1)), ["1 stopped"])
      const { running, turns } = yield* chats.get(id)
      assert.isNull(running)
      assert.deepStrictEqual(turns.map(({ model, text }) => ({ model, text })), [{ model: "m", text: "one" }])
    }))

  it.effect("answers queued messages one after the other", () =>
    Effect.gen(function*() {
      const { chats } = yield* start()
      const { id } = yield* chats.create({ agent: null, model: null })
      const sent = yield* Effect.forEach(Array.from({ length: 21 }), () => chats.send(id, message("/nothing")), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(sent.map(({ turn }) => turn), Array.from({ length: 21 }, (_, index) => index + 1))
      assert.deepStrictEqual(sent.filter(({ queued }) => !queued).length, 1)
      const parts = yield* until(chats, id, 21)
      assert.deepStrictEqual(parts.map(({ turn }) => turn), parts.map(({ turn }) => turn).toSorted((a, b) => a - b))
      assert.strictEqual(parts.filter(({ type }) => type === "finish").length, 21)
    }))

  it.effect("ends the streams of a removed chat, and its turn", () =>
    Effect.gen(function*() {
      const { model: m } = yield* model([Stream.concat(Stream.fromIterable(says("one")), Stream.never)])
      const { chats } = yield* start({ models: { m }, environment: "m" })
      const { id } = yield* chats.create({ agent: null, model: null })
      const listener = yield* Effect.forkChild(Stream.runCollect(chats.events(id, 0)))
      yield* chats.send(id, message("hi"))
      yield* settle
      yield* chats.remove(id)
      const heard = yield* Fiber.join(listener)
      assert.deepStrictEqual(brief(heard).slice(0, 1), ["1 one"])
      assert.strictEqual((yield* Effect.flip(chats.get(id)))._tag, "UnknownChat")
      assert.strictEqual((yield* Effect.flip(chats.send(id, message("x"))))._tag, "UnknownChat")
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(chats.events(id, 0))))._tag, "UnknownChat")
      assert.deepStrictEqual(yield* chats.list, [])
    }))

  it.effect("takes the model of message, chat, agent, environment, in this order, else the command mode", () =>
    Effect.gen(function*() {
      const { model: m } = yield* model(Array.from({ length: 9 }, () => [finish()]))
      const models = { "m/message": m, "m/chat": m, "m/agent": m, "m/environment": m }
      const withModel = { ...agent, name: "Own", model: "m/agent" }
      const used = (environment: string | null, chat: string | null, name: string | null, own: string | null) =>
        Effect.gen(function*() {
          const { chats } = yield* start({ models, environment, agents: [agent, withModel] })
          const { id } = yield* chats.create({ agent: name, model: chat })
          yield* chats.send(id, message("hi", { model: own }))
          yield* until(chats, id, 1)
          return (yield* chats.get(id)).turns[0]?.model
        })
      assert.strictEqual(yield* used("m/environment", "m/chat", "Own", "m/message"), "m/message")
      assert.strictEqual(yield* used("m/environment", "m/chat", "Own", null), "m/chat")
      assert.strictEqual(yield* used("m/environment", null, "Own", null), "m/agent")
      assert.strictEqual(yield* used("m/environment", null, null, null), "m/environment")
      assert.strictEqual(yield* used(" ", "", null, null), "command")
    }))

  it.effect("refuses at once an agent that is not there and a model that cannot be used", () =>
    Effect.gen(function*() {
      const { chats } = yield* start()
      assert.strictEqual((yield* Effect.flip(chats.create({ agent: "B", model: null })))._tag, "UnknownAgent")
      assert.strictEqual(
        (yield* Effect.flip(chats.create({ agent: null, model: "no/model" })))._tag,
        "ModelUnavailable"
      )
      const { id } = yield* chats.create({ agent: null, model: null })
      assert.strictEqual((yield* Effect.flip(chats.send(id, message("x", { agent: "B" }))))._tag, "UnknownAgent")
      assert.strictEqual(
        (yield* Effect.flip(chats.send(id, message("x", { model: "no/model" }))))._tag,
        "ModelUnavailable"
      )
      assert.deepStrictEqual((yield* chats.get(id)).turns, [])
    }))

  it.effect("R98: says on the first turn, once, which servers are not there, with their names and reasons", () =>
    Effect.gen(function*() {
      const servers = [
        status("auth", "needs-auth", "it asks for a login"),
        status("dead", "failed", "dead exited with code 3"),
        status("off", "disabled"),
        status("ok", "ready"),
        status("slow", "connecting")
      ]
      const { chats } = yield* start({ world: { servers, settled: Effect.never } })
      const { id } = yield* chats.create({ agent: null, model: null })
      yield* chats.send(id, message("hello"))
      const listener = yield* Effect.forkChild(until(chats, id, 1))
      yield* TestClock.adjust("2999 millis")
      assert.deepStrictEqual((yield* chats.get(id)).turns[0]?.parts, [])
      yield* TestClock.adjust("1 millis")
      const first = yield* Fiber.join(listener)
      assert.deepStrictEqual(brief(first).filter((line) => line.includes("warning")), [
        "1 warning 3 MCP servers are not available: auth (needs a login), dead (failed), " +
        "slow (still connecting; its tools can be used in a later message)"
      ])
      yield* chats.send(id, message("again"))
      assert.notInclude(brief(yield* until(chats, id, 2, first.length)).join(), "warning")
    }))

  for (
    const [tools, expected] of [
      [["view_file"], null],
      [["ok_*", "view_file"], null],
      [["*", "!dead_*"], null],
      [["*", "!*_write"], "dead"],
      [["dea*"], "dead"],
      [["dead_beef"], "dead"],
      [["*_read"], "dead"],
      [["!dead_*", "dead_x*"], "dead"],
      [["deadly_*"], null]
    ] as const
  ) {
    it.effect(`${expected === null ? "says nothing" : "warns"} of a dead server to an agent with [${tools}]`, () =>
      Effect.gen(function*() {
        const servers = [status("dead", "failed", "exit 3"), status("ok", "ready")]
        const { chats } = yield* start({ world: { servers }, agents: [{ ...agent, tools }] })
        const { id } = yield* chats.create({ agent: null, model: null })
        yield* chats.send(id, message("hello"))
        const warnings = brief(yield* until(chats, id, 1)).filter((line) => line.includes("MCP server"))
        assert.deepStrictEqual(
          warnings,
          expected === null ? [] : ["1 warning 1 MCP server is not available: dead (failed)"]
        )
      }))
  }

  it.effect("waits no longer than the servers need", () =>
    Effect.gen(function*() {
      const { chats } = yield* start({ world: { settled: Effect.sleep("1 second") } })
      const { id } = yield* chats.create({ agent: null, model: null })
      yield* chats.send(id, message("hello"))
      const listener = yield* Effect.forkChild(until(chats, id, 1))
      yield* TestClock.adjust("1 second")
      assert.match(brief(yield* Fiber.join(listener))[0] ?? "", /command mode/)
    }))

  it.effect("lets an agent without `tools:` use servers that come late, from the next turn on (Decision 4)", () =>
    Effect.gen(function*() {
      const { asked, model: m } = yield* model([
        [calls("1", "b_late"), finish("tool-calls")],
        [finish()],
        [calls("2", "b_late"), finish("tool-calls")],
        [finish()]
      ])
      const { chats, world } = yield* start({ models: { m }, environment: "m", builtIn: [tool("grep")] })
      world.tools = [mcpTool("c", "z"), mcpTool("a", "x")]
      world.call = (name) =>
        Effect.succeed({
          isError: false,
          content: [{ type: "text", text: `${name} answers` }],
          structuredContent: null,
          millis: 1
        })
      const { id } = yield* chats.create({ agent: null, model: null })
      yield* chats.send(id, message("one"))
      const first = yield* until(chats, id, 1)
      world.tools = [...world.tools, mcpTool("b", "late")]
      yield* chats.send(id, message("two"))
      const second = yield* until(chats, id, 2, first.length)
      assert.deepStrictEqual(asked[0]?.tools.map(({ name }) => name), ["a_x", "c_z", "grep"])
      assert.deepStrictEqual(asked[2]?.tools.map(({ name }) => name), ["a_x", "b_late", "c_z", "grep"])
      assert.match(brief(first)[1] ?? "", /b_late/)
      assert.include(brief(second), "2 b_late answers")
    }))

  it.effect("keeps the tools of a running turn as they were when it began", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const waits = tool("wait", () => Effect.as(Deferred.await(gate), ToolResult.success("go")))
      const { asked, model: m } = yield* model([[calls("1", "wait"), finish("tool-calls")], [finish()]])
      const { chats, world } = yield* start({ models: { m }, environment: "m", builtIn: [waits] })
      const { id } = yield* chats.create({ agent: null, model: null })
      yield* chats.send(id, message("one"))
      yield* settle
      world.tools = [mcpTool("b", "late")]
      yield* Deferred.succeed(gate, undefined)
      yield* until(chats, id, 1)
      assert.deepStrictEqual(asked[1]?.tools.map(({ name }) => name), ["wait"])
    }))

  it.effect("neither shows nor calls a tool that the agent's patterns do not allow (R50)", () =>
    Effect.gen(function*() {
      const { asked, model: m } = yield* model([
        [calls("1", "b_secret"), calls("2", "grep"), calls("3", "a_x"), finish("tool-calls")],
        [finish()]
      ])
      const { chats, world } = yield* start({
        models: { m },
        environment: "m",
        agents: [{ ...agent, tools: ["*", "!b_*", "!grep"] }],
        builtIn: [tool("grep", () => Effect.die("must not run")), tool("view_file")]
      })
      world.tools = [mcpTool("a", "x"), mcpTool("b", "secret")]
      world.call = (name) =>
        name === "a_x"
          ? Effect.succeed({ isError: false, content: [], structuredContent: null, millis: 1 })
          : Effect.die("must not run")
      const { parts } = yield* chatWith(chats, "go")
      assert.deepStrictEqual(asked[0]?.tools.map(({ name }) => name), ["a_x", "view_file"])
      const results = parts.filter((part) => part.type === "tool-result")
      assert.deepStrictEqual(results.map(({ id, isError }) => `${id} ${isError}`).toSorted(), [
        "1 true",
        "2 true",
        "3 false"
      ])
      assert.isTrue(results.every(({ id, text }) => id === "3" || /no tool/.test(text)))
    }))

  it.effect("says what an agent's patterns get wrong once in a chat, and not while a server still connects", () =>
    Effect.gen(function*() {
      const { chats, world } = yield* start({ world: { warnings: ["no tool is called gerp; did you mean grep?"] } })
      world.servers = [status("slow", "connecting")]
      const { id, parts } = yield* chatWith(chats, "one")
      assert.notInclude(brief(parts).join(), "gerp")
      world.servers = [status("slow", "ready")]
      yield* chats.send(id, message("two"))
      yield* chats.send(id, message("three"))
      const later = brief(yield* until(chats, id, 3, parts.length)).filter((line) => line.includes("gerp"))
      assert.deepStrictEqual(later, ["2 warning no tool is called gerp; did you mean grep?"])
    }))

  it.effect("gives running turns four seconds at the end of the program, then they finish with `interrupted`", () =>
    Effect.gen(function*() {
      const { model: m } = yield* model([
        Stream.fromEffect(Effect.as(Effect.sleep("3 seconds"), finish())),
        Stream.never
      ])
      const { chats, close } = yield* start({ models: { m }, environment: "m" })
      const quick = yield* chats.create({ agent: null, model: null })
      yield* chats.send(quick.id, message("one"))
      yield* settle
      const endless = yield* chats.create({ agent: null, model: null })
      yield* chats.send(endless.id, message("two"))
      yield* settle
      const closing = yield* Effect.forkChild(close)
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(brief((yield* chats.get(quick.id)).turns[0]?.parts ?? []), ["1 stop"])
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(closing)
      assert.deepStrictEqual(brief((yield* chats.get(endless.id)).turns[0]?.parts ?? []), ["1 interrupted"])
    }))

  it.effect("lists the chat that was used last first", () =>
    Effect.gen(function*() {
      const { chats } = yield* start()
      const one = yield* chats.create({ agent: null, model: null })
      yield* TestClock.adjust("1 second")
      const two = yield* chats.create({ agent: null, model: null })
      assert.deepStrictEqual((yield* chats.list).map(({ id }) => id), [two.id, one.id])
      yield* TestClock.adjust("1 second")
      yield* chats.send(one.id, message("hi"))
      assert.deepStrictEqual((yield* chats.list).map(({ id, running }) => ({ id, running })), [
        { id: one.id, running: 1 },
        { id: two.id, running: null }
      ])
    }))

  it.effect("ends a queued turn whose agent vanished meanwhile with an error", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const list: [Agent, ...Array<Agent>] = [agent, { ...agent, name: "Gone" }]
      const { model: m } = yield* model([Stream.fromEffect(Effect.as(Deferred.await(gate), finish()))])
      const { chats } = yield* start({ models: { m }, environment: "m", agents: list })
      const { id } = yield* chats.create({ agent: null, model: null })
      yield* chats.send(id, message("one"))
      yield* chats.send(id, message("two", { agent: "Gone" }))
      list.pop()
      yield* Deferred.succeed(gate, undefined)
      const parts = yield* until(chats, id, 2)
      assert.deepStrictEqual(brief(parts), ["1 stop", "2 error", "2 error"])
      const error = parts[1]
      assert.strictEqual(error?.type === "error" ? error._tag : "", "UnknownAgent")
    }))
})
