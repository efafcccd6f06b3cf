/**
 * The loop of one turn: ask the model, run the tools it calls, and again, until it has nothing more to call.
 */
import { ModelSettings, ProviderError } from "@boocode/language-models"
import { McpToolkit, ModelText, type ResultFiles, Utf8 } from "@boocode/toolkit"
import * as AiError from "effect/ai/AiError"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Agent } from "./Agents.ts"
import type { ChatTurn } from "./Chat.ts"
import * as History from "./History.ts"
import type { Emit, FinishReason, TurnPart, Usage } from "./Part.ts"
import * as RecentImages from "./RecentImages.ts"
import * as ToolCalls from "./ToolCalls.ts"
import type { TurnTools } from "./TurnTools.ts"

/** What a turn needs. @category models */
export interface TurnRequest {
  readonly agent: Agent
  readonly model: LanguageModel.LanguageModel
  /** What the model is given grows while the turn runs; no other tool can be called. */
  readonly tools: TurnTools
  /** The turns before this one. */
  readonly history: ReadonlyArray<ChatTurn>
  readonly text: string
}

/**
 * Runs a turn. Never fails: what goes wrong is an `error` part, and exactly one `finish` part is the last. Interrupting
 * it cancels the tools that run, answers their calls with an error result, and finishes with `stopped`.
 *
 * At most `agent.steps` requests are made. The calls of one answer run in parallel; a call of an unknown tool, arguments
 * that cannot be read and a tool's own failure are error results, and the turn goes on.
 *
 * @category running
 */
export const run = (request: TurnRequest, emit: Emit): Effect.Effect<void, never, ResultFiles> =>
  Effect.suspend(() => {
    const state: TurnState = {
      request,
      emit,
      calls: ToolCalls.make(
        request.tools,
        request.history.flatMap(({ parts }) => parts.flatMap((part) => part.type === "tool-call" ? [part.id] : [])),
        emit
      ),
      usage: { inputTokens: null, outputTokens: null },
      finished: false
    }
    return loop(state).pipe(
      Effect.flatMap((reason) => end(state, reason, "it was not run: the model's answer ended before it was complete")),
      Effect.catchTag("AiError", (error) => failed(state, error)),
      Effect.catchDefect((defect) => broken(state, defect)),
      Effect.onInterrupt(() => end(state, "stopped", "it was cancelled: the turn was stopped"))
    )
  })

/**
 * The part that says that the program has a fault.
 *
 * @category constructors
 */
export const defect = (cause: unknown): TurnPart => ({
  type: "error",
  _tag: "Defect",
  message: Utf8.prefix(cause instanceof Error ? cause.message : String(cause), MESSAGE_BYTES),
  hint: "this is a fault of the program; its log says more"
})

interface TurnState {
  readonly request: TurnRequest
  readonly emit: Emit
  readonly calls: ToolCalls.ToolCalls
  usage: typeof Usage.Type
  finished: boolean
}

type Reason = typeof FinishReason.Type

const loop = Effect.fnUntraced(function*(state: TurnState) {
  const { agent, history, text, tools } = state.request
  let given = yield* tools.next
  let toolkit = yield* McpToolkit.toolkit(given)
  let messages: ReadonlyArray<Prompt.Message> = [
    ...systemMessage(agent.prompt, given.length > 0),
    ...(yield* History.fromTurns(history)),
    Prompt.userMessage({ content: [Prompt.textPart({ text })] })
  ]
  for (let step = 1; step <= agent.steps; step++) {
    const answer = yield* ask(state, toolkit, Prompt.fromMessages(RecentImages.keep(History.repair(messages))))
    if (answer.reason === "error") return yield* modelError("the provider ended the answer with an error")
    if (answer.calls.length === 0) return finishReason(answer.reason)
    // What a limit cut off may be half a call.
    if (answer.reason === "length" || answer.reason === "content-filter") return answer.reason
    const results = yield* Effect.forEach(answer.calls, (call) => ToolCalls.run(state.calls, call), {
      concurrency: "unbounded"
    })
    messages = [...messages, ...answer.messages, Prompt.toolMessage({ content: results })]
    const next = yield* tools.next
    if (next !== given) toolkit = yield* McpToolkit.toolkit(next)
    given = next
  }
  return "steps" as const
})

