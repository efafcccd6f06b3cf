/** The tools of the MCP servers: list, search, call. */
import type { CallProgress, McpTool, ServerStatus } from "@boocode/mcp-registry"
import { CallEvents, type RunOptions, ToolResult, type ToolSearch } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { about, describeName, FoundTools, ToolDocument, toolDocument } from "./Documents.ts"
import * as Problems from "./Problems.ts"
import { McpProblems, NotFound } from "./Problems.ts"

export interface ToolQuery {
  readonly query: string
  /** How many tools at most. */
  readonly limit: number
}

/** How many tools a search finds unless it is told. */
export const LIMIT = 10
/** How many it may be told. */
const MAX_LIMIT = 100

/** Where it looks: an index that is kept, all tools there are, those that may be found, and how the servers stand. */
export interface ToolPlaces {
  readonly index: ToolSearch.ToolSearch
  readonly all: ReadonlyArray<McpTool>
  readonly allowed: ReadonlyArray<McpTool>
  readonly servers: ReadonlyArray<ServerStatus>
}

export const findTools = Effect.fnUntraced(function*(
  { all, allowed, index, servers }: ToolPlaces,
  { limit, query }: ToolQuery
): Effect.fn.Return<typeof FoundTools.Type> {
  const byName = new Map(allowed.map((tool) => [tool.name, tool]))
  yield* index.updateInSteps(all)
  const found = index.search(query, { limit, allows: (name) => byName.has(name) })
  return {
    tools: found.flatMap(({ name, score }) => {
      const tool = byName.get(name)
      return tool === undefined ? [] : [{ ...toolDocument(tool), score: Math.round(score * 1000) / 1000 }]
    }),
    waiting: servers.filter(({ state }) => state === "connecting").map(({ name }) => name),
    failed: servers.filter(({ state }) => state === "failed" || state === "needs-auth").map(({ name }) => name)
  }
})

/** The events of one call; `result` or `problem` is the last. */
export const CallEvent = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("progress"),
    progress: Schema.Finite,
    total: Schema.NullOr(Schema.Finite),
    message: Schema.NullOr(Schema.String)
  }),
  Schema.Struct({ type: Schema.Literal("result"), result: ToolResult.ToolResult }),
  Schema.Struct({ type: Schema.Literal("problem"), problem: Schema.Union(Problems.McpProblems) })
])
export type CallEvent = typeof CallEvent.Type

/** Calls when it is read, and ends with how the call ended. Progress comes at most once in 200 ms. The call is cancelled when nobody reads. */
export const makeCallStream = <R>(
  call: (options: Pick<RunOptions, "onProgress">) => Effect.Effect<ToolResult.ToolResult, Problems.CallFailure, R>
): Stream.Stream<CallEvent, never, R> =>
  Stream.callback<CallEvent, never, R>(Effect.fnUntraced(function*(events) {
    const tell = (event: CallEvent) => Queue.offer(events, event)
    const onProgress = yield* CallEvents.throttled((progress: CallProgress) => tell({ type: "progress", ...progress }))
    yield* call({ onProgress }).pipe(
      Effect.matchEffect({
        onSuccess: (result) => tell({ type: "result", result }),
        onFailure: (error) => tell({ type: "problem", problem: Problems.fromCall(error) })
      }),
      Effect.ensuring(Queue.end(events))
    )
  }))

const Call = [
  Schema.Struct({
    args: Schema.optionalKey(Schema.Json),
    timeoutMillis: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0))).annotate({
      description: "how long the tool may be silent, in place of the `timeout` of its server's entry"
    }),
    approved: Schema.optionalKey(Schema.Boolean).annotate({
      description: "a person's yes to this very call, which a tool that writes needs; 403 `YesNeeded` without it"
    })
  }),
  Schema.Null
] as const

export const ToolsApi = HttpApiGroup.make("tools").add(
  HttpApiEndpoint.get("list", "/tools", {
    query: {
      agent: Schema.optionalKey(Schema.String),
      callable: Schema.optionalKey(Schema.Literal("true")).annotate({
        description: "all that a person may call: also tools that are kept from models because they write"
      })
    },
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
    params: describeName,
    payload: Call,
    success: ToolResult.ToolResult,
    error: McpProblems
  })
    // A misspelt "args" must not become a call without arguments.
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(about(
      "Calls a tool. The tool's own error is 200 with `isError`. A call that a rule of permissions.jsonc denies is 403 " +
        "`CallDenied`."
    )),
  HttpApiEndpoint.post("stream", "/tools/:name/stream", {
    params: describeName,
    payload: Call,
    success: HttpApiSchema.StreamSse({ data: CallEvent })
  })
    .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
    .annotateMerge(about(
      "Calls a tool and tells its progress meanwhile. The last event is the result, or the problem that `/call` would be " +
        "answered with. Closing the connection cancels the call."
    ))
)
