/**
 * The chats: each has one turn at a time, owned here and not by whoever listens to it.
 */
import type { LanguageModels, ModelUnavailable } from "@boocode/language-models"
import type { McpRegistry } from "@boocode/mcp-registry"
import type { Deferral, ResultFiles } from "@boocode/toolkit"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Agents } from "./Agents.ts"
import type { Chat, ChatRecord, ChatSummary, Message } from "./Chat.ts"
import { QueueFull, type UnknownAgent, UnknownChat } from "./ChatError.ts"
import * as ChatSession from "./ChatSession.ts"
import { ChatStore } from "./ChatStore.ts"
import * as ChatTurns from "./ChatTurns.ts"
import * as ModelChoice from "./ModelChoice.ts"
import type { Part } from "./Part.ts"
import type { WorkspaceTools } from "./WorkspaceTools.ts"

/** How the chats of a program run. @category models */
export interface ChatsOptions {
  /** The model when neither message, chat nor agent names one (`BOOCODE_MODEL`); null is the command mode. */
  readonly model: string | null
  /** The model of every message that names none itself, whatever chat and agent name (`--model`). */
  readonly flag?: string | null | undefined
  /** How long turns may go on when the program ends. Default 4 s. */
  readonly grace?: Duration.Input | undefined
  /** When models search for tools instead of being given them all. */
  readonly toolSearch?: Deferral.Policy | undefined
}

/** The chats of this server. @category services */
export class Chats extends Context.Service<Chats, {
  /** Begins a chat. Fails when the agent is not there or the model cannot be used. */
  readonly create: (options: {
    readonly agent: string | null
    readonly model: string | null
  }) => Effect.Effect<ChatSummary, UnknownAgent | ModelUnavailable>
  /** All chats, the last used first. */
  readonly list: Effect.Effect<ReadonlyArray<ChatSummary>>
  readonly get: (id: string) => Effect.Effect<Chat, UnknownChat>
  /** Ends the chat's turn, then forgets the chat. */
  readonly remove: (id: string) => Effect.Effect<void, UnknownChat>
  /**
   * Starts a turn, or queues the message while one runs; at most 20 messages wait in a chat. Answers at once with the number of the turn. Closing whatever
   * listens does not end the turn; only `stop`, `remove` and the end of the program do.
   */
  readonly send: (id: string, message: Message) => Effect.Effect<
    { readonly turn: number; readonly queued: boolean },
    UnknownChat | UnknownAgent | ModelUnavailable | QueueFull
  >
  /**
   * Ends the running turn: its tools are cancelled, open calls get an error result, it finishes with `stopped`. Queued
   * messages are dropped: they become no turn of the chat, and a `finish` part with `stopped` says so under the number
   * each was given. Answers when all that has happened.
   */
  readonly stop: (id: string) => Effect.Effect<void, UnknownChat>
  /**
   * Every part with a `seq` above `after`, first those there are, then each new one. Ends when the chat is removed, also
   * for who has not read all of it: the parts are gone then.
   */
  readonly events: (id: string, after: number) => Stream.Stream<Part, UnknownChat>
}>()("chat/Chats") {
  /**
   * Chats over these services. When the layer closes, running turns get `grace` to finish, then they are stopped; no new
   * one starts.
   */
  static readonly layer = (options: ChatsOptions): Layer.Layer<
    Chats,
    never,
    Agents | ChatStore | LanguageModels | McpRegistry | ResultFiles | WorkspaceTools
  > => Layer.effect(Chats, make(options)).pipe(Layer.provide(SecureRandom.layerWebCrypto))
}

