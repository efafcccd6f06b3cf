/** One attempt at a connection: connect and list the tools, within the limits of the entry. */
import type * as Connect from "@boocode/mcp-client/Connect"
import type { Connection, Listing } from "@boocode/mcp-client/Connection"
import { type ServerHost, ServerLog, ServerRequests } from "@boocode/mcp-client/Host"
import type { McpErrorReason } from "@boocode/mcp-client/McpError"
import type { LogLevel, ServerConfig } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Queue from "effect/Queue"
import type * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type * as Semaphore from "effect/Semaphore"
import type { Fork } from "../calls/ProgressDelivery.ts"
import * as ServerNews from "../model/ServerNews.ts"
import type { StepTime } from "../model/ServerStatus.ts"
import * as AttemptFailure from "../state/AttemptFailure.ts"
import { ConnectionSource } from "../state/ConnectionSource.ts"
import type { Freshness, Occasion } from "../tools/Freshness.ts"
import * as LogMessages from "./LogMessages.ts"
import * as ToolRefresh from "./ToolRefresh.ts"

export interface Options {
  readonly config: ServerConfig
  /** The host as this connection is to meet it. */
  readonly host: Effect.Effect<ServerHost, never, Connect.Requirements>
  readonly searchAfterPath: ReadonlyArray<string>
  readonly freshness: Freshness
  /** The least level of log messages that are kept. */
  readonly level: () => LogLevel
  readonly fork: Fork
}

export interface Opened {
  readonly connection: Connection
  readonly listing: Listing
  /** Why the tools are to be listed again, from the connection on. */
  readonly occasions: Queue.Queue<Occasion>
}

export interface Outcome {
  readonly attempt: TimedAttempt
  /** Milliseconds of the clock. Waiting for a turn does not count. */
  readonly startedAt: number
  readonly opened: Result.Result<Opened, McpErrorReason>
}

/**
 * Waits for a turn, connects and lists, `startupTimeout` at most. Never fails: defects are reasons, too. The connection
 * closes with the scope.
 */
export const run = (
  options: Options,
  greeting: Connect.Greeting
): Effect.Effect<Outcome, never, Connect.Requirements | Scope.Scope> =>
  inTurn(Effect.gen(function*() {
    const startedAt = yield* Clock.currentTimeMillis
    const attempt = new TimedAttempt(yield* Clock.Clock, greeting)
    yield* ServerLog.event("starting")
    return { startedAt, attempt, opened: yield* withinLimits(options, attempt) }
  }))

const withinLimits = (options: Options, attempt: TimedAttempt) =>
  connectAndList(options, attempt).pipe(
    Effect.timeoutOrElse({
      duration: options.config.startupTimeout,
      orElse: () => Effect.fail(AttemptFailure.tookTooLong(options.config, attempt))
    }),
    // A defect of ours must not leave a server connecting for ever.
    Effect.catchCause((cause) => Effect.fail(AttemptFailure.ofCause(cause, attempt))),
    Effect.result
  )

const connectAndList = Effect.fnUntraced(function*(options: Options, attempt: TimedAttempt) {
  const open = yield* ConnectionSource
  yield* Effect.flatMap(Instances, ({ enter }) => enter(options.config))
  const connection = yield* Effect.provideServiceEffect(
    open(options.config, options.searchAfterPath, attempt),
    ServerRequests.CurrentHost,
    options.host
  )
  const { name: server } = options.config
  const hear = yield* ServerNews.Listener
  if (hear !== null) connection.onListChanged((what) => hear({ _tag: "ListChanged", server, what }))
  LogMessages.listen(connection, {
    wanted: options.level,
    log: yield* ServerLog.Current,
    clock: yield* Clock.Clock,
    fork: options.fork,
    tell: (message) => hear?.({ _tag: "LogMessage", server, ...message })
  })
  const occasions = yield* ToolRefresh.listen(connection)
  attempt.step = "tools/list"
  const listing = yield* Effect.mapError(
    ToolRefresh.list(connection, options.freshness, occasions),
    (reason) => AttemptFailure.ofListing(reason, attempt)
  )
  return { connection, listing, occasions }
})

/** Counts the servers of personal entries that run, and keeps them within the limit of their entry. Without it nobody counts. */
export class Instances extends Context.Reference<{
  /** Counts one until the scope closes. Fails with `TooManyInstances`. */
  readonly enter: (config: ServerConfig) => Effect.Effect<void, McpErrorReason, Scope.Scope>
}>("mcp-registry/Instances", { defaultValue: () => ({ enter: () => Effect.void }) }) {}

/** The turns of a registry that limits how many servers connect at the same time (R17); null is no limit. */
export class ConnectTurn extends Context.Reference<Semaphore.Semaphore | null>("mcp-registry/ConnectTurn", {
  defaultValue: () => null
}) {}

const inTurn = <A, E, R>(attempt: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(ConnectTurn, (turns) => turns === null ? attempt : turns.withPermit(attempt))

/** An attempt that measures how long each of its steps takes. */
class TimedAttempt implements Connect.Attempt {
  stderr: Connect.Attempt["stderr"] = () => ""
  said: Connect.Attempt["said"] = () => []
  readonly greeting: Connect.Greeting
  private readonly clock: Clock.Clock
  private readonly started: number
  private past: ReadonlyArray<StepTime> = []
  private current = "start"
  private since: number

  /** Begins now. */
  constructor(clock: Clock.Clock, greeting: Connect.Greeting) {
    this.clock = clock
    this.greeting = greeting
    this.since = this.started = clock.currentTimeMillisUnsafe()
  }

  get step(): string {
    return this.current
  }
  set step(next) {
    if (next === this.current) return
    this.past = this.steps()
    this.current = next
    this.since = this.clock.currentTimeMillisUnsafe()
  }
  elapsed(): number {
    return this.clock.currentTimeMillisUnsafe() - this.started
  }
  /** The steps so far, in order. The last one goes on, or is where the attempt ended. */
  steps(): ReadonlyArray<StepTime> {
    return this.past.concat({ step: this.current, millis: this.clock.currentTimeMillisUnsafe() - this.since })
  }
}
