/** How the turns of chats run: each is answered as the chat says, and each gets its end. */
import type { LanguageModels, ModelUnavailable } from "@boocode/language-models"
import { type McpRegistries, McpRegistry } from "@boocode/mcp-registry"
import { Deferral, type ResultFiles, ToolSearch } from "@boocode/toolkit"
import { Sandbox } from "@boocode/toolkit/code"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Cache from "effect/Cache"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import type { Agent } from "../agents/Agent.ts"
import { Agents } from "../agents/Agents.ts"
import * as Mention from "../agents/Mention.ts"
import { openApprovals, openCalls } from "../asking/AskedParts.ts"
import { Questions } from "../asking/Questions.ts"
import type { Taken } from "../history/History.ts"
import * as Summaries from "../history/Summaries.ts"
import * as UserMessage from "../history/UserMessage.ts"
import type { ChatRecord, ChatTurn } from "../model/Chat.ts"
import type { UnknownAgent } from "../model/ChatError.ts"
import * as CommandMode from "../model/CommandMode.ts"
import * as ModelChoice from "../model/ModelChoice.ts"
import { type Emit, type FinishReason, NO_USAGE, type Part, type TurnPart } from "../model/Part.ts"
import * as Usage from "../model/Usage.ts"
import type * as CodeMode from "../programs/CodeMode.ts"
import { Spending } from "../spending/Spending.ts"
import * as AttachedFiles from "../store/AttachedFiles.ts"
import { ChatStore, type ChatStoreFailed, type StoredChat, type TurnStart } from "../store/ChatStore.ts"
import type { WorkspaceTools } from "../tools/WorkspaceTools.ts"
import * as ServerContext from "../turn/ServerContext.ts"
import type * as StandingPrefix from "../turn/StandingPrefix.ts"
import * as Turn from "../turn/Turn.ts"
import * as TurnSpans from "../turn/TurnSpans.ts"
import * as TurnTools from "../turn/TurnTools.ts"
import type { CurrentUser } from "../users/CurrentUser.ts"
import * as PersonRegistry from "../users/PersonRegistry.ts"
import * as ChatSession from "./ChatSession.ts"
import * as PartWriter from "./PartWriter.ts"
import * as ProgramFiles from "./ProgramFiles.ts"
import type { Pending } from "./SessionState.ts"
import type { FirstTurn } from "./Titles.ts"

/** The agent and the model that a chat or a message names. Null and an empty name leave it to the next in line. */
type Named = Pick<ChatRecord, "agent" | "model">

interface TurnPartner {
  readonly agent: Agent
  readonly id: string
  readonly model: LanguageModel.LanguageModel
  /** The message without the mention of its agent. */
  readonly text: string
}

export interface ChatTurns {
  /** Fails when a message could not be answered as things stand. Gives whether a model answers it, and not the command mode. */
  readonly check: (
    chat: Named,
    message: Named & { readonly text: string }
  ) => Effect.Effect<boolean, UnknownAgent | ModelUnavailable, CurrentUser>
  /**
   * Runs a turn to its end. Every way out leaves exactly one `finish` part, as the last of the turn. Gives what a title
   * can be made of when a model answered well.
   */
  readonly run: (
    session: ChatSession.ChatSession,
    pending: Pending
  ) => Effect.Effect<FirstTurn | null, never, CurrentUser>
}

const STOPPED: Extract<TurnPart, { type: "finish" }> = { type: "finish", reason: "stopped", usage: NO_USAGE }

type Services = Agents | ChatStore | LanguageModels | McpRegistries | ResultFiles | WorkspaceTools

interface TurnDefaults {
  /** The model when nobody else names one. */
  readonly model: Effect.Effect<string | null>
  readonly policy: Deferral.Policy
  /** One for all chats of a person; it is filled when a model searches first. */
  readonly indexes: Cache.Cache<string, ToolSearch.ToolSearch>
  /** The beginning of the requests of each chat, for the chats that were used last. */
  readonly prefixes: Cache.Cache<string, Ref.Ref<StandingPrefix.StandingPrefix | null>>
  readonly codeMode: CodeMode.Mode
  /** Where programs of models run; null for nowhere. */
  readonly sandbox: Sandbox["Service"] | null
}

