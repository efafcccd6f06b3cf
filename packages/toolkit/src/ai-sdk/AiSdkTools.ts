/** MCP tools for programs that use the `ai` package (AI SDK 7). */
import { McpRegistry } from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import { dynamicTool, jsonSchema, type JSONSchema7, type ToolSet } from "ai"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as McpToolkit from "../McpToolkit.ts"
import { ResultFiles } from "../results/ResultFiles.ts"
import * as ToolResult from "../results/ToolResult.ts"
import type { AgentTool } from "../tools/AgentTool.ts"
import * as CallEvents from "../tools/CallEvents.ts"
import * as CallSettings from "../tools/CallSettings.ts"
import { fromProgress, fromResult, toModel, type ToolOutput } from "./ToolOutput.ts"

export { isToolOutput, ToolOutput } from "./ToolOutput.ts"

/** How the tools are called, and which of them the model searches for. */
export interface AiSdkSettings extends CallSettings.CallSettings {
  /**
   * Tools whose definitions the provider keeps for itself until its own search finds them: all of them, or those that patterns in the
   * language of `@boocode/tool-glob` name. Tools that `alwaysLoad` of a server's entry names are always given. Put the search of the provider
   * beside them, such as `openai.tools.toolSearch()` or `anthropic.tools.toolSearchBm25_20251119()`: without one, no model finds them.
   * Providers that have no search give such tools to the model as any other. False unless told.
   */
  readonly deferLoading?: boolean | ReadonlyArray<string> | undefined
}

/**
 * Tools as the `tools` of `generateText`, `streamText` and agents, called as the settings say.
 *
 * **Details**
 *
 * A call never throws: whatever goes wrong is an output that the model reads as an error. Progress comes as preliminary
 * results, at most one in 200 ms. The `abortSignal` of the request, and a `timeout` given to the SDK, cancel the call
 * at its server. `needsApproval` of the settings becomes that of the tools; a `toolApproval` of the request comes
 * before it. `approval` asks while the call waits.
 */
export const make = Effect.fnUntraced(function*(
  given: ReadonlyArray<AgentTool>,
  settings: AiSdkSettings = {}
): Effect.fn.Return<ToolSet, never, ResultFiles> {
  const context = yield* Effect.context<never>()
  const spoken = CallSettings.apply(given, settings)
  yield* McpToolkit.warnOf(spoken.unspeakable)
  const isStrict = CallSettings.isStrict(settings, spoken)
  const isAsked = CallSettings.asksItself(settings)
  const isDeferred = defers(settings)
  const { images = true, progress = true } = settings
  const files = yield* ResultFiles
  const mapping: CallEvents.EventMapping<ToolOutput> = {
    progress: progress ? fromProgress : null,
    result: (result) => Effect.provideService(fromResult(result, images), ResultFiles, files)
  }
  return Object.fromEntries(spoken.tools.map((tool) => [
    tool.name,
    dynamicTool({
      description: tool.description,
      inputSchema: jsonSchema(asJsonSchema(tool.inputSchema)),
      strict: isStrict(tool.name),
      needsApproval: isAsked(tool),
      ...(isDeferred(tool) ? { providerOptions: DEFERRED } : {}),
      ...(tool.origin ? { metadata: { server: tool.origin.server, tool: tool.origin.tool } } : {}),
      execute: (input, { abortSignal, toolCallId }) =>
        Stream.toAsyncIterableWith(
          CallEvents.streamWith(cancelled(tool, abortSignal), input, { callId: toolCallId }, mapping),
          context
        ),
      toModelOutput: ({ output }) => toModel(output)
    })
  ]))
})

/**
 * The tools that patterns allow at this moment (docs/decisions.md#decision-3-patterns), called as the settings say;
 * `undefined` allows all. Their dialect is `openai` unless told. A tool that cannot be said in it, and a pattern that
 * matches nothing, is a warning in the log.
 */
