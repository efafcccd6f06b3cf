/**
 * The wiring: how the parts of the house become a chat server. The layers of the registry come from `Foundation`, which the
 * commands about servers (`cli/node/Wiring`) use as well.
 */
import {
  AgentEditor,
  byId,
  Chats,
  type ChatsOptions,
  People,
  SeenRegistries,
  ToolApprovals,
  Undos
} from "@boocode/chat"
import { LanguageModels } from "@boocode/language-models"
import { ConfigWatch } from "@boocode/mcp-config"
import { ForcedShutdown } from "@boocode/mcp-node"
import * as NodeSandbox from "@boocode/mcp-node/NodeSandbox"
import { PersonalValues } from "@boocode/mcp-registry"
import { Permissions, type ResultFiles } from "@boocode/toolkit"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Path from "effect/Path"
import { Access } from "./access/Access.ts"
import { AccessToken } from "./access/AccessToken.ts"
import { DeviceLogins } from "./access/DeviceLogins.ts"
import { IdentityProvider } from "./access/IdentityProvider.ts"
import { InstanceSecret } from "./access/InstanceSecret.ts"
import { ProxySignIn } from "./access/ProxySignIn.ts"
import { UserSignIn } from "./access/UserSignIn.ts"
import { AppHost } from "./apps/AppHost.ts"
import { AppPins } from "./apps/AppPins.ts"
import { ClientGateway } from "./clients/ClientGateway.ts"
import { ClientProfiles } from "./clients/ClientProfiles.ts"
import { ClientTokens } from "./clients/ClientTokens.ts"
import { Connectors } from "./connectors/Connectors.ts"
import { Database } from "./database/Database.ts"
import { EntryTrial } from "./entries/EntryTrial.ts"
import * as Foundation from "./Foundation.ts"
import * as Http from "./Http.ts"
import * as RequestTelemetry from "./http/RequestTelemetry.ts"
import { Listener } from "./Listener.ts"
import * as ModelLayer from "./ModelLayer.ts"
import { PublicRegistry } from "./published/PublicRegistry.ts"
import * as Announcement from "./services/Announcement.ts"
import * as AnswerRequests from "./services/AnswerRequests.ts"
import * as ExampleNews from "./services/ExampleNews.ts"
import * as FrameNumbers from "./services/FrameNumbers.ts"
import * as IdleEnd from "./services/IdleEnd.ts"
import { OwnCommand } from "./services/OwnCommand.ts"
import * as PdfWorker from "./services/PdfWorker.ts"
import * as SharpImages from "./services/SharpImages.ts"
import * as Shutdown from "./services/Shutdown.ts"
import { Signals, untilSignal } from "./services/Shutdown.ts"
import { DataFolder } from "./settings/DataFolder.ts"
import * as DefaultModel from "./settings/DefaultModel.ts"
import * as Installation from "./settings/Installation.ts"
import { ModelProviders } from "./settings/ModelProviders.ts"
import * as Settings from "./settings/Settings.ts"
import * as Startup from "./Startup.ts"
import * as AuditLog from "./team/AuditLog.ts"
import { Budget } from "./team/Budget.ts"
import * as ServerWatch from "./team/ServerWatch.ts"
import * as HeapGrowth from "./telemetry/HeapGrowth.ts"
import { HostMetrics } from "./telemetry/HostMetrics.ts"
import { ServerGauges } from "./telemetry/ServerGauges.ts"
import * as Telemetry from "./telemetry/Telemetry.ts"
import * as TurnMetrics from "./telemetry/TurnMetrics.ts"
import { Users } from "./users/Users.ts"
import { UserSecrets } from "./users/UserSecrets.ts"

export interface AppOptions extends Foundation.FoundationOptions {
  readonly model: string | null
}

export interface ServeOptions extends AppOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** The port of apps of servers; null, the default, for any where only this machine reaches the server (docs/apps.md). */
  readonly appsPort?: number | null
  /** The command that a person types to run BooCode; `boocode` by default. */
  readonly command?: string
  /** The server ends when nobody has used it for so long; null for one that a signal ends. */
  readonly endIdle?: Duration.Duration | null
}

export const modelNames = Effect.map(
  LanguageModels,
  ({ providers, suggested }) =>
    Effect.flatMap(providers, (known) =>
      Effect.map(
        Effect.forEach(known, ({ provider }) => suggested(provider), { concurrency: "unbounded" }),
        (lists) => lists.flat().map(({ id }) => id)
      ))
)

