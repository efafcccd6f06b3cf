import { ModelSettings } from "@boocode/language-models"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Anthropic from "../streams/Anthropic.ts"
import * as Asking from "../support/Asking.ts"
import { ANTHROPIC, PROVIDERS } from "../support/Providers.ts"
import * as ScriptedFetch from "../support/ScriptedFetch.ts"

/** Lets what came be read: promises settle outside the clock of the tests. */
const settle = Effect.forEach(
  Array.from({ length: 300 }),
  () => Effect.andThen(Effect.promise(() => Promise.resolve()), Effect.yieldNow),
  { discard: true }
)

const asking = (question: Asking.Question, answer: ScriptedFetch.Answer) => {
  const { layer, sent } = ScriptedFetch.make([answer])
  return Effect.map(
    Effect.forkChild(Effect.result(Stream.runDrain(Asking.stream(layer, question)))),
    (fiber) => ({ fiber, sent })
  )
}

const half = (text: string) => text.slice(0, text.indexOf("\n\n", Math.floor(text.length / 2)) + 2)

describe("A model that falls silent", () => {
  it.effect.each(PROVIDERS)(
    "in the middle of a stream has broken off after two minutes: $model",
    ({ model, text, variables }) =>
      Effect.gen(function*() {
        const { fiber, sent } = yield* asking(
          { model, variables, prompt: "Hello" },
          ScriptedFetch.silent(half(text))
        )
        yield* settle
        yield* TestClock.adjust("119 seconds")
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("2 seconds")
        const result = yield* Fiber.join(fiber)
        assert.isTrue(Result.isFailure(result))
        const error = Result.isFailure(result) ? result.failure : null
        assert.strictEqual(error?.reason._tag, "NetworkError")
        assert.isTrue(error?.isRetryable)
        assert.match(error?.message ?? "", /nothing came for 120 seconds/)
        assert.isTrue(sent[0]?.signal?.aborted, "the request is over")
      })
  )

  it.effect("before it answers at all has broken off, too", () =>
    Effect.gen(function*() {
      const { fiber, sent } = yield* asking({ model: ANTHROPIC, prompt: "Hello" }, () => new Promise(() => {}))
      yield* settle
      yield* TestClock.adjust("121 seconds")
      const result = yield* Fiber.join(fiber)
      assert.strictEqual(Result.isFailure(result) ? result.failure.reason._tag : null, "NetworkError")
      assert.isTrue(sent[0]?.signal?.aborted)
    }))

  it.effect("has the time that its settings give it", () =>
    Effect.gen(function*() {
      const { fiber } = yield* asking({ model: ANTHROPIC, prompt: "Hello" }, ScriptedFetch.silent(half(Anthropic.text)))
        .pipe(
          Effect.provideService(ModelSettings, { ...ModelSettings.defaultValue(), silence: Duration.minutes(10) })
        )
      yield* settle
      yield* TestClock.adjust("9 minutes")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("2 minutes")
      assert.isTrue(Result.isFailure(yield* Fiber.join(fiber)))
    }))

  it.effect("is not silent while pings come", () =>
    Effect.gen(function*() {
      let say: (text: string) => void = () => {}
      const body = new ReadableStream<Uint8Array>({
        start: (out) => {
          say = (text) => out.enqueue(new TextEncoder().encode(text))
        }
      })
      const headers = { "content-type": "text/event-stream" }
      const { fiber } = yield* asking({ model: ANTHROPIC, prompt: "Hello" }, () =>
        Promise.resolve(new Response(body, { status: 200, headers })))
      yield* Effect.sync(() =>
        say(Anthropic.text.slice(0, Anthropic.text.indexOf("\n\n") + 2))
      )
      for (let minute = 0; minute < 5; minute++) {
        yield* settle
        yield* TestClock.adjust("1 minute")
        yield* Effect.sync(() => say("event: ping\ndata: {\"type\":\"ping\"}\n\n"))
      }
      yield* settle
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("121 seconds")
      assert.isTrue(Result.isFailure(yield* Fiber.join(fiber)))
    }))
})
