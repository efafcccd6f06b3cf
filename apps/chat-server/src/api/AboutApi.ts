/** Routes about the server itself: version and folders, login, agents and models, health, settings. */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { NODE_STATES } from "../telemetry/FleetView.ts"
import { about, AgentDocument, AgentProblemDocument, Health, Models, Names } from "./Documents.ts"
import { BadRequest, Conflict, Forbidden, NotFound, NotReady } from "./Problems.ts"

export const AboutDocument = Schema.Struct({
  version: Schema.String.annotate({ description: "of BooCode" }),
  node: Schema.String,
  command: Schema.String.annotate({
    description: "what runs BooCode on its machine: `boocode`, or that of a checkout"
  }),
  storage: Schema.Struct({
    kind: Schema.Literals(["sqlite", "postgres", "memory"]),
    name: Schema.String.annotate({ description: "its file, or its address without user and password" })
  }),
  data: Schema.String.annotate({ description: "the folder with configuration, agents and workspace" }),
  state: Schema.String.annotate({ description: "the folder with chats, results and what was allowed" }),
  fleet: Schema.Boolean.annotate({ description: "whether it is a node of a fleet" })
})

export const AboutApi = HttpApiGroup.make("about").add(
  HttpApiEndpoint.get("about", "/about", { success: AboutDocument })
    .annotateMerge(about("The version that runs, and where it keeps chats and configuration."))
)

export const AccessApi = HttpApiGroup.make("access").add(
  HttpApiEndpoint.post("login", "/login", {
    payload: Schema.Struct({ token: Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(1000))) }),
    success: HttpApiSchema.NoContent
  })
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(about(
      "Takes the token and sets the cookie `boocode_session`, which is good for 30 days. 401 for a wrong token, 429 after " +
        "more than 10 of them in a minute. Where nobody needs a token it does nothing."
    )),
  HttpApiEndpoint.post("logout", "/logout", { success: HttpApiSchema.NoContent, error: [NotReady] })
    .annotateMerge(about(
      "Ends the session of the cookie, here and in the browser. A person's token that the request shows is taken back."
    ))
)

export const AgentsApi = HttpApiGroup.make("agents").add(
  HttpApiEndpoint.get("agents", "/agents", {
    success: Schema.Struct({ agents: Schema.Array(AgentDocument), problems: Schema.Array(AgentProblemDocument) })
  }).annotateMerge(about(
    "The agents of AGENTS.md and of the folder agents/, the default one first, and what is wrong in those files."
  )),
  HttpApiEndpoint.get("models", "/models", { success: Models })
    .annotateMerge(about("Which model providers can be used, and what the others are missing."))
)

export const HealthApi = HttpApiGroup.make("health").add(
  HttpApiEndpoint.get("health", "/health", {
    query: {
      nonce: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200))),
      ready: Schema.optionalKey(Schema.String).annotate({
        description:
          "503 unless `status` is ok, for load balancers. MCP servers that connect count at a node of a fleet alone, " +
          "for 20 s after its start"
      })
    },
    success: Health,
    error: [NotReady]
  })
    .annotateMerge(about("Whether the server answers, and how its MCP servers are."))
)

export const NodeDocument = Schema.Struct({
  address: Schema.String.annotate({ description: "where the other nodes reach it" }),
  version: Schema.String,
  since: Schema.String.annotate({ description: "when it joined" }),
  state: Schema.Literals(NODE_STATES).annotate({
    description:
      "`joining` until the others know it, `draining` while it gives away what it owns, `drained` when it owns nothing, " +
      "`gone` when it does not answer"
  }),
  servers: Names.annotate({ description: "the servers that it runs for all nodes" }),
  chats: Schema.Int.annotate({ description: "how many chats are at home there and in use" }),
  shares: Schema.Int.annotate({
    description: "how many of the 100 shares of all servers and chats it owns, used or not"
  })
})

export const ConfigVersionDocument = Schema.Struct({
  name: Schema.String.annotate({ description: "the file in the data folder" }),
  version: Schema.Int,
  removed: Schema.Boolean.annotate({ description: "whether this version removed the file" }),
  by: Schema.String.annotate({ description: "the node or command that wrote it, and the person at whose request" }),
  at: Schema.String
})

