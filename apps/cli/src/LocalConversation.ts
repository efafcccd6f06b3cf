/** A chat whose turns run in this command. It is gone afterwards. */
import { Agents, Chats, CommandMode } from "@boocode/chat"
import { Environment } from "@boocode/mcp-config"
import type { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { settled } from "./Connected.ts"
import { Conversation, type Partner } from "./Conversation.ts"
import * as Explained from "./Explained.ts"
import { failed } from "./Failure.ts"
import type { Output } from "./Output.ts"

export const layer = (partner: Partner) =>
  Layer.effect(
    Conversation,
    Effect.gen(function*() {
      const around = yield* Effect.context<McpRegistry | Output>()
      const chats = yield* Chats
      const { id } = yield* chats.create(partner)
      const partsOf = (turn: number, seq: number) =>
        chats.events(id, seq).pipe(
          Stream.filter((part) => part.turn === turn),
          Stream.takeUntil((part) => part.type === "finish"),
          Stream.mapError(failed)
        )
      return Conversation.of({
        isCommandMode: yield* isWithoutModel(partner),
        settled: Effect.asVoid(Effect.provideContext(settled, around)),
        say: (text) =>
          chats.send(id, { text, agent: null, model: null }).pipe(
            Effect.map(({ turn }) => ({ parts: partsOf(turn, 0), after: (seq: number) => partsOf(turn, seq) })),
            Effect.mapError(failed)
          ),
        stop: Effect.ignore(chats.stop(id))
      })
    }).pipe(Effect.catchTags({
      UnknownAgent: Explained.unknownAgent,
      ModelUnavailable: (error) => Effect.fail(failed(error))
    }))
  )

/** Neither flag nor agent nor the environment. */
const isWithoutModel = Effect.fnUntraced(function*({ agent, model }: Partner) {
  const { variables } = yield* Environment
  const named = yield* (yield* Agents).agent(agent)
  return [model, named.model, variables["BOOCODE_MODEL"]].every((id) =>
    (id ?? "").trim() === "" || id === CommandMode.ID
  )
})
