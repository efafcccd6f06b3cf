/** The registry's tools as agents and language models use them. */
import { Nearest } from "@boocode/mcp-config"
import { type McpError, type McpErrorReason, McpErrors, McpRegistry, type McpTool } from "@boocode/mcp-registry"
import * as Prompt from "effect/ai/Prompt"
import * as AiTool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ModelReading from "./results/ModelReading.ts"
import { ResultFiles } from "./results/ResultFiles.ts"
import * as ToolResult from "./results/ToolResult.ts"
import * as Utf8 from "./text/Utf8.ts"
import type { AgentTool } from "./tools/AgentTool.ts"
import * as CallEvents from "./tools/CallEvents.ts"
import * as CallSettings from "./tools/CallSettings.ts"
import type * as SchemaDialect from "./tools/SchemaDialect.ts"
import { SEARCH } from "./tools/SearchTools.ts"
import * as ToolCall from "./tools/ToolCall.ts"

/** A tool as a language model knows it: raw JSON Schema in, text out, failures as results. */
export type ModelTool = AiTool.Tool<string, {
  readonly parameters: typeof Schema.Unknown
  readonly success: typeof Schema.String
  readonly failure: typeof Schema.String
  readonly failureMode: "return"
}>

/** Any number of tools under names known at run time. */
export type ModelToolkit = Toolkit.WithHandler<Record<string, ModelTool>>

/** A toolkit, and the tools that could not be said in its dialect. */
export interface McpToolkit extends ModelToolkit {
  readonly unspeakable: ReadonlyArray<SchemaDialect.Unspeakable>
}

/**
 * MCP tools as the kind of tool a turn knows. Running one never fails: an `McpError` is an error result that names the
 * server, the tool, what happened and what to try; an unreachable server reads `MCP server unreachable: NAME (why)`.
 */
export const agentTools = Effect.fnUntraced(function*(
  view: ReadonlyArray<McpTool>
): Effect.fn.Return<ReadonlyArray<AgentTool>, never, McpRegistry | ResultFiles> {
  const registry = yield* McpRegistry
  const call = ToolCall.through(registry, yield* ResultFiles)
  return view.map((tool): AgentTool => ({
    name: tool.name,
    server: tool.server,
    origin: originOf(tool),
    listed: tool,
    needsApproval: tool.needsApproval,
    class: tool.class,
    description: tool.description ?? "",
    inputSchema: tool.inputSchema,
    annotations: tool.annotations,
    tokens: tool.tokens,
    isAlwaysLoaded: tool.isAlwaysLoaded,
    run: (args, options) => Effect.catchCause(call(tool, args, options), (cause) => answered(tool, cause))
  }))
})

const originOf = ({ isTrusted, server, tool }: McpTool) => ({ server, tool, isTrusted })

/** A failure as a result; an interruption stays one. */
const answered = (tool: McpTool, cause: Cause.Cause<McpError>): Effect.Effect<ToolResult.ToolResult> => {
  const error = Cause.findError(cause)
  if (Result.isSuccess(error)) return Effect.succeed(failed(tool, error.success))
  const defect = Cause.findDefect(error.failure)
  // A mistake of ours must not cost the person their turn.
  return Result.isSuccess(defect) ? unexpected(tool, defect.success) : Effect.failCause(error.failure)
}

const unexpected = (tool: McpTool, defect: unknown): Effect.Effect<ToolResult.ToolResult> =>
  Effect.as(
    Effect.logError(`${tool.name} failed unexpectedly`, defect),
    ToolResult.failure(defectText(tool), { origin: originOf(tool) })
  )

const failed = (tool: McpTool, error: McpError): ToolResult.ToolResult =>
  ToolResult.failure(errorText(tool, error), {
    origin: originOf(tool),
    fault: faultOf(error.reason)
  })

/**
 * Tools as an `effect/ai` toolkit, called as the settings say. Its `handle` never fails: a tool's error is a failure
 * result, and a name nobody has is answered with the nearest ones. A model sees the text of a result, cut as
 * `ModelText` says, and its images.
 *
 * **Details**
 *
 * Progress comes as preliminary results, one line each, at most one in 200 ms, unless the settings say that nobody
 * looks at it; the last result is the answer. A reader that stops or is interrupted cancels the call at its server.
 *
 * With automatic tool resolution Effect itself fails the stream of a model that invents a name, before it asks the
 * toolkit. To have that answered too, stream with `disableToolCallResolution: true` and `toolCallValidation:
 * "deferred"`, and run each call by `handle`; then nobody but the `approval` of the settings asks a person.
 */
export const toolkit = Effect.fnUntraced(function*(
  given: ReadonlyArray<AgentTool>,
  settings: CallSettings.CallSettings = {}
): Effect.fn.Return<McpToolkit, never, ResultFiles> {
  const files = yield* ResultFiles
  const spoken = CallSettings.apply(given, settings)
  const { tools, unspeakable } = spoken
  const mapping = mappingOf(files, settings)
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const handle = (name: string, args: unknown, callId?: string) => {
    const tool = byName.get(name)
    return Effect.succeed(
      tool === undefined
        ? Stream.succeed(handlerResult(unknownTool(name, [...byName.keys()]), true))
        : CallEvents.streamWith(tool, args, { callId }, mapping)
    )
  }
  return { tools: definitions(spoken, settings), handle, unspeakable }
})