const Version = Schema.Int.check(Schema.isGreaterThan(0))
const FileName = Schema.String.check(Schema.isMaxLength(300))

export const ComparedVersionDocument = Schema.Struct({
  newest: Schema.Int.annotate({ description: "the number of the newest version" }),
  before: Schema.NullOr(Schema.String).annotate({
    description: "the newest version; null where the file is not there. Secrets are hidden, here and in `after`"
  }),
  after: Schema.NullOr(Schema.String).annotate({ description: "the version that was asked for" }),
  same: Schema.Boolean.annotate({ description: "whether nothing differs, hidden or not" })
})

export const FleetApi = HttpApiGroup.make("fleet").add(
  HttpApiEndpoint.get("nodes", "/fleet", {
    success: Schema.Struct({ nodes: Schema.Array(NodeDocument) }),
    error: [Conflict, NotReady]
  }).annotateMerge(about("The nodes of the fleet, by address. 409 where the server is alone.")),
  HttpApiEndpoint.post("drain", "/fleet/drain", {
    payload: Schema.Struct({ node: Schema.String.check(Schema.isMaxLength(300)) }),
    success: NodeDocument,
    error: [NotFound, Conflict, NotReady]
  }).annotateMerge(about(
    "The node gives its servers and chats to the others within 10 s, and takes none until it is started again. It goes " +
      "on answering requests. 409 for the last node, whose work nobody could take."
  )),
  HttpApiEndpoint.get("versions", "/fleet/configuration", {
    success: Schema.Struct({ versions: Schema.Array(ConfigVersionDocument) }),
    error: [Conflict, NotReady]
  }).annotateMerge(
    about("The kept versions of the fleet's configuration, the newest first. 409 where the server is alone.")
  ),
  HttpApiEndpoint.get("compare", "/fleet/configuration/compare", {
    query: { name: FileName, version: Schema.NumberFromString.check(Schema.isInt()) },
    success: ComparedVersionDocument,
    error: [NotFound, Conflict, NotReady]
  }).annotateMerge(about("How a version of a file differs from the newest one.")),
  HttpApiEndpoint.post("restore", "/fleet/configuration/restore", {
    payload: Schema.Struct({ name: FileName, version: Version, newest: Version }),
    success: Schema.Struct({ name: Schema.String, version: Schema.Int }),
    error: [NotFound, Conflict, NotReady]
  }).annotateMerge(about(
    "Makes a version of a file the newest one; all nodes take it over. Gives its new number. 409 if `newest`, the newest " +
      "version when it was compared, is not the newest any more."
  ))
)

export const SettingDocument = Schema.Struct({
  key: Schema.String,
  about: Schema.String.annotate({ description: "what it decides" }),
  wanted: Schema.String.annotate({ description: "what may stand there" }),
  value: Schema.Json.annotate({
    description: "what holds now; of a secret `true` when it is set and `false` when not"
  }),
  default: Schema.Json,
  written: Schema.NullOr(Schema.Json).annotate({
    description: "what settings.json says; null when it has not the key"
  }),
  source: Schema.Literals(["default", "settings.json"]).annotate({ description: "where `value` comes from" }),
  secret: Schema.Boolean,
  editable: Schema.Boolean.annotate({
    description: "false for what only the file may change, where others reach the server"
  }),
  restart: Schema.Boolean.annotate({ description: "true when what is written holds only after the next start" })
})

export const SettingsDocument = Schema.Struct({
  file: Schema.String,
  settings: Schema.Array(SettingDocument),
  problems: Schema.Array(Schema.String).annotate({ description: "what of the file is not read, and why" })
})

export const SettingsApi = HttpApiGroup.make("settings").add(
  HttpApiEndpoint.get("settings", "/settings", { success: SettingsDocument })
    .annotateMerge(
      about("Every setting: what holds, what it is without a file, and what the file says now. Never a secret.")
    ),
  HttpApiEndpoint.patch("change", "/settings", {
    payload: Schema.Record(Schema.String, Schema.Json),
    success: SettingsDocument,
    error: [BadRequest, Forbidden, Conflict]
  }).annotateMerge(about(
    "Writes keys into settings.json and leaves the rest of it as it is written, comments included; null removes a key. " +
      "All or nothing: an unknown key or a wrong value is 400. `restart` names the settings that need the next start."
  ))
)
