/** Agents that are made, changed and taken away, and what their patterns would come to. */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { about, AgentDocument, describeName, nullable } from "./Documents.ts"
import { BadRequest, Conflict, NotFound, WrongKey } from "./Problems.ts"

const Patterns = Schema.Array(Schema.String)

const tools = nullable(Patterns).annotate({
  description: "patterns over tool names, of which the last that matches decides; null is every tool, `[]` none"
})
const ask = nullable(Patterns).annotate({
  description: "patterns of tools whose calls need a person's yes, besides those that settings and servers name"
})

export const NewAgent = Schema.Struct({
  name: Schema.String.annotate({ description: "not blank, on one line" }),
  description: nullable(Schema.String),
  prompt: Schema.String,
  tools,
  model: nullable(Schema.String).annotate({
    description: "such as `openai/gpt-5`; null leaves it to chat and program"
  }),
  steps: nullable(Schema.Finite).annotate({ description: "requests to the model in a turn, 1 to 1000; null is 25" }),
  temperature: nullable(Schema.Finite).annotate({ description: "0 to 2; null leaves it to the provider" }),
  ask,
  code: nullable(Schema.Boolean).annotate({
    description: "whether its model writes programs that call tools; null leaves it to the settings"
  }),
  for: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String))).annotate({
    description: "who sees it: admins, group:NAME or names of people; null is everyone, and left out it stays as it is"
  })
})

const PreviewedTool = Schema.Struct({
  name: Schema.String,
  server: Schema.NullOr(Schema.String).annotate({ description: "null for a built-in tool" }),
  allowed: Schema.Boolean,
  pattern: Schema.NullOr(Schema.String).annotate({
    description: "the pattern of `tools` that decided, such as `!web_*`; null where none matches"
  }),
  asks: Schema.Boolean.annotate({ description: "true when it is allowed and its calls need a person's yes" })
})

const Unmatched = Schema.Struct({
  key: Schema.Literals(["tools", "ask"]),
  pattern: Schema.String,
  nearest: Schema.Array(Schema.String).annotate({ description: "the names that may be meant, the closest first" }),
  waiting: Schema.NullOr(Schema.String).annotate({
    description: "a server that is not ready and may bring a tool of this name"
  })
})

export const AgentPreview = Schema.Struct({
  tools: Schema.Array(PreviewedTool),
  unmatched: Schema.Array(Unmatched).annotate({ description: "patterns that match no tool there is" }),
  tokens: Schema.Int.annotate({ description: "what the allowed tools cost in a request, about" })
})

const WRITES =
  "The other agents of its file and all comments stay as they are. 400 names the `key` that is wrong; 409 when " +
  "the name is taken or the file cannot be written, and then nothing was."

export const AgentEditsApi = HttpApiGroup.make("agentEdits").add(
  HttpApiEndpoint.post("create", "/agents", {
    payload: NewAgent,
    success: AgentDocument.pipe(HttpApiSchema.status(201)),
    error: [WrongKey, BadRequest, Conflict]
  })
    // A misspelt "tools" must not become an agent with every tool.
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(about(`Makes an agent, in a file of its own in the folder agents/. ${WRITES}`)),
  HttpApiEndpoint.post("preview", "/agents/preview", {
    payload: Schema.Struct({ tools, ask }),
    success: AgentPreview,
    error: [WrongKey, BadRequest]
  })
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(
      about("Tries patterns with the tools there are now: which are allowed, and which pattern decided.")
    ),
  HttpApiEndpoint.put("replace", "/agents/:name", {
    params: describeName,
    payload: NewAgent,
    success: AgentDocument,
    error: [WrongKey, BadRequest, NotFound, Conflict]
  })
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(about(
      `Changes an agent where it is written; what is left out or null is taken away, and only who it is for stays. Its name may change. ${WRITES}`
    )),
  HttpApiEndpoint.delete("remove", "/agents/:name", {
    params: describeName,
    success: HttpApiSchema.NoContent,
    error: [NotFound, Conflict]
  }).annotateMerge(about(
    "Takes an agent out of its file. A file in the folder agents/ goes with its last agent; AGENTS.md stays."
  ))
)
