/**
 * The HTTP API as a contract: routes, bodies and statuses, and nothing of how they are answered.
 */
import { Chat, ChatSummary, Part } from "@boocode/chat"
import { type McpTool, ServerStatus } from "@boocode/mcp-registry"
import { ToolResult } from "@boocode/toolkit"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { BadRequest, Conflict, Internal, McpProblems, NotFound, TooLarge, UnsupportedMedia } from "./ApiErrors.ts"

const about = (description: string) => OpenApi.annotations({ description })
const nullable = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

export const Health = Schema.Struct({
  status: Schema.Literal("ok"),
  ready: Schema.Boolean.annotate({ description: "true once no server is connecting" }),
  servers: Schema.Struct({ ready: Schema.Int, failed: Schema.Int, connecting: Schema.Int })
})

export const ServerEvent = Schema.Struct({ type: Schema.Literal("server"), ...ServerStatus.fields })

export const ConfigProblem = Schema.Struct({
  file: Schema.String,
  line: Schema.NullOr(Schema.Int).annotate({ description: "from 1; null when the file could not be read at all" }),
  column: Schema.NullOr(Schema.Int),
  message: Schema.String,
  hint: Schema.String
})

export const ToolDocument = Schema.Struct({
  name: Schema.String,
  server: Schema.String,
  tool: Schema.String,
  title: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  inputSchema: Schema.JsonObject,
  annotations: Schema.JsonObject,
  tokens: Schema.Int
})

export const toolDocument = (tool: McpTool): typeof ToolDocument.Type => ({
  name: tool.name,
  server: tool.server,
  tool: tool.tool,
  title: tool.title,
  description: tool.description,
  inputSchema: tool.inputSchema,
  annotations: tool.annotations,
  tokens: tool.tokens
})

export const AgentDocument = Schema.Struct({
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  tools: Schema.NullOr(Schema.Array(Schema.String)).annotate({ description: "patterns; null is every tool" }),
  steps: Schema.Int
})

export const AgentProblemDocument = Schema.Struct({
  name: Schema.NullOr(Schema.String),
  file: Schema.String,
  line: Schema.Int,
  message: Schema.String
})

export const Models = Schema.Struct({
  default: Schema.NullOr(Schema.String).annotate({
    description: "the model of a chat that names none; null is the built-in command mode"
  }),
  models: Schema.Array(Schema.Struct({
    provider: Schema.String,
    ready: Schema.Boolean,
    missing: Schema.NullOr(Schema.String).annotate({ description: "what to do to use this provider" }),
    example: Schema.String.annotate({ description: "a model id that works with it" })
  })),
  command: Schema.Struct({
    active: Schema.Boolean.annotate({ description: "true when a chat that names no model is in command mode" }),
    help: Schema.String.annotate({ description: "how to configure a model" })
  })
})

/** What an SSE answer carries, one JSON document a `data:` line. */
const Parts = HttpApiSchema.StreamSse({ data: Part })

/** Turns what does not fit the contract into a problem document. */
export class Problems extends HttpApiMiddleware.Service<Problems>()("chat-server/Problems", {
  error: [BadRequest, TooLarge, UnsupportedMedia, Internal]
}) {}

const health = HttpApiGroup.make("health").add(
  HttpApiEndpoint.get("health", "/health", { success: Health })
    .annotateMerge(about("Whether the server answers, and how its MCP servers are."))
)

const name = { name: Schema.String }
const servers = HttpApiGroup.make("servers").add(
  HttpApiEndpoint.get("list", "/mcp/servers", {
    success: Schema.Struct({ servers: Schema.Array(ServerStatus), problems: Schema.Array(ConfigProblem) })
  }).annotateMerge(about(
    "Every configured MCP server as it stands, sorted by name, and what keeps whole configuration files from being used."
  )),
  HttpApiEndpoint.post("start", "/mcp/servers/:name/start", { params: name, success: ServerStatus, error: McpProblems })
    .annotateMerge(about("Starts a server; answers when it is ready, or with why it is not.")),
  HttpApiEndpoint.post("stop", "/mcp/servers/:name/stop", { params: name, success: ServerStatus, error: McpProblems })
    .annotateMerge(about("Stops a server; answers when it is gone.")),
  HttpApiEndpoint.post("restart", "/mcp/servers/:name/restart", {
    params: name,
    success: ServerStatus,
    error: McpProblems
  }).annotateMerge(about("Stops a server if it runs, then starts it.")),
  HttpApiEndpoint.get("events", "/events", { success: HttpApiSchema.StreamSse({ data: ServerEvent }) })
    .annotateMerge(about("Every server as it stands, then each at every change of its state."))
)

