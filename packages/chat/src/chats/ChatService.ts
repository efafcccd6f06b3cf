/** The chats over a store, a queue of turns for each, and the news of the list. */
import type { LanguageModels } from "@boocode/language-models"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Agents } from "../agents/Agents.ts"
import * as ChatExchange from "../exchange/ChatExchange.ts"
import type { ChatRecord, ChatSummary } from "../model/Chat.ts"
import { BlankTitle, UnknownChat, UnknownFile, UnknownTurn } from "../model/ChatError.ts"
import * as ModelChoice from "../model/ModelChoice.ts"
import { NO_USAGE } from "../model/Part.ts"
import * as Usage from "../model/Usage.ts"
import { ChatStore } from "../store/ChatStore.ts"
import type { ChatEdit, ChatKeeper, ChatsOptions } from "./ChatKeeper.ts"
import * as ChatSession from "./ChatSession.ts"
import * as ChatSessions from "./ChatSessions.ts"
import * as ChatTurns from "./ChatTurns.ts"
import * as Sending from "./Sending.ts"
import * as Titles from "./Titles.ts"
import * as TurnQueue from "./TurnQueue.ts"

/** The service behind `Chats`, for as long as the scope is open. */
export const make = Effect.fnUntraced(function*(options: ChatsOptions) {
  const agents = yield* Agents
  const store = yield* ChatStore
  const random = yield* SecureRandom.SecureRandom
  const models = yield* Effect.context<LanguageModels>()
  const turns = yield* ChatTurns.make(options.model, options.toolSearch)
  const news = ChatSession.makeNews()
  const sessions = yield* ChatSessions.make(store, news)

  /** For as long as it takes, the chat is in memory; a turn that waits there is started. */
  const withSession = <A, E>(id: string, use: (session: ChatSession.ChatSession) => Effect.Effect<A, E>) =>
    Effect.scoped(Effect.flatMap(open(id), use))
  const open = (id: string) => Effect.tap(sessions.hold(id), (session) => queue.startNext(session))

  const entitle = Effect.fnUntraced(function*(id: string, first: Titles.FirstTurn) {
    if (options.titles !== "model" || sessions.live.get(id)?.record.titledBy !== "message") return
    const { title, usage } = yield* Titles.suggested(first)
    if (title === null && usage === NO_USAGE) return
    yield* Effect.ignore(withSession(id, (session) =>
      ChatSession.change(session, (record) => ({
        ...record,
        titleUsage: Usage.add(usage, record.titleUsage ?? NO_USAGE),
        // A person may have been faster.
        ...title === null || record.titledBy !== "message" ? {} : { title, titledBy: "model" }
      }))))
  })
  const queue: TurnQueue.TurnQueue = yield* TurnQueue.make(sessions, turns, entitle)
  yield* Effect.addFinalizer(() => queue.close(Effect.sleep(options.grace ?? "4 seconds")))
  yield* goOn(store, (id) => withSession(id, () => Effect.void))

  const summary = (record: ChatRecord): ChatSummary => {
    const session = sessions.live.get(record.id)
    return session === undefined
      ? { ...record, running: null, waiting: 0, approvals: 0, questions: 0 }
      : ChatSession.summary(session)
  }

  const usable = Effect.fnUntraced(function*({ agent, model }: Pick<ChatEdit, "agent" | "model">) {
    const [name, id] = [ModelChoice.given(agent ?? null), ModelChoice.given(model ?? null)]
    if (name !== null) yield* agents.agent(name)
    if (id !== null) yield* ModelChoice.model(id).pipe(Effect.provideContext(models))
    return { agent: name, model: id }
  })

  const service: ChatKeeper = {
    create: Effect.fn("Chats.create")(function*(given) {
      const chosen = yield* usable(given)
      const now = DateTime.formatIso(yield* DateTime.now)
      const id = yield* random.uuidV4()
      const record: ChatRecord = {
        id,
        title: Titles.NONE,
        titledBy: "none",
        ...chosen,
        createdAt: now,
        updatedAt: now
      }
      yield* store.put(record)
      news.tell({ type: "chat", chat: summary(record) })
      return summary(record)
    }, Effect.uninterruptible),
    list: store.list.pipe(
      Effect.map((records) => records.map(summary).toSorted(lastUsedFirst)),
      Effect.withSpan("Chats.list")
    ),
    changes: news.changes,
    search: Effect.fn("Chats.search")(function*(words, limit) {
      const hits = yield* store.search(words, limit)
      return hits.map(({ excerpt, record }) => ({ ...summary(record), excerpt }))
    }),
    get: Effect.fn("Chats.get")(function*(id) {
      const chat = (yield* store.get(id)) ?? (yield* new UnknownChat({ id }))
      const used = [...chat.turns.map(({ parts }) => Usage.ofTurn(parts)), chat.record.titleUsage ?? NO_USAGE]
      return { ...summary(chat.record), usage: Usage.sum(used), turns: chat.turns }
    }),
    summary: Effect.fn("Chats.summary")((id) =>
      withSession(id, (session) => Effect.sync(() => ChatSession.summary(session)))
    ),
    update: Effect.fn("Chats.update")((id, edit) =>
      withSession(id, (session) =>
        Effect.gen(function*() {
          const chosen = yield* usable(edit)
          const title = edit.title === undefined ? undefined : Titles.ofPerson(edit.title)
          if (title === "") return yield* new BlankTitle({})
          yield* ChatSession.change(session, (record) => ({
            ...record,
            ...title === undefined ? {} : { title, titledBy: "person" },
            ...edit.agent === undefined ? {} : { agent: chosen.agent },
            ...edit.model === undefined ? {} : { model: chosen.model }
          }))
          return ChatSession.summary(session)
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
          if (session.removing) return yield* new UnknownChat({ id })
          yield* turns.check(session.record, message)
          const sent = yield* session.sending.withPermit(Sending.admit(session, message))
          yield* queue.startNext(session)
          ChatSession.tell(session)
          return sent
        })), Effect.uninterruptible),
    drop: Effect.fn("Chats.drop")(
      (id, turn) => withSession(id, (session) => session.sending.withPermit(drop(session, turn))),
      Effect.uninterruptible
    ),
    stop: Effect.fn("Chats.stop")((id) => withSession(id, queue.stop)),
    events: (id, after) => Stream.unwrap(Effect.map(open(id), (session) => ChatSession.events(session, after))),
    file: Effect.fn("Chats.file")((id, file) =>
      withSession(id, (session) =>
        Effect.gen(function*() {
          const attachment = [...session.turns.values()].flatMap(({ attachments }) => attachments)
            .find((one) => one.id === file)
          const data = attachment === undefined ? null : yield* store.file(id, file)
          if (attachment === undefined || data === null) return yield* new UnknownFile({ id, file })
          return { attachment, data }
        }))
    ),
    export: Effect.fn("Chats.export")((id, format) => ChatExchange.out(store, id, format)),
    import: Effect.fn("Chats.import")(function*(text, format) {
      const record = yield* ChatExchange.into(store, yield* random.uuidV4(), text, format)
      news.tell({ type: "chat", chat: summary(record) })
      return summary(record)
    }),
    close: queue.close
  }

  const remove = Effect.fnUntraced(function*(session: ChatSession.ChatSession) {
    session.removing = true
    yield* queue.stop(session)
    yield* store.remove(session.id).pipe(
      Effect.tapError(() => Effect.sync(() => void (session.removing = false)))
    )
    ChatSession.close(session)
    yield* sessions.forget(session.id)
  })

  const drop = Effect.fnUntraced(function*(session: ChatSession.ChatSession, turn: number) {
    const isIt = (one: ChatSession.Pending) => one.turn === turn && one.resume === null
    if (!session.queue.some(isIt)) return yield* new UnknownTurn({ id: session.id, turn, isWaiting: true })
    // Taken out first: it must not begin while it is removed.
    const [dropped] = session.queue.splice(session.queue.findIndex(isIt), 1)
    yield* store.removeTurn(session.id, turn).pipe(
      Effect.tapError(() =>
        Effect.sync(() => {
          if (dropped !== undefined) session.queue.push(dropped)
          session.queue.sort((one, other) => one.turn - other.turn)
        })
      )
    )
    session.turns.delete(turn)
    ChatSession.tell(session)
  })

  return service
})

/** Mends what an earlier program left, and starts what waited. */
const goOn = (store: ChatStore["Service"], open: (id: string) => Effect.Effect<void, unknown>) =>
  store.unfinished.pipe(
    Effect.flatMap((ids) =>
      Effect.forEach(ids, (id) =>
        Effect.catch(open(id), (error) => Effect.logError(`the chat ${id} cannot be taken up again`, error)), {
        concurrency: 4,
        discard: true
      })
    ),
    Effect.catch((error) =>
      Effect.logError(`what waits in chats cannot be taken up again: ${error.message}`)
    )
  )

const lastUsedFirst = (one: ChatSummary, other: ChatSummary): number =>
  compare(other.updatedAt, one.updatedAt) || compare(other.createdAt, one.createdAt)

const compare = (one: string, other: string): number => one === other ? 0 : one < other ? -1 : 1
