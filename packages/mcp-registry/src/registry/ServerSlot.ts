/**
 * One name of the configuration: the generation that serves under it, the one that is to take its place, and those that
 * finish their calls.
 */
import type * as Connect from "@boocode/mcp-client/Connect"
import { ServerEnvironment, ServerLog } from "@boocode/mcp-client/Host"
import type { McpError } from "@boocode/mcp-client/McpError"
import { type ConfiguredServer, Environment, type ServerConfig } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { McpTool } from "../model/McpTool.ts"
import type { ServerStatus } from "../model/ServerStatus.ts"
import type { McpServer } from "../running/McpServer.ts"
import * as RunningServer from "../running/RunningServer.ts"
import * as EntryHost from "../server/EntryHost.ts"

/** What a slot is kept by. @category models */
export interface Host {
  readonly start: (entry: ConfiguredServer, log: ServerLog.ServerLog) => Effect.Effect<Generation>
  readonly inBackground: (effect: Effect.Effect<void>) => Effect.Effect<void>
  readonly publish: (status: ServerStatus) => void
}

/**
 * Starts a server of this entry under its name.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(host: Host, first: ConfiguredServer): Effect.fn.Return<ServerSlot> {
  const log = ServerLog.make()
  return new ServerSlot(first.name, log, host, yield* host.start(first, log))
})

/** One name of the configuration. @category models */
export class ServerSlot {
  readonly name: string
  readonly log: ServerLog.ServerLog
  private readonly host: Host
  private current: Generation
  private next: Generation | null = null
  private leaving: ReadonlyArray<Generation> = NONE
  private isGone = false

  constructor(name: string, log: ServerLog.ServerLog, host: Host, first: Generation) {
    this.name = name
    this.log = log
    this.host = host
    this.current = first
    this.follow(first)
  }

