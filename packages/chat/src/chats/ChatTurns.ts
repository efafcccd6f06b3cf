/** Running the turns of chats: who answers, with which tools, and that each turn has its end. */
import type { LanguageModels, ModelUnavailable } from "@boocode/language-models"
import { McpRegistry } from "@boocode/mcp-registry"
import { Deferral, type ResultFiles, ToolSearch } from "@boocode/toolkit"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { Agent } from "../agents/Agent.ts"
import { Agents } from "../agents/Agents.ts"
import * as Mention from "../agents/Mention.ts"
import { openApprovals } from "../asking/AskedParts.ts"
import { Questions } from "../asking/Questions.ts"
import type { ChatRecord, ChatTurn } from "../model/Chat.ts"
import type { UnknownAgent } from "../model/ChatError.ts"
import * as CommandMode from "../model/CommandMode.ts"
import * as ModelChoice from "../model/ModelChoice.ts"
import { type Emit, NO_USAGE, type Part, type TurnPart } from "../model/Part.ts"
import * as Usage from "../model/Usage.ts"
import type { StoredChat, TurnStart } from "../store/ChatKeeping.ts"
import { ChatStore, type ChatStoreFailed } from "../store/ChatStore.ts"
import type { WorkspaceTools } from "../tools/WorkspaceTools.ts"
import * as ServerContext from "../turn/ServerContext.ts"
import * as Turn from "../turn/Turn.ts"
import * as TurnSpans from "../turn/TurnSpans.ts"
import * as TurnTools from "../turn/TurnTools.ts"
import * as ChatSession from "./ChatSession.ts"
import * as PartWriter from "./PartWriter.ts"
import type { FirstTurn } from "./Titles.ts"

/** Who answers a chat; null leaves it to agent and program. */
export type Partner = Pick<ChatRecord, "agent" | "model">

/** A message and whom it names; null and an empty name leave it to the chat. */
export interface Addressed extends Partner {
  readonly text: string
}

/** How turns are checked and run. */
export interface ChatTurns {
  /** Fails when a message could not be answered as things stand. */
  readonly check: (chat: Partner, message: Addressed) => Effect.Effect<void, UnknownAgent | ModelUnavailable>
  /**
   * Runs a turn to its end; every way out leaves exactly one `finish` part, as the last of the turn. Gives what a title
   * can be made of when a model answered well.
   */
  readonly run: (session: ChatSession.ChatSession, pending: ChatSession.Pending) => Effect.Effect<FirstTurn | null>
}

/** The last part of a turn that was stopped before it began. */
export const STOPPED: Extract<TurnPart, { type: "finish" }> = { type: "finish", reason: "stopped", usage: NO_USAGE }

