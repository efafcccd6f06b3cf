/** One message to a new chat, and what comes of it. */
import { Agents, Chats, CurrentUser, FIRST, MemoryChatStore, type Part, WorkspaceTools } from "@boocode/chat"
import { LanguageModels } from "@boocode/language-models"
import { ResultFiles } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

/** Chats in memory. They still need a registry of MCP servers, files and paths. */
export const chats = Chats.layer({ model: "openai/gpt-5" }).pipe(
  Layer.provide(Agents.layerFile("data/AGENTS.md")),
  Layer.provide(WorkspaceTools.layer("data/workspace")),
  Layer.provide(ResultFiles.layer("results")),
  Layer.provide(MemoryChatStore.layer),
  Layer.provide(LanguageModels.layer)
)

/** Sends a message, and shows each part of the answer when it comes. */
export const ask = Effect.fnUntraced(function*(text: string, show: (part: Part) => Effect.Effect<void>) {
  const chats = yield* Chats
  const { id } = yield* chats.create({ agent: null, model: null })
  const { turn } = yield* chats.send(id, { text, agent: null, model: null })
  yield* chats.events(id, 0).pipe(
    Stream.takeUntil((part) => part.turn === turn && part.type === "finish"),
    Stream.runForEach(show)
  )
}, Effect.provideService(CurrentUser, FIRST))