const PREFIXES = 500

const INDEXES = 50

export const make = Effect.fnUntraced(function*(
  given: ModelChoice.ProgramModel,
  policy: Deferral.Policy = Deferral.DEFAULT,
  codeMode: CodeMode.Mode = "off"
): Effect.fn.Return<ChatTurns, never, Services> {
  const services = yield* Effect.context<Services>()
  const model = ModelChoice.programModel(given)
  const prefixes = yield* Cache.make({
    capacity: PREFIXES,
    lookup: (_chat: string) => Ref.make<StandingPrefix.StandingPrefix | null>(null)
  })
  const indexes = yield* Cache.make({
    capacity: INDEXES,
    lookup: (_owner: string) => Effect.sync(() => ToolSearch.make())
  })
  const sandbox = Option.getOrNull(yield* Effect.serviceOption(Sandbox))
  const defaults: TurnDefaults = { model, policy, indexes, prefixes, codeMode, sandbox }
  return {
    check: (chat, message) =>
      Effect.map(Effect.provideContext(choose(chat, message, model), services), ({ id }) => id !== CommandMode.ID),
    run: (session, pending) =>
      Effect.provideContext(
        PersonRegistry.forPerson(session.state.record.owner, run(defaults, session, pending)),
        services
      )
  }
})

interface Said {
  end: typeof FinishReason.Type | null
  text: string
}

const TITLE_CHARACTERS = 2000

const run = (defaults: TurnDefaults, session: ChatSession.ChatSession, pending: Pending) =>
  Effect.suspend(() => {
    const said: Said = { end: null, text: "" }
    const emit: Emit = (part) =>
      Effect.suspend(() => {
        if (part.type === "finish") said.end = part.reason
        if (part.type === "text-delta" && said.text.length < TITLE_CHARACTERS) said.text += part.text
        return PartWriter.write(session, pending.turn, atEnd(session, part))
      }).pipe(Effect.uninterruptible)
    return answered(defaults, session, pending, said, emit).pipe(
      Effect.catch((error) => failed(session, error, emit)),
      Effect.onExit((exit) => said.end !== null ? Effect.void : close(exit, emit)),
      Effect.annotateLogs({ chat: session.id, turn: pending.turn })
    )
  })

const answered = (
  defaults: TurnDefaults,
  session: ChatSession.ChatSession,
  { resume, sentIn, turn }: Pending,
  said: Said,
  emit: Emit
) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      // A turn that takes no time must not run inside the end of the one before it: the stack would grow with the queue.
      yield* Effect.yieldNow
      const chat = yield* session.store.get(session.id)
      const begun = yield* begin(defaults, session, turn)
      // A chat removed meanwhile needs no answer.
      if (chat === null || begun === null) return null
      const { chosen, start, who } = begun
      const first = yield* TurnSpans.within(
        restore(
          Effect.flatMap(
            Effect.fromResult(chosen),
            (partner) => answer(defaults, session, chat, partner, start, resume, emit)
          )
        ),
        {
          ...TurnSpans.ofTurn({ chat: session.id, turn, who }),
          parent: sentIn ?? null,
          ended: () => said.end === null ? {} : { "boocode.turn.end": said.end },
          errorOf: () => said.end === "error" ? "turn_error" : null
        }
      )
      return first === null || said.end !== "stop" ? null : { ...first, text: start.text, answer: said.text }
    })
  )

/** The message stops waiting: a person who changes it at the same time comes before that, or too late. */
const begin = (defaults: TurnDefaults, session: ChatSession.ChatSession, turn: number) =>
  session.sending.withPermit(Effect.gen(function*() {
    const start = session.state.turns.get(turn)
    if (start === undefined) return null
    const chosen = yield* Effect.result(choose(session.state.record, start, defaults.model))
    const who = Result.isFailure(chosen) ? null : { agent: chosen.success.agent.name, model: chosen.success.id }
    // Also when it is stopped at once: what the person wrote must not be lost.
    yield* ChatSession.putTurn(session, { ...start, ...who, state: "running" })
    return { start, chosen, who }
  }))

