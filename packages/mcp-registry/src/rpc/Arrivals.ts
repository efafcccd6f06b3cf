/**
 * Where what a server sends goes: answers to whoever waits, what it tells to whoever listens, what it asks to whoever
 * answers. What means nothing to anybody costs nothing more.
 */
import type * as Clock from "effect/Clock"
import type * as Schema from "effect/Schema"
import type { About } from "../requests/AskingCalls.ts"
import * as JsonRpc from "../transport/JsonRpc.ts"
import type { Channel, Receiver } from "./Channel.ts"
import type { Requests } from "./Requests.ts"

/** Who answers what a server asks. @category models */
export interface Taker {
  /** Takes what a server asks, and what belongs to it; false leaves a message to others. */
  readonly take: (message: JsonRpc.Message, about: About) => boolean
}

/** What a server tells of itself, as it wrote it. @category models */
export interface Told {
  /** `notifications/message`. */
  readonly logged: (params: Schema.JsonObject) => void
  /** `notifications/resources/updated`. */
  readonly updated: (params: Schema.JsonObject) => void
  readonly toolsChanged: () => void
  readonly listChanged: (what: "prompts" | "resources") => void
}

/** @category models */
export interface Options {
  readonly channel: Pick<Channel, "send" | "scrub">
  readonly requests: Requests
  readonly clock: Clock.Clock
  readonly news: Told
  /** Null since 2026-07-28, where a server asks nothing in requests of its own, and gets no answer. */
  readonly taker: Taker | null
}

/** @category models */
export interface Arrivals {
  readonly receive: Receiver
  /** When the last of it came, in milliseconds of the clock; when this was made, if nothing did. */
  readonly heardAt: () => number
  /** What is worth telling: of messages that somebody here broke over. Whoever breaks does not stop those that follow. */
  readonly diagnostics: () => ReadonlyArray<string>
}

/** @category constructors */
export const make = (options: Options): Arrivals => new Sorting(options)

class Sorting implements Arrivals {
  private readonly options: Options
  private heard: number
  /** How many messages somebody broke over who was told, and what the first of them said. */
  private broken = 0
  private first = ""

  constructor(options: Options) {
    this.options = options
    this.heard = options.clock.currentTimeMillisUnsafe()
  }

  receive(incoming: JsonRpc.Incoming, about: string | number | null): void {
    this.heard = this.options.clock.currentTimeMillisUnsafe()
    // oxlint-disable-next-line house/no-try -- who reads the pipe catches nothing, so the host would end
    try {
      if (incoming._tag === "Message") this.take(incoming.message, about)
      else if (incoming.isAnswer) this.options.requests.oversized(incoming.bytes, incoming.id ?? about)
    } catch (error) {
      if (this.broken++ === 0) this.first = error instanceof Error ? error.message : String(error)
    }
  }
  heardAt(): number {
    return this.heard
  }
  diagnostics(): ReadonlyArray<string> {
    return this.broken === 0 ? [] : [brokenWords(this.broken, this.options.channel.scrub(this.first))]
  }

  private take(message: JsonRpc.Message, about: string | number | null): void {
    const { requests, taker } = this.options
    const { id, method, params } = message
    if (typeof method !== "string") return requests.answered(message)
    if (method !== "notifications/progress" && taker?.take(message, requests.about(about)) === true) return
    if (id === undefined) this.notified(method, JsonRpc.isObject(params) ? params : {})
  }
  private notified(method: string, params: Schema.JsonObject): void {
    const { news, requests } = this.options
    switch (method) {
      case "notifications/progress":
        return requests.progressed(params)
      case "notifications/message":
        return news.logged(params)
      case "notifications/resources/updated":
        return news.updated(params)
      case "notifications/tools/list_changed":
        return news.toolsChanged()
      case "notifications/prompts/list_changed":
        return news.listChanged("prompts")
      case "notifications/resources/list_changed":
        return news.listChanged("resources")
      case "notifications/subscriptions/acknowledged":
        return void requests.noticed("acknowledged", subscriptionOf(params), params)
      case "notifications/cancelled":
        return void requests.noticed("cancelled", params["requestId"], params)
    }
  }
}

const brokenWords = (count: number, first: string): string =>
  `${count === 1 ? "a message of its" : `${count} messages of its`} could not be handled${
    count === 1 ? "" : ", first"
  }: ${first.slice(0, 200)}`

/** Which request for news this belongs to (2026-07-28). @category getters */
export const subscriptionOf = ({ _meta }: Schema.JsonObject): Schema.Json | undefined =>
  JsonRpc.isObject(_meta) ? _meta["io.modelcontextprotocol/subscriptionId"] : undefined
