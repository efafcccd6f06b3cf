/**
 * Everything this server answers over HTTP: the API, its reference, the page, and the guards before them.
 */
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import { createRequire } from "node:module"
import { dirname } from "node:path"
import * as ApiReference from "./ApiReference.ts"
import * as CallbackRoute from "./CallbackRoute.ts"
import { ChatApi } from "./ChatApi.ts"
import * as Guards from "./Guards.ts"
import * as AboutHandlers from "./Handlers/AboutHandlers.ts"
import * as AccessHandlers from "./Handlers/AccessHandlers.ts"
import * as AgentsHandlers from "./Handlers/AgentsHandlers.ts"
import * as ApprovalsHandlers from "./Handlers/ApprovalsHandlers.ts"
import * as ChatsHandlers from "./Handlers/ChatsHandlers.ts"
import * as CommandsHandlers from "./Handlers/CommandsHandlers.ts"
import * as HealthHandlers from "./Handlers/HealthHandlers.ts"
import * as LoginsHandlers from "./Handlers/LoginsHandlers.ts"
import * as QuestionsHandlers from "./Handlers/QuestionsHandlers.ts"
import * as ServersHandlers from "./Handlers/ServersHandlers.ts"
import * as SettingsHandlers from "./Handlers/SettingsHandlers.ts"
import * as ToolsHandlers from "./Handlers/ToolsHandlers.ts"
import { Logins } from "./Logins.ts"
import * as MetricsRoute from "./MetricsRoute.ts"
import * as Page from "./Page.ts"
import * as Problems from "./Problems.ts"
import * as UnknownRoutes from "./UnknownRoutes.ts"

/** The handlers of every group of the contract. */
export const handlers = Layer.mergeAll(
  HealthHandlers.layer,
  AboutHandlers.layer,
  AccessHandlers.layer,
  SettingsHandlers.layer,
  ServersHandlers.layer,
  LoginsHandlers.layer,
  ToolsHandlers.layer,
  AgentsHandlers.layer,
  CommandsHandlers.layer,
  ChatsHandlers.layer,
  ApprovalsHandlers.layer,
  QuestionsHandlers.layer
).pipe(Layer.provide(Logins.layer))

const api = HttpApiBuilder.layer(ChatApi, { openapiPath: "/api/openapi.json" }).pipe(
  Layer.provide(handlers),
  Layer.provide(Problems.layer)
)

const pageFolder = dirname(createRequire(import.meta.url).resolve("@boocode/web/index.html"))

/** All routes; `host` is the address the server binds. */
export const routes = (host: string) =>
  Layer.mergeAll(
    api,
    ApiReference.layer,
    UnknownRoutes.layer,
    Page.layer(pageFolder),
    Page.securityHeaders,
    MetricsRoute.layer,
    Layer.provide(CallbackRoute.layer, Logins.layer),
    Guards.layer(host)
  )

/** Serves them. Server names and tool names in a path may be longer than the router's default of 100. */
export const layer = (host: string) =>
  HttpRouter.serve(routes(host), {
    disableLogger: true,
    disableListenLog: true,
    routerConfig: { maxParamLength: 500 }
  })