/** What a server's results are is said once, to models that can get some. */
const systemMessage = (prompt: string, hasTools: boolean): ReadonlyArray<Prompt.Message> => {
  const words = [prompt, hasTools ? ModelText.PROVENANCE_NOTE : ""].filter((text) => text !== "")
  return words.length === 0 ? [] : [Prompt.systemMessage({ content: words.join("\n\n") })]
}

const finishReason = (reason: Response.FinishReason): Reason => {
  switch (reason) {
    case "stop":
    case "length":
    case "content-filter":
      return reason
    default:
      return "other"
  }
}

interface Answer {
  /** What the model said, with the metadata its provider wants back while the turn runs. */
  readonly messages: ReadonlyArray<Prompt.Message>
  readonly calls: ReadonlyArray<ToolCalls.Call>
  readonly reason: Response.FinishReason
}

const ask = Effect.fnUntraced(function*(
  state: TurnState,
  toolkit: McpToolkit.ModelToolkit,
  prompt: Prompt.Prompt
): Effect.fn.Return<Answer, AiError.AiError> {
  const said: Array<Response.AnyPart> = []
  const calls: Array<ToolCalls.Call> = []
  let reason: Response.FinishReason = "unknown"
  const answer = state.request.model.streamText({
    prompt,
    toolkit,
    // Effect would fail the stream of a model that invents a tool's name; here that is one error result.
    disableToolCallResolution: true,
    toolCallValidation: "deferred"
  })
  yield* answer.pipe(
    Stream.provideService(ModelSettings, {
      ...ModelSettings.defaultValue(),
      temperature: state.request.agent.temperature
    }),
    Stream.runForEach((part) =>
      Effect.gen(function*() {
        if (part.type === "tool-call" && !part.providerExecuted) {
          const call = yield* ToolCalls.show(state.calls, part)
          calls.push(call)
          return void said.push({ ...part, id: call.id })
        }
        said.push(part)
        if (part.type === "text-delta" || part.type === "reasoning-delta") {
          if (part.delta !== "") yield* state.emit({ type: part.type, text: part.delta })
        } else if (part.type === "finish") {
          reason = part.reason
          state.usage = addUsage(state.usage, part.usage)
        } else if (part.type === "error") return yield* modelError(part.error)
      })
    )
  )
  return { messages: Prompt.fromResponseParts(said).content, calls, reason }
})

/** Answers what is still open, then finishes, once. */
const end = (state: TurnState, reason: Reason, why: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (state.finished) return Effect.void
    state.finished = true
    return Effect.andThen(
      ToolCalls.close(state.calls, why),
      state.emit({ type: "finish", reason, usage: state.usage })
    )
  }).pipe(Effect.uninterruptible)

const modelError = (error: unknown): Effect.Effect<never, AiError.AiError> =>
  Effect.fail(
    AiError.isAiError(error) ? error : AiError.make({
      module: "Turn",
      method: "ask",
      reason: new AiError.UnknownError({ description: error instanceof Error ? error.message : String(error) })
    })
  )

const MESSAGE_BYTES = 2000
const BROKE_OFF = "it was not run: the model's answer broke off"

const failed = Effect.fnUntraced(function*(state: TurnState, error: AiError.AiError) {
  const message = Utf8.prefix(ProviderError.message(error), MESSAGE_BYTES)
  yield* Effect.logWarning(`a turn of ${state.request.agent.name} failed: ${message}`)
  yield* state.emit({ type: "error", _tag: error.reason._tag, message, hint: ProviderError.hint(error) })
  yield* end(state, "error", BROKE_OFF)
})

const broken = Effect.fnUntraced(function*(state: TurnState, cause: unknown) {
  yield* Effect.logError("a turn broke", cause)
  yield* state.emit(defect(cause))
  yield* end(state, "error", BROKE_OFF)
})

const addUsage = (before: typeof Usage.Type, usage: Response.Usage): typeof Usage.Type => ({
  inputTokens: sum(before.inputTokens, usage.inputTokens.total),
  outputTokens: sum(before.outputTokens, usage.outputTokens.total)
})

const sum = (before: number | null, more: number | undefined): number | null =>
  more === undefined ? before : (before ?? 0) + more