/** A mention or the message names the agent, else the chat; `model` is that of the program, when nobody else names one. */
const choose = Effect.fnUntraced(function*(
  chat: Named,
  message: Named & { readonly text: string },
  model: TurnDefaults["model"]
): Effect.fn.Return<TurnPartner, UnknownAgent | ModelUnavailable, Agents | CurrentUser | LanguageModels> {
  const agents = yield* Agents
  const mention = Mention.isPossible(message.text) ? Mention.of(message.text, (yield* agents.list).agents) : null
  const agent = yield* agents.agent(mention?.agent ?? ModelChoice.given(message.agent) ?? chat.agent)
  const program = yield* model
  const id = ModelChoice.choose({ message: message.model, chat: chat.model, agent: agent.model, program })
  return { agent, id, model: yield* ModelChoice.model(id), text: mention?.text ?? message.text }
})

/** Runs the loop of the turn; null in the command mode, where no model answers. */
const answer = Effect.fnUntraced(function*(
  { codeMode, indexes, policy, prefixes, sandbox }: TurnDefaults,
  session: ChatSession.ChatSession,
  chat: StoredChat,
  { agent, id, model, text }: TurnPartner,
  start: TurnStart,
  resume: ReadonlyArray<Part> | null,
  emit: Emit
) {
  const isCommand = id === CommandMode.ID
  const history = chat.turns.filter((turn) => isSeen(turn) && turn.turn !== start.turn).toSorted(asTheyRan)
  const earlier = chat.turns.flatMap(({ parts }) => parts)
  const off = () => session.state.record.off
  const isFirst = resume === null && !chat.turns.some(({ turn }) => turn < start.turn)
  if (resume !== null) yield* awaitAsked(resume)
  else if (isFirst) yield* ServerContext.awaitServers(agent, off())
  const missing = yield* ServerContext.missing(agent, off(), earlier, isFirst)
  if (missing !== null) yield* emit(missing)
  const spending = yield* Spending
  const { owner } = chat.record
  const by = { model: id, agent: agent.name }
  const tally = Usage.tally(resume ?? [], isCommand ? undefined : (usage) => spending.note(owner, usage, by))
  const tell: Emit = (part) => Effect.suspend(() => emit(Usage.noted(part, tally)))
  const facts = yield* ModelChoice.facts(id)
  const registry = yield* McpRegistry
  const file = AttachedFiles.of(yield* ChatStore, chat.record.id)
  yield* Turn.run({
    agent: instructed(agent, chat.record),
    model,
    ...isCommand ? {} : { chat: chat.record.id },
    facts,
    tools: yield* TurnTools.forAgent(agent, {
      dialect: ModelChoice.dialect(id, facts),
      policy: isCommand ? { ...policy, mode: "never" } : policy,
      index: yield* Cache.get(indexes, chat.record.owner),
      isNative: facts.defersTools === true,
      ...isCommand || sandbox === null
        ? {}
        : { code: { mode: codeMode, writesCode: facts.writesPrograms === true } },
      prefix: yield* Cache.get(prefixes, chat.record.id),
      off,
      warn: warnOnce(earlier, emit),
      turn: {
        chat: chat.record.id,
        owner,
        emit: tell,
        earlier,
        write: () => session.state.record.write,
        isUnattended: start.unattended === true,
        via: start.via
      }
    }),
    history,
    summary: Summaries.covering(chat.turns, history),
    sumsUp: !isCommand,
    text,
    ...start.prompt === undefined ? {} : { prompt: start.prompt },
    attachments: yield* UserMessage.filesOf(start.attachments, file),
    file,
    resume,
    taken: isCommand ? Effect.succeed([]) : take(session, start.turn),
    askerOf: (yield* Questions).forTurn({
      chat: chat.record.id,
      owner,
      emit: tell,
      earlier,
      model: isCommand ? null : { id, model, facts, temperature: agent.temperature, tally },
      whyOver: () => whyOver(session),
      printOf: (server) => Effect.provideService(ServerContext.printOf(server), McpRegistry, registry)
    }),
    programs: sandbox === null ? null : { sandbox, kept: ProgramFiles.of(session) },
    watched: { turn: start.turn, drafts: session.drafts },
    ...isCommand ? {} : { affordable: spending.check(owner) },
    tally
  }, tell)
  return isCommand ? null : { model, prices: facts.prices, by }
})

