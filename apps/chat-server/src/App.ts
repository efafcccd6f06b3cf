/**
 * The wiring: how the parts of the house become a chat server. The one place where the McpRegistry layer is provided.
 */
import { Agents, Chats, ToolApprovals, WorkspaceTools } from "@boocode/chat"
import { LanguageModels, ModelFacts, ModelFetch } from "@boocode/language-models"
import { ConfigWatch, Environment, McpConfig } from "@boocode/mcp-config"
import { HurriedTree, NodeMcp } from "@boocode/mcp-node"
import { Approvals, Manifests, McpFetch, McpRegistry, ProtocolMemory, ToolPins } from "@boocode/mcp-registry"
import { ResultFiles } from "@boocode/toolkit"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import type { LogLevel } from "effect/LogLevel"
import * as Path from "effect/Path"
import * as UserDirectories from "effect/persistence/UserDirectories"
import { createServer } from "node:http"
import { delimiter } from "node:path"
import { fileURLToPath } from "node:url"
import { Access } from "./Access.ts"
import { AccessToken } from "./AccessToken.ts"
import * as Announcement from "./Announcement.ts"
import * as ConfigNews from "./ConfigNews.ts"
import { Database } from "./Database.ts"
import { DataFolder, type DataFolderOptions } from "./DataFolder.ts"
import { DefaultModel } from "./DefaultModel.ts"
import * as EnvironmentFile from "./EnvironmentFile.ts"
import * as Http from "./Http.ts"
import { Instance } from "./Instance.ts"
import * as LogFormat from "./LogFormat.ts"
import * as LoginShell from "./LoginShell.ts"
import * as ModelCheck from "./ModelCheck.ts"
import { ProcessMetrics } from "./ProcessMetrics.ts"
import * as PublicFetch from "./PublicFetch.ts"
import * as Settings from "./Settings.ts"
import * as SharpImages from "./SharpImages.ts"
import * as Shutdown from "./Shutdown.ts"
import * as Startup from "./Startup.ts"
import * as TurnMetrics from "./TurnMetrics.ts"

