/** The layers behind `chat`, `chats` and `serve`: the whole of the chat server. */
import { AnswerRequests, App, DefaultModel, serve as serveApp } from "@boocode/chat-server"
import * as ModelLayer from "@boocode/chat-server/ModelLayer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { LogLevel } from "effect/LogLevel"
import type { ServeOptions } from "../backend/Backend.ts"
import { LocalModels } from "../backend/ChatBackend.ts"
import type { DataLocation } from "../options/DataLocation.ts"
import { failed, Usage } from "../terminal/Failure.ts"
import { type Ground, orFailed, servers, type Variables } from "./Wiring.ts"

const localModels = Layer.effect(
  LocalModels,
  Effect.gen(function*() {
    return { names: yield* App.modelNames, standard: (yield* DefaultModel).model }
  })
)

export const chats = (ground: Ground, log: LogLevel | null) =>
  App.chats.pipe(
    Layer.provideMerge(servers(log)),
    Layer.provideMerge(AnswerRequests.layer),
    Layer.provideMerge(localModels),
    Layer.provide(DefaultModel.layer(null)),
    Layer.provide(ModelLayer.models),
    Layer.provide(App.team),
    Layer.provide(App.database("command")),
    Layer.provideMerge(ground),
    orFailed
  )

export const serve = (
  { configFile, dataDir }: DataLocation,
  options: ServeOptions,
  variables: Variables,
  abandoned: Effect.Effect<void>
) =>
  serveApp({ configFile, dataDir, variables, ...options }, abandoned).pipe(
    Effect.mapError((error) =>
      error._tag === "WrongModel" ? new Usage({ message: error.message, hint: error.hint }) : failed(error)
    )
  )
