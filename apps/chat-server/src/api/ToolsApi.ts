/**
 * The tools of the MCP servers: list, search, call.
 */
import { ToolResult } from "@boocode/toolkit"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { FoundTools, ToolDocument } from "../ApiDocuments.ts"
import { McpProblems, NotFound } from "../ApiErrors.ts"
import { CallEvent } from "../CallStream.ts"
import { LIMIT, MAX_LIMIT } from "../ToolFinding.ts"
import { about, name } from "./Describe.ts"

const Call = [
  Schema.Struct({
    args: Schema.optionalKey(Schema.Json),
    timeoutMillis: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0))).annotate({
      description: "how long the tool may be silent, in place of the `timeout` of its server's entry"
    })
  }),
  Schema.Null
] as const

export const ToolsApi = HttpApiGroup.make("tools").add(
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
    payload: Call,
    success: ToolResult.ToolResult,
    error: McpProblems
  })
    // A misspelt "args" must not become a call without arguments.
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(about("Calls a tool. The tool's own error is 200 with `isError`.")),
  HttpApiEndpoint.post("stream", "/tools/:name/stream", {
    params: name,
    payload: Call,
    success: HttpApiSchema.StreamSse({ data: CallEvent })
  })
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(about(
      "Calls a tool and tells its progress meanwhile. The last event is the result, or the problem that `/call` would be " +
        "answered with. Closing the connection cancels the call."
    ))
)
