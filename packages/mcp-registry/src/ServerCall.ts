/**
 * One call of a ready server: its limits, its progress, and what its answer or its failure means.
 */
import type { ServerConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type * as CallLimits from "./CallLimits.ts"
import * as CallOutcome from "./CallOutcome.ts"
import * as CleanResult from "./CleanResult.ts"
import type { Connection } from "./Connection.ts"
import { type ConnectionLost, type McpErrorReason, OutcomeUnknown, type RequestFailed } from "./McpError.ts"
import type { CallOptions, CallProgress, CallResult } from "./McpTool.ts"
import type { Parting } from "./Parting.ts"
import * as ProgressTeller from "./ProgressTeller.ts"

/** One call. @category models */
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
  readonly parting: Parting
  /** Runs what progress is told to. */
  readonly fork: ProgressTeller.Fork
}

/**
 * Calls a tool by its raw name; to be run at once.
 *
 * @category constructors
 */
export const run = (call: Options): Effect.Effect<CallResult, McpErrorReason> => {
  const { onProgress } = call.options
  return onProgress === undefined
    ? answered(call, null)
    : ProgressTeller.during(call.fork, onProgress, (tell) => answered(call, tell))
}

const answered = (call: Options, tell: ProgressTeller.Tell | null): Effect.Effect<CallResult, McpErrorReason> =>
  Effect.matchEffect(sent(call, tell), {
    onSuccess: (raw) => Effect.succeed(resultOf(call, raw)),
    onFailure: (reason) => afterFailure(call, reason)
  })

const sent = (
  { args, config, connection, limits, options, parting, spent, tool }: Options,
  tell: ProgressTeller.Tell | null
) =>
  limits.begun(
    { what: tool, idle: options.timeout ?? config.timeout, total: config.maxTotalTimeout, spent },
    parting,
    (signs) =>
      connection.call({
        tool,
        args,
        onProgress: (progress) => {
          signs.life()
          if (tell !== null) tell(scrubbed(connection, progress))
        },
        asker: options.asker ?? null,
        // Over HTTP it may take several connections, and is over for each by itself. Whoever is told of progress may get
        // the answer later than it came, and what the server asked ends when it came.
        parting: connection.pid === null || tell !== null ? undefined : parting,
        onAsked: (open) => signs.asked(open),
        onStarted: (end) => signs.started(end)
      })
  )

const scrubbed = ({ scrub }: Connection, progress: CallProgress): CallProgress =>
  progress.message === null ? progress : { ...progress, message: scrub(progress.message) }

/** A JSON-RPC error is an answer. */
const afterFailure = (call: Options, reason: McpErrorReason): Effect.Effect<CallResult, McpErrorReason> => {
  if (reason._tag === "RequestFailed") {
    return Effect.succeed(CallOutcome.refusal(resultOf(call, refusal(reason)), reason.code))
  }
  return reason._tag === "ConnectionLost" ? unlessUnsent(call, reason) : Effect.fail(reason)
}

/** A request that left may have taken effect; one that found nobody has not (Decision 8). */
const unlessUnsent = Effect.fnUntraced(function*({ connection, tool }: Options, error: ConnectionLost) {
  if (error.unsent === true) return yield* error
  const exit = connection.pid === null ? Option.none() : yield* Effect.timeoutOption(connection.closed, "300 millis")
  return yield* new OutcomeUnknown({ tool, why: Option.getOrElse(exit, () => error).message })
})

/** Where to go first belongs to what the model is told, or nobody gets there. */
const refusal = ({ hint, message, visits }: RequestFailed) =>
  CleanResult.errorOf((visits ?? []).length === 0 ? message : `${message}; ${hint}`)

const resultOf = ({ connection, limits, spent }: Options, raw: Schema.JsonObject): CallResult => {
  const { content, isError, structuredContent } = CleanResult.of(raw, connection.scrub)
  return { isError, content, structuredContent, millis: limits.taken(spent) }
}
