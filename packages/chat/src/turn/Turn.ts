/** The loop of one turn: ask the model, run the tools it calls, and again, until it has nothing more to call. */
import { ModelFacts, ProviderError } from "@boocode/language-models"
import { McpToolkit, ModelText, type ResultFiles, Utf8 } from "@boocode/toolkit"
import { ExecuteTool } from "@boocode/toolkit/code"
import type * as AiError from "effect/ai/AiError"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import type { Agent } from "../agents/Agent.ts"
import { cancelledQuestions, openApprovals, openCalls } from "../asking/AskedParts.ts"
import type { AskerOf } from "../asking/Questions.ts"
import * as AttachedContent from "../history/AttachedContent.ts"
import * as History from "../history/History.ts"
import * as HistoryRepair from "../history/HistoryRepair.ts"
import * as Summaries from "../history/Summaries.ts"
import * as UserMessage from "../history/UserMessage.ts"
import * as WriteJournal from "../journal/WriteJournal.ts"
import type { ChatTurn } from "../model/Chat.ts"
import type { Emit, FinishReason, Part, TurnPart } from "../model/Part.ts"
import * as Usage from "../model/Usage.ts"
import * as ProgramParts from "../programs/ProgramParts.ts"
import type { KeptPrograms, Programs } from "../programs/TurnPrograms.ts"
import * as ModelRequest from "./ModelRequest.ts"
import * as OmittedMessages from "./OmittedMessages.ts"
import * as ToolCalls from "./ToolCalls.ts"
import type { TurnTools } from "./TurnTools.ts"

export interface TurnRequest {
  readonly agent: Agent
  readonly model: LanguageModel.LanguageModel
  /** The chat, so that its provider keeps the beginning of its requests. Without one, nothing is kept. */
  readonly chat?: string | undefined
  /** The facts about the model, which also remember what its provider says. By default nothing is known. */
  readonly facts?: ModelFacts.Known | undefined
  /** The model is given more of them while the turn runs. No other tool can be called. */
  readonly tools: TurnTools
  readonly history: ReadonlyArray<ChatTurn>
  /** The note that stands in place of the first of them; null for none. */
  readonly summary?: Summaries.Covering | null | undefined
  /** Whether the model sums up older turns when they do not fit any more. By default they are cut only. */
  readonly sumsUp?: boolean | undefined
  readonly text: string
  /** The messages of a server's prompt, with their roles, in place of `text`. */
  readonly prompt?: ChatTurn["prompt"]
  readonly attachments?: ReadonlyArray<UserMessage.SentFile> | undefined
  /** The bytes of what went with earlier messages. */
  readonly file?: UserMessage.FileOf | undefined
  /** The parts of this turn before a restart of the program. It goes on from there. */
  readonly resume?: ReadonlyArray<Part> | null | undefined
  /** Messages to go on with, asked for between two steps. They are parts of the turn already. None by default. */
  readonly taken?: Effect.Effect<ReadonlyArray<History.Taken>> | undefined
  /** Answers the elicitation and sampling requests of servers while their calls run. Nobody by default. */
  readonly askerOf?: AskerOf | undefined
  /** Runs the programs that the model writes. None by default. */
  readonly programs?: Omit<Programs, "earlier"> | null | undefined
  /** Where those who watch see the calls that the model still writes. Nowhere by default. */
  readonly watched?: ToolCalls.Watched | undefined
  /** Asked before each request; what it fails with ends the turn. By default nothing stands in the way. */
  readonly affordable?: Effect.Effect<void, TurnEnded> | undefined
  /** Counts what the turn uses; by default its own, which goes on from what `resume` says. */
  readonly tally?: Usage.Tally | undefined
}

/**
 * Runs a turn. Never fails: an error is an `error` part, and exactly one `finish` part is the last. Interruption
 * cancels the tools that run, answers their calls with an error result, and finishes with `stopped`.
 *
 * At most `agent.steps` answers are asked for, those before a restart included. The calls of one answer run in
 * parallel; a call of an unknown tool, arguments that cannot be read and a tool's own failure are error results, and
 * the turn goes on. See `ModelRequest` for what becomes of requests that are too long or fail.
 */
export const run = (request: TurnRequest, emit: Emit): Effect.Effect<void, never, ResultFiles> =>
  Effect.suspend(() => {
    const state = begin(request, emit)
    return loop(state).pipe(
      Effect.flatMap((reason) => end(state, reason, "it was not run: the model's answer ended before it was complete")),
      Effect.catch((error) => failed(state, error)),
      Effect.catchDefect((defect) => broken(state, defect)),
      Effect.onInterrupt(() => end(state, "stopped", "it was cancelled: the turn was stopped"))
    )
  })

/** Why a turn asks its model no more, as an `error` part tells it. */
export interface TurnEnded {
  readonly _tag: "LimitReached" | "ChatStoreFailed"
  readonly message: string
  readonly hint: string
}

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
  readonly requests: ModelRequest.ModelRequests
  finished: boolean
}

type Reason = typeof FinishReason.Type

