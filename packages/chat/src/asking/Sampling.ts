/** A model that servers may ask, under the same rules as everybody: no tools, a limit on time, its usage counted. */
import { type ModelFacts, ModelSettings, ProviderError } from "@boocode/language-models"
import { CleanText, SamplingRefused, type SamplingRequest } from "@boocode/mcp-registry"
import { Utf8 } from "@boocode/toolkit"
import type * as AiError from "effect/ai/AiError"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ModelChoice from "../model/ModelChoice.ts"
import * as ModelFailure from "../model/ModelFailure.ts"
import type { SamplingResult, SamplingShown } from "../model/Question.ts"
import * as Usage from "../model/Usage.ts"

/** Who is asked, and where what it uses is counted. */
export interface Sampling {
  /** Such as `openai/gpt-5`. */
  readonly id: string
  readonly model: LanguageModel.LanguageModel
  readonly facts: ModelFacts.ModelFacts
  /** Where the server leaves it open; null leaves it to the provider. */
  readonly temperature: number | null
  readonly tally: Usage.Tally
}

/** What was said. */
export type Sampled = Pick<SamplingResult, "text"> & { readonly stopReason: NonNullable<SamplingResult["stopReason"]> }

/** How long the model may take, its retries included. */
export const LIMIT = "5 minutes"

/** Asks the model, again where its provider has passing trouble. Fails within 5 minutes with words for the server. */
export const ask = Effect.fn("Sampler.ask")(
  (sampler: Sampling, asked: SamplingPrompt): Effect.Effect<Sampled, SamplingRefused> =>
    Effect.flatMap(Clock.currentTimeMillis, (since) => attempt(sampler, asked, 1, since)).pipe(
      Effect.mapError((error) =>
        error._tag === "SamplingRefused" ? error : refused(Utf8.prefix(ProviderError.message(error), WORDS_BYTES))
      ),
      Effect.timeoutOrElse({
        duration: LIMIT,
        orElse: () => Effect.fail(refused(`the model did not answer within ${LIMIT}`))
      })
    )
)

const WORDS_BYTES = 1000
/** Not every provider keeps to a limit on tokens. */
const MOST_CHARACTERS = 100_000

const refused = (message: string) => new SamplingRefused({ message, isRejected: false })

const attempt = (
  sampler: Sampling,
  asked: SamplingPrompt,
  count: number,
  since: number
): Effect.Effect<Sampled, AiError.AiError | SamplingRefused> =>
  Effect.catchTag(
    once(sampler, asked),
    "AiError",
    Effect.fnUntraced(function*(error) {
      const tried = {
        failed: count,
        sinceMillis: (yield* Clock.currentTimeMillis) - since,
        random: yield* Random.next
      }
      const delay = ModelChoice.delayMillis(error, tried)
      if (delay === null) return yield* Effect.fail(error)
      yield* Effect.sleep(delay)
      return yield* attempt(sampler, asked, count + 1, since)
    })
  )

const once = Effect.fnUntraced(function*({ facts, model, tally, temperature }: Sampling, asked: SamplingPrompt) {
  const { maxTokens, stopSequences, temperature: wanted } = asked.shown
  let text = ""
  let reason: Response.FinishReason = "unknown"
  yield* model.streamText({ prompt: asked.prompt }).pipe(
    Stream.provideService(ModelSettings, {
      ...ModelSettings.defaultValue(),
      temperature: wanted ?? temperature,
      maxOutputTokens: maxTokens,
      silence: facts.silenceSeconds === null ? null : Duration.seconds(facts.silenceSeconds)
    }),
    Stream.runForEach((part) =>
      Effect.suspend((): Effect.Effect<void, AiError.AiError | SamplingRefused> => {
        if (part.type === "error") return ModelFailure.failure(part.error)
        if (part.type === "text-delta") text += part.delta
        if (text.length > MOST_CHARACTERS) {
          return Effect.fail(refused(`the model said more than ${MOST_CHARACTERS} characters`))
        }
        if (part.type === "finish") {
          reason = part.reason
          tally.usage = Usage.add(tally.usage, Usage.ofResponse(part.usage, facts.prices))
        }
        return Effect.void
      })
    )
  )
  yield* refuseFailed(reason)
  return stopped(text, reason, stopSequences)
})

const refuseFailed = (reason: Response.FinishReason): Effect.Effect<void, SamplingRefused> => {
  if (reason === "error") return Effect.fail(refused("the provider ended the answer with an error"))
  return reason === "content-filter"
    ? Effect.fail(refused("the provider's content filter ended the answer"))
    : Effect.void
}

/** Providers know different limits on stop sequences, or none, so the answer is cut here. */
const stopped = (text: string, reason: Response.FinishReason, stops: ReadonlyArray<string>): Sampled => {
  const at = Math.min(...stops.map((stop) => text.indexOf(stop)).filter((index) => index >= 0), text.length)
  if (at < text.length) return { text: text.slice(0, at), stopReason: "stopSequence" }
  return { text, stopReason: reason === "length" ? "maxTokens" : "endTurn" }
}

export interface SamplingPrompt {
  readonly shown: SamplingShown
  readonly prompt: Prompt.Prompt
}

/** However many a server wants. */
export const MOST_TOKENS = 4096
const MOST_BYTES = 5_000_000
/** Of messages, and of the blocks of one. */
const MOST_MESSAGES = 200
/** What providers take differs; nobody needs more. */
const MOST_STOPS = { count: 16, characters: 200 }

