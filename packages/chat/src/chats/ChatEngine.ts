/** How chats are created, changed and run by one program. */
import type { LanguageModels } from "@boocode/language-models"
import { type Deferral, PdfReader } from "@boocode/toolkit"
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Agents } from "../agents/Agents.ts"
import * as BegunChat from "../exchange/BegunChat.ts"
import * as ChatDocument from "../exchange/ChatDocument.ts"
import * as ForkedChat from "../exchange/ForkedChat.ts"
import * as TurnTimeline from "../history/TurnTimeline.ts"
import * as Attachments from "../model/Attachments.ts"
import { type ChatEdit, type ChatRecord, type ChatSummary, shownOf, UNCHOSEN } from "../model/Chat.ts"
import * as ChatError from "../model/ChatError.ts"
import * as ModelChoice from "../model/ModelChoice.ts"
import { NO_USAGE } from "../model/Part.ts"
import * as Usage from "../model/Usage.ts"
import type * as CodeMode from "../programs/CodeMode.ts"
import { Spending } from "../spending/Spending.ts"
import { ChatStore, type ChatStoreFailed } from "../store/ChatStore.ts"
import * as CallDrafts from "../tools/CallDrafts.ts"
import { CurrentUser } from "../users/CurrentUser.ts"
import * as ChatNews from "./ChatNews.ts"
import * as ChatSession from "./ChatSession.ts"
import * as ChatSessions from "./ChatSessions.ts"
import type { ChatsService } from "./ChatsService.ts"
import * as ChatTurns from "./ChatTurns.ts"
import * as Sending from "./Sending.ts"
import * as SessionState from "./SessionState.ts"
import * as SummaryEdit from "./SummaryEdit.ts"
import * as Titles from "./Titles.ts"
import * as TurnQueue from "./TurnQueue.ts"
import * as WaitingMessages from "./WaitingMessages.ts"

/** How the chats of a program run. */
export interface ChatsOptions {
  /**
   * The id of the model when neither message, chat nor agent names one; null is the command mode. An effect is asked
   * for each message, so that the model may change.
   */
  readonly model: ModelChoice.ProgramModel
  /** How long turns may go on when the program ends. Default 4 s. */
  readonly grace?: Duration.Input | undefined
  /** When models search for tools instead of being given them all. */
  readonly toolSearch?: Deferral.Policy | undefined
  /** When models write programs in which tools are functions, where a `Sandbox` runs them. Default `off`. */
  readonly codeMode?: CodeMode.Mode | undefined
  /** Whether the first message names a chat, or its model once it has answered that. Default `message`. */
  readonly titles?: "model" | "message" | undefined
  /** Where other programs run chats of the same store. Left out, this program is alone. */
  readonly fleet?: ChatFleet | undefined
}

/** The difference where several programs run the chats of one store. */
export interface ChatFleet {
  /** Tells the other programs as well. */
  readonly news: ChatNews.ChatNews
  /** A piece of text waits at most this long for more text before it is stored. */
  readonly window: Duration.Input
}

/** The chats as this program runs them. */
export interface ChatEngine {
  readonly chats: ChatsService
  /** Mends what another program left of a chat, starts what waits there, and waits until nothing of it runs or waits. */
  readonly work: (id: string) => Effect.Effect<void, ChatError.UnknownChat | ChatStoreFailed>
  /**
   * Runs nothing of a chat any more, and writes nothing of it: what is stored is as a kill would leave it, for the
   * program that takes it up. A turn that runs has until `patience` ends.
   */
  readonly leave: (id: string, patience: Effect.Effect<unknown>) => Effect.Effect<void>
}

