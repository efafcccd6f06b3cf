/**
 * One name of the configuration: the generation that serves under it, the one that is to take its place, and those that
 * finish their calls.
 */
import { ServerLog } from "@boocode/mcp-client/Host"
import type { McpError, McpErrorReason } from "@boocode/mcp-client/McpError"
import type { ConfiguredServer } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { McpServer } from "../lifecycle/McpServer.ts"
import type { McpTool } from "../model/McpTool.ts"
import type { ServerStatus } from "../model/ServerStatus.ts"
import * as RestartPolicy from "../state/RestartPolicy.ts"
import type { ServerGeneration } from "./ServerGeneration.ts"

export interface Options {
  readonly start: (entry: ConfiguredServer, log: ServerLog.ServerLog) => Effect.Effect<ServerGeneration>
  /** Runs as long as the registry is there. */
  readonly inBackground: (effect: Effect.Effect<void>) => Effect.Effect<void>
  /** Must not wait. */
  readonly publish: (status: ServerStatus) => void
}

/** Starts a server of this entry under its name. */
export const make = Effect.fnUntraced(function*(options: Options, entry: ConfiguredServer) {
  const log = ServerLog.make()
  const first = yield* options.start(entry, log)
  const slot = new ServerSlot(entry.name, log, options, first)
  yield* slot.follow(first)
  return slot
})

/** One name of the configuration. It has fields, because each call reads which generation serves. */
export class ServerSlot {
  readonly name: string
  readonly log: ServerLog.ServerLog
  private readonly options: Options
  private current: ServerGeneration
  private next: ServerGeneration | null = null
  private leaving: ReadonlyArray<ServerGeneration> = []
  private isGone = false
  private told: ServerStatus | null = null

  constructor(name: string, log: ServerLog.ServerLog, options: Options, first: ServerGeneration) {
    this.name = name
    this.log = log
    this.options = options
    this.current = first
  }

