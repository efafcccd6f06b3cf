/** The chats of this server. A chat runs one turn at a time, and the turn goes on without a listener. */
import type { LanguageModels, ModelUnavailable } from "@boocode/language-models"
import type { McpRegistries } from "@boocode/mcp-registry"
import { type Deferral, PdfReader, type ResultFiles } from "@boocode/toolkit"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Agents } from "../agents/Agents.ts"
import * as BegunChat from "../exchange/BegunChat.ts"
import * as ChatDocument from "../exchange/ChatDocument.ts"
import * as ForkedChat from "../exchange/ForkedChat.ts"
import type { SummaryPart } from "../history/Summaries.ts"
import * as Attachments from "../model/Attachments.ts"
import {
  type Chat,
  type ChatEdit,
  type ChatRecord,
  type ChatSummary,
  type Message,
  NOTHING_OFF,
  shownOf
} from "../model/Chat.ts"
import * as ChatError from "../model/ChatError.ts"
import * as ModelChoice from "../model/ModelChoice.ts"
import { NO_USAGE, type Part } from "../model/Part.ts"
import * as Usage from "../model/Usage.ts"
import type * as CodeMode from "../programs/CodeMode.ts"
import { type OverLimit, Spending } from "../spending/Spending.ts"
import { ChatStore, type ChatStoreFailed, type TurnStart } from "../store/ChatStore.ts"
import type { TextHit } from "../store/SearchHits.ts"
import type { WorkspaceTools } from "../tools/WorkspaceTools.ts"
import { CurrentUser } from "../users/CurrentUser.ts"
import * as ChatNews from "./ChatNews.ts"
import * as ChatSession from "./ChatSession.ts"
import * as ChatSessions from "./ChatSessions.ts"
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
}

/** A chat in which words were found. */
export interface FoundChat extends ChatSummary {
  /** The text around the words; null in a list without a search. */
  readonly excerpt: string | null
}

type Known = ChatError.UnknownChat | ChatStoreFailed

/**
 * The chats of this server. Each person has their own: to anybody else a chat is one that is not there. Any member may fail
 * because they cannot be kept or read.
 */
