/** Servers that an MCP registry publishes: searched, looked at, and installed. */
import { ServerStatus, ToolDifference } from "@boocode/mcp-registry/Schemas"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { about, Names } from "../Documents.ts"
import { TrialDocument } from "../EntriesApi.ts"
import { EntryProblems, UnusableAnswer } from "../Problems.ts"

const Text = Schema.NullOr(Schema.String)

const Published = {
  name: Schema.String.annotate({ description: "reverse DNS and a name, such as `io.github.user/weather`" }),
  title: Text,
  description: Schema.String,
  version: Schema.String,
  publisher: Schema.String.annotate({ description: "the part of the name whose owner the registry has checked" }),
  status: Schema.Literals(["active", "deprecated", "deleted"]),
  statusMessage: Text,
  publishedAt: Text,
  repository: Text.annotate({ description: "http or https" }),
  website: Text.annotate({ description: "http or https" }),
  installed: Names.annotate({ description: "the servers here that were installed from it, whatever their version" })
}

const Asked = {
  registry: Schema.String.annotate({ description: "the address that was asked, or `file:DIR`" }),
  keptAt: Text.annotate({
    description: "when this answer was given, where the registry cannot be reached now; null for an answer of now"
  })
}

export const PublishedSummary = Schema.Struct({
  ...Published,
  kinds: Names.annotate({
    description: "how it can be installed: `remote`, `npm`, `pypi`, `oci`, `nuget`; empty when it cannot be"
  })
})

export const PublishedInput = Schema.Struct({
  key: Schema.String.annotate({ description: "its key in `inputs` of an install" }),
  place: Schema.Literals(["environment", "header", "argument", "address"]),
  description: Text,
  isRequired: Schema.Boolean,
  isSecret: Schema.Boolean.annotate({ description: "its value is written into `.env`, not into the entry" }),
  isRepeated: Schema.Boolean.annotate({ description: "it takes a list of values" }),
  format: Schema.Literals(["string", "number", "boolean", "filepath"]),
  default: Text.annotate({ description: "holds where no value is given" }),
  placeholder: Text,
  choices: Schema.NullOr(Names).annotate({ description: "the only values; offer none of them as a silent default" })
})

export const PublishedCandidate = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literals(["npm", "pypi", "oci", "nuget", "mcpb", "remote", "unknown"]),
  title: Schema.String.annotate({ description: "the package with its version, or the address" }),
  inputs: Schema.Array(PublishedInput).annotate({ description: "those that are needed come first" }),
  runs: Text.annotate({
    description: "the command line or the address, with `{key}` where a value goes; null for one that is refused"
  }),
  warnings: Names,
  refused: Text.annotate({ description: "why it cannot be installed; null when it can" })
})

export const PublishedDetails = Schema.Struct({
  ...Published,
  ...Asked,
  suggestedName: Schema.String.annotate({ description: "a name for the server here that none has yet" }),
  candidates: Schema.Array(PublishedCandidate).annotate({ description: "the ways to install it, the best first" })
})

export const InstallDocument = Schema.Struct({
  name: Schema.String,
  entry: Schema.JsonObject.annotate({ description: "as it is written; a secret is `${NAME}`, or masked" }),
  runs: Schema.String,
  file: Schema.String.annotate({ description: "the file of the entry, as a person would name it" }),
  variables: Names.annotate({ description: "the variables that are written into `.env`" }),
  warnings: Names,
  server: Schema.NullOr(ServerStatus).annotate({
    description: "how it stands after its start, which may be `failed` or `needs-auth`; null with `dryRun`"
  })
})

export const OutdatedServer = Schema.Struct({
  server: Schema.String.annotate({ description: "its name here" }),
  name: Published.name,
  version: Schema.String.annotate({ description: "as it is installed" }),
  latest: Text.annotate({ description: "null for one that the registry does not have any more" }),
  status: Schema.Literals(["active", "deprecated", "deleted", "unknown"])
})

const { pinnedAt: _, ...difference } = ToolDifference.fields

export const UpgradeDocument = Schema.Struct({
  server: Schema.String,
  name: Schema.String,
  from: Schema.String.annotate({ description: "the version that is installed" }),
  to: Schema.String,
  status: Published.status,
  missing: Schema.Array(PublishedInput).annotate({ description: "what this version needs and has no value for" }),
  change: Schema.NullOr(Schema.Struct({
    before: Schema.String.annotate({ description: "the entry as it stands, without secrets" }),
    after: Schema.String,
    runs: Schema.String,
    variables: Names,
    warnings: Names,
    trial: TrialDocument,
    tools: Schema.NullOr(Schema.Struct(difference)).annotate({
      description: "the differences of the tools; null where one of the versions does not list them"
    })
  })).annotate({ description: "with `dryRun`, once nothing is missing" }),
  standing: Schema.NullOr(ServerStatus).annotate({
    description: "how it stands: as before until the new version is ready; null with `dryRun`"
  })
})

