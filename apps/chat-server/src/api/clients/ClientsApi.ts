/** The MCP clients of this server: who is connected and what they called, who has a token, and ending them. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { about, describeName } from "../Documents.ts"
import { BadRequest, Conflict, NotFound } from "../Problems.ts"

/** A client that is connected. */
export const ConnectedClient = Schema.Struct({
  id: Schema.String.annotate({ description: "ends it, and says nothing else" }),
  name: Schema.NullOr(Schema.String).annotate({ description: "that of its token; null for one without" }),
  program: Schema.Struct({ name: Schema.String, version: Schema.String }).annotate({ description: "as it says" }),
  profile: Schema.String,
  exposure: Schema.Literals(["flat", "search", "code"]),
  era: Schema.Literals(["legacy", "modern"]).annotate({
    description: "`modern` since revision 2026-07-28 of the protocol"
  }),
  since: Schema.String,
  lastSeen: Schema.String,
  calls: Schema.Int.annotate({ description: "how many tools it called" }),
  inFlight: Schema.Int.annotate({ description: "how many of these calls are not answered yet" }),
  lastTools: Schema.Array(Schema.String).annotate({ description: "the tools it called last, the newest first" })
})

/** A client that has a token. */
export const KnownClient = Schema.Struct({
  name: Schema.String,
  profile: Schema.String,
  created: Schema.String
})

const ProfileDocument = Schema.Struct({
  name: Schema.String,
  tools: Schema.Array(Schema.String),
  exposure: Schema.Literals(["auto", "flat", "search", "code"]),
  names: Schema.Literals(["prefixed", "bare"]),
  write: Schema.Literals(["off", "ask", "rules"]),
  maxResultBytes: Schema.Int
})

export const Clients = Schema.Struct({
  clients: Schema.Array(ConnectedClient).annotate({ description: "in the order in which they came" }),
  known: Schema.Array(Schema.Struct({
    ...KnownClient.fields,
    signedIn: Schema.optionalKey(Schema.Boolean).annotate({
      description: "true for a connector, which calls itself so"
    })
  })).annotate({ description: "those with a token, sorted by name, then connectors that signed in" }),
  profiles: Schema.Array(ProfileDocument),
  file: Schema.String.annotate({ description: "gateway.jsonc, which holds the profiles" }),
  problems: Schema.Array(Schema.Struct({
    line: Schema.NullOr(Schema.Int),
    column: Schema.NullOr(Schema.Int),
    key: Schema.NullOr(Schema.String),
    message: Schema.String,
    hint: Schema.String
  }))
})

export const ClientsApi = HttpApiGroup.make("clients").add(
  HttpApiEndpoint.get("list", "/clients", { success: Clients }).annotateMerge(
    about("The MCP clients that use this server at /mcp, those that have a token, and what they are offered.")
  ),
  HttpApiEndpoint.get("changes", "/clients/changes", {
    success: HttpApiSchema.StreamSse({ data: Clients })
  }).annotateMerge(about("That list now, and whenever it changes, twice a second at most.")),
  HttpApiEndpoint.post("add", "/clients", {
    payload: Schema.Struct({
      name: Schema.String,
      profile: Schema.optionalKey(Schema.String).annotate({ description: "`default` unless given" })
    }),
    success: Schema.Struct({
      ...KnownClient.fields,
      token: Schema.String.annotate({ description: "shown this once; its hash alone is kept" })
    }).pipe(HttpApiSchema.status(201)),
    error: [BadRequest, NotFound, Conflict]
  }).annotateMerge(about("Lets an MCP client in, and gives the token with which it shows who it is.")),
  HttpApiEndpoint.delete("remove", "/clients/:name", {
    params: describeName,
    success: HttpApiSchema.NoContent,
    error: [NotFound, Conflict]
  }).annotateMerge(about("Takes a client's token back, or all sign-ins of a connector, and ends the client.")),
  HttpApiEndpoint.post("end", "/clients/:name/end", {
    params: { name: Schema.String.annotate({ description: "the `id` of a client, or the name of its token" }) },
    success: Schema.Struct({ ended: Schema.Int }),
    error: [NotFound]
  }).annotateMerge(about("Ends a client that is connected, and its calls. It may connect again.")),
  HttpApiEndpoint.get("attend", "/clients/attend", {
    query: { id: Schema.String.check(Schema.isMaxLength(100)) },
    success: HttpApiSchema.StreamSse({ data: Schema.Null })
  }).annotateMerge(about(
    "For `boocode mcp serve`: an empty stream as long as this server runs. When it is cut off, what was begun with this id " +
      "in `X-BooCode-Bridge` ends."
  ))
)
