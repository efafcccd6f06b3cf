/** The chats: each has one turn at a time, owned here and not by whoever listens to it. */
import type { LanguageModels } from "@boocode/language-models"
import type { McpRegistry } from "@boocode/mcp-registry"
import type { ResultFiles } from "@boocode/toolkit"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Layer from "effect/Layer"
import type { Agents } from "../agents/Agents.ts"
import type { ChatStore } from "../store/ChatStore.ts"
import type { WorkspaceTools } from "../tools/WorkspaceTools.ts"
import type { ChatKeeper, ChatsOptions } from "./ChatKeeper.ts"
import * as ChatService from "./ChatService.ts"

/** The chats of this server. Any member may fail because they cannot be kept or read. */
export class Chats extends Context.Service<Chats, ChatKeeper>()("chat/Chats") {
  /**
   * Chats over these services. What an earlier program left is mended first. When the layer closes, running turns get
   * `grace` to finish, as with `close`.
   */
  static readonly layer = (options: ChatsOptions): Layer.Layer<
    Chats,
    never,
    Agents | ChatStore | LanguageModels | McpRegistry | ResultFiles | WorkspaceTools
  > => Layer.effect(Chats, ChatService.make(options)).pipe(Layer.provide(SecureRandom.layerWebCrypto))
}
