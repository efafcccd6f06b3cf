/** One answer of a model, shown as it comes. */
import { ModelSettings } from "@boocode/language-models"
import type { McpToolkit } from "@boocode/toolkit"
import * as AiError from "effect/ai/AiError"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as CitedSources from "../history/CitedSources.ts"
import { broken, failure } from "../model/ModelRetry.ts"
import type { Emit } from "../model/Part.ts"
import * as ToolCalls from "./ToolCalls.ts"

export interface ModelAnswer {
  /** The answer as messages, with the metadata that its provider wants back while the turn runs. */
  readonly messages: ReadonlyArray<Prompt.Message>
  readonly calls: ReadonlyArray<ToolCalls.Call>
  readonly reason: Response.FinishReason
}

export interface Asking {
  readonly model: LanguageModel.LanguageModel
  readonly temperature: number | null
  /** For how long the model may say nothing. */
  readonly silenceSeconds: number | null
  /** The chat, whose requests begin alike; null where no request follows. */
  readonly chat: string | null
  readonly calls: ToolCalls.ToolCalls
  readonly emit: Emit
  /** Told at the end of an answer. */
  readonly used: (usage: Response.Usage) => Effect.Effect<void>
}

/**
 * Asks once, and shows text, reasoning and calls as they come. Fails when the answer has no good end; what was shown
 * then stands, and its calls are open.
 */
export const ask = Effect.fnUntraced(function*(
  { calls: shown, chat, emit, model, silenceSeconds, temperature, used }: Asking,
  toolkit: McpToolkit.ModelToolkit,
  messages: ReadonlyArray<Prompt.Message>
): Effect.fn.Return<ModelAnswer, AiError.AiError> {
  const said: Array<Response.AnyPart> = []
  const calls: Array<ToolCalls.Call> = []
  const sources = CitedSources.make()
  let reason: Response.FinishReason = "unknown"
  const answer = model.streamText({
    prompt: Prompt.fromMessages(messages),
    toolkit,
    // Effect would fail the stream of a model that invents a tool's name; here that is one error result.
    disableToolCallResolution: true,
    toolCallValidation: "deferred"
  })
  yield* answer.pipe(
    Stream.provideService(ModelSettings, {
      ...ModelSettings.defaultValue(),
      temperature,
      silence: silenceSeconds === null ? null : Duration.seconds(silenceSeconds),
      conversation: chat
    }),
    Stream.runForEach((part) =>
      Effect.gen(function*() {
        if (part.type === "tool-call" && !part.providerExecuted) {
          const call = yield* ToolCalls.show(shown, part)
          calls.push(call)
          return void said.push({ ...part, id: call.id })
        }
        if (part.type === "tool-params-start") return ToolCalls.begin(shown, part)
        if (part.type === "tool-params-delta") return ToolCalls.write(shown, part)
        said.push(part)
        const source = sources.take(part)
        if (source !== null) yield* emit(source)
        if (part.type === "text-delta" || part.type === "reasoning-delta") {
          if (part.delta !== "") yield* emit({ type: part.type, text: part.delta })
        } else if (part.type === "finish") {
          reason = part.reason
          yield* used(part.usage)
        } else if (part.type === "error") return yield* failure(part.error)
      })
    ),
    Effect.ensuring(Effect.sync(() => ToolCalls.forget(shown)))
  )
  yield* refuseFailed(reason)
  return { messages: Prompt.fromResponseParts(said).content, calls, reason }
})

/** As Google says of a call that it cannot read itself, and OpenRouter of a provider behind it. */
const refuseFailed = (reason: Response.FinishReason): Effect.Effect<void, AiError.AiError> =>
  reason === "error"
    ? broken(new AiError.InternalProviderError({ description: "the provider ended the answer with an error" }))
    : Effect.void