const begin = (request: TurnRequest, tell: Emit): TurnState => {
  const { agent, chat = null, facts, history, model, resume, summary = null, sumsUp = false, tools } = request
  const before = [...history.flatMap(({ parts }) => parts), ...resume ?? []]
  const handles = OmittedMessages.handlesIn(before)
  const emit: Emit = (part) =>
    Effect.suspend(() => {
      OmittedMessages.addHandle(handles, part)
      return tell(part)
    })
  const ids = before.flatMap((part) => part.type === "tool-call" ? [part.id] : [])
  const programs = request.programs ?? null
  const calls = ToolCalls.make(tools, ids, emit, {
    askerOf: request.askerOf,
    watched: request.watched,
    programs: programs === null ? null : { ...programs, earlier: resume ?? [] }
  })
  const known = facts ?? { ...ModelFacts.UNKNOWN, learn: () => Effect.void }
  const tally = request.tally ?? Usage.tally(resume ?? [])
  return {
    request,
    emit,
    calls,
    requests: ModelRequest.make(
      { model, temperature: agent.temperature, chat, calls, emit, facts: known, handles, tally },
      sumsUp ? { turns: history.slice(summary?.turns).map(({ turn }) => turn), before: summary } : null
    ),
    finished: false
  }
}

const NO_FILE: UserMessage.FileOf = () => Effect.succeed(null)

const loop = Effect.fnUntraced(function*(state: TurnState) {
  const {
    affordable = Effect.void,
    agent,
    attachments = [],
    file = NO_FILE,
    history,
    prompt,
    resume,
    summary = null,
    taken = Effect.succeed([]),
    text,
    tools
  } = state.request
  const recent = history.slice(summary?.turns)
  const attached = [...recent.flatMap(UserMessage.attachmentsOf), ...attachments.map(({ attachment }) => attachment)]
  const reading = AttachedContent.readingOf(ModelRequest.roomOf(state.requests), attached)
  const earlier = yield* History.earlier(recent, file, reading)
  const note = summary === null ? [] : [Summaries.message(summary, ModelRequest.noteBytes(state.requests))]
  yield* HistoryRepair.reported(HistoryRepair.prompt(earlier.flat(), { isRequest: false }))
  const asked = { text, ...prompt === undefined ? {} : { prompt } }
  const said = yield* UserMessage.messages(asked, attachments, reading)
  let steps = resume === null || resume === undefined
    ? []
    : yield* resumedSteps(state.calls, resume, (parts) => History.steps(parts, file, reading))
  let given = yield* tools.next
  let toolkit = yield* McpToolkit.toolkit(given)
  const question = [...said, ...yield* told(state)]
  const hasResults = given.length > 0 || UserMessage.hasResources(attached)
  const system = systemMessage([agent.prompt, tools.instructions, hasResults ? ModelText.PROVENANCE_NOTE : ""])
  for (let step = steps.length + 1; step <= agent.steps; step++) {
    yield* affordable
    const conversation = { system, summary: note, earlier, question, steps }
    const answer = yield* ModelRequest.ask(state.requests, { conversation, tools: given, toolkit })
    if (answer.calls.length === 0) return finishReason(answer.reason)
    // An answer that a limit cut off may end in half a call.
    if (answer.reason === "length" || answer.reason === "content-filter") return answer.reason
    const results = yield* Effect.forEach(answer.calls, (call) => ToolCalls.run(state.calls, call), {
      concurrency: "unbounded"
    })
    // After the last step nobody would read them.
    const joined = step === agent.steps
      ? []
      : yield* Effect.forEach(yield* taken, (one) => History.asTaken(one, file, reading))
    const next = yield* tools.next
    if (next !== given) toolkit = yield* McpToolkit.toolkit(next)
    given = next
    const after = [...joined.flat(), ...yield* told(state)]
    steps = [...steps, [...answer.messages, Prompt.toolMessage({ content: results }), ...after]]
  }
  yield* state.emit({ type: "warning", message: outOfSteps(agent) })
  return "steps" as const
})

/** The changes of the tools since the last request, for the model and as a warning for people. */
const told = Effect.fnUntraced(function*({ emit, request }: TurnState) {
  const news = yield* request.tools.news
  if (news === null) return []
  yield* emit({ type: "warning", message: news.message, told: news.text })
  return [History.noteOf(news.text)]
})

const outOfSteps = ({ name, steps }: Agent): string =>
  `stopped after ${steps} ${
    steps === 1 ? "request" : "requests"
  } to the model, as many as ${name} may make in a turn; ` +
  `write "go on" to let it continue, or raise steps: of this agent`

/** A note on results of servers stands once, for models that can get some. */
const systemMessage = (texts: ReadonlyArray<string>): ReadonlyArray<Prompt.Message> => {
  const words = texts.filter((text) => text !== "")
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

const end = (state: TurnState, reason: Reason, why: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (state.finished) return Effect.void
    state.finished = true
    return Effect.andThen(
      ToolCalls.close(state.calls, why),
      state.emit({ type: "finish", reason, usage: state.requests.tally.usage })
    )
  }).pipe(Effect.uninterruptible)

