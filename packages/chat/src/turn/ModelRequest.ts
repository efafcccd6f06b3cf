/** The requests of one turn: each is made to fit, made again when the provider has trouble, and its use is counted. */
import { type ModelFacts, ProviderError, ProviderRefusal } from "@boocode/language-models"
import { type AgentTool, type McpToolkit, Utf8 } from "@boocode/toolkit"
import type * as AiError from "effect/ai/AiError"
import type * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as AttachedContent from "../history/AttachedContent.ts"
import * as Summaries from "../history/Summaries.ts"
import * as TokenCount from "../history/TokenCount.ts"
import * as ModelRetry from "../model/ModelRetry.ts"
import * as Usage from "../model/Usage.ts"
import * as Compaction from "./Compaction.ts"
import * as DeferredDefinitions from "./DeferredDefinitions.ts"
import * as Images from "./Images.ts"
import * as ModelAnswer from "./ModelAnswer.ts"
import * as OmittedMessages from "./OmittedMessages.ts"
import * as SummaryRequest from "./SummaryRequest.ts"
import * as ToolCalls from "./ToolCalls.ts"
import * as TurnSpans from "./TurnSpans.ts"

/** A conversation does not fit, whatever is left out of it. */
export class ContextTooLong extends Schema.TaggedError<ContextTooLong>()("ContextTooLong", {
  tokens: Schema.Int,
  limit: Schema.Int
}) {
  override get message(): string {
    return `the message and what its tools brought take about ${this.tokens} tokens, more than the ${this.limit} that the model takes`
  }
  readonly hint: string =
    "send less at once, choose a model that reads more, or say its contextTokens under models in settings.json"
}

const MESSAGE_BYTES = 500

/** The state of the requests of one turn. They go one after the other, and learn from the provider. */
export interface ModelRequests extends Omit<ModelAnswer.Asking, "used" | "silenceSeconds"> {
  readonly facts: ModelFacts.Known
  /** Under which handles results can be read again, by the ids of their calls. */
  readonly handles: Map<string, string>
  /** Counts all requests so far. */
  readonly tally: Usage.Tally
  /** The turns that can be summed up; null once that was tried, and where it is not wanted. */
  summing: Pick<SummaryRequest.Summing, "turns" | "before"> | null
  /** The note that stands in place of the first turns of the conversation since this turn began. */
  summed: { readonly turns: number; readonly messages: ReadonlyArray<Prompt.Message> } | null
  left: OmittedMessages.OmittedMessages
  /** How many tokens of the model a request may take. */
  limit: number
  /** True when neither a person nor the provider gave that limit. */
  isAssumed: boolean
  /** How many tokens of the model one that `TokenCount` counts is. */
  scale: number
  seesImages: boolean
  /** False once the provider has refused a PDF, or where its interface takes none. */
  readsPdf: boolean
  /** Names of tools that the provider refused. */
  readonly refused: Set<string>
}

/** The context window of a model of which nothing is known. */
const ASSUMED_TOKENS = 32_000

/** No request yet. */
export const make = (
  asking: Pick<ModelRequests, "model" | "temperature" | "chat" | "calls" | "emit" | "facts" | "handles" | "tally">,
  summing: ModelRequests["summing"] = null
): ModelRequests => ({
  ...asking,
  summing,
  summed: null,
  left: OmittedMessages.NOTHING,
  limit: limitOf(asking.facts.contextTokens ?? ASSUMED_TOKENS),
  isAssumed: asking.facts.contextTokens === null,
  scale: 1,
  seesImages: asking.facts.seesImages ?? true,
  readsPdf: asking.facts.readsPdf ?? false,
  refused: new Set()
})

/** The answer needs room, too: a quarter of the window, at most 16,000 tokens. */
const limitOf = (contextTokens: number): number => contextTokens - Math.min(16_000, Math.floor(contextTokens / 4))

/** How many bytes a note in place of earlier turns may have. */
export const noteBytes = ({ limit }: ModelRequests): number => SummaryRequest.mostBytes(limit)

export const roomOf = ({ limit, readsPdf }: ModelRequests) => ({ tokens: limit, readsPdf })

export interface Question {
  readonly conversation: OmittedMessages.Conversation
  readonly tools: ReadonlyArray<AgentTool>
  readonly toolkit: McpToolkit.ModelToolkit
}

/**
 * Asks the model. When the conversation does not fit, the model first sums up its oldest turns, with a `summary` part.
 * Turns that still do not fit are left out, with a `compaction` part when that changes. A request that the provider
 * refuses as too long, for its images or PDFs, or for one of its tools, is made once more without them. Temporary
 * trouble is waited for, each time with a `retry` part; calls that the broken answer has shown get error results, as
 * they were not run. Fails with the error that stays.
 */
export const ask = (
  requests: ModelRequests,
  question: Question
): Effect.Effect<ModelAnswer.ModelAnswer, AiError.AiError | ContextTooLong> =>
  attempt(requests, question, { ...ModelRetry.NONE, isShorter: false, lacksTool: false })