const make = Effect.fnUntraced(function*(options: ChatsOptions) {
  const agents = yield* Agents
  const store = yield* ChatStore
  const random = yield* SecureRandom.SecureRandom
  const models = yield* Effect.context<LanguageModels>()
  const turns = yield* ChatTurns.make({ flag: options.flag ?? null, environment: options.model }, options.toolSearch)
  const fibers = yield* FiberSet.make<void>()
  const sessions = new Map<string, ChatSession.ChatSession>()
  let closing = false

  // Runs before the fibers are interrupted: finalizers run in the reverse order.
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      closing = true
      for (const session of sessions.values()) session.queue.length = 0
      return Effect.timeoutOption(FiberSet.awaitEmpty(fibers), options.grace ?? "4 seconds")
    })
  )

  const sessionOf = Effect.fnUntraced(function*(id: string) {
    const stored = sessions.has(id) ? null : yield* store.get(id)
    // Asked again: another call may have made the session while this one waited for the store.
    const session = sessions.get(id) ?? (stored === null ? undefined : ChatSession.make(stored))
    if (session === undefined) return yield* new UnknownChat({ id })
    sessions.set(id, session)
    return session
  })

  const storedChat = Effect.fnUntraced(function*(id: string) {
    return (yield* store.get(id)) ?? (yield* new UnknownChat({ id }))
  })

  const summary = (record: ChatRecord): ChatSummary => ({
    ...record,
    running: sessions.get(record.id)?.running?.turn ?? null
  })

  /** Starts the next turn that waits, unless one runs. The turn marks itself as running before anything else can happen. */
  const startNext = (session: ChatSession.ChatSession): Effect.Effect<void> =>
    Effect.suspend(() => {
      const next = session.running === null && !closing && !session.removing ? session.queue.shift() : undefined
      if (next === undefined) return Effect.void
      const turn = Effect.withFiber<void>((fiber) => {
        session.running = { turn: next.turn, fiber }
        return turns.run(session, next)
      }).pipe(
        Effect.ensuring(Effect.suspend(() => {
          if (session.running?.turn === next.turn) session.running = null
          return startNext(session)
        }))
      )
      return FiberSet.run(fibers, turn, { startImmediately: true })
    }).pipe(Effect.uninterruptible)

  const stopTurn = Effect.fnUntraced(function*(session: ChatSession.ChatSession) {
    const dropped = session.queue.splice(0)
    if (session.running !== null) yield* Fiber.interrupt(session.running.fiber)
    yield* Effect.forEach(dropped, ({ turn }) => ChatSession.publish(session, store, turn, ChatTurns.STOPPED))
  }, Effect.uninterruptible)

  return Chats.of({
    create: Effect.fn("Chats.create")(function*(options) {
      const [agent, model] = [ModelChoice.given(options.agent), ModelChoice.given(options.model)]
      if (agent !== null) yield* agents.agent(agent)
      if (model !== null) yield* ModelChoice.model(model).pipe(Effect.provideContext(models))
      const now = DateTime.formatIso(yield* DateTime.now)
      const record = { id: yield* random.uuidV4(), title: "New chat", agent, model, createdAt: now, updatedAt: now }
      yield* store.put(record)
      return summary(record)
    }),
    list: store.list.pipe(
      Effect.map((records) => records.map(summary).toSorted(lastUsedFirst)),
      Effect.withSpan("Chats.list")
    ),
    get: Effect.fn("Chats.get")(function*(id) {
      const { record, turns } = yield* storedChat(id)
      return { ...summary(record), turns }
    }),
    remove: Effect.fn("Chats.remove")(function*(id) {
      const session = yield* sessionOf(id)
      session.removing = true
      yield* stopTurn(session)
      yield* store.remove(id)
      sessions.delete(id)
      ChatSession.close(session)
    }, Effect.uninterruptible),
    send: Effect.fn("Chats.send")(function*(id, message) {
      const session = yield* sessionOf(id)
      const { record } = yield* storedChat(id)
      yield* turns.check(record, message)
      const updatedAt = DateTime.formatIso(yield* DateTime.now)
      if (session.removing) return yield* new UnknownChat({ id })
      if (session.queue.length >= MAX_QUEUED) return yield* new QueueFull({ id, limit: MAX_QUEUED })
      const turn = session.lastTurn += 1
      const queued = session.running !== null || session.queue.length > 0
      session.queue.push({ turn, message })
      yield* store.put({ ...record, title: turn === 1 ? titleOf(message.text) : record.title, updatedAt })
      yield* startNext(session)
      return { turn, queued }
    }, Effect.uninterruptible),
    stop: Effect.fn("Chats.stop")(function*(id) {
      yield* stopTurn(yield* sessionOf(id))
    }),
    events: (id, after) =>
      Stream.unwrap(Effect.map(sessionOf(id), (session) => ChatSession.events(session, store, after)))
  })
})

const MAX_QUEUED = 20
const TITLE_CHARACTERS = 60

const lastUsedFirst = (one: ChatSummary, other: ChatSummary): number =>
  compare(other.updatedAt, one.updatedAt) || compare(other.createdAt, one.createdAt)

const compare = (one: string, other: string): number => one === other ? 0 : one < other ? -1 : 1

const titleOf = (text: string): string =>
  [...text.replaceAll(/\s+/g, " ").trim()].slice(0, TITLE_CHARACTERS).join("") || "New chat"