  /** The server that serves at this moment. */
  serving(): McpServer {
    return this.current.server
  }
  /** How it stands; a changed entry that is not in use yet is among its warnings. */
  stands(): ServerStatus {
    const now = this.serving().stands()
    return this.next === null ? now : { ...now, warnings: [...now.warnings, inWords(this.next.server.stands())] }
  }
  /** The same, for whoever asks later. */
  get status(): Effect.Effect<ServerStatus> {
    return Effect.sync(() => this.stands())
  }
  /** Who can run a tool as it was listed: the server that serves, else one that finishes its calls. */
  holder(tool: McpTool): McpServer | null {
    if (this.serving().offers(tool)) return this.serving()
    return this.leaving.find(({ server }) => server.offers(tool))?.server ?? null
  }
  /** The names of all servers have changed. */
  rename(servers: ReadonlyArray<string>): Effect.Effect<void> {
    return Effect.suspend(() =>
      Effect.forEach(this.candidates, ({ server }) => server.rename(servers), { discard: true })
    )
  }
  /**
   * Takes the entry as it is now. Gives true when that makes another server of it. A server that is ready serves on until
   * the new one is; one that is disabled, or waits for approval, ends at once.
   */
  take(entry: ConfiguredServer): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      const { current, next } = this
      const newest = next ?? current
      if (newest.isOf(entry)) return Effect.as(newest.server.adopt(entry), false)
      const taken = next !== null && current.isOf(entry)
        ? Effect.andThen(this.dropped(next), current.server.adopt(entry))
        : this.replaced(entry)
      return Effect.as(Effect.andThen(taken, this.told), true)
    })
  }
  /** Stops whatever runs under this name. Otherwise as `McpServer.stop`. */
  get stop(): Effect.Effect<ServerStatus, McpError> {
    return Effect.flatMap(this.cleared, (wasOther) => {
      const { stop } = this.serving()
      // What served is gone, so something was stopped, also when the changed entry never ran.
      return wasOther ? Effect.catch(stop, () => this.status) : stop
    })
  }
  /** The same as `McpServer.restart`, of the entry as it is now. */
  get restart(): Effect.Effect<ServerStatus, McpError> {
    return Effect.andThen(this.cleared, Effect.suspend(() => this.serving().restart))
  }
  /** Waits as `McpServer.settled` does; where another server takes its place meanwhile, for that one. */
  get settled(): Effect.Effect<ServerStatus, ServerStatus> {
    return Effect.suspend(() => {
      const server = this.serving()
      return Effect.flatMap(
        Effect.result(server.settled),
        (outcome) => server === this.serving() || this.isGone ? Effect.fromResult(outcome) : this.settled
      )
    })
  }
  /** Takes everything down in the background. */
  get remove(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.isGone = true
      const all = [...this.candidates, ...this.leaving]
      return Effect.forEach(all, ({ close }) => this.host.inBackground(close), { discard: true })
    })
  }

  /** Those that may serve from now on. */
  private get candidates(): ReadonlyArray<Generation> {
    return this.next === null ? [this.current] : [this.current, this.next]
  }
  private follow(generation: Generation): void {
    generation.server.listen(() => {
      if (this.candidates.includes(generation)) this.tell()
    })
  }
  private tell(): void {
    if (!this.isGone) this.host.publish(this.stands())
  }
  private get told(): Effect.Effect<void> {
    return Effect.sync(() => this.tell())
  }
  private dropped(next: Generation): Effect.Effect<void> {
    this.next = null
    return this.host.inBackground(next.close)
  }
  private replaced(entry: ConfiguredServer): Effect.Effect<void> {
    const { current: old, host, log, next: before } = this
    const mayServeOn = servesOn(old.server.stands(), entry)
    return Effect.flatMap(host.start(entry, log), (now) => {
      this.next = mayServeOn ? now : null
      if (!mayServeOn) this.current = now
      this.follow(now)
      // Nor does a call keep a process of it alive: it may be an approval that was taken back.
      const ending = mayRun(entry) ? [] : this.leaving
      return Effect.all([
        before === null ? Effect.void : host.inBackground(before.close),
        log.append("event", "its entry changed"),
        host.inBackground(mayServeOn ? this.watched(old, now) : old.close),
        ...ending.map(({ close }) => host.inBackground(close))
      ], { discard: true })
    })
  }
  /** Until it is decided which of the two serves. */
  private watched(old: Generation, candidate: Generation): Effect.Effect<void> {
    return Stream.merge(old.server.changes, candidate.server.changes).pipe(
      Stream.mapEffect(() => this.decided(old, candidate)),
      Stream.takeUntil((isDecided) => isDecided),
      Stream.runDrain
    )
  }
  /** Gives true when there is nothing left to decide. */
  private decided(old: Generation, candidate: Generation): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      const is = candidate.server.stands()
      if (this.isGone || this.current !== old || this.next !== candidate || is.state === "stopped") {
        return Effect.succeed(true)
      }
      if (is.state !== "ready" && isOfUse(old.server.stands())) return Effect.succeed(false)
      return Effect.as(Effect.uninterruptible(this.promoted(old, candidate)), true)
    })
  }
  private promoted(old: Generation, candidate: Generation): Effect.Effect<void> {
    this.current = candidate
    this.next = null
    return Effect.all([
      this.log.append("event", "the changed entry is in use"),
      Effect.logInfo(`${this.name}: the changed entry is in use`),
      this.host.inBackground(this.retired(old)),
      this.told
    ], { discard: true })
  }
  /** It finishes its calls before it goes. */
  private retired(old: Generation): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.leaving = [...this.leaving, old]
      const left = Effect.sync(() => {
        this.leaving = this.leaving.filter((other) => other !== old)
      })
      return Effect.andThen(Effect.andThen(old.server.drained, old.close), left)
    })
  }
  /** Nothing but the newest generation stays. Gives true when another one served. */
  private get cleared(): Effect.Effect<boolean> {
    // Half done, a process would run on that no name leads to.
    return Effect.uninterruptible(Effect.suspend(() => {
      const { current, leaving, next } = this
      if (next !== null) {
        this.current = next
        this.next = null
        this.tell()
      }
      const old = next === null ? leaving : [...leaving, current]
      return Effect.as(
        Effect.forEach(old, ({ close }) => close, { concurrency: "unbounded", discard: true }),
        next !== null
      )
    }))
  }
}

const NONE: ReadonlyArray<Generation> = []

const isOfUse = ({ state }: ServerStatus): boolean => state === "ready" || state === "connecting"

/** Whoever disables a server, or takes an approval back, wants it gone. */
const mayRun = ({ enabled, needsApproval }: ConfiguredServer): boolean => enabled && !needsApproval

/** Whether a server goes on while the changed entry proves itself. */
const servesOn = ({ state }: ServerStatus, entry: ConfiguredServer): boolean =>
  mayRun(entry) && (state === "ready" || (state === "connecting" && Result.isFailure(entry.config)))

