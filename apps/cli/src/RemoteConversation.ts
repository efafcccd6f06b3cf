/** A chat of a running server. It stays there afterwards, for the page to go on with. */
import { CommandMode, type Part } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Conversation, type Partner } from "./Conversation.ts"
import type { Failed } from "./Failure.ts"
import { Remote } from "./Remote.ts"
import * as RemoteAgents from "./RemoteAgents.ts"
import * as RemoteFailure from "./RemoteFailure.ts"

export const layer = (partner: Partner) =>
  Layer.effect(
    Conversation,
    Effect.gen(function*() {
      const { alive, api, quick, url } = yield* Remote
      const { id } = yield* Effect.catch(
        quick(api.chats.create({ payload: partner })),
        RemoteAgents.explained(partner.agent)
      )
      const turn = (parts: Stream.Stream<Part, unknown>): Stream.Stream<Part, Failed> =>
        Stream.mapError(alive(parts), RemoteFailure.plainly).pipe(
          Stream.concat(Stream.fail(RemoteFailure.brokenOff(url))),
          Stream.takeUntil((part) => part.type === "finish")
        )
      const after = (seq: number) =>
        turn(Stream.unwrap(quick(api.chats.events({ params: { id }, query: { after: seq }, headers: {} }))))
      return Conversation.of({
        isCommandMode: yield* isWithoutModel(partner),
        // Their server waits for them by itself.
        settled: Effect.void,
        say: Effect.fnUntraced(function*(text) {
          const answer = yield* quick(api.chats.send({ params: { id }, payload: { text } }))
          const parts = Stream.isStream(answer) ? answer : Stream.empty
          return { parts: turn(parts), after }
        }, Effect.mapError(RemoteFailure.plainly)),
        stop: Effect.ignore(quick(api.chats.stop({ params: { id } })))
      })
    }).pipe(Effect.mapError(RemoteFailure.plainly))
  )

/** Neither flag nor agent nor the server. */
const isWithoutModel = Effect.fnUntraced(function*({ agent, model }: Partner) {
  const { api, quick } = yield* Remote
  const { agents } = yield* quick(api.agents.agents())
  const named = agent === null ? agents[0] : agents.find(({ name }) => name === agent)
  const ids = [model, named?.model ?? null, (yield* quick(api.agents.models())).default]
  return ids.every((id) => (id ?? "").trim() === "" || id === CommandMode.ID)
})