const tools = HttpApiGroup.make("tools").add(
  HttpApiEndpoint.get("list", "/tools", {
    query: { agent: Schema.optionalKey(Schema.String) },
    success: Schema.Struct({ tools: Schema.Array(ToolDocument), warnings: Schema.Array(Schema.String) }),
    error: [NotFound]
  }).annotateMerge(about("The tools of the MCP servers, sorted by name: all, or those an agent's patterns allow.")),
  HttpApiEndpoint.post("call", "/tools/:name/call", {
    params: name,
    payload: [Schema.Struct({ args: Schema.optionalKey(Schema.Json) }), Schema.Null],
    success: ToolResult.ToolResult,
    error: McpProblems
  })
    // A misspelt "args" must not become a call without arguments.
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(about("Calls a tool. The tool's own error is 200 with `isError`."))
)

const agents = HttpApiGroup.make("agents").add(
  HttpApiEndpoint.get("agents", "/agents", {
    success: Schema.Struct({ agents: Schema.Array(AgentDocument), problems: Schema.Array(AgentProblemDocument) })
  }).annotateMerge(about("The agents of AGENTS.md, the default one first, and what is wrong in that file.")),
  HttpApiEndpoint.get("models", "/models", { success: Models })
    .annotateMerge(about("Which model providers can be used, and what the others are missing."))
)

const Seq = Schema.NumberFromString.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(0))

const id = { id: Schema.String }
const chats = HttpApiGroup.make("chats").add(
  HttpApiEndpoint.post("create", "/chats", {
    payload: [Schema.Struct({ agent: nullable(Schema.String), model: nullable(Schema.String) }), Schema.Null],
    success: ChatSummary.pipe(HttpApiSchema.status(201)),
    error: [BadRequest, NotFound]
  }).annotateMerge(about("Begins a chat.")),
  HttpApiEndpoint.get("list", "/chats", { success: Schema.Struct({ chats: Schema.Array(ChatSummary) }) })
    .annotateMerge(about("All chats, the last used first.")),
  HttpApiEndpoint.get("get", "/chats/:id", { params: id, success: Chat, error: [NotFound] })
    .annotateMerge(about("A whole chat: every turn with its parts.")),
  HttpApiEndpoint.delete("remove", "/chats/:id", { params: id, success: HttpApiSchema.NoContent, error: [NotFound] })
    .annotateMerge(about("Ends the chat's turn, then forgets the chat.")),
  HttpApiEndpoint.post("send", "/chats/:id/messages", {
    params: id,
    payload: Schema.Struct({
      text: Schema.String.check(Schema.isPattern(/\S/)).annotate({ description: "not blank" }),
      agent: nullable(Schema.String),
      model: nullable(Schema.String)
    }),
    success: [
      Parts,
      Schema.Struct({ turn: Schema.Int, queued: Schema.Literal(true) }).pipe(HttpApiSchema.status(202))
    ],
    error: [BadRequest, NotFound, Conflict]
  }).annotateMerge(about(
    "Sends a message. Answers with the parts of its turn up to `finish`, or with 202 when it waits behind a running turn, where at most 20 messages wait. " +
      "Closing the connection does not end the turn."
  )),
  HttpApiEndpoint.post("stop", "/chats/:id/stop", { params: id, success: HttpApiSchema.NoContent, error: [NotFound] })
    .annotateMerge(about("Ends the running turn and drops queued messages.")),
  HttpApiEndpoint.get("events", "/chats/:id/events", {
    params: id,
    query: { after: Schema.optionalKey(Seq) },
    headers: { "last-event-id": Schema.optionalKey(Seq) },
    success: Parts,
    error: [NotFound]
  }).annotateMerge(about(
    "Every part with a `seq` above `after`: first those there are, then each new one. " +
      "A browser that reconnects by itself goes on where it was (`Last-Event-ID`)."
  ))
)

export class ChatApi extends HttpApi.make("boocode")
  .add(health, servers, tools, agents, chats)
  .prefix("/api")
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({
    title: "BooCode",
    version: "0.1.0",
    description: "Chats whose agents use the tools of MCP servers. Errors are `application/problem+json` documents."
  }))
{}
