import { ModelSettings } from "@boocode/language-models"
import { type AgentTool, ToolResult } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { NO_USAGE, type TurnPart } from "../../src/model/Part.ts"
import * as Turn from "../../src/turn/Turn.ts"
import * as TurnTools from "../../src/turn/TurnTools.ts"
import { agent, calls, files, finish, model, outline, says, tool } from "../support/Scripted.ts"

const run = (
  answers: Parameters<typeof model>[0],
  tools: ReadonlyArray<AgentTool> = [],
  options: Partial<Turn.TurnRequest> = {}
) =>
  Effect.gen(function*() {
    const scripted = yield* model(answers)
    const parts: Array<TurnPart> = []
    const turn = Turn.run(
      { agent, model: scripted.model, tools: TurnTools.of(tools), history: [], text: "hi", ...options },
      (part) => Effect.sync(() => void parts.push(part))
    ).pipe(Effect.provide(files()))
    return { parts, asked: scripted.asked, turn }
  })

const brief = (parts: ReadonlyArray<TurnPart>): ReadonlyArray<string> =>
  parts.map((part) => {
    switch (part.type) {
      case "tool-call":
        return `call ${part.id} ${part.name} ${JSON.stringify(part.args)}`
      case "tool-result":
        return `${part.isError ? "error" : "result"} ${part.id} ${part.text}`
      case "tool-progress":
        return `progress ${part.id} ${part.progress}`
      case "finish":
        return `finish ${part.reason}`
      case "error":
        return `error ${part._tag}`
      case "warning":
        return `warning ${part.message}`
      case "text-delta":
      case "reasoning-delta":
        return `${part.type} ${part.text}`
      default:
        return part.type
    }
  })

const both = (
  id: string
): ReadonlyArray<Response.StreamPartEncoded> => [
  calls(`${id}1`, "a_one"),
  calls(`${id}2`, "a_two"),
  finish("tool-calls", 5, 2)
]

const ignored = () => Effect.void

