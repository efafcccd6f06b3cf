/** An AI SDK language model as an `effect/ai` language model. */
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Tool from "effect/ai/Tool"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as ResponseDecoding from "./decoding/ResponseDecoding.ts"
import * as StreamDecoding from "./decoding/StreamDecoding.ts"
import * as DeferredTool from "./encoding/DeferredTool.ts"
import * as PromptCache from "./encoding/PromptCache.ts"
import * as PromptEncoding from "./encoding/PromptEncoding.ts"
import * as ToolEncoding from "./encoding/ToolEncoding.ts"
import * as ProviderError from "./errors/ProviderError.ts"
import * as Secrets from "./errors/Secrets.ts"
import { ModelSettings } from "./models/ModelSettings.ts"
import * as ProviderTraits from "./models/ProviderTraits.ts"

/**
 * The language model over an AI SDK one. Each request is sent once: nothing is retried here. A stream that says nothing
 * for the `silence` of `ModelSettings`, 2 minutes by default, breaks off; pings count as something. Interrupting a
 * request aborts it on the wire. A tool call whose arguments are not JSON comes out with the text as its `params`, see
 * `ToolParams`; ask with `disableToolCallResolution` and `toolCallValidation: "deferred"` to answer such calls
 * yourself. Temperature and the like are read from `ModelSettings`. `scrub` hides secrets in errors.
 */
export const make = (
  model: LanguageModelV4,
  traits: ProviderTraits.ProviderTraits = ProviderTraits.plain,
  scrub: Secrets.Scrub = Secrets.none
): Effect.Effect<LanguageModel.LanguageModel> =>
  LanguageModel.make({
    streamText: (options) => Stream.unwrap(streamText(model, traits, scrub, options)),
    generateText: (options) => Effect.scoped(generateText(model, traits, scrub, options))
  })

const streamText = Effect.fnUntraced(function*(
  model: LanguageModelV4,
  traits: ProviderTraits.ProviderTraits,
  scrub: Secrets.Scrub,
  options: LanguageModel.ProviderOptions
) {
  const origin = { method: "streamText", model: nameOf(model), scrub } as const
  const request = yield* callOptions(options, traits).pipe(
    Effect.mapError((reason) => ProviderError.fromReason(reason, origin))
  )
  const silence = (yield* ModelSettings).silence ?? DEFAULT_SILENCE
  const { stream } = yield* send(() => model.doStream({ ...request, includeRawChunks: true }), origin).pipe(
    Effect.timeoutOrElse({ duration: silence, orElse: () => Effect.fail(ProviderError.silent(silence, origin)) })
  )
  return StreamDecoding.decode(stream, origin, silence)
})

const DEFAULT_SILENCE = Duration.minutes(2)

const generateText = Effect.fnUntraced(function*(
  model: LanguageModelV4,
  traits: ProviderTraits.ProviderTraits,
  scrub: Secrets.Scrub,
  options: LanguageModel.ProviderOptions
) {
  const origin = { method: "generateText", model: nameOf(model), scrub } as const
  const request = yield* callOptions(options, traits).pipe(
    Effect.mapError((reason) => ProviderError.fromReason(reason, origin))
  )
  const result = yield* send(() => model.doGenerate(request), origin)
  return ResponseDecoding.decode(result)
})

const nameOf = (model: LanguageModelV4): string => `${model.provider}/${model.modelId}`

const send = <A>(request: () => PromiseLike<A>, origin: ProviderError.Origin): Effect.Effect<A, AiError.AiError> =>
  Effect.tryPromise({
    try: request,
    catch: (cause) => ProviderError.fromUnknown(cause, origin)
  })

const callOptions = Effect.fnUntraced(
  function*(
    options: LanguageModel.ProviderOptions,
    traits: ProviderTraits.ProviderTraits
  ) {
    const settings = yield* ModelSettings
    const tools = yield* ToolEncoding.encode(options)
    const format = yield* responseFormat(options.responseFormat)
    const call: LanguageModelV4CallOptions = {
      prompt: PromptEncoding.encode(options.prompt, traits),
      // Aborts when the scope of the request closes, that is on interruption and on a stream left early, too.
      abortSignal: yield* Effect.abortSignal,
      providerOptions: traits.providerOptions,
      ...tools,
      ...format,
      ...(settings.temperature === null ? {} : { temperature: settings.temperature }),
      ...(settings.maxOutputTokens === null ? {} : { maxOutputTokens: settings.maxOutputTokens }),
      ...(settings.reasoning === null ? {} : { reasoning: settings.reasoning })
    }
    return PromptCache.asked(DeferredTool.added(call, traits), traits, settings.conversation)
  }
)

const responseFormat = (
  format: LanguageModel.ProviderOptions["responseFormat"]
): Effect.Effect<Pick<LanguageModelV4CallOptions, "responseFormat">, AiError.UnsupportedSchemaError> =>
  format.type === "text" ? Effect.succeed({}) : Effect.try({
    try: () => {
      const schema = Tool.getJsonSchemaFromSchema(format.schema)
      const json = { type: "json", name: format.objectName } as const
      return { responseFormat: ToolEncoding.isJsonSchema(schema) ? { ...json, schema } : json }
    },
    catch: (cause) => new AiError.UnsupportedSchemaError({ description: String(cause) })
  })