const query = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(schema)
const Short = Schema.String.check(Schema.isMaxLength(500))
const Value = Schema.String.check(Schema.isMaxLength(20_000))

const PublishedName = Schema.String.annotate({ description: "the name, with `%2F` for its slash" })

/** The server that is to run, and the values that it gets. */
export const WantedServer = Schema.Struct({
  name: Short,
  version: Short.annotate({ description: "the version that the person saw" }),
  candidate: Short.annotate({ description: "the `id` of a way to install it" }),
  inputs: Schema.Record(Schema.String, Schema.Union([Value, Schema.Array(Value)])).annotate({
    description:
      "values by key; an empty text is none, and `${NAME}` alone takes a variable of the environment or `.env`"
  }),
  as: Schema.optionalKey(Schema.String.check(Schema.isPattern(/\S/), Schema.isMaxLength(200))).annotate({
    description: "the name of the server here; by default `suggestedName`"
  })
})

/** The entry that is to be written. */
export const WantedInstall = Schema.Struct({
  ...WantedServer.fields,
  dryRun: Schema.optionalKey(Schema.Boolean).annotate({ description: "only says what would be written" })
})

/** Which version an installed server is to get. */
export const WantedUpgrade = Schema.Struct({
  server: Short,
  version: Schema.optionalKey(Short.annotate({ description: "by default the latest" })),
  inputs: Schema.optionalKey(WantedServer.fields.inputs),
  dryRun: Schema.optionalKey(Schema.Boolean).annotate({
    description: "starts both versions once, says what differs, and writes nothing"
  })
})

export const RegistryApi = HttpApiGroup.make("registry").add(
  HttpApiEndpoint.get("published", "/registry/servers", {
    query: { search: query(Short), cursor: query(Schema.String.check(Schema.isMaxLength(2000))) },
    success: Schema.Struct({
      ...Asked,
      servers: Schema.Array(PublishedSummary),
      nextCursor: Text.annotate({ description: "`cursor` of the next page; null on the last one" }),
      problems: Names.annotate({ description: "servers of this page that cannot be read" })
    }),
    error: EntryProblems
  }).annotateMerge(about(
    "The latest versions of the servers that the MCP registry of the settings has, 30 a page. The registry is asked with " +
      "each request, 20 s at most; where it cannot be reached, the answer that was kept counts, and without one it is 502."
  )),
  HttpApiEndpoint.get("publishedServer", "/registry/servers/:name", {
    params: { name: PublishedName },
    query: { version: query(Short) },
    success: PublishedDetails,
    error: EntryProblems
  }).annotateMerge(about("One version of a published server, by default the latest, and the ways to install it.")),
  HttpApiEndpoint.get("versions", "/registry/servers/:name/versions", {
    params: { name: PublishedName },
    success: Schema.Struct({
      versions: Schema.Array(Schema.Struct({
        version: Schema.String,
        status: Published.status,
        publishedAt: Text
      }))
    }),
    error: EntryProblems
  }).annotateMerge(about("The versions of a published server, as the registry orders them.")),
  HttpApiEndpoint.post("install", "/registry/install", {
    payload: WantedInstall,
    success: InstallDocument,
    error: [UnusableAnswer, ...EntryProblems]
  })
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(about(
      "Writes the entry of a published server into the data file, with `from` and its version, and its secrets into `.env`, " +
        "and starts it; answers when it is ready or failed. 400 with `problems` names each value that is missing or wrong, " +
        "409 with the state `refused` says why it cannot be installed. Where others reach this server, 403 for what " +
        "`POST /api/mcp/servers` refuses, and secrets stand in the entry."
    )),
  HttpApiEndpoint.post("tryPublished", "/registry/try", {
    payload: WantedServer,
    success: TrialDocument,
    error: [UnusableAnswer, ...EntryProblems]
  })
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(about(
      "Starts a published server with these values, 3 minutes at most, and ends it. Nothing is written. A server that fails is " +
        "200, with why in `server.error`. The same 400, 403 and 409 as for installing it."
    )),
  HttpApiEndpoint.get("outdated", "/registry/outdated", {
    query: { kept: query(Schema.Literal("true")) },
    success: Schema.Struct({ servers: Schema.Array(OutdatedServer) }),
    error: EntryProblems
  }).annotateMerge(about(
    "The installed servers that have another version, or that the registry advises against. The registry is asked about " +
      "each, and 502 where it cannot be reached; with `kept=true` nobody is asked, and what it answered last counts."
  )),
  HttpApiEndpoint.post("upgrade", "/registry/upgrade", {
    payload: WantedUpgrade,
    success: UpgradeDocument,
    error: [UnusableAnswer, ...EntryProblems]
  })
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(about(
      "Writes the entry of an installed server in another version and starts it; what a person added to the entry stays. " +
        "Where values are missing, `missing` has them and nothing is written. 409 with the state `refused` for a server " +
        "without `from`, and for a version that cannot be installed."
    ))
)
