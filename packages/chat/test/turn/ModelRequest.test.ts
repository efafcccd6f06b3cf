import { ToolResult } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import type * as Prompt from "effect/ai/Prompt"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { TurnPart } from "../../src/model/Part.ts"
import * as Earlier from "../support/Earlier.ts"
import { agent, calls, files, finish, outline, says, tool } from "../support/Scripted.ts"
import * as Troubled from "../support/Troubled.ts"
import { brief, dropped, limited, overloaded, refused } from "../support/Troubled.ts"

const done = [...says("Done."), finish("stop", 10, 2)]

/** Runs a turn while minutes pass. */
const during = <A>(turn: Effect.Effect<A, never, never>, duration: Duration.Input = "10 minutes") =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(turn)
    yield* TestClock.adjust(duration)
    yield* Fiber.join(fiber)
  })

const retries = (parts: ReadonlyArray<TurnPart>) => parts.filter((part) => part.type === "retry")

describe("ModelRequest makes a request again", () => {
  it.effect.each(
    [
      ["a rate limit", limited()],
      ["an overloaded provider", overloaded],
      ["a dropped stream", dropped(...says("Half"))]
    ] as const
  )("after %s, and the answer counts alone", ([, trouble]) =>
    Effect.gen(function*() {
      const { asked, parts, turn } = yield* Troubled.start([trouble, done])
      yield* during(turn)
      assert.strictEqual(asked.length, 2)
      assert.deepStrictEqual(asked[1]?.prompt, asked[0]?.prompt, "the same request")
      assert.deepStrictEqual(brief(parts).slice(-3), ["retry 2/5", "says Done.", "finish stop"])
    }))

  it.effect("five times at most, waiting twice as long each time, then says what to do", () =>
    Effect.gen(function*() {
      const { asked, parts, turn } = yield* Troubled.start([overloaded])
      yield* during(turn)
      assert.strictEqual(asked.length, 5)
      const waits = retries(parts).map(({ delayMillis }) => delayMillis)
      for (const [index, wait] of waits.entries()) {
        assert.isAtLeast(wait, 1000 * 2 ** index)
        assert.isAtMost(wait, 1500 * 2 ** index)
      }
      assert.deepStrictEqual(brief(parts).slice(-3), ["retry 5/5", "error InternalProviderError", "finish error"])
      const error = parts.find((part) => part.type === "error")
      assert.match(error?.hint ?? "", /again in a few minutes, or choose another model/)
    }))

  it.effect("not before the provider wants it", () =>
    Effect.gen(function*() {
      const { asked, parts, turn } = yield* Troubled.start([limited(Duration.seconds(40)), done])
      const fiber = yield* Effect.forkChild(turn)
      yield* TestClock.adjust("39 seconds")
      assert.strictEqual(asked.length, 1)
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual([asked.length, retries(parts).length], [2, 1])
    }))

  it.effect("not at all when the provider wants it later than in two minutes, and says when", () =>
    Effect.gen(function*() {
      const { asked, parts, turn } = yield* Troubled.start([limited(Duration.minutes(5)), done])
      yield* during(turn)
      assert.strictEqual(asked.length, 1)
      assert.deepStrictEqual(brief(parts), ["error RateLimitError", "finish error"])
      assert.match(parts.find((part) => part.type === "error")?.hint ?? "", /wait 5 minutes/)
    }))

  it.effect("not when it was refused", () =>
    Effect.gen(function*() {
      const { asked, parts, turn } = yield* Troubled.start([refused("unknown parameter")])
      yield* during(turn)
      assert.strictEqual(asked.length, 1)
      assert.deepStrictEqual(brief(parts), ["error InvalidRequestError", "finish error"])
    }))

  it.effect("never while nobody wants it: stop ends the wait at once (R97)", () =>
    Effect.gen(function*() {
      const { asked, parts, turn } = yield* Troubled.start([limited(Duration.seconds(60)), done])
      const fiber = yield* Effect.forkChild(turn)
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(asked.length, 1)
      assert.deepStrictEqual(brief(parts), ["retry 2/5", "finish stopped"])
    }))

  it.effect("for each answer anew", () =>
    Effect.gen(function*() {
      const call = [calls("c", "a_one"), finish("tool-calls")]
      const { asked, turn } = yield* Troubled.start(
        [overloaded, overloaded, overloaded, call, overloaded, overloaded, overloaded, done],
        [tool("a_one")]
      )
      yield* during(turn)
      assert.strictEqual(asked.length, 8)
    }))

  it.effect("without running the calls of an answer that broke off, which no model sees again (R31)", () =>
    Effect.gen(function*() {
      let ran = 0
      const counts = tool("a_one", () => Effect.sync(() => ToolResult.success(`ran ${++ran}`)))
      const { asked, parts, turn } = yield* Troubled.start([
        [calls("c", "a_one"), finish("tool-calls", 5, 5)],
        dropped(...says("Again"), calls("c", "a_one", { n: 2 })),
        [calls("c", "a_one", { n: 3 }), finish("tool-calls", 5, 5)],
        done
      ], [counts])
      yield* during(turn)
      assert.strictEqual(ran, 2)
      assert.deepStrictEqual(brief(parts), [
        "call c",
        "result c",
        "says Again",
        "call c_2",
        "retry 2/5",
        "error c_2",
        "call c_3",
        "result c_3",
        "says Done.",
        "finish stop"
      ])
      const expected = [
        "user \"hi\"",
        "assistant call c a_one",
        "tool result c ran 1",
        "assistant call c_3 a_one",
        "tool result c_3 ran 2"
      ]
      assert.deepStrictEqual(outline(asked[3]?.prompt.content ?? []).slice(1), expected)
      const stored = {
        turn: 1,
        key: null,
        text: "hi",
        agent: "A",
        model: "m",
        createdAt: "",
        state: "ended" as const,
        replacedBy: null,
        attachments: [],
        parts: parts.map((part, index) => ({ ...part, seq: index + 1, turn: 1 }))
      }
      const later = yield* Effect.provide(Earlier.fromTurns([stored]), files())
      assert.deepStrictEqual(outline(later), [...expected, "assistant \"Done.\""], "nor a later turn")
    }))
})

