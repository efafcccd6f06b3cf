/**
 * Patterns in, answer out: one model request whose tool calls are run, whatever the model asks for.
 */
import { McpToolkit } from "@boocode/toolkit"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** What the model said, and what each tool it called answered. */
export const ask = Effect.fn("ask")(function*(prompt: string, patterns: ReadonlyArray<string>) {
  const toolkit = yield* McpToolkit.forAgent(patterns)
  // Deferred, so that a name the model invented is answered by the toolkit and does not fail the request.
  const answer = yield* LanguageModel.generateText({
    prompt,
    toolkit,
    disableToolCallResolution: true,
    toolCallValidation: "deferred"
  })
  const results = yield* Effect.forEach(
    answer.toolCalls,
    (call) => toolkit.handle(call.name, call.params, call.id).pipe(Stream.unwrap, Stream.runCollect),
    { concurrency: "unbounded" }
  )
  return { text: answer.text, results: results.flat() }
})
