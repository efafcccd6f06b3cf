/** Notifications of one server: list changes, resource updates, log messages. */
import type { LogLevel } from "@boocode/mcp-config"
import type { LoggingMessageNotificationParams, ResourceUpdatedNotificationParams } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { Capability, Connection, LogMessage, Refusals } from "../contract/Connection.ts"
import type { Params, Written } from "../contract/Wire.ts"
import type { McpErrorReason } from "../errors/McpError.ts"
import type { Requests, Send } from "./Requests.ts"
import * as Subscription from "./Subscription.ts"

export interface Options {
  readonly isModern: boolean
  readonly requests: Pick<Requests, "send">
  readonly declares: (capability: Capability) => boolean
  /** Whether the server says that it tells of changes of a list. */
  readonly tells: (list: Subscription.ListName) => boolean
  /** Where a subscription stays open. */
  readonly scope: Scope.Scope
}

type Listeners = Pick<
  Connection,
  "onToolsChanged" | "onListChanged" | "tellsOf" | "watch" | "onResourceUpdated" | "setLogLevel" | "onLog"
>

type Listener<A> = (told: A) => void

/** Tells two listeners, in order; null is none. */
export const both = <A>(one: Listener<A> | null, other: Listener<A>): Listener<A> =>
  one === null ? other : (told) => {
    one(told)
    other(told)
  }

/** Listeners for a change. A change from before the first one is kept for it. */
export class ChangeListeners {
  private listener: Listener<void> | null = null
  private isDue = false

  tell(): void {
    if (this.listener === null) this.isDue = true
    else this.listener()
  }
  add(listener: () => void): void {
    this.listener = both<void>(this.listener, listener)
    if (this.isDue) listener()
    this.isDue = false
  }
}

/** Hears from now on, and asks for nothing yet. */
export class Notifications implements Listeners {
  private readonly options: Options
  private readonly subscription: Subscription.Subscription | null
  private level: LogLevel | null = null
  private subscriptions: Connection["watch"] | null = null
  private readonly tools = new ChangeListeners()
  private lists: Listener<"prompts" | "resources"> | null = null
  private resource: Listener<string> | null = null
  private log: Listener<LogMessage> | null = null

  constructor(options: Options) {
    this.options = options
    this.subscription = !options.isModern ? null : Subscription.make({
      send: (request) => options.requests.send(request),
      lists: () => LISTS.filter((list) => options.tells(list)),
      scope: options.scope,
      onHeard: (isFirst, uris) => this.heard(isFirst, uris)
    })
  }

  /** Subscribes, where a server of 2026-07-28 has something to tell. To be run once the server is known. */
  get begin(): Effect.Effect<void> {
    return this.subscription?.begin ?? Effect.void
  }
  /** The log level, which the `_meta` of every request carries since 2026-07-28; null for none. */
  meta(): Schema.JsonObject | null {
    return this.level === null ? null : { "io.modelcontextprotocol/logLevel": this.level }
  }
  logged(params: Schema.JsonObject): void {
    const { data = null, level = null, logger = null }: Written<LoggingMessageNotificationParams> = params
    this.log?.({ data, level, logger })
  }
  updated(params: Schema.JsonObject): void {
    const { uri }: Written<ResourceUpdatedNotificationParams> = params
    if (typeof uri === "string" && (this.subscription?.isCurrent(params) ?? true)) this.resource?.(uri)
  }
  toolsChanged(): void {
    this.tools.tell()
  }
  listChanged(what: "prompts" | "resources"): void {
    this.lists?.(what)
  }

  onToolsChanged(listener: () => void): void {
    this.tools.add(listener)
  }
  onListChanged(listener: (what: "prompts" | "resources") => void): void {
    this.lists = both(this.lists, listener)
  }
  tellsOf(what: "prompts" | "resources"): boolean {
    return this.options.tells(what) && (this.subscription?.hears(what) ?? true)
  }
  watch(uris: ReadonlyArray<string>): ReturnType<Connection["watch"]> {
    if (this.subscription !== null) return this.subscription.watch(uris)
    this.subscriptions ??= makeSubscriptions((request) => this.options.requests.send(request))
    return this.subscriptions(uris)
  }
  onResourceUpdated(listener: (uri: string) => void): void {
    this.resource = both(this.resource, listener)
  }
  /** By a request of its own before 2026-07-28, where nothing can ask for no log messages. */
  setLogLevel(level: LogLevel | null): ReturnType<Connection["setLogLevel"]> {
    return Effect.suspend((): ReturnType<Connection["setLogLevel"]> => {
      const { declares, isModern, requests } = this.options
      if (!declares("logging")) return Effect.void
      if (isModern) return Effect.sync(() => void (this.level = level))
      if (level === null) return Effect.void
      return Effect.asVoid(
        requests.send({ method: "logging/setLevel", params: { level } satisfies Params<"logging/setLevel"> })
      )
    })
  }
  onLog(listener: (message: LogMessage) => void): void {
    this.log = both(this.log, listener)
  }

  /** A list from before the subscription began may be old. */
  private heard(isFirst: boolean, uris: ReadonlyArray<string>): void {
    this.listChanged("prompts")
    this.listChanged("resources")
    if (isFirst) return
    this.toolsChanged()
    for (const uri of uris) this.resource?.(uri)
  }
}

const LISTS = ["tools", "prompts", "resources"] as const

/** So many requests are under way at once. */
const CONCURRENCY = 5

/** Watches resources of a server before 2026-07-28: one request for each. */
const makeSubscriptions = (send: Send): Connection["watch"] => {
  const subscribed = new Set<string>()
  const subscribe = (uri: string) =>
    Effect.tap(
      send({ method: "resources/subscribe", params: { uri } satisfies Params<"resources/subscribe"> }),
      Effect.sync(() => void subscribed.add(uri))
    )
  /** A server that cannot leave off is not heard, that is all. */
  const unsubscribe = (uri: string) =>
    Effect.suspend(() => {
      subscribed.delete(uri)
      return Effect.ignore(
        send({ method: "resources/unsubscribe", params: { uri } satisfies Params<"resources/unsubscribe"> })
      )
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
      // Another failure says nothing about this resource.
      if (outcome.failure._tag !== "RequestFailed") return yield* Effect.fail(outcome.failure)
      refusals.set(uri, outcome.failure)
    }
    return refusals
  })
  return (wanted) => turn.withPermit(watch(wanted))
}
