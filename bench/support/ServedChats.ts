/** The chats of the chat server in this process, with its database, servers and gate, but without HTTP. */
import { CurrentUser, FIRST } from "@boocode/chat"
import { AnswerRequests, App, DefaultModel, Signals } from "@boocode/chat-server"
import * as Foundation from "@boocode/chat-server/Foundation"
import type { LanguageModels } from "@boocode/language-models"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { join } from "node:path"

/** `App.services` at a data folder, with other models: `id` is the one that answers. */
export const layer = <E>(folder: string, id: string, models: Layer.Layer<LanguageModels, E>) =>
  Layer.merge(App.chats, Layer.succeed(CurrentUser, FIRST)).pipe(
    Layer.provideMerge(Layer.mergeAll(Foundation.registry, Foundation.agents, Foundation.tools)),
    Layer.provideMerge(AnswerRequests.layer),
    Layer.provideMerge(Layer.mergeAll(models, DefaultModel.layerOf(id))),
    Layer.provideMerge(Layer.mergeAll(Foundation.config, Foundation.resultFiles)),
    Layer.provideMerge(Foundation.node),
    Layer.provideMerge(App.database("server")),
    Layer.provideMerge(Foundation.layer({
      dataDir: folder,
      configFile: null,
      logLevel: "Error",
      variables: { ...process.env, BOOCODE_STATE_DIR: join(folder, "state"), MCP_CONFIG_PATH: undefined }
    })),
    Layer.provideMerge(Signals.layerNone),
    Layer.provideMerge(Layer.succeed(Logger.LogToStderr, true))
  )
