/**
 * The wiring: how the parts of the house become a chat server. The one place where the McpRegistry layer is provided.
 */
import { Agents, Chats, ChatStore, WorkspaceTools } from "@boocode/chat"
import { LanguageModels, ModelFetch } from "@boocode/language-models"
import { Environment, McpConfig } from "@boocode/mcp-config"
import { NodeMcp } from "@boocode/mcp-node"
import { McpFetch, McpRegistry } from "@boocode/mcp-registry"
import { ResultFiles } from "@boocode/toolkit"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as UserDirectories from "effect/persistence/UserDirectories"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"
import { DataFolder, type DataFolderOptions } from "./DataFolder.ts"
import { DefaultModel } from "./DefaultModel.ts"
import * as EnvironmentFile from "./EnvironmentFile.ts"
import * as Http from "./Http.ts"
import * as Settings from "./Settings.ts"
import * as Shutdown from "./Shutdown.ts"
import * as Startup from "./Startup.ts"

export interface AppOptions extends DataFolderOptions {
  /** `--model PROVIDER/ID` */
  readonly model: string | null
  /** The variables of the process. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

export interface ServeOptions extends AppOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

/** Where things are, the settings, the variables with those of `.env`, and what Node brings. */
export const foundation = ({ variables, ...options }: AppOptions) =>
  Layer.mergeAll(EnvironmentFile.layer, Settings.logLevel).pipe(
    Layer.provideMerge(Settings.Settings.layer),
    Layer.provideMerge(DataFolder.layer(options)),
    Layer.provide(UserDirectories.layer),
    Layer.provide(Environment.layer(variables)),
    Layer.provideMerge(NodeServices.layer)
  )

/** Which servers there are. */
export const config = fromFolder(({ configFile, dataFile }, path) => {
  const file = configFile ?? dataFile
  const near = path.relative("", file)
  // What a person stands in or above is named the short way.
  return McpConfig.layerFile(near.startsWith("..") ? file : near)
})

/** The servers, started. `node_modules/.bin` of this installation is searched for commands after PATH. */
export const registry = McpRegistry.layer({
  searchAfterPath: ["../node_modules/.bin", "../../../node_modules/.bin"].map((folder) =>
    fileURLToPath(new URL(folder, import.meta.url))
  )
})

export const resultFiles = fromFolder(({ state }, path) => ResultFiles.layer(path.join(state, "results")))

export const agents = fromFolder(({ agentsFile }) => Agents.layerFile(agentsFile))

export const models = LanguageModels.layer.pipe(
  Layer.provide(Layer.effect(ModelFetch, Effect.map(McpFetch, ({ fetch }) => fetch))),
  Layer.provide(ConfigProvider.layer(Effect.map(Environment, ({ variables }) => {
    const set = Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return ConfigProvider.fromEnv({ env: Object.fromEntries(set) })
  })))
)

const tools = fromFolder(({ workspace }) => WorkspaceTools.layer(workspace))

/** Without a grace of their own: `Shutdown` gives turns their time while clients still hear how they end. */
export const chats = Layer.unwrap(Effect.map(DefaultModel, ({ model }) => Chats.layer({ model, grace: 0 }))).pipe(
  Layer.provide(ChatStore.layerMemory)
)

/** Everything that answers: servers, tools, agents, models, chats. */
export const services = (options: AppOptions) =>
  chats.pipe(
    Layer.provideMerge(Layer.mergeAll(registry, agents, models, tools, DefaultModel.layer(options.model))),
    Layer.provideMerge(Layer.mergeAll(config, resultFiles)),
    Layer.provideMerge(NodeMcp.layer),
    Layer.provideMerge(foundation(options))
  )

/** The chat server. Its port is taken first, so that a busy one starts no MCP server. */
export const layer = (options: ServeOptions) =>
  Layer.mergeAll(Startup.layer, Shutdown.layer).pipe(
    Layer.provide(Http.layer(options.host)),
    Layer.provideMerge(services(options)),
    Layer.provideMerge(listen(options))
  )

const listen = ({ host, port }: ServeOptions) =>
  NodeHttpServer.layerServer(() => createServer(), { host, port, gracefulShutdownTimeout: "250 millis" }).pipe(
    Layer.catch(({ cause }) => Layer.effect(HttpServer.HttpServer, Startup.explain(host, port, cause))),
    Layer.merge(NodeHttpServer.layerHttpServices)
  )

function fromFolder<A, E, R>(
  build: (folder: typeof DataFolder.Service, path: Path.Path) => Layer.Layer<A, E, R>
) {
  return Layer.unwrap(Effect.gen(function*() {
    return build(yield* DataFolder, yield* Path.Path)
  }))
}
