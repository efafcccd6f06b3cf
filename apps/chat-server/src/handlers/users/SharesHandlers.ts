/** Chats that people show to others: their owners share them and take them back, everybody else reads. */
import { byId, ChatErrors, Chats, type ChatStoreFailed, CurrentUser, People, type UnknownChat } from "@boocode/chat"
import { ResultFiles } from "@boocode/toolkit"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import { ChatApi } from "../../api/ChatApi.ts"
import * as Problems from "../../api/Problems.ts"
import * as EventStream from "../../http/EventStream.ts"
import * as FileAnswers from "../../http/FileAnswers.ts"
import * as KeptFile from "../../http/KeptFile.ts"
import { Signals } from "../../services/Shutdown.ts"
import { ChatShares, UnknownShare } from "../../team/ChatShares.ts"
import * as SharedParts from "../../team/SharedParts.ts"
import type { UsersFailed } from "../../users/UserError.ts"

/** How often a stream is asked whether its chat is still shown. */
const LOOK = "5 seconds"

/** A reader hears nothing of a chat that its owner removed. */
const problem = (
  error: UnknownShare | UsersFailed | UnknownChat | ChatStoreFailed | ChatErrors.UnknownFile
) => {
  switch (error._tag) {
    case "UsersFailed":
    case "ChatStoreFailed":
      return Problems.fromStore(error)
    case "UnknownChat":
      return Problems.notFound(new UnknownShare())
    default:
      return Problems.notFound(error)
  }
}

export const layer = HttpApiBuilder.group(
  ChatApi,
  "shares",
  Effect.fnUntraced(function*(handlers) {
    const chats = yield* Chats
    const shares = yield* ChatShares
    const people = yield* People
    const files = yield* ResultFiles
    const { last } = yield* Signals
    const asOwner = <A, E>(owner: string, effect: Effect.Effect<A, E, CurrentUser>) =>
      Effect.provideService(effect, CurrentUser, byId(owner))
    return handlers.handleAll({
      list: Effect.fnUntraced(function*() {
        const all = yield* shares.all((yield* CurrentUser).id)
        const titles = new Map((yield* chats.list).map(({ id, title }) => [id, title]))
        return { shares: all.map((one) => ({ ...one, title: titles.get(one.chat) ?? "" })) }
      }, Effect.mapError(Problems.fromStore)),
      share: Effect.fnUntraced(function*({ params: { id } }) {
        yield* chats.summary(id)
        return (yield* shares.share(id)) ?? (yield* new UnknownShare())
      }, Effect.mapError(problem)),
      takeBack: Effect.fnUntraced(function*({ params: { id } }) {
        yield* chats.summary(id)
        yield* shares.takeBack(id)
      }, Effect.mapError(problem)),
      get: Effect.fnUntraced(function*({ params: { share } }) {
        const { chat, owner } = yield* shares.find(share)
        const { createdAt, title, turns, updatedAt } = yield* asOwner(owner, chats.get(chat))
        const by = (yield* people.get(owner)).name
        const shown = turns.map((turn) => ({ ...turn, parts: SharedParts.shown(turn.parts) }))
        return { title, by, createdAt, updatedAt, turns: shown }
      }, Effect.mapError(problem)),
      events: Effect.fnUntraced(function*({ headers, params: { share }, query: { after = 0 } }) {
        const { chat, owner } = yield* shares.find(share)
        yield* asOwner(owner, chats.summary(chat))
        const parts = Stream.catch(
          Stream.provideService(chats.events(chat, headers["last-event-id"] ?? after), CurrentUser, byId(owner)),
          (error) => Stream.fromEffectDrain(Effect.logDebug(`a stream of a shared chat ended: ${error.message}`))
        )
        const isShown = Effect.match(shares.find(share), {
          // A database that is away for a moment ends nothing.
          onFailure: ({ _tag }) => _tag === "UsersFailed",
          onSuccess: () => true
        })
        const ended = Effect.repeat(Effect.delay(isShown, LOOK), { until: (is) => !is })
        return yield* EventStream.response(
          Stream.interruptWhen(
            Stream.map(Stream.filter(parts, (part) => !SharedParts.isAsking(part)), SharedParts.arriving),
            Effect.raceFirst(ended, Deferred.await(last))
          ),
          { id: (part) => part.seq }
        )
      }, Effect.mapError(problem)),
      file: Effect.fnUntraced(function*({ params: { file, share } }) {
        const { chat, owner } = yield* shares.find(share)
        const answer = FileAnswers.attachment(yield* asOwner(owner, chats.file(chat, file)))
        // Taken back, it must not come from the browser.
        return HttpServerResponse.setHeader(answer, "cache-control", "no-store")
      }, Effect.mapError(problem)),
      resultFile: Effect.fnUntraced(function*({ params: { call, file, share } }) {
        const { chat, owner } = yield* shares.find(share)
        const kept = KeptFile.of(yield* asOwner(owner, chats.get(chat)), call, file)
        const bytes = kept === null ? null : yield* files.bytes(file)
        if (kept === null || bytes === null) return yield* new ChatErrors.UnknownFile({ id: share, attachment: file })
        return HttpServerResponse.setHeader(FileAnswers.ofResult(bytes, kept), "cache-control", "no-store")
      }, Effect.mapError(problem))
    })
  })
)