const approvals = Layer.unwrap(Effect.gen(function*() {
  const { state } = yield* DataFolder
  const { approvals } = yield* Settings.Settings
  return ToolApprovals.layer({ ...approvals, file: (yield* Path.Path).join(state, "allowed-tools.json") })
}))

const agentEditor = Layer.unwrap(
  Effect.map(DataFolder, ({ agentsFile }) => AgentEditor.layerFile(agentsFile))
)

export const database = Database.layer

/** Limits of people's use, and the audit of their calls. */
export const team = Layer.merge(Budget.layer, AuditLog.layer)

/** One for the chats and for the clients of the gateway. */
const sandbox = NodeSandbox.layer(Installation.sandbox)

/** The chats have no grace of their own: `Shutdown` gives turns their time while clients can still hear how they end. */
const chatsOf = <E, R>(build: (options: ChatsOptions) => Layer.Layer<Chats, E, R>) =>
  Layer.unwrap(
    Effect.gen(function*() {
      const { model } = yield* DefaultModel.DefaultModel
      const { codeMode, titles, toolSearch } = yield* Settings.Settings
      return build({ model, grace: 0, titles, toolSearch, codeMode })
    })
  ).pipe(
    Layer.provideMerge(Layer.merge(approvals, Undos.layer)),
    Layer.provideMerge(Foundation.permissions),
    Layer.provide(sandbox),
    Layer.provide(Layer.mergeAll(SharpImages.layer, PdfWorker.layer(), FrameNumbers.layer))
  )

export const chats = chatsOf(Chats.layer)

/** After a second signal servers are killed instead of asked. */
const hurriedTree = Layer.unwrap(
  Effect.map(Shutdown.Signals, ({ second }) => ForcedShutdown.layer(Deferred.await(second)))
)

const personalValues = Layer.effect(
  PersonalValues,
  Effect.gen(function*() {
    const { changes, values } = yield* UserSecrets
    const { areThere } = yield* Users
    return {
      of: (person: string) => Effect.catch(values(person), ({ message }) => Effect.as(Effect.logWarning(message), {})),
      changes,
      workspace: yield* Foundation.folders,
      // Where that cannot be told, nobody is to read the files of others.
      areSeveral: Effect.orElseSucceed(areThere, () => true)
    }
  })
)

const trials = Layer.provide(EntryTrial.layer(Installation.commands), [Foundation.credentials, personalValues])

/** Nothing of a fleet is loaded where there is none. */
const loaded = <M, A, E, R>(module: () => Promise<M>, layerOf: (module: M) => Layer.Layer<A, E, R>) =>
  Layer.unwrap(Effect.map(Effect.promise(module), layerOf))

const fleetNode = () => import("./fleet/FleetNode.ts")

const fleetRegistries = loaded(
  fleetNode,
  ({ cluster, servers }) => Layer.provide(Foundation.registriesOf(servers), cluster)
)

const fleetChats = loaded(fleetNode, ({ chats }) => chatsOf(chats))

const fleetView = Layer.unwrap(Effect.gen(function*() {
  const { cluster, view } = yield* Effect.promise(fleetNode)
  const workspace = yield* Effect.promise(() => import("./fleet/kept/SharedWorkspace.ts"))
  return Layer.merge(view, Layer.provide(workspace.layer, cluster))
}))

/** Above all that brings a file system of its own. */
const fleetFileSystem = loaded(() => import("./fleet/kept/FleetFolder.ts"), ({ fileSystem }) => fileSystem)

const fleetResults = loaded(() => import("./fleet/kept/ResultRows.ts"), ({ layer }) => layer)

const fleetApps = loaded(() => import("./fleet/kept/AppRows.ts"), ({ layer }) => layer)

const fleetTools = loaded(() => import("./fleet/kept/UndoRows.ts"), ({ layer }) => Foundation.toolsOver(layer))

const resultFiles = (isFleet: boolean): Layer.Layer<
  ResultFiles,
  Layer.Error<typeof fleetResults>,
  Layer.Services<typeof fleetResults | typeof Foundation.resultFiles>
> => isFleet ? fleetResults : Foundation.resultFiles

