/** One call of a ready server: its limits, its progress, and what its answer or its failure means. */
import type { CallScope } from "@boocode/mcp-client/CallScope"
import type { Connection } from "@boocode/mcp-client/Connection"
import {
  type ConnectionLost,
  InvalidArguments,
  type McpErrorReason,
  OutcomeUnknown,
  type RequestFailed
} from "@boocode/mcp-client/McpError"
import { CallEnd } from "@boocode/mcp-client/Protocol"
import { CleanText, JsonRpc, JsonValue, TextStyles } from "@boocode/mcp-client/Text"
import type { ServerConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { BlockStyle, CallOptions, CallProgress, CallResult } from "../model/McpTool.ts"
import * as Passed from "../model/Passed.ts"
import type * as CallLimits from "./CallLimits.ts"
import * as ProgressDelivery from "./ProgressDelivery.ts"

export interface Options {
  readonly config: ServerConfig
  readonly connection: Connection
  /** The raw name. */
  readonly tool: string
  readonly args: Schema.JsonObject
  readonly options: CallOptions
  /** Not as if it began now, when it is sent a second time. */
  readonly spent: CallLimits.Spent
  readonly limits: CallLimits.CallLimits
  readonly scope: CallScope
  readonly fork: ProgressDelivery.Fork
}

/** Calls a tool by its raw name; to be run at once. */
export const run = (call: Options): Effect.Effect<CallResult, McpErrorReason> => {
  const { onProgress } = call.options
  return onProgress === undefined
    ? answered(call, null)
    : ProgressDelivery.during(call.fork, onProgress, (tell) => answered(call, tell))
}

const answered = (call: Options, tell: ProgressDelivery.Tell | null): Effect.Effect<CallResult, McpErrorReason> =>
  Effect.matchEffect(sent(call, tell), {
    onSuccess: (raw) => Effect.succeed(resultOf(call, raw)),
    onFailure: (reason) => afterFailure(call, reason)
  })

const sent = (
  { args, config, connection, limits, options, scope, spent, tool }: Options,
  tell: ProgressDelivery.Tell | null
) =>
  limits.begun(
    { what: tool, idle: options.timeout ?? config.timeout, total: config.maxTotalTimeout, spent },
    scope,
    (signs) =>
      connection.call({
        tool,
        args,
        onProgress: (progress) => {
          signs.life()
          if (tell !== null) tell(scrubbed(connection, progress))
        },
        asker: options.asker ?? null,
        // Over HTTP it may take several connections, and is over for each by itself. A caller that is told of progress may get
        // the answer later than it came, and what the server asked ends when it came.
        parting: connection.pid === null || tell !== null ? undefined : scope,
        onAsked: (open) => signs.asked(open),
        onStarted: (end) => signs.started(end)
      })
  )

const scrubbed = ({ scrub }: Connection, progress: CallProgress): CallProgress =>
  progress.message === null ? progress : { ...progress, message: scrub(progress.message) }

/** A JSON-RPC error is an answer. */
const afterFailure = (call: Options, reason: McpErrorReason): Effect.Effect<CallResult, McpErrorReason> => {
  if (reason._tag === "RequestFailed") {
    return Effect.succeed(CallEnd.refusal(resultOf(call, refusal(reason)), reason.code))
  }
  if (reason._tag === "Exited") return Effect.fail(new OutcomeUnknown({ tool: call.tool, why: reason.message }))
  return reason._tag === "ConnectionLost" ? unlessUnsent(call, reason) : Effect.fail(reason)
}

/** A request that left may have taken effect; one that found nobody has not (docs/decisions.md#decision-8-nothing-is-sent-twice). */
const unlessUnsent = Effect.fnUntraced(function*({ connection, tool }: Options, error: ConnectionLost) {
  if (error.unsent === true) return yield* error
  const exit = connection.pid === null ? Option.none() : yield* Effect.timeoutOption(connection.closed, "300 millis")
  return yield* new OutcomeUnknown({ tool, why: Option.getOrElse(exit, () => error).message })
})

/** Where to go first belongs to what the model is told, or nobody gets there. */
const refusal = ({ hint, message, visits }: RequestFailed) =>
  errorOf((visits ?? []).length === 0 ? message : `${message}; ${hint}`)

const resultOf = ({ connection, limits, options, spent }: Options, raw: Schema.JsonObject): CallResult => {
  const clean = options.asWritten === true && raw["isError"] !== true
    ? { content: blocksOf(raw["content"]), isError: false, structuredContent: null }
    : cleanResultOf(raw, connection.scrub)
  const result = { ...clean, millis: limits.taken(spent) }
  // Nobody looks for secrets in it.
  const meta = raw["_meta"] === undefined || clean.isError ? undefined : Passed.of(raw, ["_meta"]).passed?.["_meta"]
  return JsonRpc.isObject(meta) ? { ...result, meta } : result
}

/** Missing, null and "" become {}; anything else has to be an object (R57). */
export const decodeArguments = (tool: string, args: unknown): Result.Result<Schema.JsonObject, InvalidArguments> => {
  if (args === undefined || args === null || args === "") return Result.succeed({})
  if (JsonRpc.isObject(args)) return Result.succeed(args)
  const found = Array.isArray(args) ? "an array" : `a ${typeof args}`
  return Result.fail(new InvalidArguments({ tool, detail: `they are ${found}, not a JSON object` }))
}

export type CleanResult = Omit<CallResult, "millis">

/**
 * The result of `tools/call`, whatever its shape. Secrets stay in a good result, which is what was asked for; an error is
 * where programs write out what they hold, so it is scrubbed. One without anything to clean is not copied.
 */
export const cleanResultOf = (raw: Schema.JsonObject, scrub: (text: string) => string): CleanResult => {
  const isError = raw["isError"] === true
  const answered = { content: blocksOf(raw["content"]), structuredContent: raw["structuredContent"] ?? null }
  const { isClean } = CleanText
  if (!isError && (areTexts(answered, isClean) || JsonValue.isEveryText(answered, isClean))) {
    return { isError, content: answered.content, structuredContent: answered.structuredContent }
  }
  const { content, structuredContent } = JsonValue.mapTexts(answered, isError ? scrub : CleanText.clean) ?? TOO_DEEP
  const blocks = Array.isArray(content) ? content.filter(JsonRpc.isObject) : []
  const styles = stylesOf(answered.content, blocks)
  return {
    isError: isError || structuredContent === undefined,
    content: blocks,
    structuredContent: structuredContent ?? null,
    ...styles.length === 0 ? {} : { styles }
  }
}

const stylesOf = (sent: CallResult["content"], shown: CallResult["content"]): ReadonlyArray<BlockStyle> =>
  sent.flatMap(({ text, type }, block) => {
    const clean = shown[block]?.["text"]
    return type === "text" && typeof text === "string" && typeof clean === "string"
      ? TextStyles.of(text, clean).map((style) => ({ block, ...style }))
      : []
  }).slice(0, TextStyles.MOST)

/** Whether it is nothing but texts for which this holds, as most answers are; false for one that needs a closer look. */
const areTexts = (
  { content, structuredContent }: Pick<CleanResult, "content" | "structuredContent">,
  holds: (text: string) => boolean
): boolean => {
  if (structuredContent !== null) return false
  for (const block of content) {
    for (const key in block) {
      const value = block[key]
      if ((key !== "type" && key !== "text") || typeof value !== "string" || !holds(value)) return false
    }
  }
  return true
}

/** An error that was made here, in the form of a tool's own. */
export const errorOf = (text: string): Schema.JsonObject => ({ isError: true, content: [{ type: "text", text }] })

const TOO_DEEP: Schema.JsonObject = errorOf("its answer is nested too deep to be read")

/** Keeps a value that stands in place of a list of blocks, or of a block (R64). */
const blocksOf = (content: Schema.Json | undefined): ReadonlyArray<Schema.JsonObject> => {
  if (content === undefined || content === null) return []
  if (!Array.isArray(content)) return [blockOf(content)]
  return content.every(JsonRpc.isObject) ? content : content.map(blockOf)
}

const blockOf = (value: Schema.Json): Schema.JsonObject => {
  if (JsonRpc.isObject(value)) return value
  if (typeof value === "string") return { type: "text", text: value }
  return { type: Array.isArray(value) ? "list" : value === null ? "null" : typeof value, value }
}
