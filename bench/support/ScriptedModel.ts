/**
 * A model in this process that calls a tool so many times in a row, then says that it is done; and when each of its
 * answers ended and the next request came.
 */
import { LanguageModels, ModelFacts } from "@boocode/language-models"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

export interface Script {
  readonly tool: string
  readonly input: unknown
  /** So many calls a turn, one an answer. */
  readonly calls: number
}

const finish = (reason: "stop" | "tool-calls"): Response.StreamPartEncoded => ({
  type: "finish",
  reason,
  response: undefined,
  usage: {
    inputTokens: { uncached: undefined, total: 10, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 10, text: undefined, reasoning: undefined }
  }
})

const DONE: ReadonlyArray<Response.StreamPartEncoded> = [
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: "done" },
  { type: "text-end", id: "t" },
  finish("stop")
]

/** `waits` fills with milliseconds: from the end of an answer that calls the tool to the next request. */
export const layer = ({ calls, input, tool }: Script, waits: Array<number>) => {
  let asked = 0
  let ended: number | null = null
  const call = (): ReadonlyArray<Response.StreamPartEncoded> => [
    { type: "tool-call", id: `call_${asked}`, name: tool, params: input, providerExecuted: false },
    finish("tool-calls")
  ]
  const answer = () => {
    if (ended !== null) waits.push(performance.now() - ended)
    ended = null
    asked += 1
    const isLast = asked % (calls + 1) === 0
    return Stream.fromIterable(isLast ? DONE : call()).pipe(Stream.onEnd(Effect.sync(() => {
      ended = isLast ? null : performance.now()
    })))
  }
  return Layer.effect(
    LanguageModels,
    Effect.map(
      LanguageModel.make({ generateText: () => Effect.die("not used"), streamText: () => Stream.suspend(answer) }),
      (model) =>
        LanguageModels.of({
          providers: Effect.succeed([]),
          model: () => Effect.succeed(model),
          facts: () => Effect.succeed({ ...ModelFacts.UNKNOWN, learn: () => Effect.void }),
          suggested: () => Effect.succeed([]),
          listed: () => Effect.succeed([])
        })
    )
  )
}