/** Turns over the services of this program. */
export const make = Effect.fnUntraced(function*(
  program: string | null,
  policy: Deferral.Policy = Deferral.DEFAULT
): Effect.fn.Return<
  ChatTurns,
  never,
  Agents | ChatStore | LanguageModels | McpRegistry | ResultFiles | WorkspaceTools
> {
  const agents = yield* Agents
  const store = yield* ChatStore
  const questions = yield* Questions
  const registry = yield* McpRegistry
  const services = yield* Effect.context<LanguageModels | McpRegistry | ResultFiles | WorkspaceTools>()
  // One for all chats; it is filled when a model searches first.
  const index = ToolSearch.make()

  const choose = Effect.fnUntraced(function*(chat: Partner, message: Addressed) {
    const mention = Mention.isPossible(message.text) ? Mention.of(message.text, (yield* agents.list).agents) : null
    const agent = yield* agents.agent(mention?.agent ?? ModelChoice.given(message.agent) ?? chat.agent)
    const id = ModelChoice.choose({ message: message.model, chat: chat.model, agent: agent.model, program })
    return { agent, id, model: yield* ModelChoice.model(id), text: mention?.text ?? message.text }
  }, Effect.provideContext(services))

  /** The bytes of what went with a message; null when they are not there, which models are told. */
  const fileOf = (chat: string) => (file: string) =>
    Effect.catch(
      store.file(chat, file),
      (error) => Effect.as(Effect.logWarning(`a file of the chat ${chat} cannot be read: ${error.message}`), null)
    )

  const attached = Effect.fnUntraced(function*(chat: string, { attachments }: TurnStart) {
    const files = yield* Effect.forEach(
      attachments,
      (attachment) => Effect.map(fileOf(chat)(attachment.id), (data) => data === null ? [] : [{ attachment, data }])
    )
    return files.flat()
  })

  /** Writes down that the turn runs, and who answers as soon as that can be told. */
  const begin = Effect.fnUntraced(function*(session: ChatSession.ChatSession, start: TurnStart) {
    const chosen = yield* Effect.result(choose(session.record, start))
    const named = Result.isSuccess(chosen) ? { agent: chosen.success.agent.name, model: chosen.success.id } : {}
    yield* ChatSession.putTurn(session, { ...start, ...named, state: "running" })
    return chosen
  })

  const answer = Effect.fnUntraced(function*(
    chat: StoredChat,
    chosen: Effect.Success<ReturnType<typeof begin>>,
    start: TurnStart,
    resume: ReadonlyArray<Part> | null,
    emit: Emit
  ) {
    const { agent, id, model, text } = yield* Effect.fromResult(chosen)
    const history = chat.turns.filter((turn) => isSeen(turn) && turn.turn !== start.turn)
    if (resume !== null) yield* awaitAsked(resume)
    else if (!chat.turns.some(({ turn }) => turn < start.turn)) {
      for (const message of yield* ServerContext.awaitServers(agent)) yield* emit({ type: "warning", message })
    }
    const earlier = chat.turns.flatMap(({ parts }) => parts)
    // What an agent's patterns get wrong, or a model cannot be given, is said once in a chat.
    const said = new Set(earlier.flatMap((part) => part.type === "warning" ? part.message : []))
    const warn = (words: string) =>
      Effect.suspend(() => {
        if (said.has(words)) return Effect.void
        said.add(words)
        return emit({ type: "warning", message: words })
      })
    const found = TurnTools.fromTurns(history)
    const tally = Usage.tally(resume ?? [])
    const tell: Emit = (part) =>
      Effect.suspend(() => {
        found.read(part)
        return emit(Usage.noted(part, tally))
      })
    const tools = yield* TurnTools.forAgent(agent, {
      dialect: ModelChoice.dialect(id),
      policy: id === CommandMode.ID ? { ...policy, mode: "never" } : policy,
      index,
      found,
      warn,
      turn: { chat: chat.record.id, emit: tell, earlier }
    })
    const facts = yield* ModelChoice.facts(id)
    const sampler = { id, model, facts, temperature: agent.temperature, tally }
    const askerOf = questions.forTurn({
      chat: chat.record.id,
      emit: tell,
      earlier,
      model: id === CommandMode.ID ? null : sampler,
      printOf: (server) => Effect.provideService(ServerContext.printOf(server), McpRegistry, registry)
    })
    yield* Turn.run({
      agent,
      model,
      facts,
      instructions: yield* ServerContext.forAgent(agent),
      tools,
      history,
      text,
      ...start.prompt === undefined ? {} : { prompt: start.prompt },
      attachments: yield* attached(chat.record.id, start),
      file: fileOf(chat.record.id),
      resume,
      askerOf,
      tally
    }, tell)
    return id === CommandMode.ID ? null : { model, prices: facts.prices }
  }, Effect.provideContext(services))

  const run = (session: ChatSession.ChatSession, { resume, sentIn, turn }: ChatSession.Pending) =>
    Effect.suspend(() => {
      let end: string | null = null
      let text = ""
      const emit: Emit = (part) =>
        Effect.suspend(() => {
          if (part.type === "finish") end = part.reason
          if (part.type === "text-delta" && text.length < TITLE_CHARACTERS) text += part.text
          return PartWriter.write(session, turn, atEnd(session, part))
        }).pipe(Effect.uninterruptible)
      // A turn that takes no time must not run inside the end of the one before it: the stack would grow with the queue.
      return Effect.uninterruptibleMask((restore) =>
        Effect.gen(function*() {
          yield* Effect.yieldNow
          const chat = yield* store.get(session.id)
          const start = session.turns.get(turn)
          // A chat removed meanwhile needs no answer.
          if (chat === null || start === undefined) return null
          // Also when it is stopped at once: what the person wrote must not be lost.
          const chosen = yield* begin(session, start)
          const answered = yield* TurnSpans.within(restore(answer(chat, chosen, start, resume, emit)), {
            ...TurnSpans.ofTurn({ chat: session.id, turn, who: namesOf(chosen) }),
            parent: sentIn ?? null,
            ended: () => end === null ? {} : { "boocode.turn.end": end },
            errorOf: () => end === "error" ? "turn_error" : null
          })
          return answered === null || end !== "stop" ? null : { ...answered, text: start.text, answer: text }
        })
      ).pipe(
        Effect.catch((error) => failed(session, error, emit)),
        Effect.onExit((exit) => end !== null ? Effect.void : close(exit, emit)),
        Effect.annotateLogs({ chat: session.id, turn })
      )
    })

  return {
    check: (chat, message) => Effect.asVoid(choose(chat, message)),
    run
  }
})

const TITLE_CHARACTERS = 2000

const namesOf = (chosen: Result.Result<{ readonly agent: Agent; readonly id: string }, unknown>) =>
  Result.isFailure(chosen) ? null : { agent: chosen.success.agent.name, model: chosen.success.id }

/** What models see: no turn that another took the place of, none that never began, and none that waits. */
const isSeen = ({ parts, replacedBy, state }: ChatTurn): boolean =>
  replacedBy === null && state !== "waiting" && !(parts.length === 1 && parts[0]?.type === "finish")

/** A turn that goes on needs the servers that were about to be called; they may still be connecting. */
const awaitAsked = Effect.fnUntraced(function*(parts: ReadonlyArray<Part>) {
  const registry = yield* McpRegistry
  const servers = new Set(openApprovals(parts).flatMap(({ server }) => server === null ? [] : [server]))
  yield* Effect.forEach(servers, (server) => Effect.ignore(registry.settledServer(server)), {
    concurrency: "unbounded"
  }).pipe(Effect.timeoutOption("30 seconds"))
})

/** What ends with the program was not stopped by anyone. */
const atEnd = ({ ending }: ChatSession.ChatSession, part: TurnPart): TurnPart =>
  ending && part.type === "finish" && part.reason === "stopped" ? { ...part, reason: "interrupted" } : part

const failed = (
  session: ChatSession.ChatSession,
  error: ChatStoreFailed | UnknownAgent | ModelUnavailable,
  emit: Emit
): Effect.Effect<null> =>
  Effect.as(
    error._tag === "ChatStoreFailed"
      ? PartWriter.breakOff(session, error)
      : emit({ type: "error", _tag: error._tag, message: error.message, hint: error.hint }),
    null
  )

const close = (exit: Exit.Exit<unknown>, emit: Emit): Effect.Effect<void> => {
  if (Exit.isSuccess(exit)) return emit({ ...STOPPED, reason: "error" })
  if (Exit.hasInterrupts(exit)) return emit(STOPPED)
  return Effect.logError("a turn broke", exit.cause).pipe(
    Effect.andThen(emit(Turn.defect(Cause.squash(exit.cause)))),
    Effect.andThen(emit({ ...STOPPED, reason: "error" }))
  )
}
