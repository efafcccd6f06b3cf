/** The chats of the database, without a server. */
import { Chats } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Archive } from "./Archive.ts"
import { type Failed, failed } from "./Failure.ts"

export const layer = Layer.effect(
  Archive,
  Effect.map(Chats, (chats) =>
    Archive.of({
      list: (words, limit) =>
        told(
          words === null
            ? Effect.map(chats.list, (all) => all.slice(0, limit).map((chat) => ({ ...chat, excerpt: null })))
            : chats.search(words, limit)
        ),
      get: (id) => told(chats.get(id)),
      export: (id, format) => Effect.map(told(chats.export(id, format)), ({ text }) => text),
      import: (text, format) => told(chats.import(text, format)),
      remove: (id) => told(chats.remove(id))
    }))
)

const told = <A, E extends Parameters<typeof failed>[0]>(effect: Effect.Effect<A, E>): Effect.Effect<A, Failed> =>
  Effect.mapError(effect, failed)
