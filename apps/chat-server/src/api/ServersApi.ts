/** The MCP servers: how they stand, and what is done with them. */
import { LOG_LEVELS } from "@boocode/mcp-config"
import { LogLine, ServerStatus, TrustDetails } from "@boocode/mcp-registry/Schemas"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { QuestionAnswerEvent, QuestionEvent } from "./AskingApi.ts"
import {
  about,
  AgentsEvent,
  Applied,
  ChatEvent,
  ChatRemovedEvent,
  ConfigProblems,
  ConfigurationEvent,
  describeName,
  FileWriteMode,
  ModelsEvent,
  Names,
  PermissionsEvent,
  Refreshed,
  Seq,
  ServerEvent
} from "./Documents.ts"
import { EntryProblems, McpProblems } from "./Problems.ts"

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

/** The changes of a reload, and the files it could not read. */
export const Reloaded = Schema.Struct({ ...Applied, unchanged: Names, problems: ConfigProblems })

export const ServerEvents = Schema.Union([
  ServerEvent,
  ConfigurationEvent,
  AgentsEvent,
  ModelsEvent,
  PermissionsEvent,
  ChatEvent,
  ChatRemovedEvent,
  QuestionEvent,
  QuestionAnswerEvent
])

const onServer = <const Name extends string, const Path extends `/${string}`>(name: Name, path: Path, words: string) =>
  HttpApiEndpoint.post(name, path, { params: describeName, success: ServerStatus, error: McpProblems })
    .annotateMerge(about(words))

export const ServersApi = HttpApiGroup.make("servers").add(
  HttpApiEndpoint.get("list", "/mcp/servers", {
    success: Schema.Struct({ servers: Schema.Array(ServerStatus), problems: ConfigProblems, write: FileWriteMode })
  }).annotateMerge(about(
    "Every configured MCP server as it stands, sorted by name, what keeps whole configuration files from being used, " +
      "and whether tools that write are called."
  )),
  HttpApiEndpoint.post("add", "/mcp/servers", {
    payload: Schema.Struct({
      name: Schema.String.check(Schema.isPattern(/\S/), Schema.isMaxLength(200)),
      entry: Schema.JsonObject.annotate({ description: "as it would stand under that name in mcp.json" })
    }),
    success: ServerStatus.pipe(HttpApiSchema.status(201)),
    error: EntryProblems
  })
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(about(
      "Writes an entry into the data file and starts its server; answers when it is ready or failed. 409 when the name is " +
        "taken. Where others reach this server 403 for an entry that would run a program here, send variables of this " +
        "machine away, or lead to an address that is not public, and what is added stays bound to public addresses."
    )),
  HttpApiEndpoint.delete("remove", "/mcp/servers/:name", {
    params: describeName,
    success: HttpApiSchema.NoContent,
    error: EntryProblems
  }).annotateMerge(
    about("Removes a server's entry from the data file, and stops it. 409 when another file declares it.")
  ),
  onServer("start", "/mcp/servers/:name/start", "Starts a server; answers when it is ready, or with why it is not."),
  onServer("stop", "/mcp/servers/:name/stop", "Stops a server; answers when it is gone."),
  onServer("restart", "/mcp/servers/:name/restart", "Stops a server if it runs, then starts it."),
  onServer(
    "refresh",
    "/mcp/servers/:name/refresh",
    "Lists a server's tools again, as if it had said that they changed."
  ),
  HttpApiEndpoint.post("refreshAll", "/mcp/refresh", { success: Refreshed }).annotateMerge(about(
    "Lists the tools of every server that is ready again, all at the same time. One that sleeps is not woken, and none is " +
      "started. A server whose list fails keeps the tools it has."
  )),
  HttpApiEndpoint.post("ping", "/mcp/servers/:name/ping", {
    params: describeName,
    success: Schema.Struct({
      millis: Schema.Finite.annotate({ description: "how long its answer took" })
    }),
    error: McpProblems
  }).annotateMerge(about(
    "Asks a server whether it is there, 10 s at most. One that sleeps is woken; 504 when it does not answer."
  )),
  HttpApiEndpoint.get("trust", "/mcp/servers/:name/trust", {
    params: describeName,
    success: TrustDetails,
    error: McpProblems
  }).annotateMerge(about(
    "The details to look at before a decision: the entry of a project file as it is written, without secrets, and what changed."
  )),
  HttpApiEndpoint.post("approve", "/mcp/servers/:name/approve", {
    params: describeName,
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
    params: describeName,
    payload: Decision,
    success: ServerStatus,
    error: McpProblems
  })
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(about("Keeps a server of a project file from starting, and stops it.")),
  onServer(
    "revoke",
    "/mcp/servers/:name/revoke",
    "Forgets what was decided about a server of a project file, and stops it."
  ),
  HttpApiEndpoint.get("logs", "/mcp/servers/:name/logs", {
    params: describeName,
    query: { after: Schema.optionalKey(Seq) },
    success: Schema.Struct({ lines: Schema.Array(LogLine) }),
    error: McpProblems
  }).annotateMerge(about(
    "The log of a server: its states, what it wrote to standard error and its log messages: the lines with a `seq` above `after`, the oldest first. " +
      "The last 64 KB are kept, also when the server is started anew."
  )),
  HttpApiEndpoint.put("logLevel", "/mcp/servers/:name/log-level", {
    params: describeName,
    payload: Schema.Struct({
      level: Schema.NullOr(Schema.Literals(LOG_LEVELS)).annotate({ description: "null is what its entry says" })
    }),
    success: ServerStatus,
    error: McpProblems
  }).annotateMerge(about(
    "From which level on a server's log messages are wanted, until somebody wants another or this server ends. 409 when it " +
      "sends none."
  )),
  onServer(
    "enable",
    "/mcp/servers/:name/enable",
    "Enables a server in the file that declares it, and starts it; answers when it is ready or failed."
  ),
  onServer("disable", "/mcp/servers/:name/disable", "Disables a server in the file that declares it, and stops it."),
  HttpApiEndpoint.post("writes", "/mcp/servers/:name/writes", {
    params: describeName,
    payload: Schema.Struct({
      writes: Schema.Literals(["off", "ask"]).annotate({
        description:
          "`ask` offers the tools that are left out because they write; `off` takes `writes` out of the entry"
      })
    }),
    success: ServerStatus,
    error: McpProblems
  })
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(about(
      "Offers a server's writing tools, each call with a person's yes, in the file that declares it. The server runs on. 409 " +
        "for a server of a project file, which cannot offer them."
    )),
  HttpApiEndpoint.post("reload", "/mcp/reload", {
    success: Reloaded
  }).annotateMerge(about(
    "Reads the configuration files now instead of a moment after they were saved, and says what changed. " +
      "A file that cannot be used changes nothing."
  )),
  HttpApiEndpoint.get("events", "/events", {
    success: HttpApiSchema.StreamSse({
      data: ServerEvents
    })
  }).annotateMerge(about(
    "Which servers there are and how each stands, then each at every change of its state, and what changed in the " +
      "configuration whenever it did. `agents` tells that a file of agents changed, `models` that " +
      "`GET /api/models` and `GET /api/providers` say something else, `chat` how a chat stands after each change, " +
      "`chat-removed` that one is gone. `question` is what a server asks outside chats, first those that wait; " +
      "`question-answer` says that one is over."
  ))
)
