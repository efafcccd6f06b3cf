/**
 * Everything this server answers over HTTP: the API, its reference, the page, and the guards before them.
 */
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import { createRequire } from "node:module"
import { dirname } from "node:path"
import { ChatApi } from "../api/ChatApi.ts"
import { Logins } from "../services/Logins.ts"
import * as AboutHandlers from "./AboutHandlers.ts"
import * as ApiReference from "./ApiReference.ts"
import * as AskingHandlers from "./AskingHandlers.ts"
import * as ChatsHandlers from "./ChatsHandlers.ts"
import * as CommandsHandlers from "./CommandsHandlers.ts"
import * as Guard from "./Guard.ts"
import * as LoginsHandlers from "./LoginsHandlers.ts"
import * as Page from "./Page.ts"
import * as Routes from "./Routes.ts"
import * as ServersHandlers from "./ServersHandlers.ts"
import * as SettingsHandlers from "./SettingsHandlers.ts"
import * as ToolsHandlers from "./ToolsHandlers.ts"

/** The handlers of every group of the contract. */
export const handlers = Layer.mergeAll(
  AboutHandlers.healthLayer,
  AboutHandlers.layer,
  AboutHandlers.accessLayer,
  SettingsHandlers.layer,
  ServersHandlers.layer,
  LoginsHandlers.layer,
  ToolsHandlers.layer,
  AboutHandlers.agentsLayer,
  CommandsHandlers.layer,
  ChatsHandlers.layer,
  AskingHandlers.layer,
  AskingHandlers.questionsLayer
).pipe(Layer.provide(Logins.layer))

const api = HttpApiBuilder.layer(ChatApi, { openapiPath: "/api/openapi.json" }).pipe(
  Layer.provide(handlers),
  Layer.provide(Routes.problemsLayer)
)

const pageFolder = dirname(createRequire(import.meta.url).resolve("@boocode/web/index.html"))

/** All routes; `host` is the address the server binds. */
export const routes = (host: string) =>
  Layer.mergeAll(
    api,
    ApiReference.layer,
    Routes.layer,
    Page.layer(pageFolder),
    Page.securityHeaders,
    Routes.metricsLayer,
    Layer.provide(LoginsHandlers.callbackLayer, Logins.layer),
    Guard.layer(host)
  )

/** Serves them. Server names and tool names in a path may be longer than the router's default of 100. */
export const layer = (host: string) =>
  HttpRouter.serve(routes(host), {
    disableLogger: true,
    disableListenLog: true,
    routerConfig: { maxParamLength: 500 }
  })
