/** The chats: messages in, parts out. */
import {
  type Agents,
  ChatErrors,
  Chats,
  type ChatStoreFailed,
  CommandMode,
  type CurrentUser,
  type FoundChat,
  type Part,
  PersonRegistry,
  readAttachment,
  SlashMessage,
  type WorkspaceTools
} from "@boocode/chat"
import type { CallDraft } from "@boocode/chat/CallDrafts"
import type { McpRegistries } from "@boocode/mcp-registry"
import { ResultFiles } from "@boocode/toolkit"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Stream from "effect/Stream"
import { ChatApi } from "../api/ChatApi.ts"
import type { ChatPatch, NewMessage } from "../api/ChatsApi.ts"
import * as Problems from "../api/Problems.ts"
import * as EventStream from "../http/EventStream.ts"
import * as FileAnswers from "../http/FileAnswers.ts"
import * as KeptFile from "../http/KeptFile.ts"
import { Signals } from "../services/Shutdown.ts"

const FOUND = 50

export const layer = HttpApiBuilder.group(
  ChatApi,
  "chats",
  Effect.fnUntraced(function*(handlers) {
    const chats = yield* Chats
    const { last } = yield* Signals
    const reading = yield* Effect.context<Agents | Chats | McpRegistries | ResultFiles | WorkspaceTools>()
    // A chat that is removed, or cannot be kept any more, ends its streams. The next request says which it was.
    const partsOf = (id: string, after: number) =>
      Stream.catch(
        chats.events(id, after),
        (error) => Stream.fromEffectDrain(Effect.logDebug(`a stream of parts ended: ${error.message}`))
      )
    const draftsOf = (id: string) => Stream.catch(chats.drafts(id), () => Stream.empty)

    const all = (limit: number | undefined): Effect.Effect<ReadonlyArray<FoundChat>, ChatStoreFailed, CurrentUser> =>
      Effect.map(chats.list, (listed) => listed.slice(0, limit).map((chat) => ({ ...chat, excerpt: null })))

    const sendNew = Effect.fnUntraced(function*(id: string, payload: Payload) {
      const { agent = null, key = null, model = null, replaces = null } = payload
      const { prompt, text } = payload
      const words = yield* Effect.mapError(
        SlashMessage.resolve(id, { text, prompt, replaces, agent, model }),
        Problems.fromSlash
      )
      const attachments = yield* attached(payload)
      const files = attachments?.map(({ one }) => one)
      const unattended = payload.unattended === true ? { unattended: true } : {}
      const message = { ...words, replaces, attachments: files, key, ...unattended }
      return yield* Effect.mapError(chats.send(id, message), (error) =>
        error._tag === "AttachmentRefused"
          ? Problems.fromAttachment(error, attachments?.[error.index]?.place ?? error.index)
          : Problems.fromSend(error))
    })
    // No server is asked for the words of a message that is there already, or that no chat can take.
    const send = Effect.fnUntraced(function*(id: string, payload: Payload) {
      const before = yield* Effect.mapError(chats.sent(id, payload.key ?? null), Problems.fromKnownChat)
      const { after, queued, turn } = before ??
        (yield* Effect.provideContext(PersonRegistry.mine(sendNew(id, payload)), reading))
      if (queued) return { turn, queued: true as const }
      return yield* respond(Stream.takeUntil(
        Stream.filter(partsOf(id, after), (part) => part.turn === turn),
        (part) => part.type === "finish"
      ))
    })

    // A tool is called without a model: a text that calls none goes to the model again.
    const edit = Effect.fnUntraced(function*(id: string, turn: number, text: string) {
      const before = yield* Effect.mapError(chats.waiting(id, turn), Problems.fromKnownChat)
      const wasCall = before.model === CommandMode.ID && before.text.trim().startsWith("/")
      const words = yield* Effect.mapError(
        SlashMessage.resolve(id, { text, agent: before.agent, model: wasCall ? null : before.model }),
        Problems.fromSlash
      )
      yield* Effect.mapError(chats.editWaiting(id, turn, words), Problems.fromKnownChat)
    })

    return handlers.handleAll({
      create: ({ payload }) =>
        chats.create({ agent: payload?.agent ?? null, model: payload?.model ?? null }).pipe(
          Effect.mapError(Problems.fromChat)
        ),
      list: ({ query: { limit, q = "" } }) =>
        Effect.mapBoth(q.trim() === "" ? all(limit) : chats.search(q, limit ?? FOUND), {
          onSuccess: (listed) => ({ chats: listed }),
          onFailure: Problems.fromStore
        }),
      get: ({ params }) => Effect.mapError(chats.get(params.id), Problems.fromKnownChat),
      update: ({ params, payload }) => Effect.mapError(chats.update(params.id, editOf(payload)), Problems.fromUpdate),
      remove: ({ params }) => Effect.mapError(chats.remove(params.id), Problems.fromKnownChat),
      send: ({ params, payload }) => send(params.id, payload),
      search: ({ query: { limit, q } }) =>
        Effect.mapBoth(chats.find(q, limit ?? FOUND), {
          onSuccess: (hits) => ({
            hits: hits.map(({ record: { id, title }, ...hit }) => ({ chat: id, title, ...hit }))
          }),
          onFailure: Problems.fromStore
        }),
      fork: ({ params, payload }) => Effect.mapError(chats.fork(params.id, payload.turn), Problems.fromFork),
      editWaiting: ({ params, payload }) =>
        Effect.provideContext(PersonRegistry.mine(edit(params.id, params.turn, payload.text)), reading),
      hurry: ({ params }) => Effect.mapError(chats.hurry(params.id, params.turn), Problems.fromKnownChat),
      editSummary: ({ params, payload }) =>
        Effect.mapError(chats.editSummary(params.id, params.summary, payload.text), Problems.fromKnownChat),
      drop: ({ params }) => Effect.mapError(chats.drop(params.id, params.turn), Problems.fromKnownChat),
      stop: ({ params }) => Effect.mapError(chats.stop(params.id), Problems.fromKnownChat),
      events: ({ params, query, headers }) =>
        chats.summary(params.id).pipe(
          Effect.mapError(Problems.fromKnownChat),
          Effect.andThen(() => {
            const parts = partsOf(params.id, headers["last-event-id"] ?? query.after ?? 0)
            const all = query.drafts === undefined
              ? parts
              : Stream.merge(parts, draftsOf(params.id), { haltStrategy: "left" })
            return respond(Stream.interruptWhen(all, Deferred.await(last)))
          })
        ),
      timeline: ({ params }) => Effect.mapError(chats.timeline(params.id, params.turn), Problems.fromKnownChat),
      export: ({ params, query: { format = "json" } }) =>
        chats.export(params.id, format).pipe(
          Effect.mapBoth({
            onSuccess: ({ text, title }) => FileAnswers.chat(title, format, text),
            onFailure: Problems.fromKnownChat
          })
        ),
      import: ({ payload }) =>
        Effect.mapError(
          typeof payload === "string"
            ? chats.import(payload, "markdown")
            : chats.import(JSON.stringify(payload), "json"),
          (error) => error._tag === "ImportRefused" ? Problems.badRequest(error) : Problems.fromStore(error)
        ),
      file: ({ params }) =>
        chats.file(params.id, params.file).pipe(
          Effect.mapBoth({ onSuccess: FileAnswers.attachment, onFailure: Problems.fromKnownChat })
        ),
      resultFile: ({ params: { call, file, id } }) =>
        Effect.gen(function*() {
          const kept = KeptFile.of(yield* chats.get(id), call, file)
          const bytes = kept === null ? null : yield* ResultFiles.use((files) => files.bytes(file))
          return kept === null || bytes === null
            ? yield* new ChatErrors.UnknownFile({ id, attachment: file })
            : FileAnswers.ofResult(bytes, kept)
        }).pipe(Effect.provideContext(reading), Effect.mapError(Problems.fromKnownChat))
    })
  })
)

type Payload = typeof NewMessage.Type

const editOf = ({ write, ...edit }: typeof ChatPatch.Type) => {
  if (write === undefined || write === null) return { ...edit, write }
  return { ...edit, write: { mode: write.mode, until: write.until ?? null } }
}

/**
 * The attachments of a message: files and images as they came, resources as their servers give them now, which may be
 * several for one, each with its place in the request. Undefined when it names none.
 */
const attached = Effect.fnUntraced(function*({ attachments }: Payload) {
  if (attachments === undefined || attachments === null) return undefined
  const read = yield* Effect.forEach(attachments, (one) =>
    one.kind === "resource"
      ? Effect.mapError(readAttachment(one.server, one.uri), Problems.fromMcp)
      : Effect.succeed([{ ...one, mediaType: one.mediaType ?? "", server: null, uri: null }]), { concurrency: 4 })
  return read.flatMap((ones, place) => ones.map((one) => ({ one, place })))
})

const respond = (parts: Stream.Stream<Part | CallDraft, never, CurrentUser>) =>
  EventStream.response(parts, { id: (part) => part.type === "tool-draft" ? null : part.seq })
