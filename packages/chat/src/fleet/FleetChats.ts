/** The chats of a fleet of nodes over one store, as each node serves them: read from the store, changed where they are. */
import type { LanguageModels } from "@boocode/language-models"
import type { McpRegistries } from "@boocode/mcp-registry"
import type { ResultFiles } from "@boocode/toolkit"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Agents } from "../agents/Agents.ts"
import { Questions } from "../asking/Questions.ts"
import { ToolApprovals } from "../asking/ToolApprovals.ts"
import * as ChatEngine from "../chats/ChatEngine.ts"
import { Chats } from "../chats/Chats.ts"
import type { ChatsService } from "../chats/ChatsService.ts"
import * as Sending from "../chats/Sending.ts"
import * as ChatError from "../model/ChatError.ts"
import { ChatStore } from "../store/ChatStore.ts"
import type { WorkspaceTools } from "../tools/WorkspaceTools.ts"
import { asOwner, CurrentUser } from "../users/CurrentUser.ts"
import * as ChatHome from "./ChatHome.ts"
import { ChatHomes, type Homes } from "./ChatHomes.ts"
import * as ChatLists from "./ChatLists.ts"
import { ChatTidings } from "./ChatTidings.ts"
import * as FleetAsking from "./FleetAsking.ts"
import { asked } from "./HomeRequest.ts"
import * as PartWatch from "./PartWatch.ts"

/** How long a piece of text waits for more: each stored part wakes the listeners of all nodes. */
const WINDOW = "75 millis"

type Needs =
  | Agents
  | ChatHomes
  | ChatStore
  | ChatTidings
  | LanguageModels
  | McpRegistries
  | ResultFiles
  | WorkspaceTools

/**
 * `Chats`, and approvals and questions over those that are given, for a node of a fleet. A chat is at one node at a time;
 * any node shows it, and passes on what a person does to it. When a node dies, another mends its chats and goes on with
 * what waits there.
 */
export const layer = (options: Omit<ChatEngine.ChatsOptions, "fleet">): Layer.Layer<Chats, never, Needs> =>
  Layer.effectContext(make(options)).pipe(Layer.provide(SecureRandom.layerWebCrypto))

const make = Effect.fnUntraced(function*(options: Omit<ChatEngine.ChatsOptions, "fleet">) {
  const store = yield* ChatStore
  const tidings = yield* ChatTidings
  const approvals = yield* ToolApprovals
  const questions = yield* Questions
  const watch = yield* PartWatch.make(store)
  const lists = yield* ChatLists.make(store)
  const news = {
    changes: lists.changes,
    tell: (owner, change) => {
      lists.tell(owner, change)
      tidings.tell({ chat: change.type === "chat" ? change.chat.id : change.id, owner })
    },
    wrote: (chat) => {
      watch.wake(chat)
      tidings.tell({ chat, owner: null })
    }
  } satisfies NonNullable<ChatEngine.ChatsOptions["fleet"]>["news"]
  const engine = yield* ChatEngine.make({ ...options, fleet: { news, window: WINDOW } })
  yield* Effect.forkScoped(
    Stream.runForEach(
      tidings.heard,
      ({ chat, owner }) => Effect.sync(() => owner === null ? watch.wake(chat) : lists.wake(owner))
    )
  )

  const going = yield* makeGoing(store)
  const homes = yield* (yield* ChatHomes).join((chat) =>
    Effect.acquireRelease(
      Effect.sync(() => ChatHome.make({ engine, approvals, questions, work: going.work(chat) }, chat)),
      ({ leave }) => leave
    ).pipe(Effect.map(({ answers }) => answers))
  )
  yield* going.begin(homes)
  const chats = yield* facade(engine.chats, { going, homes, lists, store, watch })
  return Context.make(Chats, chats).pipe(
    Context.add(ToolApprovals, FleetAsking.approvals(approvals, { homes, store })),
    Context.add(Questions, FleetAsking.questions(questions, { homes, store }))
  )
})

const LOOK = "1 second"

/**
 * Goes on with what waits in the chats of this node: those that come here because another node died or left, and those
 * that were just sent to. A chat that works is asked for until it is done, so that its node keeps it as long as it may.
 */
const makeGoing = Effect.fnUntraced(function*(store: ChatStore["Service"]) {
  const joined = yield* Deferred.make<Homes>()
  const working = yield* FiberMap.make<string>()
  const looking = yield* FiberMap.make<"look">()
  const work = (id: string) =>
    FiberMap.run(
      working,
      id,
      Effect.flatMap(Deferred.await(joined), (homes) => homes.of(id).work()).pipe(
        Effect.catch((error) => Effect.logError(`the chat ${id} cannot be taken up`, error))
      ),
      { onlyIfMissing: true }
    )
  const look = (homes: Homes) =>
    Effect.gen(function*() {
      yield* Effect.forEach(yield* Effect.filter(yield* store.unfinished, homes.isHere), work, { discard: true })
    }).pipe(Effect.catch(({ message }) => Effect.logWarning(`what waits in chats cannot be looked for: ${message}`)))
  return {
    work,
    begin: Effect.fnUntraced(function*(homes: Homes) {
      yield* Deferred.succeed(joined, homes)
      yield* FiberMap.run(looking, "look", Effect.forever(Effect.andThen(look(homes), Effect.sleep(LOOK))))
    }),
    endLooking: FiberMap.clear(looking),
    /** All of them go to other nodes. */
    leaveAll: FiberMap.clear(working)
  }
})

