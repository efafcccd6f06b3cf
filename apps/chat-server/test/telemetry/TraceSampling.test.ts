/** Which traces are kept. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import * as Tracer from "effect/Tracer"
import * as TraceSampling from "../../src/telemetry/TraceSampling.ts"

const CALLER = { spanId: "b7ad6b7169203331" }
/** A trace that is drawn where half of them are, and one that is not. */
const HIGH = `${"0".repeat(18)}ffffffffffffff`
const LOW = "0".repeat(31) + "1"

/** Whether a span is kept: of nobody's trace, or of one that begins elsewhere. */
const isKept = Effect.fnUntraced(
  function*(sampler: string, argument?: string, caller?: { id: string; sampled: boolean }) {
    const parsed = TraceSampling.parse(sampler, argument)
    if (parsed === null) return yield* Effect.die(new Error(`${sampler} is unknown`))
    const tracer = TraceSampling.sampled(Tracer.make({ span: (options) => new Tracer.NativeSpan(options) }), parsed)
    const parent = caller === undefined
      ? {}
      : { parent: Tracer.externalSpan({ ...CALLER, traceId: caller.id, sampled: caller.sampled }) }
    const made = Effect.useSpan("outer", parent, (outer) =>
      Effect.withParentSpan(
        Effect.useSpan("inner", (inner) => Effect.succeed([outer, inner] as const)),
        outer
      ))
    const [outer, inner] = yield* Effect.withTracer(made, tracer)
    assert.strictEqual(inner.sampled, outer.sampled, "a trace is kept as a whole")
    return outer.sampled
  }
)

describe("Which traces are kept", () => {
  it.effect("is for the sampler to say, or for who called us where it asks that", () =>
    Effect.gen(function*() {
      const yes = { id: LOW, sampled: true }
      const no = { id: HIGH, sampled: false }
      const cases = [
        ["always_on", undefined, [true, true, true]],
        ["always_off", undefined, [false, false, false]],
        ["parentbased_always_on", undefined, [true, true, false]],
        ["parentbased_always_off", undefined, [false, true, false]],
        ["parentbased_traceidratio", "0", [false, true, false]]
      ] as const
      for (const [sampler, argument, expected] of cases) {
        const kept = [
          yield* isKept(sampler, argument),
          yield* isKept(sampler, argument, yes),
          yield* isKept(sampler, argument, no)
        ]
        assert.deepStrictEqual(kept, [...expected], sampler)
      }
    }))

  it.effect("is decided by the trace's id where a part of them is kept, so that all who see it decide alike", () =>
    Effect.gen(function*() {
      assert.isTrue(yield* isKept("traceidratio", "0.5", { id: HIGH, sampled: false }))
      assert.isFalse(yield* isKept("traceidratio", "0.5", { id: LOW, sampled: true }))
      const kept = yield* Effect.forEach(Array.from({ length: 400 }), () => isKept("traceidratio", "0.5"))
      const count = kept.filter((one) => one).length
      assert.isTrue(count > 120 && count < 280, `${count} of 400`)
    }))

  it.effect("is at most 1,000 a second of those that begin here, and all that a caller asks for", () =>
    Effect.gen(function*() {
      const inner = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })
      const tracer = TraceSampling.sampled(inner, TraceSampling.USUAL)
      const kept = Effect.map(
        Effect.forEach(
          Array.from({ length: 1200 }),
          () => Effect.useSpan("a", ({ sampled }) => Effect.succeed(sampled))
        ),
        (all) => all.filter((one) => one).length
      )
      const parent = Tracer.externalSpan({ ...CALLER, traceId: LOW, sampled: true })
      const [first, asked] = yield* Effect.withTracer(
        Effect.all([kept, Effect.withParentSpan(kept, parent)]),
        tracer
      )
      yield* TestClock.adjust("1 second")
      const next = yield* Effect.withTracer(kept, tracer)
      assert.deepStrictEqual([first, asked, next], [1000, 1200, 1000])
    }))
})