export const forAgent = Effect.fnUntraced(function*(
  patterns: ReadonlyArray<string> | undefined,
  settings: AiSdkSettings = {}
): Effect.fn.Return<ToolSet, never, McpRegistry | ResultFiles> {
  return yield* make(yield* McpToolkit.allowed(patterns), { dialect: "openai", ...settings })
})

/** The settings of `open`. */
export interface OpenOptions extends AiSdkSettings {
  /** Which tools; all without it. */
  readonly patterns?: ReadonlyArray<string> | undefined
}

/** MCP servers that run, for a program that does not use Effect. */
export interface OpenTools {
  /** The tools of every server that was ready when it was opened. */
  readonly tools: ToolSet
  /** The tools as they are now: servers come, go, and change what they offer. Rejects once it is closed. */
  readonly current: () => Promise<ToolSet>
  /** Ends every call that runs, each with an error that its model reads, then every server: 6 s at most. Once is enough. */
  readonly close: () => Promise<void>
  /** Does what `close` does, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Starts the servers of a layer and waits until each is ready, failed, or past its `startupTimeout`. A server that
 * cannot be reached costs its tools and nothing else. Rejects only when the layer itself cannot be built, such as for a
 * configuration file that cannot be read; nothing is left running then.
 */
export const open = <E>(
  layer: Layer.Layer<McpRegistry | ResultFiles, E>,
  { patterns, ...settings }: OpenOptions = {}
): Promise<OpenTools> => {
  const runtime = ManagedRuntime.make(layer)
  const closed = Deferred.makeUnsafe<string>()
  const now = Effect.gen(function*() {
    const allowed = yield* McpToolkit.allowed(patterns)
    const ending = allowed.map((tool) => endedBy(tool, Deferred.await(closed)))
    return yield* make(ending, { dialect: "openai", ...settings })
  })
  const close = () => {
    Deferred.doneUnsafe(closed, Effect.succeed("the tools were closed"))
    return runtime.dispose()
  }
  const current = () => runtime.runPromise(now)
  const opened = McpRegistry.use(({ settled }) => settled).pipe(
    Effect.andThen(now),
    Effect.map((tools): OpenTools => ({ tools, current, close, [Symbol.asyncDispose]: close }))
  )
  return runtime.runPromise(opened).catch((error: unknown) => close().then(() => Promise.reject(error)))
}

/** The mark of both providers that have a search. */
const DEFERRED = { anthropic: { deferLoading: true }, openai: { deferLoading: true } }

const defers = ({ deferLoading = false }: AiSdkSettings): (tool: AgentTool) => boolean => {
  if (deferLoading === false) return () => false
  const patterns = ToolGlob.compile(deferLoading === true ? ["*"] : deferLoading)
  return ({ isAlwaysLoaded, name }) => !isAlwaysLoaded && patterns.allows(name)
}

/** Dialects give JSON Schema, which the type cannot know. */
const asJsonSchema = (schema: AgentTool["inputSchema"]): JSONSchema7 => isJsonSchema(schema) ? schema : {}

const isJsonSchema = (schema: unknown): schema is JSONSchema7 => Predicate.isObject(schema)

/** The tool, whose calls are cancelled when the signal is aborted. None is made after that. */
const cancelled = (tool: AgentTool, signal: AbortSignal | undefined): AgentTool =>
  signal === undefined ? tool : endedBy(tool, aborted(signal))

/** The tool, whose calls are cancelled when `ended` says why. None is made after that. */
const endedBy = (tool: AgentTool, ended: Effect.Effect<string>): AgentTool => ({
  ...tool,
  run: (args, options) =>
    Effect.raceFirst(
      Effect.map(ended, (why) => ToolResult.failure(`${tool.name} was cancelled: ${why}`, { fault: "call" })),
      tool.run(args, options)
    )
})

const aborted = (signal: AbortSignal): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const end = () => resume(Effect.succeed(why(signal)))
    if (signal.aborted) return end()
    signal.addEventListener("abort", end, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", end))
  })

/** Nothing that the program said to itself goes to a model (R30). */
const why = ({ reason }: AbortSignal): string =>
  reason instanceof DOMException && reason.name === "TimeoutError" ? "its time is over" : "the request was aborted"