/** An engine whose turns end with the scope. */
export const make = Effect.fnUntraced(function*(options: ChatsOptions) {
  const agents = yield* Agents
  const store = yield* ChatStore
  const random = yield* SecureRandom.SecureRandom
  const models = yield* Effect.context<LanguageModels>()
  const reader = yield* PdfReader
  const turns = yield* ChatTurns.make(options.model, options.toolSearch, options.codeMode)
  const news = options.fleet?.news ?? ChatNews.make()
  const window = options.fleet === undefined ? undefined : Duration.toMillis(options.fleet.window)
  const sessions = yield* ChatSessions.make(store, news, { isAlone: options.fleet === undefined, window })
  const spending = yield* Spending
  const within = yield* TurnQueue.limited(store, sessions)

  /** For as long as it takes, the chat is in memory; a turn that waits there is started. */
  const withAny = <A, E, R>(id: string, use: (session: ChatSession.ChatSession) => Effect.Effect<A, E, R>) =>
    Effect.scoped(Effect.flatMap(openAny(id), use))
  const openAny = (id: string): ReturnType<typeof sessions.hold> =>
    Effect.tap(sessions.hold(id), (session) => queue.startNext(session))

  /** Fails for a chat that is not the person's. It is not read: what is wrong with it is no more theirs than what is in it. */
  const owned = Effect.fnUntraced(function*(id: string) {
    const user = yield* CurrentUser
    const owner = sessions.live.get(id)?.state.record.owner ?? (yield* store.owner(id))
    if (owner !== user.id) return yield* new ChatError.UnknownChat({ id })
  })
  const open = (id: string) => Effect.andThen(owned(id), openAny(id))
  const withSession = <A, E, R>(id: string, use: (session: ChatSession.ChatSession) => Effect.Effect<A, E, R>) =>
    Effect.scoped(Effect.flatMap(open(id), use))

  const entitle = Effect.fnUntraced(function*(id: string, first: Titles.FirstTurn) {
    if (options.titles !== "model" || sessions.live.get(id)?.state.record.titledBy !== "message") return
    const owner = sessions.live.get(id)?.state.record.owner ?? (yield* store.owner(id))
    if (owner === null) return
    yield* spending.check(owner)
    const { title, usage } = yield* Titles.suggested(first)
    if (title === null && usage === NO_USAGE) return
    yield* spending.note(owner, usage, first.by)
    yield* Effect.ignore(withAny(id, (session) =>
      ChatSession.change(session, (record) => ({
        ...record,
        titleUsage: Usage.add(usage, record.titleUsage ?? NO_USAGE),
        // A person may have been faster.
        ...title === null || record.titledBy !== "message" ? {} : { title, titledBy: "model" }
      }))))
  }, (entitling) => Effect.ignore(entitling))
  const queue = yield* TurnQueue.make(sessions, turns, entitle)
  yield* Effect.addFinalizer(() => queue.close(Effect.sleep(options.grace ?? "4 seconds")))
  if (options.fleet === undefined) yield* ChatSessions.goOn(store, (id) => withAny(id, () => Effect.void))

  const summary = (record: ChatRecord): ChatSummary => {
    const session = sessions.live.get(record.id)
    return session === undefined
      ? { ...shownOf(record), running: null, waiting: 0, approvals: 0, questions: 0 }
      : SessionState.summary(session.state)
  }

  const usable = Effect.fnUntraced(function*({ agent, model }: Pick<ChatEdit, "agent" | "model">) {
    const [name, id] = [ModelChoice.given(agent ?? null), ModelChoice.given(model ?? null)]
    if (name !== null) yield* agents.agent(name)
    if (id !== null) yield* ModelChoice.model(id).pipe(Effect.provideContext(models))
    return { agent: name, model: id }
  })

  const changing = <A, E, R>(id: string, use: (session: ChatSession.ChatSession) => Effect.Effect<A, E, R>) =>
    Effect.uninterruptible(withSession(id, (session) => session.sending.withPermit(use(session))))

  /** The record of a chat that begins now, without its title. */
  const fresh = Effect.fnUntraced(function*(given: Pick<ChatRecord, "agent" | "model">) {
    const chosen = yield* usable(given)
    const now = DateTime.formatIso(yield* DateTime.now)
    const id = yield* random.uuidV4()
    const { id: owner } = yield* CurrentUser
    return {
      id,
      owner,
      ...chosen,
      ...UNCHOSEN,
      createdAt: now,
      updatedAt: now
    }
  })
  const begun = (record: ChatRecord) => {
    news.tell(record.owner, { type: "chat", chat: summary(record) })
    return summary(record)
  }

  const chats: ChatsService = {
    create: Effect.fn("Chats.create")(function*(given) {
      const record: ChatRecord = { ...yield* fresh(given), title: Titles.NONE, titledBy: "none" }
      yield* store.put(record)
      return begun(record)
    }, Effect.uninterruptible),
    begin: Effect.fn("Chats.begin")(function*({ folder, instructions, said, title, write, ...given }) {
      const record: ChatRecord = {
        ...yield* fresh(given),
        title: Titles.ofMessage(title),
        titledBy: "person",
        folder,
        write,
        ...instructions === null ? {} : { instructions }
      }
      const { files, turns } = yield* Effect.provideService(
        BegunChat.turnsOf(said, record.createdAt),
        PdfReader,
        reader
      )
      yield* store.add({ record, turns, files })
      return begun(record)
    }, Effect.uninterruptible),
    list: Effect.flatMap(CurrentUser, ({ id }) => store.list(id)).pipe(
      Effect.map((records) => records.map(summary).toSorted(SessionState.lastUsedFirst)),
      Effect.withSpan("Chats.list")
    ),
    changes: Stream.unwrap(Effect.map(CurrentUser, ({ id }) => news.changes(id))),
    search: Effect.fn("Chats.search")(function*(words, limit) {
      const hits = yield* store.search((yield* CurrentUser).id, words, limit)
      return hits.map(({ excerpt, record }) => ({ ...summary(record), excerpt }))
    }),
    find: Effect.fn("Chats.find")(function*(words, limit) {
      return yield* store.find((yield* CurrentUser).id, words, limit)
    }),
    get: Effect.fn("Chats.get")(function*(id) {
      yield* owned(id)
      const chat = (yield* store.get(id)) ?? (yield* new ChatError.UnknownChat({ id }))
      const used = [...chat.turns.map(({ parts }) => Usage.ofTurn(parts)), chat.record.titleUsage ?? NO_USAGE]
      return { ...summary(chat.record), usage: Usage.sum(used), turns: chat.turns }
    }),
    summary: Effect.fn("Chats.summary")((id) =>
      withSession(id, (session) => Effect.sync(() => SessionState.summary(session.state)))
    ),
    update: Effect.fn("Chats.update")((id, edit) =>
      withSession(id, (session) =>
        Effect.gen(function*() {
          const chosen = yield* usable(edit)
          const title = edit.title === undefined ? undefined : Titles.ofPerson(edit.title)
          if (title === "") return yield* new ChatError.BlankTitle({})
          yield* ChatSession.change(session, (record) => ({
            ...record,
            ...title === undefined ? {} : { title, titledBy: "person" },
            ...edit.agent === undefined ? {} : { agent: chosen.agent },
            ...edit.model === undefined ? {} : { model: chosen.model },
            ...edit.pinned === undefined ? {} : { pinned: edit.pinned },
            ...edit.folder === undefined ? {} : { folder: Titles.ofPerson(edit.folder ?? "") || null },
            ...edit.off === undefined ? {} : { off: { ...record.off, ...edit.off } },
            ...edit.write === undefined ? {} : { write: edit.write }
          }))
          yield* ChatSession.refuseRemoved(session)
          return SessionState.summary(session.state)
        })), Effect.uninterruptible),
    fork: Effect.fn("Chats.fork")((id, turn) =>
      withSession(id, (session) =>
        Effect.gen(function*() {
          const starts = [...session.state.turns.values()].filter((one) => one.turn <= turn)
          const open = starts.find(({ state }) => state !== "ended")
          if (starts.at(-1)?.turn !== turn) return yield* new ChatError.UnknownTurn({ id, turn, isWaiting: false })
          if (open !== undefined) return yield* new ChatError.TurnRunning({ id, turn: open.turn })
          const chat = (yield* store.get(id)) ?? (yield* new ChatError.UnknownChat({ id }))
          return begun(yield* ForkedChat.forked(store, chat, turn, yield* random.uuidV4()))
        })), Effect.uninterruptible),
    remove: Effect.fn("Chats.remove")((id) => withSession(id, remove), Effect.uninterruptible),
    sent: Effect.fn("Chats.sent")((id, key) =>
      withSession(id, (session) => Effect.sync(() => Sending.repeated(session, key)))
    ),
    send: Effect.fn("Chats.send")((id, message) =>
      withSession(id, (session) =>
        Effect.gen(function*() {
          const before = Sending.repeated(session, message.key)
          if (before !== null) return before
          const asksModel = yield* turns.check(session.state.record, message)
          if (asksModel) yield* spending.check(session.state.record.owner)
          const files = yield* Effect.provideService(Attachments.sent(message.attachments), PdfReader, reader)
          const sent = yield* within(session, session.sending.withPermit(Sending.admit(session, message, files)))
          yield* queue.startNext(session)
          return sent
        })), Effect.uninterruptible),
    waiting: Effect.fn("Chats.waiting")((id, turn) =>
      withSession(id, (session) => Effect.map(WaitingMessages.waitingIn(session, turn), ({ start }) => start))
    ),
    editWaiting: Effect.fn("Chats.editWaiting")((id, turn, words) =>
      changing(id, (session) => WaitingMessages.edit(session, turn, words))
    ),
    hurry: Effect.fn("Chats.hurry")((id, turn) => changing(id, (session) => WaitingMessages.hurry(session, turn))),
    drop: Effect.fn("Chats.drop")((id, turn) => changing(id, (session) => WaitingMessages.drop(session, turn))),
    editSummary: Effect.fn("Chats.editSummary")((id, summary, text) =>
      withSession(id, (session) => SummaryEdit.edit(session, summary, text))
    ),
    stop: Effect.fn("Chats.stop")((id) => withSession(id, queue.stop)),
    events: (id, after) => Stream.unwrap(Effect.map(open(id), (session) => ChatSession.events(session, after))),
    drafts: (id) => Stream.unwrap(Effect.map(open(id), ({ drafts }) => CallDrafts.events(drafts))),
    draft: (id, call) => Effect.map(owned(id), () => sessions.live.get(id)?.drafts.open.get(call)?.about ?? null),
    timeline: Effect.fn("Chats.timeline")(function*(id, turn) {
      yield* owned(id)
      const start = (yield* store.head(id))?.turns.find((one) => one.turn === turn)
      if (start === undefined) return yield* new ChatError.UnknownTurn({ id, turn, isWaiting: false })
      return TurnTimeline.of(id, start, yield* store.timed(id, turn), yield* Clock.currentTimeMillis)
    }),
    file: Effect.fn("Chats.file")((id, file) =>
      withSession(id, (session) =>
        Effect.gen(function*() {
          const attachment = [...session.state.turns.values()].flatMap(({ attachments }) => attachments)
            .find((one) => one.id === file)
          const data = attachment === undefined ? null : yield* store.file(id, file)
          if (attachment === undefined || data === null) {
            return yield* new ChatError.UnknownFile({ id, attachment: file })
          }
          return { attachment, data }
        }))
    ),
    export: Effect.fn("Chats.export")((id, format) =>
      Effect.andThen(owned(id), ChatDocument.exported(store, id, format))
    ),
    import: Effect.fn("Chats.import")(function*(text, format) {
      const chat = { id: yield* random.uuidV4(), owner: (yield* CurrentUser).id }
      return begun(yield* ChatDocument.imported(store, chat, text, format))
    }),
    forget: Effect.fn("Chats.forget")(function*(owner) {
      for (const { id } of yield* store.list(owner)) {
        yield* Effect.catchTag(withAny(id, remove), "UnknownChat", () => Effect.void)
      }
    }, Effect.uninterruptible),
    close: queue.close
  }

  const remove = Effect.fnUntraced(function*(session: ChatSession.ChatSession) {
    const enter = (phase: SessionState.Phase) =>
      Effect.sync(() => ChatSession.happened(session, { type: "phase", phase }))
    yield* enter("removing")
    yield* queue.stop(session)
    // A change of the record that comes after the removal would put the chat into the store again.
    yield* session.writing.withPermit(Effect.gen(function*() {
      yield* ChatSession.refuseRemoved(session)
      yield* Effect.tapError(store.remove(session.id), () => enter("open"))
      yield* enter("removed")
    }))
    yield* sessions.forget(session.id)
  })

  const engine: ChatEngine = {
    chats,
    work: (id) => withAny(id, ChatSession.idle),
    leave: (id, patience) =>
      Effect.suspend(() => {
        const session = sessions.live.get(id)
        return session === undefined ? Effect.void : Effect.andThen(queue.leave(session, patience), sessions.forget(id))
      })
  }
  return engine
})