const inWords = ({ error }: ServerStatus): string => {
  if (error === null) return "its entry changed: it runs as it was until the new one is ready"
  const force = PERMANENT.has(error._tag) ? "" : "; restart it to change over all the same"
  return `its entry changed and cannot be used, so it runs as it was: ${error.message} (${error.hint}${force})`
}

/** Mistakes of the entry itself: nothing but another entry mends them. */
const PERMANENT: ReadonlySet<string> = new Set(["InvalidEntry", "VariableUnset"])

// One generation of a server: an entry as it was when it was started, in a scope of its own.

/** What a generation is made with. @category models */
export interface GenerationOptions extends RunningServer.Options {
  /** Closes it too. A scope that closes in parallel, so that no generation waits for another. */
  readonly scope: Scope.Scope
}

/**
 * Starts a generation: instant, it connects by itself.
 *
 * @category constructors
 */
export const startGeneration = Effect.fnUntraced(function*(
  entry: ConfiguredServer,
  options: GenerationOptions
): Effect.fn.Return<Generation, never, Connect.Requirements> {
  const own = yield* Scope.fork(options.scope)
  const server = yield* Scope.provide(RunningServer.make(entry, options), own)
  return new Generation(entry, server, yield* Environment, own, options.scope)
})

/** One generation of a server. @category models */
export class Generation {
  readonly server: McpServer
  private readonly entry: ConfiguredServer
  private readonly environment: Environment["Service"]
  /** The inherited variables as they were when it was started. */
  private readonly inherited: Inherited
  private readonly own: Scope.Closeable
  private readonly scope: Scope.Scope
  private closing: Fiber.Fiber<void> | null = null

  constructor(
    entry: ConfiguredServer,
    server: McpServer,
    environment: Environment["Service"],
    own: Scope.Closeable,
    scope: Scope.Scope
  ) {
    this.entry = entry
    this.server = server
    this.environment = environment
    this.inherited = inheritedBy(entry, environment)
    this.own = own
    this.scope = scope
  }

  /** Whether starting this entry would make the same server again, secrets and inherited variables included. */
  isOf(entry: ConfiguredServer): boolean {
    const theirs = identityOf(entry, inheritedBy(entry, this.environment))
    return Equal.equals(identityOf(this.entry, this.inherited), theirs)
  }
  /** Takes it down, once however often it is asked. Answers when nothing is left of it, 6 s at most. */
  get close(): Effect.Effect<void> {
    return Effect.uninterruptible(Effect.flatMap(this.end, Fiber.await))
  }
  /** In a fiber of the scope above, which a scope that is closing already does not hold up any more. */
  private get end(): Effect.Effect<Fiber.Fiber<void>> {
    return Effect.suspend(() =>
      this.closing !== null
        ? Effect.succeed(this.closing)
        : Effect.tap(
          Effect.forkIn(Effect.uninterruptible(Scope.close(this.own, Exit.void)), this.scope, {
            startImmediately: true
          }),
          (closing) => Effect.sync(() => void (this.closing = closing))
        )
    )
  }
}

/** Everything that the running server depends on. Where it is written, and what is said about it, may change. */
const identityOf = ({ config, enabled, needsApproval, transport }: ConfiguredServer, inherited: Inherited) => ({
  enabled,
  needsApproval,
  transport,
  config: Result.isSuccess(config) ? lasting(config.success) : mistakeOf(config.failure),
  inherited
})

/** Without what may change while a server runs on: one that is told of folders, or of a log level, is told of others as well. */
const lasting = ({ instructions: _, logLevel: __, roots, ...config }: ServerConfig) => ({
  ...config,
  roots: EntryHost.kindOf(roots)
})

/** A mistake without its place: one that moved is the same. */
const mistakeOf = (failure: Result.Result.Failure<ConfiguredServer["config"]>) =>
  failure._tag === "InvalidEntry" ? [failure.key, failure.detail] : [failure.key, failure.variable]

type Inherited = ReadonlyArray<string | undefined>

const inheritedBy = ({ config }: ConfiguredServer, { variables }: Environment["Service"]): Inherited =>
  Result.isSuccess(config) && config.success.transport._tag === "stdio"
    ? [...ServerEnvironment.SAFE_LIST, ...config.success.transport.inheritEnv].map((name) => variables[name])
    : []