export const services = (options: AppOptions) =>
  Layer.merge(options.fleet === true ? fleetChats : chats, agentEditor).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.provide(
          SeenRegistries.layer,
          Layer.provide(options.fleet === true ? fleetRegistries : Foundation.registries, personalValues)
        ),
        Foundation.pins,
        Foundation.agents,
        options.fleet === true ? fleetTools : Foundation.tools,
        trials,
        PublicRegistry.layer(),
        options.fleet === true ? fleetView : Layer.empty
      )
    ),
    Layer.provideMerge(AnswerRequests.layer),
    Layer.provideMerge(DefaultModel.checkLayer(options.model)),
    Layer.provideMerge(DefaultModel.DefaultModel.layer(options.model)),
    Layer.provideMerge(ModelLayer.models),
    Layer.provideMerge(resultFiles(options.fleet === true)),
    Layer.provideMerge(Foundation.config),
    Layer.provideMerge(options.fleet === true ? fleetFileSystem : Layer.empty),
    Layer.provideMerge(hurriedTree),
    Layer.provideMerge(Foundation.node),
    Layer.provideMerge(team),
    // Before any MCP server starts, and closed when nobody writes any more.
    Layer.provideMerge(
      Layer.mergeAll(TurnMetrics.layer, people).pipe(
        Layer.provideMerge(database(options.fleet === true ? "node" : "server"))
      )
    ),
    // Servers may be told to work there.
    Layer.provide(Foundation.workspace),
    Layer.provideMerge(Foundation.layer(options))
  )

/** The chat server. Its port is taken first, so that a busy one starts no MCP server. */
export const layer = (options: ServeOptions) =>
  Layer.mergeAll(
    Startup.layer,
    Shutdown.layer,
    ConfigWatch.layer,
    ModelProviders.watchLayer,
    ServerWatch.layer,
    Permissions.watchLayer,
    ExampleNews.layer
  )
    .pipe(
      // Before the address is printed, so that a reader of it finds the server.
      Layer.provide(Layer.provide(Announcement.layer, FetchHttpClient.layer)),
      Layer.provide(Layer.provide(Http.layer(options.host), RequestTelemetry.spansLayer)),
      Layer.provide(Layer.merge(AppHost.layer(options.host, options.appsPort ?? null), AppPins.layer)),
      Layer.provide(options.fleet === true ? fleetApps : Layer.empty),
      Layer.provide(clients),
      Layer.provide(Layer.succeed(OwnCommand, options.command ?? "boocode")),
      Layer.provide(Telemetry.freshLayer),
      Layer.provide(
        Layer.mergeAll(
          Access.layer,
          UserSignIn.layer,
          DeviceLogins.layer,
          IdentityProvider.layer,
          HostMetrics.layer,
          ServerGauges.layer
        )
      ),
      Layer.provide(Layer.merge(AccessToken.layer(options.host), ProxySignIn.layer)),
      Layer.provide(InstanceSecret.layer),
      Layer.provideMerge(services(options)),
      Layer.provideMerge(listen(options))
    )

/** The people that the program acts for without a request, by their ids. */
const people = Layer.effect(
  People,
  Effect.map(Users, (users) => ({
    get: (id) =>
      Effect.gen(function*() {
        return (yield* users.areThere)
          ? (yield* users.withId(id)) ?? { ...byId(id), role: "member" as const }
          : byId(id)
      }).pipe(Effect.orElseSucceed(() => ({ ...byId(id), role: "member" as const })))
  }))
)

/** The MCP server that this program is for other programs. */
const clients = Layer.mergeAll(ClientGateway.layer, ClientTokens.layer, ClientProfiles.watchLayer, Connectors.layer)
  .pipe(
    Layer.provideMerge(ClientProfiles.layer),
    Layer.provide(sandbox)
  )

const listen = ({ host, port }: ServeOptions) =>
  Layer.unwrap(Effect.map(
    Listener,
    (server) => NodeHttpServer.layerServer(() => server, { host, port, gracefulShutdownTimeout: "250 millis" })
  )).pipe(
    Layer.provideMerge(Listener.layer),
    Layer.catch(({ cause }) => Layer.effect(HttpServer.HttpServer, Startup.explain(host, port, cause))),
    Layer.merge(NodeHttpServer.layerHttpServices)
  )

/**
 * `boocode serve`: serves until SIGINT, SIGTERM or SIGHUP, until `also` is done, or until nobody has used it for as long as
 * `endIdle` says; then closes in good order and succeeds. Fails when the address cannot be bound. Standard output gets the address and a line per MCP server, standard error the log.
 */
export const serve = (options: ServeOptions, also: Effect.Effect<void> = Effect.never) =>
  Effect.gen(function*() {
    const { endIdle = null } = options
    const idle = endIdle === null ? yield* IdleEnd.IdleEnd : yield* IdleEnd.make(endIdle)
    yield* HeapGrowth.bounded
    return yield* untilSignal(Layer.launch(layer(options))).pipe(
      Effect.provide(Signals.layer(Effect.raceFirst(also, idle.ended))),
      Effect.provideService(IdleEnd.IdleEnd, idle),
      Effect.provideService(Logger.LogToStderr, true)
    )
  })
