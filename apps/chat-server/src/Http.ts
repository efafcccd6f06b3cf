/** Everything this server answers over HTTP: the API, its reference, the page, and the guards before them. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as HostGuard from "./access/HostGuard.ts"
import { ChatApi } from "./api/ChatApi.ts"
import { AppHost } from "./apps/AppHost.ts"
import * as CompletionError from "./completions/CompletionError.ts"
import * as CompletionRoutes from "./completions/CompletionRoutes.ts"
import * as ConnectorRoutes from "./connectors/ConnectorRoutes.ts"
import * as AboutHandlers from "./handlers/AboutHandlers.ts"
import * as AgentEditsHandlers from "./handlers/AgentEditsHandlers.ts"
import * as AppsHandlers from "./handlers/apps/AppsHandlers.ts"
import * as AskingHandlers from "./handlers/AskingHandlers.ts"
import * as ChatsHandlers from "./handlers/ChatsHandlers.ts"
import * as ClientsHandlers from "./handlers/ClientsHandlers.ts"
import * as CommandsHandlers from "./handlers/CommandsHandlers.ts"
import * as EntriesHandlers from "./handlers/EntriesHandlers.ts"
import * as LoginsHandlers from "./handlers/LoginsHandlers.ts"
import * as McpHandlers from "./handlers/McpHandlers.ts"
import * as PermissionsHandlers from "./handlers/PermissionsHandlers.ts"
import * as ProvidersHandlers from "./handlers/ProvidersHandlers.ts"
import * as RegistryHandlers from "./handlers/RegistryHandlers.ts"
import * as ServersHandlers from "./handlers/ServersHandlers.ts"
import * as ToolsHandlers from "./handlers/ToolsHandlers.ts"
import * as AuditHandlers from "./handlers/users/AuditHandlers.ts"
import * as DeviceHandlers from "./handlers/users/DeviceHandlers.ts"
import * as MeHandlers from "./handlers/users/MeHandlers.ts"
import * as ProviderRoutes from "./handlers/users/ProviderRoutes.ts"
import * as SharesHandlers from "./handlers/users/SharesHandlers.ts"
import * as SignInHandlers from "./handlers/users/SignInHandlers.ts"
import * as UsageHandlers from "./handlers/users/UsageHandlers.ts"
import * as UsersHandlers from "./handlers/users/UsersHandlers.ts"
import * as WritesHandlers from "./handlers/WritesHandlers.ts"
import * as AccessGuard from "./http/AccessGuard.ts"
import * as ApiReference from "./http/ApiReference.ts"
import * as Page from "./http/Page.ts"
import * as ProblemAnswers from "./http/ProblemAnswers.ts"
import * as RequestLimits from "./http/RequestLimits.ts"
import * as RequestTelemetry from "./http/RequestTelemetry.ts"
import * as Routes from "./http/Routes.ts"
import * as UserRights from "./http/UserRights.ts"
import { IdleEnd } from "./services/IdleEnd.ts"
import { Logins } from "./services/Logins.ts"
import * as Installation from "./settings/Installation.ts"

export const handlers = Layer.mergeAll(
  AboutHandlers.healthLayer,
  AboutHandlers.fleetLayer,
  AboutHandlers.layer,
  AboutHandlers.accessLayer,
  AboutHandlers.settingsLayer,
  SignInHandlers.layer,
  MeHandlers.layer,
  DeviceHandlers.layer,
  UsersHandlers.layer,
  UsageHandlers.layer,
  AuditHandlers.layer,
  SharesHandlers.layer,
  ServersHandlers.layer,
  EntriesHandlers.layer,
  RegistryHandlers.layer,
  LoginsHandlers.layer,
  ToolsHandlers.layer,
  AboutHandlers.agentsLayer,
  AgentEditsHandlers.layer,
  ProvidersHandlers.layer,
  CommandsHandlers.layer,
  ChatsHandlers.layer,
  AskingHandlers.layer,
  AskingHandlers.questionsLayer,
  PermissionsHandlers.layer,
  WritesHandlers.layer,
  AppsHandlers.layer,
  ClientsHandlers.layer
).pipe(Layer.provide(Logins.layer))

const api = HttpApiBuilder.layer(ChatApi, { openapiPath: "/api/openapi.json" }).pipe(
  Layer.provide(handlers),
  Layer.provide(UserRights.layer),
  Layer.provide(ProblemAnswers.layer)
)

/** Guards every request, the outermost first. */
const guards = (host: string) =>
  HttpRouter.middleware(
    Effect.gen(function*() {
      const isOurs = yield* HostGuard.guard(host, (yield* AppHost).isApps)
      const isAllowed = yield* AccessGuard.guard
      const bounded = yield* RequestLimits.limitStreams
      const { hold } = yield* IdleEnd
      return <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
        RequestTelemetry.countRequests(
          CompletionError.speaking(
            isOurs(isAllowed(Effect.andThen(hold, bounded(RequestLimits.limitBody(httpEffect)))))
          )
        )
    }),
    { global: true }
  )

/** All routes; `host` is the address the server binds. */
export const routes = (host: string) =>
  Layer.mergeAll(
    api,
    CompletionRoutes.layer,
    McpHandlers.layer(host),
    ConnectorRoutes.layer,
    ProviderRoutes.layer,
    ApiReference.layer,
    Routes.unknownLayer,
    Page.layer(Installation.page),
    Page.securityHeaders,
    AppsHandlers.documentLayer,
    RequestTelemetry.metricsLayer,
    Layer.provide(LoginsHandlers.callbackLayer, Logins.layer),
    guards(host)
  )

/** Serves them. Server names and tool names in a path may be longer than the router's default of 100. */
export const layer = (host: string) =>
  HttpRouter.serve(routes(host), {
    disableLogger: true,
    disableListenLog: true,
    routerConfig: { maxParamLength: 500 }
  })
