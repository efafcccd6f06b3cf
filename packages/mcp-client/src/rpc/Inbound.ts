/**
 * Where what a server sends goes: answers to whoever waits, what it tells to whoever listens, what it asks to whoever
 * answers. What means nothing to anybody costs nothing more.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import type { About } from "../asks/AskingCalls.ts"
import * as ServerQuestion from "../asks/ServerQuestion.ts"
import type { BackgroundFibers } from "../base/BackgroundFibers.ts"
import * as JsonRpc from "../base/JsonRpc.ts"
import type { Channel, Receiver } from "../contract/Channel.ts"
import type { Requests } from "./Requests.ts"
import type { ServerAsks } from "./ServerAsks.ts"

/** Who answers what a server asks. */
export interface Taker {
  /** Takes what a server asks, and what belongs to it; false leaves a message to others. */
  readonly take: (message: JsonRpc.Message, about: About) => boolean
}

/** What a server tells of itself, as it wrote it. */
export interface Told {
  /**
   * `notifications/message`.
   */
  readonly logged: (params: Schema.JsonObject) => void
  /**
   * `notifications/resources/updated`.
   */
  readonly updated: (params: Schema.JsonObject) => void
  readonly toolsChanged: () => void
  readonly listChanged: (what: "prompts" | "resources") => void
}

export interface Options {
  readonly channel: Pick<Channel, "send" | "scrub">
  readonly requests: Requests
  readonly clock: Clock.Clock
  readonly news: Told
  /** Null since 2026-07-28, where a server asks nothing in requests of its own, and gets no answer. */
  readonly taker: Taker | null
}

export interface Inbound {
  readonly receive: Receiver
  /** When the last of it came, in milliseconds of the clock; when this was made, if nothing did. */
  readonly heardAt: () => number
  /**
   * What is worth telling: of messages that somebody here broke over. Whoever breaks does not stop those that follow.
   */
  readonly diagnostics: () => ReadonlyArray<string>
}

export const make = (options: Options): Inbound => new Sorting(options)

class Sorting implements Inbound {
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

/** Which request for news this belongs to (2026-07-28). */
export const subscriptionOf = ({ _meta }: Schema.JsonObject): Schema.Json | undefined =>
  JsonRpc.isObject(_meta) ? _meta["io.modelcontextprotocol/subscriptionId"] : undefined

// Answers what a server of revision 2025-11-25 and before asks in requests of its own.

export interface RequestsOptions {
  readonly channel: Pick<Channel, "send">
  readonly asking: Pick<ServerAsks, "answers" | "calls">
  /** What is open ends with it. */
  readonly background: BackgroundFibers
}

/** Answers from now on. A request that the server gives up gets no answer. */
export const makeRequests = (options: RequestsOptions): Taker => new Answering(options)

class Answering implements Taker {
  private readonly options: RequestsOptions
  /** By the server's ids. */
  private open: Map<string | number, Fiber.Fiber<void>> | null = null

  constructor(options: RequestsOptions) {
    this.options = options
  }

  take(message: JsonRpc.Message, about: About): boolean {
    const { id, method, params } = message
    const { asking } = this.options
    if (method === "notifications/elicitation/complete") {
      if (JsonRpc.isObject(params) && typeof params["elicitationId"] === "string") {
        asking.answers().visited(params["elicitationId"])
      }
      return true
    }
    if (this.giveUp(JsonRpc.cancelledId(message))) return true
    // Any other id is none, and to write it back could be beyond us.
    if (typeof method !== "string" || (typeof id !== "string" && typeof id !== "number")) return false
    if (asking.answers().isFlooded()) return true
    if (ServerQuestion.METHODS.has(method)) this.begin(id, this.respond(id, method, params, about))
    else this.pass(id, method)
    return true
  }

  /** Nobody has to be asked. */
  private pass(id: string | number, method: string): void {
    const refusal = this.options.asking.answers().passing()
    const error = refusal === null ? UNKNOWN_METHOD : { code: refusal.code, message: refusal.message }
    const answer = refusal === null && method === "ping" ? { result: {} } : { error }
    this.options.channel.send({ jsonrpc: "2.0", id, ...answer })
  }
  private begin(id: string | number, answering: Effect.Effect<void>): void {
    const open = this.open ??= new Map()
    // A server that asks the same twice wants one answer.
    this.giveUp(id)
    const fiber = this.options.background.run(answering)
    open.set(id, fiber)
    fiber.addObserver(() => {
      if (open.get(id) === fiber) open.delete(id)
    })
  }
  /** False where nothing of this id is open. */
  private giveUp(id: string | number | null): boolean {
    const fiber = id === null ? undefined : this.open?.get(id)
    fiber?.interruptUnsafe()
    return fiber !== undefined
  }
  private respond(id: string | number, method: string, params: Schema.Json | undefined, about: About) {
    const { asking, channel } = this.options
    // A connection that is gone has told everybody by itself.
    const reply = (message: JsonRpc.Message) => Effect.sync(() => channel.send(message))
    return asking.answers().answer(method, params, asking.calls.addressee(about)).pipe(
      Effect.matchEffect({
        onFailure: ({ code, message }) => reply({ jsonrpc: "2.0", id, error: { code, message } }),
        onSuccess: (result) => reply({ jsonrpc: "2.0", id, result })
      })
    )
  }
}

const UNKNOWN_METHOD = { code: JsonRpc.METHOD_NOT_FOUND, message: "Method not found" } as const
