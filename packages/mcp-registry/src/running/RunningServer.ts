/**
 * One server in a scope of its own: it connects in a fiber of its own, and when the scope closes nothing is left.
 */
import { AuthState } from "@boocode/mcp-client/Auth"
import type { CallScope } from "@boocode/mcp-client/CallScope"
import type * as Connect from "@boocode/mcp-client/Connect"
import { ServerLog } from "@boocode/mcp-client/Host"
import { McpError, type McpErrorReason, NotReady } from "@boocode/mcp-client/McpError"
import { Ping } from "@boocode/mcp-client/Protocol"
import type { ConfiguredServer, LogLevel } from "@boocode/mcp-config"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as CallLimits from "../calls/CallLimits.ts"
import { Dispatch } from "../calls/Dispatch.ts"
import type * as ProgressDelivery from "../calls/ProgressDelivery.ts"
import type { CallOptions, McpTool } from "../model/McpTool.ts"
import type { ServerStatus } from "../model/ServerStatus.ts"
import * as ServerOfferings from "../offerings/ServerOfferings.ts"
import { CurrentServer } from "../server/CurrentServer.ts"
import * as EntryHost from "../server/EntryHost.ts"
import { InFlightCalls } from "../server/InFlightCalls.ts"
import * as ServerState from "../server/ServerState.ts"
import { Standing } from "../server/ServerState.ts"
import { WakeSignal } from "../server/WakeSignal.ts"
import type { McpServer } from "./McpServer.ts"
import { ServerControl } from "./ServerControl.ts"
import { ServerNotifications } from "./ServerNotifications.ts"
import { ServerTools } from "./ServerTools.ts"

/** What a server is made from. @category models */
export interface Options {
  /** The names of all configured servers at first; tool names depend on them (Decision 1). */
  readonly servers: ReadonlyArray<string>
  /** Folders in which commands are looked for after PATH. */
  readonly searchAfterPath: ReadonlyArray<string>
  /** Takes what becomes of the server and what it writes to standard error. It may outlive the server. */
  readonly log: ServerLog.ServerLog
  /** Runs what nobody waits for, as long as the registry is there. */
  readonly fork: ProgressDelivery.Fork
}

/**
 * Makes a server of this entry. That is instant: an enabled server connects in a fiber of the scope. Closing the scope takes
 * it down, process tree and all, in 6 s at most.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  entry: ConfiguredServer,
  options: Options
): Effect.fn.Return<McpServer, never, Connect.Requirements | Scope.Scope> {
  const scope = yield* Effect.scope
  const server = new RunningServer(entry, options, {
    context: yield* Effect.context<Connect.Requirements>(),
    scope,
    clock: yield* Clock.Clock,
    host: yield* EntryHost.make(entry)
  })
  yield* Scope.addFinalizer(scope, server.power.close)
  yield* server.power.open
  return server
})

/** What a server has of the registry it belongs to. */
interface Surroundings {
  readonly context: Context.Context<Connect.Requirements>
  readonly scope: Scope.Scope
  readonly clock: Clock.Clock
  readonly host: EntryHost.EntryHost
}

/** Its parts see of it what their options name; others see the members of `McpServer`. */
class RunningServer implements McpServer {
  readonly name: string
  readonly entry: ConfiguredServer
  /** The entry as it is now. */
  described: ConfiguredServer
  readonly log: ServerLog.ServerLog
  readonly fork: ProgressDelivery.Fork
  readonly clock: Clock.Clock
  readonly scope: Scope.Scope
  readonly context: Context.Context<Connect.Requirements>
  readonly standing: Standing
  readonly wish = new WakeSignal()
  readonly flights: InFlightCalls
  readonly dispatch: Dispatch
  readonly news: ServerNotifications
  readonly options: Options
  readonly host: EntryHost.EntryHost
  readonly listed: ServerTools
  readonly power: ServerControl
  private madeLimits: CallLimits.CallLimits | null = null
  private madeOfferings: ServerOfferings.ServerOfferings | null = null
  private madeFailed: ((cause: Cause.Cause<McpErrorReason>) => Effect.Effect<never, McpError>) | null = null

  constructor(entry: ConfiguredServer, options: Options, { clock, context, host, scope }: Surroundings) {
    this.name = entry.name
    this.entry = this.described = entry
    this.options = options
    this.log = options.log
    this.fork = options.fork
    this.clock = clock
    this.scope = scope
    this.host = host
    this.standing = new Standing(ServerState.initialSnapshot(entry))
    this.context = context.pipe(
      Context.add(CurrentServer, entry.name),
      Context.add(ServerLog.Current, options.log),
      Context.add(AuthState.AuthState, (auth) => this.standing.update(() => ({ auth })))
    )
    this.flights = new InFlightCalls(clock)
    this.dispatch = new Dispatch(this)
    this.news = new ServerNotifications(this)
    this.listed = new ServerTools(this)
    this.power = new ServerControl(this)
  }

  /** The names of all configured servers at first. */
  get servers(): ReadonlyArray<string> {
    return this.options.servers
  }
  // Many servers are seldom called, and never asked for prompts and resources.
  get limits(): CallLimits.CallLimits {
    return this.madeLimits ??= CallLimits.make(this.context, this.scope)
  }
  get offerings(): ServerOfferings.ServerOfferings {
    return this.madeOfferings ??= ServerOfferings.make(this)
  }
  get watches() {
    return this.news.watches
  }

