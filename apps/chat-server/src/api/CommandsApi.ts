/** The things a person can put into a message beside words: built-in commands, prompts and resources of servers. */
import { PromptMessage } from "@boocode/chat/Chat"
import * as Commands from "@boocode/chat/Commands"
import { FOUND, MOST_FOUND } from "@boocode/chat/ResourcesList"
import {
  Completion,
  CompletionRequest,
  PromptList,
  PromptResult,
  ResourceContent,
  ResourceList
} from "@boocode/mcp-registry/Schemas"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { about, describeName } from "./Documents.ts"
import { McpProblems } from "./Problems.ts"

/** An update of the watched resource, or of one below it; `at` is in milliseconds since 1970. */
export const WatchEvent = Schema.Union([
  Schema.Struct({ uri: Schema.String, at: Schema.Finite }),
  Schema.Struct({ problem: Schema.Union(McpProblems) })
])

export const FilledPrompt = Schema.Struct({
  ...PromptResult.fields,
  said: Schema.Array(PromptMessage).annotate({ description: "its messages as text: `prompt` of a message" }),
  text: Schema.String.annotate({ description: "all messages as the text of one" })
})

const server = Schema.optionalKey(Schema.String).annotate({
  description: "only those of this server, which is woken where it sleeps"
})

const LISTS =
  "Lists are kept until their server says that they changed. Servers that sleep are not woken for it; those, " +
  "and servers that take longer than 5 seconds, are in `waiting`, and those whose list cannot be had in `failed`."

export const CommandsApi = HttpApiGroup.make("commands").add(
  HttpApiEndpoint.get("commands", "/commands", {
    success: Schema.Struct({ commands: Schema.Array(Commands.Command) })
  }).annotateMerge(about("The built-in commands of the composer.")),
  HttpApiEndpoint.get("prompts", "/prompts", { query: { server }, success: PromptList, error: McpProblems })
    .annotateMerge(about(`The prompts of the MCP servers. ${LISTS}`)),
  HttpApiEndpoint.post("prompt", "/mcp/servers/:name/prompts/:prompt", {
    params: { ...describeName, prompt: Schema.String },
    payload: [Schema.Struct({ args: Schema.optionalKey(Schema.NullOr(Schema.JsonObject)) }), Schema.Null],
    success: FilledPrompt,
    error: McpProblems
  })
    // A misspelt "args" must not become a prompt without arguments.
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(about("Has a server fill in one of its prompts.")),
  HttpApiEndpoint.get("resources", "/resources", {
    query: {
      q: Schema.optionalKey(Schema.String).annotate({ description: "words of a name, a URI or a description" }),
      limit: Schema.optionalKey(
        Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: MOST_FOUND }))
      ).annotate({ description: `how many at most, from 1 to ${MOST_FOUND}; ${FOUND} unless given` }),
      server
    },
    success: Schema.Struct({
      ...ResourceList.fields,
      total: Schema.Int.annotate({ description: "how many resources there are that fit, before the limit" })
    }),
    error: McpProblems
  }).annotateMerge(about(`The resources of the MCP servers and the templates of their URIs. ${LISTS}`)),
  HttpApiEndpoint.post("read", "/mcp/servers/:name/resources/read", {
    params: describeName,
    payload: Schema.Struct({ uri: Schema.NonEmptyString }),
    success: Schema.Struct({ contents: Schema.Array(ResourceContent) }),
    error: McpProblems
  }).annotateMerge(about("Reads a resource.")),
  HttpApiEndpoint.get("watch", "/mcp/servers/:name/resources/watch", {
    params: describeName,
    query: { uri: Schema.NonEmptyString },
    success: HttpApiSchema.StreamSse({ data: WatchEvent }),
    error: McpProblems
  }).annotateMerge(about(
    "An event when the watch begins, then one for each change of the resource, and one when it may have changed while its server " +
      "was away. A client that reads it at each event misses nothing. Ends with a problem when the server tells of no updates, or is removed."
  )),
  HttpApiEndpoint.post("complete", "/mcp/servers/:name/complete", {
    params: describeName,
    payload: CompletionRequest,
    success: Completion,
    error: McpProblems
  }).annotateMerge(about(
    "Suggestions of a server for an argument of a prompt, or a part of a template, while it is typed. Empty where it suggests nothing."
  ))
)