interface Attempts extends ModelRetry.Tried {
  readonly isShorter: boolean
  /** A tool was left out since the question was first asked. */
  readonly lacksTool: boolean
}

const attempt = (
  requests: ModelRequests,
  question: Question,
  attempts: Attempts
): Effect.Effect<ModelAnswer.ModelAnswer, AiError.AiError | ContextTooLong> =>
  Effect.gen(function*() {
    const fitted = yield* prepare(requests, question)
    const seen = requests.seesImages ? fitted.messages : Images.withoutImages(fitted.messages)
    const messages = requests.readsPdf ? seen : AttachedContent.withoutPdfs(seen)
    const used = (usage: Response.Usage) => count(requests, usage, fitted.tokens)
    const asking = { ...requests, silenceSeconds: requests.facts.silenceSeconds, used }
    const toolkit = without(question.toolkit, requests.refused)
    const given = question.tools.filter(({ name }) => !requests.refused.has(name))
    const asked = ModelAnswer.ask(
      asking,
      DeferredDefinitions.marked(toolkit, given),
      DeferredDefinitions.referring(messages, given)
    )
    const answer = yield* Effect.result(TurnSpans.within(asked, yield* TurnSpans.ofRequest))
    if (Result.isSuccess(answer)) return answer.success
    const error = answer.failure
    if (ProviderRefusal.isTooLong(error) && !attempts.isShorter) {
      yield* shorten(requests, error, fitted.tokens)
      return yield* attempt(requests, question, { ...attempts, isShorter: true })
    }
    if (requests.facts.defersTools === true && ProviderRefusal.isAboutDeferral(error)) {
      yield* deferNoMore(requests, error)
      return yield* error
    }
    const refused = attempts.lacksTool ? null : ProviderRefusal.refusedTool(error, Object.keys(toolkit.tools))
    if (refused !== null) {
      yield* leaveOut(requests, question.tools.find(({ name }) => name === refused), refused, error)
      return yield* attempt(requests, question, { ...attempts, lacksTool: true })
    }
    if (ProviderRefusal.isAboutFiles(error) && AttachedContent.hasPdfs(messages)) {
      yield* readText(requests, error)
      return yield* attempt(requests, question, attempts)
    }
    if (ProviderRefusal.isAboutImages(error) && requests.seesImages && Images.hasImages(messages)) {
      yield* closeEyes(requests, error)
      return yield* attempt(requests, question, attempts)
    }
    return yield* attempt(requests, question, yield* wait(requests, error, attempts))
  })

const prepare = Effect.fnUntraced(function*(requests: ModelRequests, question: Question) {
  const { emit, handles, left, limit, scale } = requests
  const room = { tokens: Math.floor(limit / scale), besides: TokenCount.ofTools(question.tools) }
  yield* sumUp(requests, question.conversation, room)
  const conversation = withSummary(requests, question.conversation)
  const fitted = yield* Compaction.fit(conversation, left, room, handles)
  const tokens = Math.ceil(fitted.tokens * scale)
  // An assumed limit is no reason to refuse: the provider knows.
  if (!fitted.fits && !requests.isAssumed) return yield* new ContextTooLong({ tokens, limit })
  if (fitted.left !== left) {
    requests.left = fitted.left
    if (requests.isAssumed && left === OmittedMessages.NOTHING && requests.summed === null) yield* emit(assumed(limit))
    yield* emit({
      type: "compaction",
      ...Compaction.counted(conversation, fitted.left),
      tokensBefore: Math.ceil(
        scale *
          (room.besides + TokenCount.ofMessages(OmittedMessages.render(conversation, OmittedMessages.NOTHING, handles)))
      ),
      tokensAfter: tokens,
      limit
    })
  }
  return fitted
})

/** The turns are summed up at most once while a turn runs. */
const sumUp = Effect.fnUntraced(function*(
  requests: ModelRequests,
  conversation: OmittedMessages.Conversation,
  room: Compaction.Room
) {
  const { emit, facts, handles, left, model, scale, summing } = requests
  if (summing === null) return
  const tokens = room.besides + TokenCount.ofMessages(OmittedMessages.render(conversation, left, handles))
  if (tokens <= room.tokens) return
  requests.summing = null
  const bytes = noteBytes(requests)
  const asked = { model, prices: facts.prices, conversation, ...summing, room, bytes, handles }
  const summed = yield* SummaryRequest.sumUp(asked)
  if (summed === null) return
  const { summary, turns, usage } = summed
  yield* Usage.count(requests.tally, usage)
  requests.summed = { turns, messages: [Summaries.message(summary, bytes)] }
  if (requests.isAssumed) yield* emit(assumed(requests.limit))
  yield* emit({ ...summary, tokens: Math.ceil(summary.tokens * scale) })
})

const withSummary = (
  { summed }: ModelRequests,
  conversation: OmittedMessages.Conversation
): OmittedMessages.Conversation =>
  summed === null
    ? conversation
    : { ...conversation, summary: summed.messages, earlier: conversation.earlier.slice(summed.turns) }

