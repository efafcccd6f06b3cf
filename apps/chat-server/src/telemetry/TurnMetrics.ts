/**
 * The figures of turns: how many run, how they ended, how long they took, and how many tokens they used. The parts that the
 * store is given tell them.
 */
import { ChatStore, type Part } from "@boocode/chat"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"

const running = Metric.gauge("boocode_turns_running", { description: "Turns that run now" })

const turns = Metric.counter("boocode_turns_total", {
  description: "Turns that ended, by the reason of their end",
  incremental: true
})

const seconds = Metric.histogram("boocode_turn_duration_seconds", {
  description: "How long turns took",
  boundaries: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800]
})

const tokens = Metric.counter("boocode_model_tokens_total", {
  description: "Tokens of models, by model and kind: input, output, cache-read, cache-write, reasoning",
  incremental: true
})

const cost = Metric.counter("boocode_model_cost_dollars_total", {
  description: "What models cost, by model, in US dollars, where prices are known",
  incremental: true
})

/** Each label costs memory for ever, and a chat may name any model. */
const MAX_MODELS = 100
/** Turns that never end, as those of a chat that is removed, are forgotten at last. */
const MAX_RUNNING = 10_000

interface Running {
  readonly began: number
  readonly model: string
}

/** The store beneath, watched. */
export const layer = Layer.effect(ChatStore, Effect.map(ChatStore, (store) => observed(store)))

const observed = (store: typeof ChatStore.Service): typeof ChatStore.Service => {
  const live = new Map<string, Running>()
  const models = new Set<string>()
  const told = Effect.suspend(() => Metric.update(running, live.size))
  const label = (model: string) => {
    if (models.size < MAX_MODELS) models.add(model)
    return models.has(model) ? model : "other"
  }
  const ended = Effect.fnUntraced(function*(key: string, part: Extract<Part, { type: "finish" }>) {
    const turn = live.get(key)
    if (turn === undefined) return
    live.delete(key)
    const taken = ((yield* Clock.currentTimeMillis) - turn.began) / 1000
    yield* told
    yield* Metric.update(Metric.withAttributes(turns, { reason: part.reason }), 1)
    yield* Metric.update(seconds, taken)
    yield* used(label(turn.model), part.usage)
  })
  return ChatStore.of({
    ...store,
    putTurn: (id, turn) =>
      Effect.tap(store.putTurn(id, turn), () =>
        Effect.gen(function*() {
          const key = keyOf(id, turn.turn)
          if (turn.state !== "running") live.delete(key)
          else if (!live.has(key) && live.size < MAX_RUNNING) {
            live.set(key, { began: yield* Clock.currentTimeMillis, model: turn.model })
          }
          yield* told
        })),
    append: (id, parts) =>
      Effect.tap(
        store.append(id, parts),
        () =>
          Effect.forEach(parts, (part) => part.type === "finish" ? ended(keyOf(id, part.turn), part) : Effect.void, {
            discard: true
          })
      ),
    remove: (id) =>
      Effect.tap(store.remove(id), () =>
        Effect.suspend(() => {
          for (const key of live.keys()) if (key.startsWith(`${id}/`)) live.delete(key)
          return told
        }))
  })
}

const keyOf = (id: string, turn: number): string => `${id}/${turn}`

const used = Effect.fnUntraced(function*(model: string, usage: Extract<Part, { type: "finish" }>["usage"]) {
  const amounts = {
    "input": usage.inputTokens,
    "output": usage.outputTokens,
    "cache-read": usage.cacheReadTokens,
    "cache-write": usage.cacheWriteTokens,
    "reasoning": usage.reasoningTokens
  }
  for (const [kind, amount] of Object.entries(amounts)) {
    if (amount !== null) yield* Metric.update(Metric.withAttributes(tokens, { model, kind }), amount)
  }
  if (usage.cost !== null) yield* Metric.update(Metric.withAttributes(cost, { model }), usage.cost)
})