/** Three characters are a token. */
const words = (size: number) => "ab ".repeat(size / 3)

const big = (size: number) => tool("a_big", () => Effect.succeed(ToolResult.success(words(size))))
const callBig = (id: string) => [calls(id, "a_big"), finish("tool-calls")]
const sentText = (messages: ReadonlyArray<Prompt.Message> | undefined) => outline(messages ?? []).join("\n")

describe("ModelRequest makes a request fit", () => {
  it.effect("leaves out old results before the context window is full, and says so", () =>
    Effect.gen(function*() {
      const { asked, parts, turn } = yield* Troubled.start(
        [callBig("a"), callBig("b"), callBig("c"), done],
        [big(21_000)],
        { known: { contextTokens: 20_000 } }
      )
      yield* during(turn)
      assert.strictEqual(asked.length, 4)
      const compactions = parts.filter((part) => part.type === "compaction")
      assert.deepStrictEqual(compactions.map(({ results, turns }) => [results, turns]), [[2, 0]])
      const [first] = compactions
      assert.strictEqual(first?.limit, 15_000)
      assert.isAbove(first?.tokensBefore ?? 0, 15_000)
      assert.isBelow(first?.tokensAfter ?? 0, 15_000)
      assert.match(sentText(asked[3]?.prompt.content), /result a \[This result of a_big, 21000 bytes, is left out/)
      assert.match(sentText(asked[3]?.prompt.content), /result c ab /)
      assert.deepStrictEqual(brief(parts).slice(-3), ["compaction", "says Done.", "finish stop"])
    }))

  it.effect("takes a model that nobody knows for a small one, and says where to say more", () =>
    Effect.gen(function*() {
      const { parts, turn } = yield* Troubled.start([callBig("a"), callBig("b"), done], [big(60_000)])
      yield* during(turn)
      const compaction = parts.find((part) => part.type === "compaction")
      assert.strictEqual(compaction?.limit, 24_000)
      const warnings = parts.flatMap((part) => part.type === "warning" ? [part.message] : [])
      assert.strictEqual(warnings.length, 1)
      assert.match(warnings[0] ?? "", /contextTokens under models in settings\.json/)
    }))

  it.effect("asks such a model also when nothing more can be left out: nobody knows that it is too much", () =>
    Effect.gen(function*() {
      const { asked, parts, turn } = yield* Troubled.start([done], [], { text: words(300_000) })
      yield* during(turn)
      assert.strictEqual(asked.length, 1)
      assert.deepStrictEqual(brief(parts), ["says Done.", "finish stop"])
    }))

  it.effect("learns from a refusal that definitions cannot be left to search there, and says so", () =>
    Effect.gen(function*() {
      const answers = [refused("tools.0.custom.defer_loading: Extra inputs are not permitted")]
      const known = { defersTools: true }
      const { asked, lessons, parts, turn } = yield* Troubled.start(answers, [big(10)], { known })
      yield* during(turn)
      assert.deepStrictEqual([asked.length, lessons], [1, [{ defersTools: false }]])
      assert.match(parts[0]?.type === "warning" ? parts[0].message : "", /through tool_call .* send the message again/)
      assert.deepStrictEqual(brief(parts).slice(1), ["error InvalidRequestError", "finish error"])
    }))

  it.effect("learns from a refusal how much the model reads, and asks once more with less", () =>
    Effect.gen(function*() {
      const tooLong = refused("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.")
      const { asked, lessons, parts, turn } = yield* Troubled.start(
        [callBig("a"), callBig("b"), tooLong, done],
        [big(12_000)]
      )
      yield* during(turn)
      assert.strictEqual(asked.length, 4)
      assert.deepStrictEqual(lessons, [{ contextTokens: 8192 }])
      assert.deepStrictEqual(brief(parts).slice(-3), ["compaction", "says Done.", "finish stop"])
      assert.match(sentText(asked[3]?.prompt.content), /result a \[This result of a_big/)
    }))

  it.effect("gives up, with what to do, when it is refused twice, and when nothing more can be left out", () =>
    Effect.gen(function*() {
      const tooLong = refused("prompt is too long: 210000 tokens > 9000 maximum")
      const twice = yield* Troubled.start([callBig("a"), callBig("b"), tooLong], [big(9000)])
      yield* during(twice.turn)
      assert.strictEqual(twice.asked.length, 4)
      assert.deepStrictEqual(brief(twice.parts).slice(-2), ["error InvalidRequestError", "finish error"])
      const long = yield* Troubled.start([done], [], { text: words(60_000), known: { contextTokens: 8000 } })
      yield* during(long.turn)
      assert.strictEqual(long.asked.length, 0, "nothing is sent")
      assert.deepStrictEqual(brief(long.parts), ["error ContextTooLong", "finish error"])
      assert.match(long.parts.find((part) => part.type === "error")?.message ?? "", /about 20\d\d\d tokens.* 6000 /)
    }))

  it.effect("believes the provider's own count more than its guess", () =>
    Effect.gen(function*() {
      const dense = [calls("a", "a_big"), finish("tool-calls", 4000, 1)]
      const { parts, turn } = yield* Troubled.start([dense, callBig("b"), done], [big(9000)], {
        known: { contextTokens: 24_000 }
      })
      yield* during(turn)
      const [compaction] = parts.filter((part) => part.type === "compaction")
      assert.strictEqual(compaction?.results, 1, "6,000 tokens by the guess are 24,000 of this model")
    }))

  it.effect("asks once more without the one tool that the provider refuses, and names it (R8)", () =>
    Effect.gen(function*() {
      const tools = [tool("a_one"), tool("b_two"), tool("c_three")]
      const { asked, parts, turn } = yield* Troubled.start(
        [
          refused("Invalid 'tools[1].description': string too long."),
          [calls("c", "a_one"), finish("tool-calls")],
          done
        ],
        tools
      )
      yield* during(turn)
      const given = asked.map(({ tools }) => tools.map(({ name }) => name))
      assert.deepStrictEqual(given, [["a_one", "b_two", "c_three"], ["a_one", "c_three"], ["a_one", "c_three"]])
      const [warning] = brief(parts)
      assert.match(
        warning ?? "",
        /^warning the provider refused b_two of b, so the model is asked without it: .*too long/
      )
      assert.deepStrictEqual(brief(parts).slice(1), ["call c", "result c", "says Done.", "finish stop"])
    }))

  it.effect("gives up when another tool is refused as well", () =>
    Effect.gen(function*() {
      const { asked, parts, turn } = yield* Troubled.start(
        [refused("Invalid 'tools[0].description': string too long.")],
        [tool("a_one"), tool("b_two")]
      )
      yield* during(turn)
      assert.deepStrictEqual(asked.map(({ tools }) => tools.length), [2, 1])
      assert.deepStrictEqual(brief(parts).slice(-2), ["error InvalidRequestError", "finish error"])
    }))

  it.effect("asks without images when the model turns out to see none", () =>
    Effect.gen(function*() {
      const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
      const shot = tool("a_shot", () =>
        Effect.succeed({
          ...ToolResult.success("a picture"),
          content: [{ type: "image", data: png, mimeType: "image/png" }]
        }))
      const { asked, lessons, parts, turn } = yield* Troubled.start(
        [[calls("a", "a_shot"), finish("tool-calls")], refused("image input is not supported by this model"), done],
        [shot]
      )
      yield* during(turn)
      assert.strictEqual(asked.length, 3)
      assert.deepStrictEqual(lessons, [{ seesImages: false }])
      assert.include(JSON.stringify(asked[1]?.prompt), png)
      assert.notInclude(JSON.stringify(asked[2]?.prompt), png)
      assert.include(JSON.stringify(asked[2]?.prompt), "this model sees no images")
      assert.strictEqual(brief(parts).at(-1), "finish stop")
    }))
})

describe("ModelRequest counts", () => {
  it.effect("what all requests of a turn used, those that broke off at their end included, and what it costs", () =>
    Effect.gen(function*() {
      const prices = { input: 2, output: 10, cacheRead: 0.5, cacheWrite: null, over: null }
      const { parts, turn } = yield* Troubled.start(
        [
          dropped(...says("Half"), finish("stop", 1000, 100)),
          [calls("c", "a_one"), finish("tool-calls", 2000, 200)],
          [...says("Done."), finish("stop", 3000, 300)]
        ],
        [tool("a_one")],
        { known: { prices }, agent: { ...agent, steps: 3 } }
      )
      yield* during(turn)
      const usage = parts.flatMap((part) => part.type === "finish" ? [part.usage] : [])[0]
      assert.deepStrictEqual([usage?.inputTokens, usage?.outputTokens], [6000, 600])
      assert.closeTo(usage?.cost ?? 0, (6000 * 2 + 600 * 10) / 1e6, 1e-12)
    }))
})
