/**
 * Running the turns of chats: who answers, with which tools, and that each turn has its end.
 */
import type { LanguageModels, ModelUnavailable } from "@boocode/language-models"
import type { McpRegistry } from "@boocode/mcp-registry"
import { Deferral, type ResultFiles, ToolSearch } from "@boocode/toolkit"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { Agents } from "./Agents.ts"
import type { ChatRecord, Message } from "./Chat.ts"
import type { UnknownAgent } from "./ChatError.ts"
import * as ChatSession from "./ChatSession.ts"
import { ChatStore, type StoredChat } from "./ChatStore.ts"
import * as CommandMode from "./CommandMode.ts"
import * as FoundTools from "./FoundTools.ts"
import * as ModelChoice from "./ModelChoice.ts"
import type { Emit, TurnPart } from "./Part.ts"
import * as ServerTroubles from "./ServerTroubles.ts"
import * as Turn from "./Turn.ts"
import * as TurnTools from "./TurnTools.ts"
import type { WorkspaceTools } from "./WorkspaceTools.ts"

/** How turns are checked and run. @category models */
export interface ChatTurns {
  /** Fails when a message could not be answered as things stand. */
  readonly check: (record: ChatRecord, message: Message) => Effect.Effect<void, UnknownAgent | ModelUnavailable>
  /** Runs a turn to its end; every way out leaves exactly one `finish` part, as the last of the turn. */
  readonly run: (session: ChatSession.ChatSession, pending: ChatSession.Pending) => Effect.Effect<void>
}

/** The last part of a turn that was stopped before it began. @category constants */
export const STOPPED: TurnPart = {
  type: "finish",
  reason: "stopped",
  usage: { inputTokens: null, outputTokens: null }
}

/**
 * Turns over the services of this program.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  models: Pick<ModelChoice.Candidates, "flag" | "environment">,
  policy: Deferral.Policy = Deferral.DEFAULT
): Effect.fn.Return<
  ChatTurns,
  never,
  Agents | ChatStore | LanguageModels | McpRegistry | ResultFiles | WorkspaceTools
> {
  const agents = yield* Agents
  const store = yield* ChatStore
  const services = yield* Effect.context<LanguageModels | McpRegistry | ResultFiles | WorkspaceTools>()
  // One for all chats; it is filled when a model searches first.
  const index = ToolSearch.make()

  const choose = Effect.fnUntraced(function*(record: ChatRecord, message: Message) {
    const agent = yield* agents.agent(ModelChoice.given(message.agent) ?? record.agent)
    const id = ModelChoice.choose({
      message: message.model,
      chat: record.model,
      agent: agent.model,
      ...models
    })
    return { agent, id, model: yield* ModelChoice.model(id) }
  }, Effect.provideContext(services))

  /** Writes the turn down as soon as it can be told who answers. */
  const begin = Effect.fnUntraced(function*(chat: StoredChat, { message, turn }: ChatSession.Pending) {
    const chosen = yield* Effect.result(choose(chat.record, message))
    const named = Result.isSuccess(chosen)
      ? { agent: chosen.success.agent.name, model: chosen.success.id }
      : { agent: message.agent ?? chat.record.agent ?? "", model: message.model ?? chat.record.model ?? "" }
    yield* store.begin(chat.record.id, { turn, text: message.text, ...named })
    return chosen
  }, Effect.provideContext(services))

  const answer = Effect.fnUntraced(function*(
    chat: StoredChat,
    chosen: Effect.Success<ReturnType<typeof begin>>,
    { message }: ChatSession.Pending,
    emit: Emit
  ) {
    const { agent, id, model } = yield* Effect.fromResult(chosen)
    const first = chat.turns.length === 0
    const troubles = first ? yield* ServerTroubles.awaitServers(agent) : null
    if (troubles !== null) yield* emit({ type: "warning", message: troubles })
    // What an agent's patterns get wrong, or a model cannot be given, is said once in a chat.
    const said = new Set(
      chat.turns.flatMap(({ parts }) => parts.flatMap((part) => part.type === "warning" ? part.message : []))
    )
    const warn = (words: string) =>
      Effect.suspend(() => {
        if (said.has(words)) return Effect.void
        said.add(words)
        return emit({ type: "warning", message: words })
      })
    const found = FoundTools.fromTurns(chat.turns)
    const tell: Emit = (part) =>
      Effect.suspend(() => {
        found.read(part)
        return emit(part)
      })
    const tools = yield* TurnTools.forAgent(agent, {
      dialect: ModelChoice.dialect(id),
      policy: id === CommandMode.ID ? { ...policy, mode: "never" } : policy,
      index,
      found,
      warn
    })
    yield* Turn.run({ agent, model, tools, history: chat.turns, text: message.text }, tell)
  }, Effect.provideContext(services))

  const run = (session: ChatSession.ChatSession, pending: ChatSession.Pending) =>
    Effect.suspend(() => {
      let finished = false
      const emit: Emit = (part) =>
        Effect.suspend(() => {
          finished ||= part.type === "finish"
          return ChatSession.publish(session, store, pending.turn, part)
        }).pipe(Effect.uninterruptible)
      // A turn that takes no time must not run inside the end of the one before it: the stack would grow with the queue.
      return Effect.uninterruptibleMask((restore) =>
        Effect.gen(function*() {
          yield* Effect.yieldNow
          const chat = yield* store.get(session.id)
          // A chat removed meanwhile needs no answer.
          if (chat === null) return
          // Also when it is stopped at once: what the person wrote must not be lost.
          const chosen = yield* begin(chat, pending)
          yield* restore(answer(chat, chosen, pending, emit))
        })
      ).pipe(
        Effect.catch(({ _tag, hint, message }) => emit({ type: "error", _tag, message, hint })),
        Effect.onExit((exit) => {
          if (finished) return Effect.void
          if (Exit.isSuccess(exit)) return emit({ ...STOPPED, reason: "error" })
          if (Exit.hasInterrupts(exit)) return emit(STOPPED)
          return Effect.logError("a turn broke", exit.cause).pipe(
            Effect.andThen(emit(Turn.defect(Cause.squash(exit.cause)))),
            Effect.andThen(emit({ ...STOPPED, reason: "error" }))
          )
        })
      )
    })

  return {
    check: (record, message) => Effect.asVoid(choose(record, message)),
    run
  }
})