  serving(): McpServer["Service"] {
    return this.current.server
  }
  /** How it stands; a changed entry that is not in use yet is among its warnings. */
  get status(): Effect.Effect<ServerStatus> {
    return Effect.sync(() => this.statusNow())
  }
  private statusNow(): ServerStatus {
    return this.statusOf(this.serving().statusNow())
  }
  /** The server that can run a tool as it was listed: the one that serves, else one that finishes its calls. */
  holder(tool: McpTool, writes: boolean): McpServer["Service"] | null {
    if (this.serving().offers(tool, writes)) return this.serving()
    // One that has stopped runs nothing more: a request that came back to it would go in a circle until its process is gone.
    return this.leaving.find(({ server }) => server.statusNow().state !== "stopped" && server.offers(tool, writes))
      ?.server ??
      null
  }
  /**
   * Whether a request that failed at this server for this reason waited for it, while another took its place. A request that
   * may have happened fails for another reason.
   */
  isReplaced(server: McpServer["Service"], reason: McpErrorReason): boolean {
    const hasWaited = (reason._tag === "NotReady" && reason.state === "stopped") || RestartPolicy.isMoved(reason)
    return hasWaited && this.serving() !== server
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
      return Effect.as(Effect.andThen(taken, this.tell), true)
    })
  }
  /** Stops whatever runs under this name. Otherwise as `McpServer.stop`. */
  get stop(): Effect.Effect<ServerStatus, McpError> {
    return Effect.flatMap(this.cleared, (wasOther) => {
      const { stop } = this.serving()
      // The server that served is gone, so something was stopped, also when the changed entry never ran.
      return wasOther ? Effect.catch(stop, () => this.status) : stop
    })
  }
  /** As `McpServer.restart`, of the entry as it is now. */
  get restart(): Effect.Effect<ServerStatus, McpError> {
    return Effect.andThen(this.cleared, Effect.suspend(() => this.serving().restart))
  }
  /** Waits as `McpServer.settled` does; where another server takes its place meanwhile, for that one. */
  get settled(): Effect.Effect<ServerStatus, McpError> {
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
      return Effect.forEach(all, ({ close }) => this.options.inBackground(close), { discard: true })
    })
  }
  /** Publishes each change of a generation that serves, or is to. */
  follow(generation: ServerGeneration): Effect.Effect<void> {
    return generation.follow((status) => {
      if (generation === this.current) this.publish(this.statusOf(status))
      else if (generation === this.next) this.publish(this.statusNow())
    })
  }

  /** Those that may serve from now on. */
  private get candidates(): ReadonlyArray<ServerGeneration> {
    return this.next === null ? [this.current] : [this.current, this.next]
  }
  private statusOf(status: ServerStatus): ServerStatus {
    return this.next === null
      ? status
      : { ...status, warnings: [...status.warnings, inWords(this.next.server.statusNow())] }
  }
  private get tell(): Effect.Effect<void> {
    return Effect.sync(() => this.publish(this.statusNow()))
  }
  private publish(status: ServerStatus): void {
    if (this.isGone || Equal.equals(this.told, status)) return
    this.told = status
    this.options.publish(status)
  }
  private dropped(next: ServerGeneration): Effect.Effect<void> {
    this.next = null
    return this.options.inBackground(next.close)
  }
  private replaced(entry: ConfiguredServer): Effect.Effect<void> {
    const { current: old, log, next: before, options } = this
    const mayServeOn = servesOn(old.server.statusNow(), entry)
    return Effect.flatMap(options.start(entry, log), (now) => {
      this.next = mayServeOn ? now : null
      if (!mayServeOn) this.current = now
      // Nor does a call keep a process of it alive: it may be an approval that was taken back.
      const ending = mayRun(entry) ? [] : this.leaving
      return Effect.all([
        this.follow(now),
        before === null ? Effect.void : options.inBackground(before.close),
        log.append("event", "its entry changed"),
        options.inBackground(mayServeOn ? this.watched(old, now) : old.close),
        ...ending.map(({ close }) => options.inBackground(close))
      ], { discard: true })
    })
  }
  /** Until it is decided which of the two serves. */
  private watched(old: ServerGeneration, candidate: ServerGeneration): Effect.Effect<void> {
    return Stream.merge(old.server.changes, candidate.server.changes).pipe(
      Stream.mapEffect(() => this.decided(old, candidate)),
      Stream.takeUntil((isDecided) => isDecided),
      Stream.runDrain
    )
  }
  /** Gives true when there is nothing left to decide. */
  private decided(old: ServerGeneration, candidate: ServerGeneration): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      const is = candidate.server.statusNow()
      if (this.isGone || this.current !== old || this.next !== candidate || is.state === "stopped") {
        return Effect.succeed(true)
      }
      if (is.state !== "ready" && isOfUse(old.server.statusNow())) return Effect.succeed(false)
      return Effect.as(Effect.uninterruptible(this.promoted(old, candidate)), true)
    })
  }
  private promoted(old: ServerGeneration, candidate: ServerGeneration): Effect.Effect<void> {
    this.current = candidate
    this.next = null
    return Effect.all([
      this.log.append("event", "the changed entry is in use"),
      Effect.logInfo(`${this.name}: the changed entry is in use`),
      this.options.inBackground(this.retired(old)),
      this.tell
    ], { discard: true })
  }
  /** It finishes its calls before it goes. */
  private retired(old: ServerGeneration): Effect.Effect<void> {
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
    // Uninterruptible: otherwise a process could be orphaned.
    return Effect.uninterruptible(Effect.suspend(() => {
      const { current, leaving, next } = this
      if (next !== null) {
        this.current = next
        this.next = null
      }
      const old = next === null ? leaving : [...leaving, current]
      const closed = Effect.forEach(old, ({ close }) => close, { concurrency: "unbounded", discard: true })
      return Effect.as(Effect.andThen(this.tell, closed), next !== null)
    }))
  }
}

const isOfUse = ({ state }: ServerStatus): boolean => state === "ready" || state === "connecting"

/** A server that is disabled, or whose approval is taken back, is to stop at once. */
const mayRun = ({ config, enabled, needsApproval }: ConfiguredServer): boolean =>
  enabled && !needsApproval && !(Result.isFailure(config) && isTakenBack(config.failure))

/** A value that a person took back is not used any more. */
const isTakenBack = (failure: Result.Result.Failure<ConfiguredServer["config"]>): boolean =>
  failure._tag === "VariableUnset" && failure.own !== null

/** Whether a server goes on while the changed entry proves itself. */
const servesOn = ({ error, state }: ServerStatus, entry: ConfiguredServer): boolean =>
  mayRun(entry) && (state === "ready" || (state === "connecting" && (error !== null || Result.isFailure(entry.config))))

const inWords = ({ error }: ServerStatus): string => {
  if (error === null) return "its entry changed: it runs as it was until the new one is ready"
  const force = PERMANENT.has(error._tag) ? "" : "; restart it to change over all the same"
  return `its entry changed and cannot be used, so it runs as it was: ${error.message} (${error.hint}${force})`
}

/** Mistakes of the entry itself: nothing but another entry mends them. */
const PERMANENT: ReadonlySet<string> = new Set(["InvalidEntry", "VariableUnset", "TokenNeeded"])
