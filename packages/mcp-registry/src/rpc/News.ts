/**
 * What a server tells without being asked, behind the `Connection` contract, in both ways in which it can be had.
 */
import type { LogLevel } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Capability, Connection, LogMessage } from "../Connection.ts"
import type { Told } from "./Arrivals.ts"
import * as Listening from "./Listening.ts"
import * as LogLevels from "./LogLevels.ts"
import type { Requests } from "./Requests.ts"
import * as Subscriptions from "./Subscriptions.ts"

/** @category models */
export interface News extends
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

/** @category models */
export interface Options {
  readonly isModern: boolean
  readonly requests: Pick<Requests, "send">
  readonly declares: (capability: Capability) => boolean
  /** Whether the server says that it tells of changes of a list. */
  readonly tells: (list: Listening.ListName) => boolean
  /** Where what is asked for stays open. */
  readonly scope: Scope.Scope
}

/** Hears from now on, and asks for nothing yet. @category constructors */
export const make = (options: Options): News => new Heard(options)

class Heard implements News {
  private readonly options: Options
  private readonly listening: Listening.Listening | null
  private readonly logging: LogLevels.LogLevels
  private subscriptions: Connection["watch"] | null = null
  private haveToolsChanged = false
  private tools: (() => void) | null = null
  private lists: ((what: "prompts" | "resources") => void) | null = null
  private resource: ((uri: string) => void) | null = null
  private log: ((message: LogMessage) => void) | null = null

  constructor(options: Options) {
    this.options = options
    this.logging = LogLevels.make(options)
    this.listening = !options.isModern ? null : Listening.make({
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
    this.subscriptions ??= Subscriptions.make((request) => this.options.requests.send(request))
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