describe("Turn", () => {
  it.effect("streams text as it comes and finishes with the usage", () =>
    Effect.gen(function*() {
      const { asked, parts, turn } = yield* run([[...says("Hel", "", "lo"), finish("stop", 10, 3)]])
      yield* turn
      assert.deepStrictEqual(parts, [
        { type: "text-delta", text: "Hel" },
        { type: "text-delta", text: "lo" },
        { type: "finish", reason: "stop", usage: { ...NO_USAGE, inputTokens: 10, outputTokens: 3 } }
      ])
      assert.deepStrictEqual(outline(asked[0]?.prompt.content ?? []), ["system Be brief.", "user \"hi\""])
      assert.deepStrictEqual(asked[0]?.tools, [], "no tools, so that no empty list is sent (R104)")
    }))

  it.effect("shows each part while the model still writes", () =>
    Effect.gen(function*() {
      const more = yield* Deferred.make<void>()
      const { parts, turn } = yield* run([
        Stream.concat(
          Stream.fromIterable(says("first")),
          Stream.fromEffect(Effect.as(Deferred.await(more), finish()))
        )
      ])
      const fiber = yield* Effect.forkChild(turn, { startImmediately: true })
      yield* Effect.yieldNow
      assert.deepStrictEqual(brief(parts), ["text-delta first"])
      yield* Deferred.succeed(more, undefined)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(brief(parts), ["text-delta first", "finish stop"])
    }))

  it.effect("runs the calls of one answer in parallel and gives the results in the order of the calls (Decision 16)", () =>
    Effect.gen(function*() {
      const slow = tool("a_one", () => Effect.delay(Effect.succeed(ToolResult.success("one")), "2 seconds"))
      const fast = tool("a_two", () => Effect.delay(Effect.succeed(ToolResult.success("two")), "1 second"))
      const { asked, parts, turn } = yield* run([both("c"), [...says("ok"), finish("stop", 7, 1)]], [slow, fast])
      const fiber = yield* Effect.forkChild(turn)
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(brief(parts), [
        "call c1 a_one {}",
        "call c2 a_two {}",
        "result c2 two",
        "result c1 one",
        "text-delta ok",
        "finish stop"
      ])
      assert.deepStrictEqual(parts.at(-1), {
        type: "finish",
        reason: "stop",
        usage: { ...NO_USAGE, inputTokens: 12, outputTokens: 3 }
      })
      assert.deepStrictEqual(outline(asked[1]?.prompt.content ?? []).slice(2), [
        "assistant call c1 a_one, call c2 a_two",
        "tool result c1 one, result c2 two"
      ])
      assert.deepStrictEqual(asked[1]?.tools.map(({ name }) => name), ["a_one", "a_two"])
    }))

  it.effect("keeps two parallel calls of one tool apart, also when the model gives them one id (R106)", () =>
    Effect.gen(function*() {
      const echo = tool("a_one", (args) => Effect.succeed(ToolResult.success(JSON.stringify(args))))
      const { asked, parts, turn } = yield* run(
        [
          [calls("x:1", "a_one", { n: 1 }), calls("x:1", "a_one", { n: 2 }), finish("tool-calls")],
          [calls("x:1", "a_one", { n: 3 }), finish("tool-calls")],
          [finish()]
        ],
        [echo]
      )
      yield* turn
      assert.deepStrictEqual(brief(parts).filter((line) => line.startsWith("result")), [
        "result x_1 {\"n\":1}",
        "result x_1_2 {\"n\":2}",
        "result x_1_3 {\"n\":3}"
      ])
      assert.deepStrictEqual(outline(asked[2]?.prompt.content ?? []).slice(2), [
        "assistant call x_1 a_one, call x_1_2 a_one",
        "tool result x_1 {\"n\":1}, result x_1_2 {\"n\":2}",
        "assistant call x_1_3 a_one",
        "tool result x_1_3 {\"n\":3}"
      ])
    }))

  it.effect("answers unknown tools, unreadable arguments, errors and defects as results, and goes on (R32, R50)", () =>
    Effect.gen(function*() {
      const fails = tool("a_one", (args) =>
        typeof args === "string"
          ? Effect.succeed(ToolResult.failure(`not JSON: ${args}`))
          : Effect.succeed(ToolResult.failure("a_one (tool one of MCP server a) failed: disk full")))
      const dies = tool("a_two", () => Effect.die(new Error("boom")))
      const leaves = tool("a_three", () => Effect.interrupt)
      const { asked, parts, turn } = yield* run(
        [
          [
            calls("1", "a_on", {}),
            calls("2", "a_one", "{\"path\": "),
            calls("3", "a_one"),
            calls("4", "a_two"),
            calls("5", "a_three"),
            calls("6", "constructor"),
            finish("tool-calls")
          ],
          [...says("I see."), finish()]
        ],
        [fails, dies, leaves]
      )
      yield* turn
      const results = new Map(parts.flatMap((part) => part.type === "tool-result" ? [[part.id, part]] : []))
      assert.isTrue([...results.values()].every(({ isError }) => isError))
      assert.match(results.get("1")?.text ?? "", /a_on.*did you mean a_one/)
      assert.match(results.get("2")?.text ?? "", /not JSON: \{"path": /)
      assert.strictEqual(results.get("3")?.text, "a_one (tool one of MCP server a) failed: disk full")
      assert.match(results.get("4")?.text ?? "", /a_two broke: .*boom/)
      assert.match(results.get("5")?.text ?? "", /a_three has no result/)
      assert.match(results.get("6")?.text ?? "", /constructor/)
      assert.strictEqual(brief(parts).at(-1), "finish stop")
      const sent = asked[1]?.prompt.content.at(-1)
      assert.strictEqual(sent?.role === "tool" ? sent.content.length : 0, 6)
      assert.strictEqual(brief(parts)[1], "call 2 a_one \"{\\\"path\\\": \"")
    }))

  it.effect("takes a result with an error mark to the model as an error with its real text (R33)", () =>
    Effect.gen(function*() {
      const fails = tool("a_one", () => Effect.succeed(ToolResult.failure("a_one of server a: disk full")))
      const { asked, turn } = yield* run([[calls("1", "a_one"), finish("tool-calls")], [finish()]], [fails])
      yield* turn
      assert.strictEqual(outline(asked[1]?.prompt.content ?? []).at(-1), "tool error 1 a_one of server a: disk full")
    }))

  it.effect("shows progress of calls that are open", () =>
    Effect.gen(function*() {
      const late: Array<Effect.Effect<void>> = []
      const works = tool("a_one", (_, { onProgress = ignored } = {}) => {
        late.push(onProgress({ progress: 9, total: null, message: null }))
        return Effect.as(onProgress({ progress: 1, total: 2, message: "half" }), ToolResult.success("done"))
      })
      const { parts, turn } = yield* run([[calls("1", "a_one"), finish("tool-calls")], [finish()]], [works])
      yield* turn
      yield* Effect.all(late)
      assert.deepStrictEqual(brief(parts), ["call 1 a_one {}", "progress 1 1", "result 1 done", "finish stop"])
    }))

  it.effect("ends with `steps` when the model never stops calling", () =>
    Effect.gen(function*() {
      const endless = Array.from({ length: 9 }, (_, index) => [calls(`c${index}`, "a_one"), finish("tool-calls")])
      const { asked, parts, turn } = yield* run(endless, [tool("a_one")], { agent: { ...agent, steps: 3 } })
      yield* turn
      assert.strictEqual(asked.length, 3)
      assert.deepStrictEqual(brief(parts).slice(-3), [
        "result c2 a_one ran",
        "warning stopped after 3 requests to the model, as many as A may make in a turn; write \"go on\" to let it continue, or raise steps: of this agent",
        "finish steps"
      ])
    }))

  it.effect("does not run a call that a limit may have cut off", () =>
    Effect.gen(function*() {
      const { parts, turn } = yield* run([[calls("1", "a_one"), finish("length")]], [
        tool("a_one", () => Effect.die("must not run"))
      ])
      yield* turn
      assert.deepStrictEqual(brief(parts).slice(1), [
        "error 1 a_one has no result: it was not run: the model's answer ended before it was complete",
        "finish length"
      ])
    }))

  it.effect("cancels tools, closes open calls and finishes with `stopped` when it is interrupted (R31, R97)", () =>
    Effect.gen(function*() {
      let cancelled = 0
      const waits = tool("a_one", () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => void cancelled++)))
      const done = tool("a_two", () => Effect.succeed(ToolResult.success("two")))
      const { parts, turn } = yield* run([both("c")], [waits, done])
      const fiber = yield* Effect.forkChild(turn, { startImmediately: true })
      for (let index = 0; index < 20; index++) yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(cancelled, 1)
      assert.deepStrictEqual(brief(parts).slice(2), [
        "result c2 two",
        "error c1 a_one has no result: it was cancelled before it finished",
        "finish stopped"
      ])
    }))

  it.effect("closes calls that were shown and not begun when it is interrupted", () =>
    Effect.gen(function*() {
      const { parts, turn } = yield* run([Stream.concat(Stream.make(calls("1", "a_one")), Stream.never)], [
        tool("a_one")
      ])
      const fiber = yield* Effect.forkChild(turn, { startImmediately: true })
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(brief(parts).slice(1), [
        "error 1 a_one has no result: it was cancelled: the turn was stopped",
        "finish stopped"
      ])
    }))

  it.effect("makes a provider's failure an error part with a hint, after what was said", () =>
    Effect.gen(function*() {
      const refused = AiError.make({ module: "M", method: "streamText", reason: new AiError.QuotaExhaustedError({}) })
      const failing = yield* LanguageModel.make({
        generateText: () => Effect.die("not used"),
        streamText: () =>
          Stream.concat(Stream.fromIterable([...says("Well"), calls("1", "a_one")]), Stream.fail(refused))
      })
      const { parts, turn } = yield* run([], [tool("a_one")], { model: failing })
      yield* turn
      assert.deepStrictEqual(brief(parts), [
        "text-delta Well",
        "call 1 a_one {}",
        "error QuotaExhaustedError",
        "error 1 a_one has no result: it was not run: the model's answer broke off",
        "finish error"
      ])
      const error = parts.find((part) => part.type === "error")
      assert.match(error?.message ?? "", /quota/)
      assert.match(error?.hint ?? "", /credit/)
    }))

  it.effect("survives a model that throws", () =>
    Effect.gen(function*() {
      const { parts, turn } = yield* run([Stream.die(new Error("bad adapter"))])
      yield* turn
      assert.deepStrictEqual(brief(parts), ["error Defect", "finish error"])
    }))

  it.effect("gives reasoning back with its metadata while the turn runs", () =>
    Effect.gen(function*() {
      const { asked, turn } = yield* run([
        [
          { type: "reasoning-start", id: "r" },
          { type: "reasoning-delta", id: "r", delta: "hm" },
          { type: "reasoning-end", id: "r", metadata: { anthropic: { signature: "s" } } },
          calls("1", "a_one"),
          finish("tool-calls")
        ],
        [finish()]
      ], [tool("a_one")])
      yield* turn
      assert.strictEqual(
        outline(asked[1]?.prompt.content ?? [])[2],
        "assistant (hm {\"anthropic\":{\"signature\":\"s\"}}), call 1 a_one"
      )
    }))

  it.effect("finishes once when it is interrupted in the moment it finishes", () =>
    Effect.gen(function*() {
      const scripted = yield* model([[...says("done"), finish()]])
      const [parts, finished] = [new Array<TurnPart>(), yield* Deferred.make<void>()]
      const emit = (part: TurnPart) =>
        Effect.suspend(() => {
          parts.push(part)
          if (part.type !== "finish") return Effect.void
          return Effect.andThen(Deferred.succeed(finished, undefined), Effect.sleep("1 second"))
        })
      const turn = Turn.run({ agent, model: scripted.model, tools: TurnTools.of([]), history: [], text: "hi" }, emit)
      const fiber = yield* Effect.forkChild(Effect.provide(turn, files()))
      yield* Deferred.await(finished)
      const stopping = yield* Effect.forkChild(Fiber.interrupt(fiber))
      yield* Effect.yieldNow
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(stopping)
      assert.deepStrictEqual(brief(parts), ["text-delta done", "finish stop"])
    }))

  it.effect("asks again without the blank text that a model wrote before its calls", () =>
    Effect.gen(function*() {
      const { asked, turn } = yield* run([
        [...says("\n\n"), calls("1", "a_one"), finish("tool-calls")],
        [finish()]
      ], [tool("a_one")])
      yield* turn
      assert.deepStrictEqual(outline(asked[1]?.prompt.content ?? []).slice(2), [
        "assistant call 1 a_one",
        "tool result 1 a_one ran"
      ])
    }))

  it.effect("shows at most one progress of a call in 200 ms, the latest, with a short message", () =>
    Effect.gen(function*() {
      const talks = tool("a_one", (_, { onProgress = ignored } = {}) =>
        Effect.gen(function*() {
          for (let count = 1; count <= 1000; count++) {
            yield* onProgress({ progress: count, total: null, message: "é".repeat(5000) })
            yield* Effect.sleep("1 millis")
          }
          yield* Effect.sleep("1 second")
          return ToolResult.success("done")
        }))
      const { parts, turn } = yield* run([[calls("1", "a_one"), finish("tool-calls")], [finish()]], [talks])
      const fiber = yield* Effect.forkChild(turn)
      yield* TestClock.adjust("3 seconds")
      yield* Fiber.join(fiber)
      const progress = parts.filter((part) => part.type === "tool-progress")
      assert.isAtLeast(progress.length, 5)
      assert.isAtMost(progress.length, 6)
      assert.strictEqual(progress[0]?.progress, 1)
      assert.strictEqual(progress.at(-1)?.progress, 1000, "the last one is shown though none comes after it")
      assert.isTrue(progress.every(({ message }) => message === "é".repeat(500)))
    }))

  it.effect("keeps a long result once, and gives the model its handle", () =>
    Effect.gen(function*() {
      const long = tool("a_one", () => Effect.succeed(ToolResult.success("y".repeat(150_000))))
      const { asked, parts, turn } = yield* run([[calls("1", "a_one"), finish("tool-calls")], [finish()]], [long])
      yield* turn
      const result = parts.find((part) => part.type === "tool-result")
      assert.deepStrictEqual(result?.truncated, {
        bytes: 150_000,
        shownBytes: 150_000,
        file: "file-1",
        text: { bytes: 150_000, file: "file-1" }
      })
      assert.include(outline(asked[1]?.prompt.content ?? []).at(-1) ?? "", "view_file file-1")
    }))

  it.effect("asks with the agent's temperature, and names the chat so that its provider keeps the beginning", () =>
    Effect.gen(function*() {
      const seen: Array<number | string | null> = []
      const warm = yield* LanguageModel.make({
        generateText: () => Effect.die("not used"),
        streamText: () =>
          Stream.unwrap(Effect.map(ModelSettings, ({ conversation, temperature }) => {
            seen.push(temperature, conversation)
            return Stream.make(finish())
          }))
      })
      const { turn } = yield* run([], [], { model: warm, agent: { ...agent, temperature: 0.3 }, chat: "chat-1" })
      yield* turn
      assert.deepStrictEqual(seen, [0.3, "chat-1"])
    }))
})