/**
 * The toolkit of the tools that patterns allow at this moment (docs/decisions.md#decision-3-patterns), called as the
 * settings say; `undefined` allows all. Their dialect is `openai` unless told. A tool that cannot be said in it, and a
 * pattern that matches nothing, is a warning in the log; the others are there.
 */
export const forAgent = Effect.fnUntraced(function*(
  patterns: ReadonlyArray<string> | undefined,
  settings: CallSettings.CallSettings = {}
): Effect.fn.Return<McpToolkit, never, McpRegistry | ResultFiles> {
  return yield* toolkit(yield* allowed(patterns), { dialect: "openai", ...settings }).pipe(
    Effect.tap(({ unspeakable }) => warnOf(unspeakable))
  )
})

/**
 * The tools that patterns allow at this moment; `undefined` allows all. A pattern that matches nothing is a warning in
 * the log.
 */
export const allowed = Effect.fnUntraced(function*(
  patterns: ReadonlyArray<string> | undefined
): Effect.fn.Return<ReadonlyArray<AgentTool>, never, McpRegistry | ResultFiles> {
  const view = yield* (yield* McpRegistry).view(patterns)
  yield* Effect.forEach(view.warnings, (warning) => Effect.logWarning(warning), { discard: true })
  return yield* agentTools(view.tools)
})

/** Says in the log which tools were left out, and why. */
export const warnOf = (unspeakable: ReadonlyArray<SchemaDialect.Unspeakable>): Effect.Effect<void> =>
  Effect.forEach(
    unspeakable,
    ({ name, reason, server }) => Effect.logWarning(`${name} of ${server ?? "this program"} was left out: ${reason}`),
    { discard: true }
  )

/** The text for a model that calls a name that no tool has. */
export const unknownTool = (name: string, known: ReadonlyArray<string>): string => {
  const nearest = Nearest.nearest(name, known)
  const reason = new McpErrors.UnknownTool({ name, nearest })
  return `${reason.message}; ${nearest.length > 0 ? reason.hint : elsewhere(known)}`
}

/** A model cannot list tools. */
const elsewhere = (known: ReadonlyArray<string>): string =>
  known.includes(SEARCH) ? `find tools with ${SEARCH}` : "use only the tools you were given"

const definitions = (
  spoken: SchemaDialect.Spoken,
  settings: CallSettings.CallSettings
): Record<string, ModelTool> => {
  const isStrict = CallSettings.isStrict(settings, spoken)
  const isAsked = CallSettings.asksItself(settings)
  // Without a prototype, so that a model that calls "constructor" finds nothing.
  const result: Record<string, ModelTool> = Object.create(null)
  for (const tool of spoken.tools) {
    result[tool.name] = AiTool.dynamic(tool.name, {
      description: tool.description,
      parameters: tool.inputSchema,
      success: Schema.String,
      failure: Schema.String,
      failureMode: "return",
      needsApproval: isAsked(tool)
    }).annotate(AiTool.Strict, isStrict(tool.name))
  }
  return result
}

const mappingOf = (
  files: ResultFiles["Service"],
  { images = true, progress = true }: CallSettings.CallSettings
): CallEvents.EventMapping<AiTool.HandlerResult<ModelTool>> => ({
  progress: progress
    ? (news) => ({ ...handlerResult(CallEvents.progressText(news), false), preliminary: true })
    : null,
  result: (result) =>
    Effect.mapEager(
      Effect.provideService(ModelReading.fromResult(result, images), ResultFiles, files),
      (reading) => withImages(handlerResult(reading.text, result.isError), reading)
    )
})

const withImages = (
  result: AiTool.HandlerResult<ModelTool>,
  { images, text }: ModelReading.ModelReading
): AiTool.HandlerResult<ModelTool> =>
  images.length === 0
    ? result
    : { ...result, modelOutput: [Prompt.textPart({ text }), ...images.map((image) => Prompt.filePart(image))] }

const handlerResult = (text: string, isFailure: boolean): AiTool.HandlerResult<ModelTool> =>
  isFailure
    ? { result: text, encodedResult: text, isFailure, failureOrigin: "handler", preliminary: false }
    : { result: text, encodedResult: text, isFailure, preliminary: false }

// Reasons that speak of one call to a server that can be reached; every other reason says that it cannot.
const ABOUT_THE_CALL: ReadonlySet<McpErrorReason["_tag"]> = new Set([
  "UnknownServer",
  "UnknownTool",
  "RejectedByPolicy",
  "ToolsChanged",
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
  "ToolsChanged",
  "InvalidArguments",
  "MessageTooLarge"
])

/** A server that answers with a JSON-RPC error was reached; many answer bad arguments so. */
const faultOf = ({ _tag }: McpErrorReason): ToolResult.ToolResult["fault"] => {
  if (_tag === "RequestFailed") return "tool"
  return OF_THE_CALL.has(_tag) ? "call" : "server"
}

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
