/** The chats of this server. A chat runs one turn at a time, and the turn goes on without a listener. */
import type { LanguageModels } from "@boocode/language-models"
import type { McpRegistries } from "@boocode/mcp-registry"
import type { ResultFiles } from "@boocode/toolkit"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Agents } from "../agents/Agents.ts"
import type { ChatStore } from "../store/ChatStore.ts"
import type { WorkspaceTools } from "../tools/WorkspaceTools.ts"
import * as ChatEngine from "./ChatEngine.ts"
import type { ChatsService } from "./ChatsService.ts"

/** The chats of this server. */
export class Chats extends Context.Service<Chats, ChatsService>()("chat/Chats") {
  /**
   * Chats over these services. Turns that an earlier program left are mended first. When the layer closes, running
   * turns get `grace` to finish, as with `close`.
   */
  static readonly layer = (options: ChatEngine.ChatsOptions): Layer.Layer<
    Chats,
    never,
    Agents | ChatStore | LanguageModels | McpRegistries | ResultFiles | WorkspaceTools
  > =>
    Layer.effect(Chats, Effect.map(ChatEngine.make(options), ({ chats }) => chats)).pipe(
      Layer.provide(SecureRandom.layerWebCrypto)
    )
}
