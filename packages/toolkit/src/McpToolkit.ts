/**
 * The registry's tools as agents and language models use them.
 */
import { Nearest } from "@boocode/mcp-config"
import { type McpError, type McpErrorReason, McpErrors, McpRegistry, type McpTool } from "@boocode/mcp-registry"
import * as AiTool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { AgentTool } from "./AgentTool.ts"
import * as Dialect from "./Dialect.ts"
import * as ModelText from "./ModelText.ts"
import { ResultFiles } from "./ResultFiles.ts"
import * as ToolCall from "./ToolCall.ts"
import * as ToolResult from "./ToolResult.ts"
import * as Utf8 from "./Utf8.ts"

/**
 * A tool as a language model knows it: raw JSON Schema in, text out, failures as results.
 *
 * @category models
 */
export type ModelTool = AiTool.Tool<string, {
  readonly parameters: typeof Schema.Unknown
  readonly success: typeof Schema.String
  readonly failure: typeof Schema.String
  readonly failureMode: "return"
}>

/**
 * Any number of tools under names known at run time.
 *
 * @category models
 */
export type ModelToolkit = Toolkit.WithHandler<Record<string, ModelTool>>

/**
 * MCP tools as the kind of tool a turn knows. Running one never fails: an `McpError` is an error result that names the
 * server, the tool, what happened and what to try; an unreachable server reads `MCP server unreachable: NAME (why)`.
 *
 * @category constructors
 */
export const agentTools = Effect.fnUntraced(function*(
  view: ReadonlyArray<McpTool>
): Effect.fn.Return<ReadonlyArray<AgentTool>, never, McpRegistry | ResultFiles> {
  const registry = yield* McpRegistry
  const files = yield* ResultFiles
  return view.map((tool): AgentTool => ({
    name: tool.name,
    server: tool.server,
    description: tool.description ?? "",
    inputSchema: tool.inputSchema,
    tokens: tool.tokens,
    isAlwaysLoaded: tool.isAlwaysLoaded,
    run: (args, options) =>
      ToolCall.run(tool, args, options).pipe(
        Effect.catch((error) => Effect.succeed(failed(tool, error))),
        // A mistake of ours must not cost the person their turn.
        Effect.catchDefect((defect) =>
          Effect.as(
            Effect.logError(`${tool.name} failed unexpectedly`, defect),
            ToolResult.failure(defectText(tool), { origin: originOf(tool) })
          )
        ),
        Effect.provideService(ResultFiles, files),
        Effect.provideService(McpRegistry, registry)
      )
  }))
})

const originOf = ({ isTrusted, server, tool }: McpTool) => ({ server, tool, isTrusted })

const failed = (tool: McpTool, error: McpError): ToolResult.ToolResult =>
  ToolResult.failure(errorText(tool, error), {
    origin: originOf(tool),
    fault: OF_THE_CALL.has(error.reason._tag) ? "call" : "server"
  })

/**
 * Tools as an `effect/ai` toolkit. Its `handle` never fails: a tool's error is a failure result, and a name nobody has
 * is answered with the nearest ones. A model sees the text of a result, cut as `ModelText` says.
 *
 * With automatic tool resolution Effect itself fails the stream of a model that invents a name, before it asks the
 * toolkit. To have that answered too, stream with `disableToolCallResolution: true` and `toolCallValidation:
 * "deferred"`, and run each call by `handle`.
 *
 * @category constructors
 */
export const toolkit = Effect.fnUntraced(function*(
  tools: ReadonlyArray<AgentTool>
): Effect.fn.Return<ModelToolkit, never, ResultFiles> {
  const files = yield* ResultFiles
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  // Effect's own handler costs a queue, a fiber and two encodings a call; the interface asks for none of them.
  const handle = (name: string, args: unknown) => {
    const tool = byName.get(name)
    const text = tool === undefined
      ? Effect.succeed(handlerResult(unknownTool(name, [...byName.keys()]), true))
      // A toolkit's stream has no place for progress; whoever shows it runs the AgentTool.
      : Effect.flatMap(
        tool.run(args),
        (result) => Effect.map(ModelText.fromResult(result), (text) => handlerResult(text, result.isError))
      )
    return Effect.succeed(Stream.fromEffect(Effect.provideService(text, ResultFiles, files)))
  }
  return { tools: definitions(tools), handle }
})

/**
 * The toolkit of the tools that patterns allow at this moment (Decision 3); `undefined` allows all.
 *
 * @category constructors
 */
export const forAgent = Effect.fnUntraced(function*(
  patterns: ReadonlyArray<string> | undefined
): Effect.fn.Return<ModelToolkit, never, McpRegistry | ResultFiles> {
  const registry = yield* McpRegistry
  const view = yield* registry.view(patterns)
  const { tools } = Dialect.speak(yield* agentTools(view.tools), "openai")
  return yield* toolkit(tools)
})

/**
 * What a model reads when it calls a name that nobody has.
 *
 * @category rendering
 */
export const unknownTool = (name: string, known: ReadonlyArray<string>): string => {
  const reason = new McpErrors.UnknownTool({ name, nearest: Nearest.nearest(name, known) })
  return `${reason.message}; ${reason.hint}`
}

const definitions = (tools: ReadonlyArray<AgentTool>): Record<string, ModelTool> => {
  // Without a prototype, so that a model that calls "constructor" finds nothing.
  const result: Record<string, ModelTool> = Object.create(null)
  for (const tool of tools) {
    result[tool.name] = AiTool.dynamic(tool.name, {
      description: tool.description,
      parameters: tool.inputSchema,
      success: Schema.String,
      failure: Schema.String,
      failureMode: "return"
    }).annotate(AiTool.Strict, false)
  }
  return result
}

const handlerResult = (text: string, isFailure: boolean): AiTool.HandlerResult<ModelTool> => ({
  result: text,
  encodedResult: text,
  isFailure,
  ...(isFailure ? { failureOrigin: "handler" } : {}),
  preliminary: false
})

// Reasons that speak of one call to a server that can be reached; every other reason says that it cannot.
const ABOUT_THE_CALL: ReadonlySet<McpErrorReason["_tag"]> = new Set([
  "UnknownServer",
  "UnknownTool",
  "RejectedByPolicy",
  "InvalidArguments",
  "CallTimeout",
  "OutcomeUnknown",
  "MessageTooLarge",
  "RequestFailed",
  "AlreadyRunning",
  "NotRunning"
])

/** Reasons that say nothing against the server. */
const OF_THE_CALL: ReadonlySet<McpErrorReason["_tag"]> = new Set([
  "UnknownTool",
  "RejectedByPolicy",
  "InvalidArguments",
  "MessageTooLarge"
])

const about = (tool: McpTool): string => `${tool.name} (tool ${tool.tool} of MCP server ${tool.server})`

const defectText = (tool: McpTool): string =>
  `${about(tool)} failed: an unexpected error here, not in the server; the log has the details`

const ERROR_TEXT_BYTES = 8192

const errorText = (tool: McpTool, error: McpError): string => {
  const words = `${Utf8.prefix(error.reason.message, ERROR_TEXT_BYTES)}; ${error.hint}`
  return ABOUT_THE_CALL.has(error.reason._tag)
    ? `${about(tool)} failed: ${words}`
    : `MCP server unreachable: ${tool.server} (calling ${tool.tool}: ${words.replaceAll(/\s+/g, " ")})`
}
