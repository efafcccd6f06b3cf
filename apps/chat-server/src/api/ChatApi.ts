/** The HTTP API as a contract: routes, bodies and statuses, and nothing of how they are answered. */
import type { CurrentUser } from "@boocode/chat/CurrentUser"
import { VERSION } from "@boocode/mcp-client/Version"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as OpenApi from "effect/http-api/OpenApi"
import { AboutApi, AccessApi, AgentsApi, FleetApi, HealthApi, SettingsApi } from "./AboutApi.ts"
import { AgentEditsApi } from "./AgentEditsApi.ts"
import { AppsApi } from "./apps/AppsApi.ts"
import { AskingApi, QuestionsApi } from "./AskingApi.ts"
import { ChatsApi } from "./ChatsApi.ts"
import { ClientsApi } from "./clients/ClientsApi.ts"
import { CommandsApi } from "./CommandsApi.ts"
import { EntriesApi } from "./EntriesApi.ts"
import { LoginsApi } from "./LoginsApi.ts"
import { PermissionsApi } from "./PermissionsApi.ts"
import { BadRequest, Forbidden, Internal, TooLarge, TooMany, Unauthorized, UnsupportedMedia } from "./Problems.ts"
import { ProvidersApi } from "./ProvidersApi.ts"
import { RegistryApi } from "./published/RegistryApi.ts"
import { ServersApi } from "./ServersApi.ts"
import { ToolsApi } from "./ToolsApi.ts"
import { AuditApi } from "./users/AuditApi.ts"
import { DeviceApi } from "./users/DeviceApi.ts"
import { SharesApi } from "./users/SharesApi.ts"
import { UsageApi } from "./users/UsageApi.ts"
import { MeApi, SignInApi, UsersApi } from "./users/UsersApi.ts"
import { WritesApi } from "./WritesApi.ts"

/** Turns what does not fit the contract into a problem document. */
export class AnswersProblems extends HttpApiMiddleware.Service<AnswersProblems>()("chat-server/Problems", {
  error: [BadRequest, Unauthorized, TooLarge, UnsupportedMedia, TooMany, Internal]
}) {}

/** Gives a route the person who makes its request. Refuses what their role or their token does not let them do. */
export class KnowsUser
  extends HttpApiMiddleware.Service<KnowsUser, { provides: CurrentUser }>()("chat-server/KnowsUser", {
    error: Forbidden
  })
{}

export class ChatApi extends HttpApi.make("boocode")
  .add(
    HealthApi,
    FleetApi,
    AboutApi,
    AccessApi,
    SignInApi,
    MeApi,
    DeviceApi,
    UsersApi,
    UsageApi,
    AuditApi,
    SharesApi,
    SettingsApi,
    ServersApi,
    EntriesApi,
    RegistryApi,
    LoginsApi,
    ToolsApi,
    AgentsApi,
    AgentEditsApi,
    ProvidersApi,
    CommandsApi,
    ChatsApi,
    AskingApi,
    PermissionsApi,
    QuestionsApi,
    WritesApi,
    AppsApi,
    ClientsApi
  )
  .prefix("/api")
  .middleware(KnowsUser)
  .middleware(AnswersProblems)
  .annotateMerge(OpenApi.annotations({
    title: "BooCode",
    version: VERSION,
    description: "Chats whose agents use the tools of MCP servers. Errors are `application/problem+json` documents."
  }))
{}
