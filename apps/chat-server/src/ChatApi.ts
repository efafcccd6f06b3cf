/**
 * The HTTP API as a contract: routes, bodies and statuses, and nothing of how they are answered.
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as OpenApi from "effect/http-api/OpenApi"
import { AboutApi } from "./api/AboutApi.ts"
import { AccessApi } from "./api/AccessApi.ts"
import { AgentsApi } from "./api/AgentsApi.ts"
import { ApprovalsApi } from "./api/ApprovalsApi.ts"
import { ChatsApi } from "./api/ChatsApi.ts"
import { CommandsApi } from "./api/CommandsApi.ts"
import { HealthApi } from "./api/HealthApi.ts"
import { LoginsApi } from "./api/LoginsApi.ts"
import { QuestionsApi } from "./api/QuestionsApi.ts"
import { ServersApi } from "./api/ServersApi.ts"
import { SettingsApi } from "./api/SettingsApi.ts"
import { ToolsApi } from "./api/ToolsApi.ts"
import { BadRequest, Internal, TooLarge, TooMany, Unauthorized, UnsupportedMedia } from "./ApiErrors.ts"

/** Of BooCode. */
export const VERSION = "0.1.0"

/** Turns what does not fit the contract into a problem document. */
export class Problems extends HttpApiMiddleware.Service<Problems>()("chat-server/Problems", {
  error: [BadRequest, Unauthorized, TooLarge, UnsupportedMedia, TooMany, Internal]
}) {}

export class ChatApi extends HttpApi.make("boocode")
  .add(
    HealthApi,
    AboutApi,
    AccessApi,
    SettingsApi,
    ServersApi,
    LoginsApi,
    ToolsApi,
    AgentsApi,
    CommandsApi,
    ChatsApi,
    ApprovalsApi,
    QuestionsApi
  )
  .prefix("/api")
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({
    title: "BooCode",
    version: VERSION,
    description: "Chats whose agents use the tools of MCP servers. Errors are `application/problem+json` documents."
  }))
{}
