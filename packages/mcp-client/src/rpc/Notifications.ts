/** What a server tells without being asked, behind the `Connection` contract, in both ways in which it can be had. */
import type { LogLevel } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { Capability, Connection, LogMessage, Refusals } from "../contract/Connection.ts"
import type { McpErrorReason } from "../errors/McpError.ts"
import type { Told } from "./Inbound.ts"
import type { Requests, Send } from "./Requests.ts"
import * as Subscription from "./Subscription.ts"

export interface Notifications extends
  Told,
  Pick<
    Connection,
    "onToolsChanged" | "onListChanged" | "tellsOf" | "watch" | "onResourceUpdated" | "setLogLevel" | "onLog"
  >
{
  /** Begins to listen, where a server of 2026-07-28 has something to tell. To be run once the server is known. */
  readonly begin: Effect.Effect<void>
  /** What every request's `_meta` carries because of it; null for nothing. */
  readonly meta: () => Schema.JsonObject | null
}

export interface Options {
  readonly isModern: boolean
  readonly requests: Pick<Requests, "send">
  readonly declares: (capability: Capability) => boolean
  /** Whether the server says that it tells of changes of a list. */
  readonly tells: (list: Subscription.ListName) => boolean
  /** Where what is asked for stays open. */
  readonly scope: Scope.Scope
}

/** Hears from now on, and asks for nothing yet. */
export const make = (options: Options): Notifications => new Heard(options)

class Heard implements Notifications {
  private readonly options: Options
  private readonly listening: Subscription.Subscription | null
  private readonly logging: LogLevels
  private subscriptions: Connection["watch"] | null = null
  private haveToolsChanged = false
  private tools: (() => void) | null = null
  private lists: ((what: "prompts" | "resources") => void) | null = null
  private resource: ((uri: string) => void) | null = null
  private log: ((message: LogMessage) => void) | null = null

  constructor(options: Options) {
    this.options = options
    this.logging = makeLogLevels(options)
    this.listening = !options.isModern ? null : Subscription.make({
      send: (request) => options.requests.send(request),
      lists: () => LISTS.filter((list) => options.tells(list)),
      scope: options.scope,
      onHeard: (isFirst, uris) => this.heard(isFirst, uris)
    })
  }

  get begin(): Effect.Effect<void> {
    return this.listening?.begin ?? Effect.void
  }
  meta(): Schema.JsonObject | null {
    return this.logging.meta()
  }
  logged({ data = null, level = null, logger = null }: Schema.JsonObject): void {
    this.log?.({ data, level, logger })
  }
  updated(params: Schema.JsonObject): void {
    const { uri } = params
    if (typeof uri === "string" && (this.listening?.isCurrent(params) ?? true)) this.resource?.(uri)
  }
  toolsChanged(): void {
    if (this.tools === null) this.haveToolsChanged = true
    else this.tools()
  }
  listChanged(what: "prompts" | "resources"): void {
    this.lists?.(what)
  }

  onToolsChanged(listener: () => void): void {
    this.tools = listener
    if (this.haveToolsChanged) listener()
    this.haveToolsChanged = false
  }
  onListChanged(listener: (what: "prompts" | "resources") => void): void {
    this.lists = listener
  }
  tellsOf(what: "prompts" | "resources"): boolean {
    return this.options.tells(what) && (this.listening?.hears(what) ?? true)
  }
  watch(uris: ReadonlyArray<string>): ReturnType<Connection["watch"]> {
    if (this.listening !== null) return this.listening.watch(uris)
    this.subscriptions ??= makeSubscriptions((request) => this.options.requests.send(request))
    return this.subscriptions(uris)
  }
  onResourceUpdated(listener: (uri: string) => void): void {
    this.resource = listener
  }
  setLogLevel(level: LogLevel | null): ReturnType<Connection["setLogLevel"]> {
    return this.logging.setLogLevel(level)
  }
  onLog(listener: (message: LogMessage) => void): void {
    this.log = listener
  }

  /** What was listed before it was listened to may be old. */
  private heard(isFirst: boolean, uris: ReadonlyArray<string>): void {
    this.listChanged("prompts")
    this.listChanged("resources")
    if (isFirst) return
    this.toolsChanged()
    for (const uri of uris) this.resource?.(uri)
  }
}

const LISTS = ["tools", "prompts", "resources"] as const

// From which level on a server is to send log messages: by a request of its own, or since 2026-07-28 with every request.

export interface LogLevels extends Pick<Connection, "setLogLevel"> {
  /** What every request says about it; null for nothing. */
  readonly meta: () => Schema.JsonObject | null
}

export interface LogLevelsOptions {
  readonly requests: Pick<Requests, "send">
  /** False for a server that does not log: it is told of no level. */
  readonly declares: (capability: "logging") => boolean
  readonly isModern: boolean
}

const LEVEL = "io.modelcontextprotocol/logLevel"

/** No level is asked for yet. */
export const makeLogLevels = (options: LogLevelsOptions): LogLevels => new Levels(options)

type Answered = ReturnType<Connection["setLogLevel"]>

class Levels implements LogLevels {
  private readonly options: LogLevelsOptions
  private level: LogLevel | null = null

  constructor(options: LogLevelsOptions) {
    this.options = options
  }

  meta(): Schema.JsonObject | null {
    return this.level === null ? null : { [LEVEL]: this.level }
  }
  setLogLevel(next: LogLevel | null): Answered {
    return Effect.suspend((): Answered => {
      const { isModern, requests } = this.options
      if (!this.options.declares("logging")) return Effect.void
      if (isModern) return Effect.sync(() => void (this.level = next))
      // Older revisions know no way to ask for none.
      return next === null
        ? Effect.void
        : Effect.asVoid(requests.send({ method: "logging/setLevel", params: { level: next } }))
    })
  }
}

// Which resources a server of a revision before 2026-07-28 is asked to tell the updates of: one request for each.

/** So many requests are under way at once. */
const CONCURRENCY = 5

/** Nothing is asked for yet. */
export const makeSubscriptions = (send: Send): Connection["watch"] => {
  const subscribed = new Set<string>()
  const subscribe = (uri: string) =>
    Effect.tap(
      send({ method: "resources/subscribe", params: { uri } }),
      Effect.sync(() => void subscribed.add(uri))
    )
  /** A server that cannot leave off is not heard, that is all. */
  const unsubscribe = (uri: string) =>
    Effect.suspend(() => {
      subscribed.delete(uri)
      return Effect.ignore(send({ method: "resources/unsubscribe", params: { uri } }))
    })
  const turn = Semaphore.makeUnsafe(1)
  const watch = Effect.fnUntraced(function*(wanted: ReadonlyArray<string>): Effect.fn.Return<Refusals, McpErrorReason> {
    const over = [...subscribed].filter((uri) => !wanted.includes(uri))
    yield* Effect.forEach(over, unsubscribe, { concurrency: CONCURRENCY, discard: true })
    const added = wanted.filter((uri) => !subscribed.has(uri))
    const outcomes = yield* Effect.forEach(
      added,
      (uri) => Effect.map(Effect.result(subscribe(uri)), (outcome) => ({ uri, outcome })),
      { concurrency: CONCURRENCY }
    )
    const refusals = new Map<string, McpErrorReason>()
    for (const { outcome, uri } of outcomes) {
      if (Result.isSuccess(outcome)) continue
      // Whatever else failed says nothing about this resource.
      if (outcome.failure._tag !== "RequestFailed") return yield* Effect.fail(outcome.failure)
      refusals.set(uri, outcome.failure)
    }
    return refusals
  })
  return (wanted) => turn.withPermit(watch(wanted))
}