  stands(): ServerStatus {
    return ServerState.toStatus(this.described, this.standing.now)
  }
  get status(): Effect.Effect<ServerStatus> {
    return Effect.sync(() => this.stands())
  }
  get changes(): Stream.Stream<ServerStatus> {
    return Stream.map(this.standing.changes, (now) => ServerState.toStatus(this.described, now))
  }
  listen(listener: () => void): void {
    this.standing.listen(listener)
  }
  get tools() {
    return this.listed.tools
  }
  tool(name: string): McpTool | null {
    return this.listed.tool(name)
  }
  offers(tool: McpTool): boolean {
    return this.listed.offers(tool)
  }
  get rejected() {
    return Effect.sync(() => this.standing.now.discovered.rejected)
  }
  get pins() {
    return Effect.sync(() => this.standing.now.discovered.pins)
  }

  begin(tool: string, args: Schema.JsonObject, options: CallOptions, parting: CallScope) {
    this.listed.used()
    return Effect.catchCause(this.dispatch.begin(tool, args, options, parting), this.failed)
  }
  setLogLevel(level: LogLevel | null) {
    return Effect.andThen(this.failing(this.news.setLevel(level)), this.status)
  }
  get health() {
    const asked = Effect.flatMap(this.dispatch.connected, ({ connection }) => Ping.once(connection))
    return this.flights.during(this.failing(asked))
  }
  get refresh(): Effect.Effect<ServerStatus, McpError> {
    return this.flights.during(Effect.suspend(() => {
      const { now } = this.standing
      // Waking it lists them.
      if (ServerState.isAsleep(now)) return this.woken
      const { connection, reason, state } = now
      if (connection === null || Result.isFailure(this.entry.config)) {
        return Effect.fail(this.failure(new NotReady({ state, why: reason?.message ?? null })))
      }
      return Effect.andThen(this.failing(this.listed.refresh(this.entry.config.success, connection)), this.status)
    }))
  }
  accept(hash: string | null) {
    return this.failing(this.power.changing(this.listed.accept(hash)))
  }
  rename(servers: ReadonlyArray<string>) {
    return this.listed.rename(servers)
  }

  get settled(): Effect.Effect<ServerStatus, ServerStatus> {
    return Effect.flatMap(this.standing.until(({ state }) => state !== "connecting"), (now) => {
      const status = ServerState.toStatus(this.described, now)
      return status.state === "failed" || status.state === "needs-auth" ? Effect.fail(status) : Effect.succeed(status)
    })
  }
  get start(): Effect.Effect<ServerStatus, McpError> {
    return Effect.suspend(() =>
      ServerState.isAsleep(this.standing.now)
        ? this.flights.during(this.woken)
        : Effect.andThen(this.failing(this.power.on), this.outcome)
    )
  }
  get stop(): Effect.Effect<ServerStatus, McpError> {
    return Effect.andThen(this.failing(this.power.off), this.status)
  }
  get restart(): Effect.Effect<ServerStatus, McpError> {
    return Effect.andThen(this.failing(this.power.offAndOn), this.outcome)
  }
  get drained(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { connection } = this.standing.now
      if (connection === null && !ServerState.isAsleep(this.standing.now)) return Effect.void
      // A call may be waking it.
      const gone = connection === null ? Effect.never : this.standing.until((now) => now.connection !== connection)
      const { config } = this.entry
      const limit = Result.isSuccess(config) ? config.success.maxTotalTimeout : Duration.zero
      return Effect.asVoid(Effect.timeoutOption(Effect.raceFirst(this.flights.none, gone), limit))
    })
  }
  adopt(next: ConfiguredServer): Effect.Effect<void> {
    return Effect.suspend(() => {
      const before = this.described
      this.described = next
      const wasAt = ServerState.beginningSnapshot(before)
      const isAt = ServerState.beginningSnapshot(next)
      // Nothing runs of a broken entry, so how it begins is how it stands; only the place of the mistake is another one.
      if (Result.isFailure(next.config) && !this.power.isClosing && wasAt.reason?.message !== isAt.reason?.message) {
        return this.standing.update(() => isAt)
      }
      const told = isToldOtherwise(before, next) ? this.standing.update(() => ({})) : Effect.void
      return Effect.andThen(Effect.andThen(this.host.adopt(next), this.news.adopted), told)
    })
  }

  private get woken(): Effect.Effect<ServerStatus, McpError> {
    return Effect.matchEffect(this.dispatch.connected, {
      onFailure: (notReady) => Effect.fail(this.failure(this.standing.now.reason ?? notReady)),
      onSuccess: () => this.status
    })
  }
  private get outcome(): Effect.Effect<ServerStatus, McpError> {
    return Effect.flatMap(Effect.catch(this.settled, Effect.succeed), (status) => {
      const { reason } = this.standing.now
      return reason === null ? Effect.succeed(status) : Effect.fail(this.failure(reason))
    })
  }
  private failing<A>(effect: Effect.Effect<A, McpErrorReason>): Effect.Effect<A, McpError> {
    return Effect.mapError(effect, (reason) => this.failure(reason))
  }
  /** Kept, because each call needs it. */
  private get failed(): (cause: Cause.Cause<McpErrorReason>) => Effect.Effect<never, McpError> {
    return this.madeFailed ??= (cause) => Effect.failCause(Cause.map(cause, (reason) => this.failure(reason)))
  }
  private failure(reason: McpErrorReason): McpError {
    return new McpError({ server: this.name, reason })
  }
}

/** Whether two entries for the same server differ in what its status says of them. */
const isToldOtherwise = (one: ConfiguredServer, other: ConfiguredServer): boolean =>
  one.source !== other.source || one.isRejected !== other.isRejected ||
  ServerState.isHeard(one) !== ServerState.isHeard(other) || !Equal.equals(one.warnings, other.warnings)