interface FacadeNeeds {
  readonly going: Effect.Success<ReturnType<typeof makeGoing>>
  readonly homes: Homes
  readonly lists: ChatLists.ChatLists
  readonly store: ChatStore["Service"]
  readonly watch: PartWatch.PartWatch
}

const facade = Effect.fnUntraced(function*(
  local: ChatsService,
  { going, homes, lists, store, watch }: FacadeNeeds
) {
  const random = yield* SecureRandom.SecureRandom

  const owned = Effect.fnUntraced(function*(id: string) {
    const user = yield* CurrentUser
    if ((yield* store.owner(id)) !== user.id) return yield* new ChatError.UnknownChat({ id })
    return user
  })
  const headOf = Effect.fnUntraced(function*(id: string) {
    yield* owned(id)
    return (yield* store.head(id)) ?? (yield* new ChatError.UnknownChat({ id }))
  })
  const underWay = Effect.flatMap(CurrentUser, ({ id }) => store.underWay(id))

  const service: ChatsService = {
    create: local.create,
    begin: local.begin,
    import: local.import,
    find: local.find,
    export: local.export,
    list: Effect.flatMap(CurrentUser, ({ id }) => lists.list(id)),
    changes: Stream.unwrap(Effect.map(CurrentUser, ({ id }) => lists.changes(id))),
    search: Effect.fn("FleetChats.search")(function*(words, limit) {
      const live = yield* underWay
      return (yield* local.search(words, limit)).map((found) => ({ ...found, ...ChatLists.liveOf(live.get(found.id)) }))
    }),
    get: Effect.fn("FleetChats.get")(function*(id) {
      const chat = yield* local.get(id)
      return { ...chat, ...ChatLists.liveOf((yield* underWay).get(id)) }
    }),
    summary: Effect.fn("FleetChats.summary")(function*(id) {
      const { record } = yield* headOf(id)
      return ChatLists.summaryOf(record, (yield* underWay).get(id))
    }),
    sent: Effect.fn("FleetChats.sent")(function*(id, key) {
      return Sending.repeatedIn((yield* headOf(id)).turns, key)
    }),
    file: Effect.fn("FleetChats.file")(function*(id, file) {
      const attachment = (yield* headOf(id)).turns.flatMap(({ attachments }) => attachments)
        .find((one) => one.id === file)
      const data = attachment === undefined ? null : yield* store.file(id, file)
      if (attachment === undefined || data === null) return yield* new ChatError.UnknownFile({ id, attachment: file })
      return { attachment, data }
    }),
    timeline: local.timeline,
    events: (id, after) => Stream.unwrap(Effect.as(owned(id), watch.events(id, after))),
    drafts: (id) => Stream.unwrap(Effect.as(owned(id), Stream.empty)),
    draft: (id) => Effect.as(owned(id), null),
    send: Effect.fn("FleetChats.send")(function*(id, message) {
      const user = yield* owned(id)
      // A message that is sent again because its node died is known by its key.
      const key = message.key ?? (yield* random.uuidV4())
      return yield* asked(homes.of(id).send({ user, message: { ...message, key } }))
    }),
    update: Effect.fn("FleetChats.update")(function*(id, edit) {
      return yield* asked(homes.of(id).update({ user: yield* owned(id), edit }))
    }),
    fork: Effect.fn("FleetChats.fork")(function*(id, turn) {
      return yield* asked(homes.of(id).fork({ user: yield* owned(id), turn }))
    }),
    remove: Effect.fn("FleetChats.remove")(function*(id) {
      yield* asked(homes.of(id).remove({ user: yield* owned(id) }))
    }),
    waiting: Effect.fn("FleetChats.waiting")(function*(id, turn) {
      return yield* asked(homes.of(id).waiting({ user: yield* owned(id), turn }))
    }),
    editWaiting: Effect.fn("FleetChats.editWaiting")(function*(id, turn, words) {
      yield* asked(homes.of(id).editWaiting({ user: yield* owned(id), turn, words }))
    }),
    hurry: Effect.fn("FleetChats.hurry")(function*(id, turn) {
      yield* asked(homes.of(id).hurry({ user: yield* owned(id), turn }))
    }),
    drop: Effect.fn("FleetChats.drop")(function*(id, turn) {
      yield* asked(homes.of(id).drop({ user: yield* owned(id), turn }))
    }),
    editSummary: Effect.fn("FleetChats.editSummary")(function*(id, summary, text) {
      return yield* asked(homes.of(id).editSummary({ user: yield* owned(id), summary, text }))
    }),
    stop: Effect.fn("FleetChats.stop")(function*(id) {
      const user = yield* owned(id)
      const { running } = ChatLists.liveOf((yield* underWay).get(id))
      yield* asked(homes.of(id).stop({ user, turn: running }))
    }),
    forget: Effect.fn("FleetChats.forget")(function*(owner) {
      for (const { id } of yield* store.list(owner)) {
        yield* Effect.catchTag(asOwner(owner, service.remove(id)), "UnknownChat", () => Effect.void)
      }
    }),
    close: (patience) => Effect.andThen(going.endLooking, Effect.tap(local.close(patience), () => going.leaveAll))
  }
  return service
})
