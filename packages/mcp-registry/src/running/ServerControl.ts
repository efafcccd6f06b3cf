/**
 * Switches one server on and off: one change at a time, and none is left half done when whoever asked goes away.
 */
import type * as Connect from "@boocode/mcp-client/Connect"
import { type ServerLog, ServerRequests } from "@boocode/mcp-client/Host"
import { AlreadyRunning, type McpErrorReason, NotRunning } from "@boocode/mcp-client/McpError"
import type { ConfiguredServer, ServerConfig } from "@boocode/mcp-config"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type * as ProgressDelivery from "../calls/ProgressDelivery.ts"
import type { ServerStatus } from "../model/ServerStatus.ts"
import type { EntryHost } from "../server/EntryHost.ts"
import type { InFlightCalls } from "../server/InFlightCalls.ts"
import * as ServerState from "../server/ServerState.ts"
import type { Standing } from "../server/ServerState.ts"
import type { WakeSignal } from "../server/WakeSignal.ts"
import * as ServerLifecycle from "./ServerLifecycle.ts"
import type { ServerNotifications } from "./ServerNotifications.ts"

/** The server that is switched. @category models */
export interface Options {
  readonly entry: ConfiguredServer
  /** The entry as it is now. */
  readonly described: ConfiguredServer
  readonly options: { readonly searchAfterPath: ReadonlyArray<string> }
  /** What its life is led in. */
  readonly context: Context.Context<Connect.Requirements>
  readonly host: EntryHost
  readonly standing: Standing
  readonly wish: WakeSignal
  readonly flights: InFlightCalls
  readonly news: ServerNotifications
  /** Knows the names of all configured servers. */
  readonly listed: { readonly servers: ReadonlyArray<string> }
  readonly fork: ProgressDelivery.Fork
  readonly log: ServerLog.ServerLog
}

/** Whether one server runs. @category models */
export class ServerControl {
  /** Nothing starts any more. */
  isClosing = false
  private readonly server: Options
  /** Made when it is first switched by somebody, as few servers are. */
  private turn: Semaphore.Semaphore | null = null
  private life: Fiber.Fiber<void> | null = null

  constructor(server: Options) {
    this.server = server
  }

  /** Begins what an enabled entry asks for. */
  get open(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { entry: { config }, standing } = this.server
      return Result.isSuccess(config) && standing.now.state === "connecting"
        ? this.begun(config.success, false)
        : Effect.void
    })
  }
  /** For good. First no call starts any more, and nobody waits for a server that will never be ready. */
  get close(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.isClosing = true
      this.server.standing.set({ state: "stopped", retry: "none", connection: null })
      return this.dead
    })
  }
  /** Fails with `AlreadyRunning`, and with what keeps it from being started. */
  get on(): Effect.Effect<void, McpErrorReason> {
    return this.changing(Effect.suspend(() => {
      const { state } = this.server.standing.now
      return state === "connecting" || state === "ready" ? Effect.fail(new AlreadyRunning({ state })) : this.launched
    }))
  }
  /** Fails with `NotRunning`. */
  get off(): Effect.Effect<void, McpErrorReason> {
    return this.changing(
      Effect.suspend(() =>
        this.runs ? this.ended : Effect.fail(new NotRunning({ state: this.server.standing.now.state }))
      )
    )
  }
  /** Of an entry that cannot be started nothing runs, and what is wrong with it stays to be said. */
  get offAndOn(): Effect.Effect<void, McpErrorReason> {
    return this.changing(Effect.suspend(() => this.runs ? Effect.andThen(this.ended, this.launched) : this.launched))
  }
  /** Makes another change when none of these is under way. */
  changing<A, E>(change: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      this.turn ??= Semaphore.makeUnsafe(1)
      return this.turn.withPermit(Effect.uninterruptible(change))
    })
  }

  private get launched(): Effect.Effect<void, McpErrorReason> {
    return Effect.suspend(() => {
      const { described, entry: { config }, standing } = this.server
      const obstacle = ServerState.obstacle(described)
      if (obstacle !== null || Result.isFailure(config)) {
        return Effect.fail(obstacle ?? new NotRunning({ state: "failed" }))
      }
      return Effect.andThen(this.dead, () => {
        // Whoever asked may have waited for its turn, or for the old process, while the scope was closing.
        if (this.isClosing) return Effect.fail(new NotRunning({ state: "stopped" }))
        standing.set({ state: "connecting", reason: null, retry: "none", connection: null })
        return this.begun(config.success, true)
      })
    })
  }
  private begun(config: ServerConfig, isWanted: boolean): Effect.Effect<void> {
    // Whoever asks for it lends nothing of its own to a server that outlives the question.
    const led: Effect.Effect<void> = Effect.updateContext(this.led(config, isWanted), () => this.server.context)
    return Effect.map(Effect.forkDetach(led, { startImmediately: true }), (life) => {
      this.life = life
    })
  }
  private led(config: ServerConfig, isWanted: boolean) {
    // What begins a life is not to be kept for as long as it lasts.
    return Effect.suspend(() => {
      const { entry, flights, fork, host, listed, news, options: { searchAfterPath }, standing, wish } = this.server
      const servers = () => listed.servers
      return Effect.flatMap(host.forStart(config), (own) =>
        Effect.provideService(
          ServerLifecycle.lead({
            entry,
            config,
            servers,
            searchAfterPath,
            standing,
            wish,
            flights,
            news,
            fork,
            isWanted
          }),
          ServerRequests.CurrentHost,
          own
        ))
    })
  }
  /** Waits until nothing is left of what it led. */
  private get dead(): Effect.Effect<void> {
    return Effect.suspend(() => this.life === null ? Effect.void : Fiber.interrupt(this.life))
  }
  private get ended(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { log, standing } = this.server
      // First, so that no new call finds a connection that is about to go.
      standing.set({ state: "stopped", reason: null, retry: "none", connection: null, ...ServerState.UNKNOWN })
      return Effect.andThen(this.dead, log.append("event", "stopped"))
    })
  }
  private get runs(): boolean {
    const { entry, standing } = this.server
    return isRunning(standing.now.state) && ServerState.obstacle(entry) === null
  }
}

/** A failed server is running as far as stopping goes: it may be about to be tried again. */
const isRunning = (state: ServerStatus["state"]): boolean =>
  state === "connecting" || state === "ready" || state === "failed" || state === "needs-auth"