const MESSAGE_BYTES = 2000
const BROKE_OFF = "it was not run: the model's answer broke off"

const failed = Effect.fnUntraced(
  function*(state: TurnState, error: AiError.AiError | ModelRequest.ContextTooLong | TurnEnded) {
    const { _tag, hint, message } = error._tag === "AiError"
      ? { _tag: error.reason._tag, message: ProviderError.message(error), hint: ProviderError.hint(error) }
      : error
    const words = Utf8.prefix(message, MESSAGE_BYTES)
    yield* Effect.logWarning(`a turn of ${state.request.agent.name} failed: ${words}`)
    yield* state.emit({ type: "error", _tag, message: words, hint })
    yield* end(state, "error", BROKE_OFF)
  }
)

const broken = Effect.fnUntraced(function*(state: TurnState, cause: unknown) {
  yield* Effect.logError("a turn broke", cause)
  yield* state.emit(defect(cause))
  yield* end(state, "error", BROKE_OFF)
})

/**
 * The steps that the turn has made. Calls that wait for approval are run again under their ids, and ask again; so are
 * programs that wait for one, where their state was kept. Other calls without a result get an error result, since nobody knows whether they were done. An answer without calls broke
 * off, and does not count.
 *
 * **Details**
 *
 * The last step ends with a message of the user. Gemini signs the calls of a running turn and refuses them without the
 * signature. The signatures are not kept, and a message of the user begins a new turn, which needs none.
 */
const resumedSteps = Effect.fnUntraced(function*(
  calls: ToolCalls.ToolCalls,
  parts: ReadonlyArray<Part>,
  stepsOf: (parts: ReadonlyArray<TurnPart>) => ReturnType<typeof History.steps>
) {
  const since: Array<TurnPart> = []
  const heard: ToolCalls.ToolCalls = {
    ...calls,
    emit: (part) =>
      Effect.suspend(() => {
        since.push(part)
        return calls.emit(part)
      })
  }
  if (brokeOff(parts)) yield* heard.emit(RESTARTED)
  yield* Effect.forEach([...cancelledQuestions(parts), ...WriteJournal.cutOff(parts)], heard.emit, { discard: true })
  const open = openCalls(parts)
  const asking = new Set(openApprovals(parts).map(({ call }) => call))
  const kept = yield* keptPrograms(
    calls.tools.get(ExecuteTool.EXECUTE) === undefined ? undefined : calls.programs?.kept,
    open.filter(({ id, program }) => program !== undefined && asking.has(id))
  )
  const goesOn = ({ id, program }: (typeof open)[number]) =>
    program === undefined ? asking.has(id) || kept.has(id) : asking.has(id) && kept.has(program)
  yield* Effect.forEach(open.filter((call) => !goesOn(call)), (part) => ToolCalls.takeUp(heard, part))
  yield* ToolCalls.close(
    heard,
    LOST,
    ({ id, name }) => name === ExecuteTool.EXECUTE ? ProgramParts.lost(parts, id) : null
  )
  // A person answered, and the server ended before the call was made.
  const left = open.filter((call) => call.name === ExecuteTool.EXECUTE && !goesOn(call))
  yield* Effect.forEach(left, ({ id }) => calls.programs?.kept.drop(id) ?? Effect.void, { discard: true })
  const again = yield* Effect.forEach(open.filter(goesOn), (part) => ToolCalls.takeUp(heard, part, kept.has(part.id)))
  // A program makes its own calls again.
  yield* Effect.forEach(again.filter(({ program }) => program === null), (call) => ToolCalls.run(heard, call), {
    concurrency: "unbounded",
    discard: true
  })
  const made = yield* stepsOf([...parts, ...since])
  return made.map((messages, index) => index === made.length - 1 ? [...messages, GO_ON] : messages)
})

const LOST = "the server ended before it was finished, and nobody knows what came of it"

/** The programs of these calls of which the state is kept. */
const keptPrograms = Effect.fnUntraced(function*(
  kept: KeptPrograms | undefined,
  calls: ReturnType<typeof openCalls>
) {
  const programs = new Set(calls.flatMap(({ program }) => program ?? []))
  return new Set(
    yield* Effect.filter(
      programs,
      (program) => kept === undefined ? Effect.succeed(false) : Effect.map(kept.of(program), (state) => state !== null)
    )
  )
})

const RESTARTED: TurnPart = {
  type: "retry",
  attempt: 1,
  limit: 1,
  delayMillis: 0,
  message: "the chat server was started again while the model answered"
}

const GO_ON = Prompt.userMessage({
  content: [
    Prompt.textPart({ text: "(The chat server was started again in between. Go on with what you were doing.)" })
  ]
})

/** Whether the parts end with text that no call and no retry follows. */
const brokeOff = (parts: ReadonlyArray<Part>): boolean => {
  const last = parts.findLast(({ type }) => type !== "warning" && type !== "compaction")
  return last?.type === "text-delta" || last?.type === "reasoning-delta"
}