const assumed = (limit: number) => ({
  type: "warning" as const,
  message: `nobody says how much this model reads, so no more than ${limit} tokens are sent; ` +
    "say its contextTokens under models in settings.json"
})

/** The provider's count tells how far off the guess was. */
const count = (requests: ModelRequests, usage: Response.Usage, guessed: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { total } = usage.inputTokens
    if (total !== undefined && total > 0) {
      requests.scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, (total / guessed) * SAFETY))
    }
    return Usage.count(requests.tally, Usage.ofResponse(usage, requests.facts.prices))
  })

const LEAST_SCALE = 0.5
const MOST_SCALE = 4
const SAFETY = 1.1

/** Takes the provider at its word; the request that it refused was too long in any case. */
const shorten = (requests: ModelRequests, error: AiError.AiError, guessed: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    const said = ProviderRefusal.contextTokens(error)
    const sent = guessed * requests.scale
    const contextTokens = said ?? Math.floor(sent * SHORTER)
    requests.limit = Math.floor(Math.min(limitOf(contextTokens), sent * SHORTER))
    requests.isAssumed = false
    return said === null && requests.facts.contextTokens !== null
      ? Effect.void
      : requests.facts.learn({ contextTokens })
  })

const SHORTER = 0.75

/** One tool that a provider refuses must not end every turn (R8). */
const leaveOut = (
  { emit, refused }: ModelRequests,
  tool: AgentTool | undefined,
  name: string,
  error: AiError.AiError
): Effect.Effect<void> =>
  Effect.suspend(() => {
    refused.add(name)
    const words = Utf8.prefix(ProviderError.message(error), MESSAGE_BYTES)
    const message = `the provider refused ${name} of ${
      tool?.server ?? "BooCode"
    }, so the model is asked without it: ${words}`
    return Effect.andThen(Effect.logWarning(message), emit({ type: "warning", message }))
  })

const without = (toolkit: McpToolkit.ModelToolkit, names: ReadonlySet<string>): McpToolkit.ModelToolkit => {
  if (names.size === 0) return toolkit
  // Without a prototype, as it was.
  const tools: Record<string, McpToolkit.ModelTool> = Object.create(null)
  for (const [name, tool] of Object.entries(toolkit.tools)) if (!names.has(name)) tools[name] = tool
  return { ...toolkit, tools }
}

/** An image of an earlier turn that a provider refuses must not end every turn (R63). */
const closeEyes = (requests: ModelRequests, error: AiError.AiError): Effect.Effect<void> =>
  Effect.suspend(() => {
    requests.seesImages = false
    const isBlind = ProviderRefusal.isBlind(error)
    const message = isBlind
      ? "this model sees no images, so it is asked without them"
      : `the provider refused an image, so the model is asked without images: ${
        Utf8.prefix(ProviderError.message(error), MESSAGE_BYTES)
      }`
    const told = requests.emit({ type: "warning", message })
    return isBlind ? Effect.andThen(requests.facts.learn({ seesImages: false }), told) : told
  })

/** A PDF that a provider refuses must not end every later turn. */
const readText = (requests: ModelRequests, error: AiError.AiError): Effect.Effect<void> =>
  Effect.suspend(() => {
    requests.readsPdf = false
    const words = Utf8.prefix(ProviderError.message(error), MESSAGE_BYTES)
    const message = `the provider refused a PDF, so the model is given its text: ${words}`
    const told = requests.emit({ type: "warning", message })
    return ProviderRefusal.takesNoFiles(error) ? Effect.andThen(requests.facts.learn({ readsPdf: false }), told) : told
  })

/** Its tools stay as they are while a turn runs, so the next one does without. */
const deferNoMore = ({ emit, facts }: ModelRequests, error: AiError.AiError): Effect.Effect<void> =>
  Effect.andThen(
    facts.learn({ defersTools: false }),
    emit({
      type: "warning",
      message: `the provider takes no definitions that are left to search, so tools that a search finds are called ` +
        `through tool_call from now on; send the message again: ${
          Utf8.prefix(ProviderError.message(error), MESSAGE_BYTES)
        }`
    })
  )

const wait = Effect.fnUntraced(function*(
  { calls, emit }: ModelRequests,
  error: AiError.AiError,
  attempts: Attempts
): Effect.fn.Return<Attempts, AiError.AiError> {
  const { delayMillis, ...tried } = yield* ModelRetry.next(error, attempts)
  const message = Utf8.prefix(ProviderError.message(error), MESSAGE_BYTES)
  yield* Effect.logInfo(`a model is asked again in ${delayMillis} ms: ${message}`)
  yield* Effect.uninterruptible(Effect.andThen(
    emit({ type: "retry", attempt: tried.failed + 1, limit: ModelRetry.ATTEMPTS, delayMillis, message }),
    ToolCalls.close(calls, "it was not run: the model's answer broke off, and the model is asked again")
  ))
  yield* Effect.sleep(delayMillis)
  return { ...attempts, ...tried }
})
