import { ChatStore, MemoryChatStore, NO_USAGE } from "@boocode/chat"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as TestClock from "effect/testing/TestClock"
import * as TurnMetrics from "../../src/telemetry/TurnMetrics.ts"

const store = TurnMetrics.layer.pipe(Layer.provide(MemoryChatStore.layer))

/** Metrics of this test alone. */
const alone = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(effect, Metric.MetricRegistry, new Map())

const AT = "2026-11-22T00:00:00.000Z"

const begun = (turn: number, model: string) => ({
  turn,
  key: null,
  text: "hi",
  agent: "Assistant",
  model,
  createdAt: AT,
  state: "running" as const,
  replacedBy: null,
  attachments: []
})

const record = (id: string) => ({
  id,
  owner: "first",
  title: "Hello",
  titledBy: "message" as const,
  agent: null,
  model: null,
  pinned: false,
  folder: null,
  off: { servers: [], tools: [] },
  write: null,
  createdAt: AT,
  updatedAt: AT
})

describe("TurnMetrics", () => {
  it.effect("counts turns while they run and by how they ended, with time, tokens and cost", () =>
    alone(
      Effect.gen(function*() {
        const chats = yield* ChatStore
        yield* chats.put(record("c1"))
        yield* chats.put(record("c2"))
        yield* chats.putTurn("c1", begun(1, "openai/a"))
        yield* chats.putTurn("c2", begun(1, "openai/b"))
        assert.include(yield* PrometheusMetrics.format(), "boocode_turns_running 2")
        yield* TestClock.adjust("7 seconds")
        const usage = {
          ...NO_USAGE,
          inputTokens: 100,
          outputTokens: 20,
          cacheReadTokens: 60,
          cacheWriteTokens: 30,
          cost: 0.5
        }
        yield* chats.append("c1", [{ type: "finish", seq: 1, turn: 1, reason: "stop", usage }])
        yield* chats.putTurn("c1", { ...begun(1, "openai/a"), state: "ended" })
        const text = yield* PrometheusMetrics.format()
        for (
          const line of [
            "boocode_turns_running 1",
            "boocode_turns_total{reason=\"stop\"} 1",
            "boocode_turn_duration_seconds_sum 7",
            "boocode_turn_duration_seconds_bucket{le=\"5\"} 0",
            "boocode_turn_duration_seconds_bucket{le=\"10\"} 1",
            "boocode_model_tokens_total{model=\"openai/a\",kind=\"input\"} 100",
            "boocode_model_tokens_total{model=\"openai/a\",kind=\"output\"} 20",
            "boocode_model_tokens_total{model=\"openai/a\",kind=\"cache-read\"} 60",
            "boocode_model_tokens_total{model=\"openai/a\",kind=\"cache-write\"} 30",
            "boocode_model_cost_dollars_total{model=\"openai/a\"} 0.5"
          ]
        ) assert.include(text, line)
        assert.notInclude(text, "kind=\"reasoning\"")
        yield* chats.remove("c2")
        assert.include(yield* PrometheusMetrics.format(), "boocode_turns_running 0")
      })
    ).pipe(Effect.provide(store)))

  it.effect("gives no more than a hundred models a label of their own", () =>
    alone(
      Effect.gen(function*() {
        const chats = yield* ChatStore
        yield* chats.put(record("c1"))
        for (let turn = 1; turn <= 120; turn++) {
          yield* chats.putTurn("c1", begun(turn, `openai/m${turn}`))
          const usage = { ...NO_USAGE, outputTokens: 1 }
          yield* chats.append("c1", [{ type: "finish", seq: turn, turn, reason: "stop", usage }])
        }
        const text = yield* PrometheusMetrics.format()
        assert.strictEqual(text.match(/^boocode_model_tokens_total\{/gm)?.length, 101)
        assert.include(text, "boocode_model_tokens_total{model=\"other\",kind=\"output\"} 20")
      })
    ).pipe(Effect.provide(store)))
})
