/**
 * One call of a ready server: its limits, its progress, and what its failures mean.
 */
import type { ServerConfig } from "@boocode/mcp-config"
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as CallLimits from "./CallLimits.ts"
import * as CleanText from "./CleanText.ts"
import type { Connection } from "./Connection.ts"
import { type ConnectionLost, type McpErrorReason, OutcomeUnknown, type RequestFailed } from "./McpError.ts"
import type { CallOptions, CallProgress, CallResult } from "./McpTool.ts"
import * as JsonRpc from "./transport/JsonRpc.ts"
import * as ToolPrint from "./trust/ToolPrint.ts"

/** Progress beyond this many unread notifications replaces the oldest. */
const PROGRESS_KEPT = 256
/** How long the last notifications may take to be told once the answer is there. */
const PROGRESS_GRACE = "1 second"

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
}

/**
 * Calls a tool by its raw name.
 *
 * @category constructors
 */
export const run = Effect.fnUntraced(function*(
  { args, config, connection, options, spent, tool }: Options
): Effect.fn.Return<CallResult, McpErrorReason> {
  const clock = yield* Clock.Clock
  const limits = { what: tool, idle: options.timeout ?? config.timeout, total: config.maxTotalTimeout, spent }
  const raw = yield* withProgress(options.onProgress, (tell) =>
    CallLimits.within(limits, (signs) => {
      const onProgress = (progress: CallProgress) => {
        signs.life()
        const { message } = progress
        tell(message === null ? progress : { ...progress, message: connection.scrub(message) })
      }
      return connection.call({ tool, args, onProgress, asker: options.asker ?? null, onAsked: signs.asked })
    })).pipe(
      Effect.catchTag("RequestFailed", (error) => Effect.succeed(refusal(error))),
      Effect.catchTag("ConnectionLost", (error) => unlessUnsent(connection, tool, error))
    )
  return { ...toResult(raw, connection.scrub), millis: clock.currentTimeMillisUnsafe() - spent.since }
})

/** Tells progress in order, in a fiber of its own, and all of it before the answer. */
const withProgress = <A, E>(
  onProgress: CallOptions["onProgress"],
  body: (tell: (progress: CallProgress) => void) => Effect.Effect<A, E>
): Effect.Effect<A, E> => {
  if (onProgress === undefined) return body(() => {})
  return Effect.scoped(Effect.gen(function*() {
    const queue = yield* Queue.make<CallProgress, Cause.Done>({
      capacity: PROGRESS_KEPT,
      strategy: "sliding"
    })
    const teller = yield* Effect.forkScoped(Stream.runForEach(Stream.fromQueue(queue), onProgress))
    const answer = yield* body((progress) => Queue.offerUnsafe(queue, progress))
    yield* Queue.end(queue)
    yield* Effect.timeoutOption(Fiber.await(teller), PROGRESS_GRACE)
    return answer
  }))
}

/** A request that left may have taken effect; one that found nobody has not (Decision 8). */
const unlessUnsent = Effect.fnUntraced(function*(connection: Connection, tool: string, error: ConnectionLost) {
  if (error.unsent === true) return yield* error
  const exit = connection.pid === null ? Option.none() : yield* Effect.timeoutOption(connection.closed, "300 millis")
  return yield* new OutcomeUnknown({ tool, why: Option.getOrElse(exit, () => error).message })
})

/** Where to go first belongs to what the model is told, or nobody gets there. */
const refusal = ({ hint, message, visits }: RequestFailed) =>
  errorResult((visits ?? []).length === 0 ? message : `${message}; ${hint}`)

const errorResult = (text: string): Schema.JsonObject => ({ isError: true, content: [{ type: "text", text }] })

/**
 * Nothing in it hides or deceives (R100). Secrets stay in a good result, which is what was asked for; one of an error is
 * where programs write out what they hold.
 */
const toResult = (raw: Schema.JsonObject, scrub: Connection["scrub"]): Omit<CallResult, "millis"> => {
  const isError = raw["isError"] === true
  const answered = { isError, content: blocksOf(raw["content"]), structuredContent: raw["structuredContent"] ?? null }
  const { content, structuredContent } = ToolPrint.mapTexts(answered, isError ? scrub : CleanText.clean) ?? TOO_DEEP
  return {
    isError: isError || structuredContent === undefined,
    content: Array.isArray(content) ? content.filter(JsonRpc.isObject) : [],
    structuredContent: structuredContent ?? null
  }
}

const TOO_DEEP: Schema.JsonObject = errorResult("its answer is nested too deep to be read")

/** What a server gives in place of a list of blocks, and in place of a block, is not lost (R64). */
const blocksOf = (content: Schema.Json | undefined): ReadonlyArray<Schema.JsonObject> => {
  if (content === undefined || content === null) return []
  return Array.isArray(content) ? content.map(blockOf) : [blockOf(content)]
}

const blockOf = (value: Schema.Json): Schema.JsonObject => {
  if (JsonRpc.isObject(value)) return value
  if (typeof value === "string") return { type: "text", text: value }
  return { type: Array.isArray(value) ? "list" : value === null ? "null" : typeof value, value }
}
