/**
 * The chats: messages in, parts out.
 */
import { type Chat, Chats, type Part } from "@boocode/chat"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Stream from "effect/Stream"
import * as ApiErrors from "../ApiErrors.ts"
import { ChatApi } from "../ChatApi.ts"
import * as EventStream from "../EventStream.ts"
import { Signals } from "../Shutdown.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "chats",
  Effect.fnUntraced(function*(handlers) {
    const chats = yield* Chats
    const { last } = yield* Signals
    // A chat that is removed while somebody listens ends that stream, as the contract says.
    const partsOf = (id: string, after: number) => Stream.catch(chats.events(id, after), () => Stream.empty)

    const send = Effect.fnUntraced(function*(
      id: string,
      message: { readonly text: string; readonly agent?: string | null; readonly model?: string | null }
    ) {
      const before = lastSeq(yield* chats.get(id))
      const { text, agent = null, model = null } = message
      const { turn, queued } = yield* chats.send(id, { text, agent, model })
      if (queued) return { turn, queued: true as const }
      return respond(Stream.takeUntil(
        Stream.filter(partsOf(id, before), (part) => part.turn === turn),
        (part) => part.type === "finish"
      ))
    })

    return handlers.handleAll({
      create: ({ payload }) =>
        chats.create({ agent: payload?.agent ?? null, model: payload?.model ?? null }).pipe(
          Effect.mapError(ApiErrors.fromChat)
        ),
      list: () => Effect.map(chats.list, (all) => ({ chats: all })),
      get: ({ params }) => Effect.mapError(chats.get(params.id), ApiErrors.notFound),
      remove: ({ params }) => Effect.mapError(chats.remove(params.id), ApiErrors.notFound),
      send: ({ params, payload }) => Effect.mapError(send(params.id, payload), ApiErrors.fromSend),
      stop: ({ params }) => Effect.mapError(chats.stop(params.id), ApiErrors.notFound),
      events: ({ params, query, headers }) =>
        chats.get(params.id).pipe(
          Effect.mapError(ApiErrors.notFound),
          Effect.as(respond(
            Stream.interruptWhen(partsOf(params.id, headers["last-event-id"] ?? query.after ?? 0), Deferred.await(last))
          ))
        )
    })
  })
)

const respond = (parts: Stream.Stream<Part>) => EventStream.response(parts, (part) => part.seq)

const lastSeq = (chat: Chat): number =>
  chat.turns.reduce((highest, turn) => Math.max(highest, turn.parts.at(-1)?.seq ?? 0), 0)