const instructed = (agent: Agent, { instructions }: ChatRecord): Agent =>
  instructions === undefined ? agent : { ...agent, prompt: `${agent.prompt}\n\n${instructions}`.trim() }

/**
 * Takes the urgent messages that wait into a turn: each becomes a part of it, and its own turn ends with `joined`. Both
 * are kept at once, so that a message is neither lost nor answered twice.
 */
const take = (session: ChatSession.ChatSession, turn: number): Effect.Effect<ReadonlyArray<Taken>> =>
  session.sending.withPermit(Effect.gen(function*() {
    // A message for the command mode is not for a model.
    const pending = session.state.queue.filter(({ isUrgent, turn }) =>
      isUrgent === true && session.state.turns.get(turn)?.model !== CommandMode.ID
    )
    const taken = pending.flatMap((one): ReadonlyArray<Taken> => {
      const start = session.state.turns.get(one.turn)
      if (start === undefined) return []
      const { attachments, prompt, text } = start
      return [{ type: "message", from: one.turn, text, ...prompt === undefined ? {} : { prompt }, attachments }]
    })
    if (taken.length === 0) return []
    ChatSession.happened(session, { type: "unqueued", pending })
    yield* PartWriter.writeAll(
      session,
      taken.flatMap((part) => [[turn, part], [part.from, { ...STOPPED, reason: "joined" }]] as const)
    )
    return taken
  })).pipe(Effect.uninterruptible)

/** Models see no turn that another took the place of, none that never began, and none that waits. */
const isSeen = ({ parts, replacedBy, state }: ChatTurn): boolean =>
  replacedBy === null && state !== "waiting" && !(parts.length === 1 && parts[0]?.type === "finish")

/** An urgent message may have been answered before those that were sent earlier. */
const asTheyRan = ({ parts: [one] }: ChatTurn, { parts: [other] }: ChatTurn): number =>
  (one?.seq ?? 0) - (other?.seq ?? 0)

/**
 * A turn that goes on needs the servers that were about to be called, and a program may need any; they may still be
 * connecting.
 */
const awaitAsked = Effect.fnUntraced(function*(parts: ReadonlyArray<Part>) {
  const registry = yield* McpRegistry
  if (openCalls(parts).some(({ program }) => program !== undefined)) {
    return yield* Effect.asVoid(Effect.timeoutOption(registry.settled, "30 seconds"))
  }
  const servers = new Set(openApprovals(parts).flatMap(({ server }) => server === null ? [] : [server]))
  yield* Effect.forEach(servers, (server) => Effect.ignore(registry.settledServer(server)), {
    concurrency: "unbounded"
  }).pipe(Effect.timeoutOption("30 seconds"), Effect.asVoid)
})

/** Warns of what an agent's patterns get wrong, or a model cannot be given, once in a chat. */
const warnOnce = (earlier: ReadonlyArray<Part>, emit: Emit) => {
  const said = new Set(earlier.flatMap((part) => part.type === "warning" ? part.message : []))
  return (message: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (said.has(message)) return Effect.void
      said.add(message)
      return emit({ type: "warning", message })
    })
}

/** A turn that ends with the program was interrupted; no person stopped it. */
const atEnd = ({ state: { phase } }: ChatSession.ChatSession, part: TurnPart): TurnPart =>
  phase === "ending" && part.type === "finish" && part.reason === "stopped" ? { ...part, reason: "interrupted" } : part

const whyOver = ({ state: { phase, running } }: ChatSession.ChatSession): string | null => {
  if (running?.isStopped === true) return "you stopped the answer"
  return phase === "ending" ? "the chat server ended" : null
}

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