export interface AppOptions extends DataFolderOptions {
  /** `--model PROVIDER/ID` */
  readonly model: string | null
  /** `--log-level LEVEL`; null leaves it to settings.json. */
  readonly logLevel: LogLevel | null
  /** `--log-format FORMAT`; null leaves it to settings.json. */
  readonly logFormat?: LogFormat.LogFormat | null
  /** The variables of the process. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

export interface ServeOptions extends AppOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

/** Where things are, the settings, the variables with those of `.env`, and what Node brings. */
export const foundation = ({ logFormat, logLevel, variables, ...options }: AppOptions) =>
  Layer.provide(EnvironmentFile.layer, LoginShell.layer).pipe(
    Layer.provideMerge(Layer.merge(Settings.logLevel(logLevel), LogFormat.layer(logFormat ?? null))),
    Layer.provideMerge(Settings.Settings.layer),
    Layer.provideMerge(DataFolder.layer(options)),
    Layer.provide(UserDirectories.layer),
    Layer.provide(Environment.layer(withoutOwnFolders(variables))),
    Layer.provideMerge(NodeServices.layer)
  )

/** Where the commands of this installation are, its Node among them. */
const OWN_FOLDERS = ["../node_modules/.bin", "../../../node_modules/.bin"].map((folder) =>
  fileURLToPath(new URL(folder, import.meta.url))
)

/** pnpm puts them in front of PATH; servers are to find the person's own commands first, and npm its own settings. */
const withoutOwnFolders = (variables: AppOptions["variables"]): AppOptions["variables"] => {
  const path = variables["PATH"]
  if (path === undefined) return variables
  return { ...variables, PATH: path.split(delimiter).filter((folder) => !OWN_FOLDERS.includes(folder)).join(delimiter) }
}

/** Which servers there are: those of the data file, and of the other files that the settings ask for. */
export const config = Layer.unwrap(Effect.gen(function*() {
  const { configFile, dataFile, isNamed } = yield* DataFolder
  const { variables } = yield* Environment
  const settings = yield* Settings.Settings
  const path = yield* Path.Path
  const file = configFile ?? dataFile
  const near = path.relative("", file)
  const scopes = configFile === null ? settings.scopes : []
  return McpConfig.layerScopes({
    // What a person stands in or above is named the short way.
    dataFile: near.startsWith("..") ? file : near,
    dataFileIsNamed: isNamed,
    projectFrom: scopes.includes("project") ? path.resolve(variables["INIT_CWD"] ?? "") : null,
    home: scopes.includes("user") ? variables["HOME"] ?? variables["USERPROFILE"] ?? null : null
  })
}))

/** What people decided about servers of project files, and what tools were pinned, out of reach of any project. */
export const trust = Layer.unwrap(Effect.gen(function*() {
  const { configFile, state } = yield* DataFolder
  const { trustedPublishers } = yield* Settings.Settings
  const path = yield* Path.Path
  return Layer.merge(
    Approvals.layerFile(path.join(state, "approvals.json"), { trustedPublishers }),
    // A file that --config names may lie in a stranger's folder, and a lock file beside it may be that stranger's too.
    ToolPins.layer(state, { lockFiles: configFile === null })
  )
}))

/** The servers, started. `node_modules/.bin` of this installation is searched for commands after PATH. */
export const registry = McpRegistry.layer({
  searchAfterPath: OWN_FOLDERS
}).pipe(
  Layer.merge(ConfigNews.brokenEntries),
  Layer.provide(fromFolder(({ state }, path) => ProtocolMemory.layerFile(path.join(state, "protocols.json")))),
  Layer.provide(fromFolder(({ state }, path) => Manifests.layerFolder(path.join(state, "manifests")))),
  Layer.provide(trust)
)

export const resultFiles = fromFolder(({ state }, path) => ResultFiles.layer(path.join(state, "results")))

export const agents = fromFolder(({ agentsFile }) => Agents.layerFile(agentsFile))

export const models = LanguageModels.layer.pipe(
  Layer.provide(Layer.effect(ModelFetch, Effect.map(McpFetch, ({ fetch }) => fetch))),
  Layer.provide(Layer.effect(ModelFacts.ModelOverrides, Effect.map(Settings.Settings, ({ models }) => models))),
  Layer.provide(ConfigProvider.layer(Effect.map(Environment, ({ variables }) => {
    const set = Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return ConfigProvider.fromEnv({ env: Object.fromEntries(set) })
  })))
)

const tools = fromFolder(({ workspace }) => WorkspaceTools.layer(workspace))

/** Who is asked before calls that need a yes, and what was allowed for good. */
const approvals = Layer.unwrap(Effect.gen(function*() {
  const { state } = yield* DataFolder
  const { approvals } = yield* Settings.Settings
  return ToolApprovals.layer({ ...approvals, file: (yield* Path.Path).join(state, "allowed-tools.json") })
}))

/** The chats that are kept, and the database they are in. */
export const database = Database.layer

/** Without a grace of their own: `Shutdown` gives turns their time while clients still hear how they end. */
export const chats = Layer.unwrap(
  Effect.gen(function*() {
    const { environment, flag } = yield* DefaultModel
    const { titles, toolSearch } = yield* Settings.Settings
    return Chats.layer({ flag, model: environment, grace: 0, titles, toolSearch })
  })
).pipe(
  Layer.provideMerge(approvals),
  Layer.provide(SharpImages.layer)
)

/** After a second signal servers are killed instead of asked. */
const hurriedTree = Layer.unwrap(
  Effect.map(Shutdown.Signals, ({ second }) => HurriedTree.layer(Deferred.await(second)))
)

/** What servers are started and reached with. */
export const node = PublicFetch.layer.pipe(Layer.provideMerge(NodeMcp.layer))

/** Everything that answers: servers, tools, agents, models, chats. */
export const services = (options: AppOptions) =>
  chats.pipe(
    Layer.provideMerge(Layer.mergeAll(registry, agents, tools)),
    Layer.provideMerge(ModelCheck.layer(options.model)),
    Layer.provideMerge(Layer.mergeAll(models, DefaultModel.layer(options.model))),
    Layer.provideMerge(Layer.mergeAll(config, resultFiles)),
    Layer.provideMerge(hurriedTree),
    Layer.provideMerge(node),
    // Before any MCP server starts, and closed when nobody writes any more.
    Layer.provideMerge(Layer.provideMerge(TurnMetrics.layer, database("server"))),
    Layer.provideMerge(foundation(options))
  )

/** The chat server. Its port is taken first, so that a busy one starts no MCP server. */
export const layer = (options: ServeOptions) =>
  Layer.mergeAll(Startup.layer, Shutdown.layer, ConfigWatch.layer).pipe(
    // Before the address is printed, so that whoever reads it finds the server.
    Layer.provide(Layer.provide(Announcement.layer, FetchHttpClient.layer)),
    Layer.provide(Http.layer(options.host)),
    Layer.provide(Layer.merge(Access.layer, ProcessMetrics.layer)),
    Layer.provide(AccessToken.layer(options.host)),
    Layer.provide(Instance.layer),
    Layer.provideMerge(services(options)),
    Layer.provideMerge(listen(options))
  )

/**
 * A client that is slow to ask holds a connection no longer than this, in milliseconds; an answer may go on for ever. A
 * connection that rests is kept longer than proxies keep theirs, so that they never send into one that closes.
 */
const PATIENCE = {
  headersTimeout: 10_000,
  requestTimeout: 120_000,
  connectionsCheckingInterval: 2000,
  keepAliveTimeout: 65_000
}

const listen = ({ host, port }: ServeOptions) =>
  NodeHttpServer.layerServer(() => createServer(PATIENCE), { host, port, gracefulShutdownTimeout: "250 millis" }).pipe(
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