export class Chats extends Context.Service<Chats, {
  /** Begins a chat. Fails when the agent is not there or the model cannot be used. */
  readonly create: (options: Pick<ChatRecord, "agent" | "model">) => Effect.Effect<
    ChatSummary,
    ChatError.UnknownAgent | ModelUnavailable | ChatStoreFailed,
    CurrentUser
  >
  /** Begins a chat that goes on with a conversation of another program: it is there as a whole, or not at all. */
  readonly begin: (options: Pick<ChatRecord, "agent" | "model"> & BegunChat.BegunChat) => Effect.Effect<
    ChatSummary,
    ChatError.UnknownAgent | ModelUnavailable | ChatError.AttachmentRefused | ChatStoreFailed,
    CurrentUser
  >
  /** All chats of the person, the last used first. */
  readonly list: Effect.Effect<ReadonlyArray<ChatSummary>, ChatStoreFailed, CurrentUser>
  /** Each change of the list from now on. A slow listener gets only the last change of each chat. */
  readonly changes: Stream.Stream<ChatNews.ChatChange, never, CurrentUser>
  /** The chats with all these words in title, messages or answers, the last used first. */
  readonly search: (
    words: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<FoundChat>, ChatStoreFailed, CurrentUser>
  /**
   * The titles, messages and answers with all these words, of the chat last used first. Where the words of a chat stand
   * in different texts, each text with one of them is a hit.
   */
  readonly find: (words: string, limit: number) => Effect.Effect<ReadonlyArray<TextHit>, ChatStoreFailed, CurrentUser>
  /** A whole chat as it is stored; asks no server and no model. */
  readonly get: (id: string) => Effect.Effect<Chat, Known, CurrentUser>
  /** The line of the list for one chat; it costs little however long the chat is. Mends what an earlier program left. */
  readonly summary: (id: string) => Effect.Effect<ChatSummary, Known, CurrentUser>
  /** Gives a chat another title, agent, model, folder or pin, or turns servers and tools off in it. */
  readonly update: (id: string, edit: ChatEdit) => Effect.Effect<
    ChatSummary,
    Known | ChatError.UnknownAgent | ModelUnavailable | ChatError.BlankTitle,
    CurrentUser
  >
  /**
   * A new chat with every turn of this one up to and including `turn`, its agent, model, folder and what is off in it.
   * Fails when one of those turns has not ended.
   */
  readonly fork: (
    id: string,
    turn: number
  ) => Effect.Effect<ChatSummary, Known | ChatError.UnknownTurn | ChatError.TurnRunning, CurrentUser>
  /** Ends the chat's turn, then forgets the chat. */
  readonly remove: (id: string) => Effect.Effect<void, Known, CurrentUser>
  /** The turn that the message of this key became; null without a key, or when no such message was sent. */
  readonly sent: (id: string, key: string | null) => Effect.Effect<Sending.Sent | null, Known, CurrentUser>
  /**
   * Starts a turn, or queues the message while one runs; at most 20 messages wait in a chat. Returns as soon as the
   * message is kept: it is answered even if the program ends now and is started again. `stop`, `remove`, a limit of the person
   * and the end of the program end a turn. Fails where the person has used what they may, or has as many chats answered as they may.
   *
   * A message that `replaces` a turn takes its place and that of all later ones: they stay readable, and no model sees
   * them again. That cannot be done while a turn runs or waits. A second message with the same `key` is the first one.
   */
  readonly send: (id: string, message: Message) => Effect.Effect<
    Sending.Sent,
    | Known
    | ChatError.UnknownAgent
    | ChatError.UnknownTurn
    | ModelUnavailable
    | ChatError.QueueFull
    | ChatError.TurnRunning
    | ChatError.AttachmentRefused
    | OverLimit,
    CurrentUser
  >
  /** A message that waits. */
  readonly waiting: (id: string, turn: number) => Effect.Effect<TurnStart, Known | ChatError.UnknownTurn, CurrentUser>
  /**
   * Gives a message that waits another text, and other names of agent and model where they are given. With `prompt`,
   * models read that in its place, as in `send`.
   */
  readonly editWaiting: (
    id: string,
    turn: number,
    words: WaitingMessages.Words
  ) => Effect.Effect<void, Known | ChatError.UnknownTurn, CurrentUser>
  /**
   * Has the turn that runs take a message that waits at its next step, between two requests to its model. When the turn
   * ends before that, the message is the next turn. A message that was taken is a `message` part of the turn that took
   * it, whose agent and model answer, and its own turn ends with `joined`. A message to the command mode is not taken.
   */
  readonly hurry: (id: string, turn: number) => Effect.Effect<void, Known | ChatError.UnknownTurn, CurrentUser>
  /**
   * Gives the note that stands in place of older turns another text, which models read in the turns that begin from now
   * on. Listeners of `events` who saw the note already hear nothing.
   */
  readonly editSummary: (
    id: string,
    summary: string,
    text: string
  ) => Effect.Effect<SummaryPart, Known | ChatError.UnknownSummary, CurrentUser>
  /** Drops a message that waits, as if it had never been sent. */
  readonly drop: (id: string, turn: number) => Effect.Effect<void, Known | ChatError.UnknownTurn, CurrentUser>
  /**
   * Ends the running turn: its tools are cancelled, open calls get an error result, it finishes with `stopped`.
   * Messages that wait stay, and the next one begins. Answers when all that has happened.
   */
  readonly stop: (id: string) => Effect.Effect<void, Known, CurrentUser>
  /**
   * Every part with a `seq` above `after`, first those there are, then each new one. Ends when the chat is removed,
   * also for a listener who has not read all parts: they are gone then.
   */
  readonly events: (id: string, after: number) => Stream.Stream<Part, Known, CurrentUser>
  /** An attachment with its bytes. */
  readonly file: (
    id: string,
    file: string
  ) => Effect.Effect<Attachments.AttachedFile, Known | ChatError.UnknownFile, CurrentUser>
  /** All of a chat as one text: JSON to keep it, Markdown to read it. */
  readonly export: (id: string, format: ChatDocument.Format) => Effect.Effect<ChatDocument.Exported, Known, CurrentUser>
  /** A new chat from such a text: nothing in it runs or allows anything. */
  readonly import: (
    text: string,
    format: ChatDocument.Format
  ) => Effect.Effect<ChatSummary, ChatDocument.ImportRefused | ChatStoreFailed, CurrentUser>
  /** Removes all chats of somebody who is gone, and ends their turns. */
  readonly forget: (owner: string) => Effect.Effect<void, ChatStoreFailed>
  /**
   * Ends the chats of this program: no turn starts any more, and those that run may go on until `patience` ends. Then
   * they finish with `interrupted`; one that waits for a person is left, and goes on at the next start, as do messages
   * that wait. Gives how many turns ran.
   */
  readonly close: (patience: Effect.Effect<unknown>) => Effect.Effect<number>
}>()("chat/Chats") {
  /**
   * Chats over these services. Turns that an earlier program left are mended first. When the layer closes, running
   * turns get `grace` to finish, as with `close`.
   */
  static readonly layer = (options: ChatsOptions): Layer.Layer<
    Chats,
    never,
    Agents | ChatStore | LanguageModels | McpRegistries | ResultFiles | WorkspaceTools
  > => Layer.effect(Chats, make(options)).pipe(Layer.provide(SecureRandom.layerWebCrypto))
}

const make = Effect.fnUntraced(function*(options: ChatsOptions) {
  const agents = yield* Agents
  const store = yield* ChatStore
  const random = yield* SecureRandom.SecureRandom
  const models = yield* Effect.context<LanguageModels>()
  const reader = yield* PdfReader
  const turns = yield* ChatTurns.make(options.model, options.toolSearch, options.codeMode)
  const news = ChatNews.make()
  const sessions = yield* ChatSessions.make(store, news)
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
    yield* spending.note(owner, usage)
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
  yield* ChatSessions.goOn(store, (id) => withAny(id, () => Effect.void))

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
      pinned: false,
      folder: null,
      off: NOTHING_OFF,
      write: null,
      createdAt: now,
      updatedAt: now
    }
  })
  const begun = (record: ChatRecord) => {
    news.tell(record.owner, { type: "chat", chat: summary(record) })
    return summary(record)
  }

  const service: Chats["Service"] = {
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

  return service
})