const Text = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })
const Media = Schema.Struct({
  type: Schema.Literals(["image", "audio"]),
  data: Schema.String,
  mimeType: Schema.String
})
const Block = Schema.Union([Text, Media])
const Message = Schema.Struct({
  role: Schema.Literals(["user", "assistant"]),
  content: Schema.Union([Block, Schema.Array(Block)])
})
const decode = Schema.decodeUnknownResult(Schema.Array(Message))

interface File {
  readonly mediaType: string
  readonly data: Uint8Array
}

interface Read {
  readonly role: "user" | "assistant"
  readonly text: string
  readonly files: ReadonlyArray<File>
}

/**
 * The request for the model of this id. Fails with what cannot be sent: calls of tools, media of the assistant or that
 * is neither image nor audio, base64 that is none, empty messages, more than 200 of them, 100,000 characters or
 * 5,000,000 bytes of media, more than 16 stop sequences.
 */
export const promptOf = (request: SamplingRequest, model: string): Result.Result<SamplingPrompt, SamplingRefused> => {
  const decoded = decode(request.messages)
  if (Result.isFailure(decoded) || decoded.success.length === 0) {
    return refusedPrompt(
      "its messages are not what a model can be asked here: text, images and audio of user and assistant"
    )
  }
  if (decoded.success.length > MOST_MESSAGES) {
    return refusedPrompt(`it has ${decoded.success.length} messages, more than ${MOST_MESSAGES}`)
  }
  const stopSequences = request.stopSequences.filter((stop) => stop !== "")
  if (stopSequences.length > MOST_STOPS.count || stopSequences.some(({ length }) => length > MOST_STOPS.characters)) {
    return refusedPrompt(
      `it has more than ${MOST_STOPS.count} stop sequences of at most ${MOST_STOPS.characters} characters`
    )
  }
  const read = Result.all(decoded.success.map(readMessage))
  if (Result.isFailure(read)) return refusedPrompt(read.failure)
  const systemPrompt = request.systemPrompt === null ? null : CleanText.clean(request.systemPrompt)
  const tooMuch = excess(read.success, systemPrompt)
  if (tooMuch !== null) return refusedPrompt(tooMuch)
  const system = systemPrompt === null || systemPrompt === "" ? [] : [Prompt.systemMessage({ content: systemPrompt })]
  return Result.succeed({
    prompt: Prompt.fromMessages([...system, ...read.success.map(toMessage)]),
    shown: {
      model,
      messages: read.success.map(({ files, role, text }) => ({ role, text, media: files.map(shownFile) })),
      systemPrompt,
      maxTokens: Math.max(1, Math.min(MOST_TOKENS, Math.trunc(request.maxTokens))),
      temperature: request.temperature,
      stopSequences
    }
  })
}

const refusedPrompt = (message: string) => Result.fail(new SamplingRefused({ message, isRejected: false }))

const readMessage = ({ content, role }: typeof Message.Type): Result.Result<Read, string> => {
  const blocks = "type" in content ? [content] : content
  if (blocks.length > MOST_MESSAGES) return Result.fail(`a message in it has more than ${MOST_MESSAGES} blocks`)
  const files = Result.all(blocks.flatMap((block) => block.type === "text" ? [] : [readFile(block)]))
  if (Result.isFailure(files)) return Result.fail(files.failure)
  if (role === "assistant" && files.success.length > 0) return Result.fail("a message of the assistant has media in it")
  const text = blocks.flatMap((block) => block.type === "text" ? [CleanText.clean(block.text)] : []).join("\n\n")
  if (text.trim() === "" && files.success.length === 0) return Result.fail("a message in it is empty")
  return Result.succeed({ role, text, files: files.success })
}

const readFile = ({ data, mimeType, type }: typeof Media.Type): Result.Result<File, string> => {
  if (data.length > MOST_BYTES * 2) return Result.fail(`it has more than ${MOST_BYTES} bytes of media`)
  const bytes = Base64.decode(data)
  if (Result.isFailure(bytes)) return Result.fail(`an ${type} in it is no base64`)
  return MEDIA[type].test(mimeType)
    ? Result.succeed({ mediaType: mimeType, data: bytes.success })
    : Result.fail(`an ${type} in it says that it is something else`)
}

const MEDIA = { image: /^image\/[\w.+-]{1,80}$/, audio: /^audio\/[\w.+-]{1,80}$/ }

const excess = (messages: ReadonlyArray<Read>, systemPrompt: string | null): string | null => {
  const characters = messages.reduce((sum, { text }) => sum + text.length, systemPrompt?.length ?? 0)
  const bytes = messages.flatMap(({ files }) => files).reduce((sum, { data }) => sum + data.length, 0)
  if (characters > MOST_CHARACTERS) return `it has ${characters} characters, more than ${MOST_CHARACTERS}`
  return bytes > MOST_BYTES ? `it has ${bytes} bytes of media, more than ${MOST_BYTES}` : null
}

const toMessage = ({ files, role, text }: Read): Prompt.Message => {
  const words = Prompt.textPart({ text })
  if (role === "assistant") return Prompt.assistantMessage({ content: [words] })
  const media = files.map(({ data, mediaType }) => Prompt.filePart({ mediaType, data: Base64.encode(data) }))
  return Prompt.userMessage({ content: text === "" && media.length > 0 ? media : [...media, words] })
}

const shownFile = ({ data, mediaType }: File) => ({ mediaType, bytes: data.length })
