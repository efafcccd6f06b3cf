/**
 * The HTTP API as a contract: routes, bodies and statuses, and nothing of how they are answered.
 */
import { Chat, ChatSummary, Part } from "@boocode/chat"
import { LogLine, ServerStatus, TrustDetails } from "@boocode/mcp-registry"
import { ToolResult } from "@boocode/toolkit"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import {
  AgentDocument,
  AgentProblemDocument,
  Applied,
  ConfigProblems,
  ConfigurationEvent,
  FoundTools,
  Health,
  Models,
  Names,
  ServerEvent,
  ToolDocument
} from "./ApiDocuments.ts"
import { BadRequest, Conflict, Internal, McpProblems, NotFound, TooLarge, UnsupportedMedia } from "./ApiErrors.ts"
import { LIMIT, MAX_LIMIT } from "./ToolFinding.ts"

const about = (description: string) => OpenApi.annotations({ description })
const nullable = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** What an SSE answer carries, one JSON document a `data:` line. */
const Parts = HttpApiSchema.StreamSse({ data: Part })

/** Turns what does not fit the contract into a problem document. */
export class Problems extends HttpApiMiddleware.Service<Problems>()("chat-server/Problems", {
  error: [BadRequest, TooLarge, UnsupportedMedia, Internal]
}) {}

const health = HttpApiGroup.make("health").add(
  HttpApiEndpoint.get("health", "/health", {
    query: { nonce: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200))) },
    success: Health
  })
    .annotateMerge(about("Whether the server answers, and how its MCP servers are."))
)

const Seq = Schema.NumberFromString.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(0))

const Decision = [
  Schema.Struct({
    once: Schema.optionalKey(Schema.Boolean).annotate({
      description:
        "for as long as this server runs; else for good. Left out, accepting tools leaves the approval as it is"
    }),
    seen: Schema.optionalKey(Schema.String).annotate({
      description: "`seen` of the details that were looked at; 409 when something changed since"
    })
  }),
  Schema.Null
] as const

const name = { name: Schema.String }
const servers = HttpApiGroup.make("servers").add(
  HttpApiEndpoint.get("list", "/mcp/servers", {
    success: Schema.Struct({ servers: Schema.Array(ServerStatus), problems: ConfigProblems })
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
  HttpApiEndpoint.post("refresh", "/mcp/servers/:name/refresh", {
    params: name,
    success: ServerStatus,
    error: McpProblems
  }).annotateMerge(about("Lists a server's tools again, as if it had said that they changed.")),
  HttpApiEndpoint.get("trust", "/mcp/servers/:name/trust", {
    params: name,
    success: TrustDetails,
    error: McpProblems
  }).annotateMerge(about(
    "What to look at before a decision: the entry of a project file as it is written, without secrets, and what changed."
  )),
  HttpApiEndpoint.post("approve", "/mcp/servers/:name/approve", {
    params: name,
    payload: Decision,
    success: ServerStatus,
    error: McpProblems
  })
    // A misspelt "once" must not become for good.
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(about(
      "Lets a server of a project file start, and accepts tools that changed. Answers at once, while it is on its way."
    )),
  HttpApiEndpoint.post("reject", "/mcp/servers/:name/reject", {
    params: name,
    payload: Decision,
    success: ServerStatus,
    error: McpProblems
  })
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(about("Keeps a server of a project file from starting, and stops it.")),
  HttpApiEndpoint.post("revoke", "/mcp/servers/:name/revoke", {
    params: name,
    success: ServerStatus,
    error: McpProblems
  })
    .annotateMerge(about("Forgets what was decided about a server of a project file, and stops it.")),
  HttpApiEndpoint.get("logs", "/mcp/servers/:name/logs", {
    params: name,
    query: { after: Schema.optionalKey(Seq) },
    success: Schema.Struct({ lines: Schema.Array(LogLine) }),
    error: McpProblems
  }).annotateMerge(about(
    "What became of a server and what it wrote to standard error: the lines with a `seq` above `after`, the oldest first. " +
      "The last 64 KB are kept, also when the server is started anew."
  )),
  HttpApiEndpoint.post("enable", "/mcp/servers/:name/enable", {
    params: name,
    success: ServerStatus,
    error: McpProblems
  }).annotateMerge(about(
    "Enables a server in the file that declares it, and starts it; answers when it is ready or failed."
  )),
  HttpApiEndpoint.post("disable", "/mcp/servers/:name/disable", {
    params: name,
    success: ServerStatus,
    error: McpProblems
  }).annotateMerge(about("Disables a server in the file that declares it, and stops it.")),
  HttpApiEndpoint.post("reload", "/mcp/reload", {
    success: Schema.Struct({ ...Applied, unchanged: Names, problems: ConfigProblems })
  }).annotateMerge(about(
    "Reads the configuration files now instead of a moment after they were saved, and says what changed. " +
      "A file that cannot be used changes nothing."
  )),
  HttpApiEndpoint.get("events", "/events", {
    success: HttpApiSchema.StreamSse({ data: Schema.Union([ServerEvent, ConfigurationEvent]) })
  }).annotateMerge(about(
    "Which servers there are and how each stands, then each at every change of its state, and what changed in the " +
      "configuration whenever it did."
  ))
)

const tools = HttpApiGroup.make("tools").add(
  HttpApiEndpoint.get("list", "/tools", {
    query: { agent: Schema.optionalKey(Schema.String) },
    success: Schema.Struct({ tools: Schema.Array(ToolDocument), warnings: Schema.Array(Schema.String) }),
    error: [NotFound]
  }).annotateMerge(about("The tools of the MCP servers, sorted by name: all, or those an agent's patterns allow.")),
  HttpApiEndpoint.get("search", "/tools/search", {
    query: {
      q: Schema.String.check(Schema.isPattern(/\S/)).annotate({ description: "what a tool should do, or its name" }),
      limit: Schema.optionalKey(
        Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: MAX_LIMIT }))
      ).annotate({ description: `how many at most, from 1 to ${MAX_LIMIT}; ${LIMIT} unless given` }),
      agent: Schema.optionalKey(Schema.String).annotate({ description: "only what this agent may use" })
    },
    success: FoundTools,
    error: [NotFound]
  }).annotateMerge(about(
    "Searches the tools of the MCP servers by what they do, the best first. Answers at once with what there is now."
  )),
  HttpApiEndpoint.post("call", "/tools/:name/call", {
    params: name,
    payload: [
      Schema.Struct({
        args: Schema.optionalKey(Schema.Json),
        timeoutMillis: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0))).annotate({
          description: "how long the tool may be silent, in place of the `timeout` of its server's entry"
        })
      }),
      Schema.Null
    ],
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
