/** Sorts what a server sends: answers, notifications, and requests of its own. */
import type { CancelledNotificationParams, ElicitationCompleteNotificationParams } from "@modelcontextprotocol/client"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import type { About } from "../asks/AskingCalls.ts"
import * as ServerQuestion from "../asks/ServerQuestion.ts"
import * as JsonRpc from "../base/JsonRpc.ts"
import type { Channel } from "../contract/Channel.ts"
import type { ServerNotificationMethod, Written } from "../contract/Wire.ts"
import type { Notifications } from "./Notifications.ts"
import type { Requests } from "./Requests.ts"
import type { ServerAsks } from "./ServerAsks.ts"
import { subscriptionOf } from "./Subscription.ts"

export interface Options {
  readonly channel: Pick<Channel, "scrub">
  readonly requests: Pick<Requests, "answered" | "oversized" | "about" | "progressed" | "noticed">
  readonly clock: Clock.Clock
  readonly notifications: Pick<Notifications, "logged" | "updated" | "toolsChanged" | "listChanged">
  /** Null since 2026-07-28, where a server sends no requests of its own and gets no answer. */
  readonly serverRequests: InboundRequests | null
}

export class Inbound {
  private readonly options: Options
  private heard: number
  /** How many messages broke a handler, and what the first of the errors said. */
  private broken = 0
  private first = ""

  constructor(options: Options) {
    this.options = options
    this.heard = options.clock.currentTimeMillisUnsafe()
  }

  receive(incoming: JsonRpc.Incoming, about: string | number | null): void {
    this.heard = this.options.clock.currentTimeMillisUnsafe()
    // oxlint-disable-next-line house/no-try -- the reader of the pipe catches nothing, so the host would end
    try {
      if (incoming._tag === "Message") this.take(incoming.message, about)
      else if (incoming.isAnswer) this.options.requests.oversized(incoming.bytes, incoming.id ?? about)
    } catch (error) {
      if (this.broken++ === 0) this.first = error instanceof Error ? error.message : String(error)
    }
  }
  /** When the last message came, in milliseconds of the clock; when this was made, if none did. */
  heardAt(): number {
    return this.heard
  }
  /** Messages that could not be handled. One that breaks a handler does not stop those that follow. */
  diagnostics(): ReadonlyArray<string> {
    return this.broken === 0 ? [] : [brokenWords(this.broken, this.options.channel.scrub(this.first))]
  }

  private take(message: JsonRpc.Message, about: string | number | null): void {
    const { requests, serverRequests } = this.options
    const { id, method, params } = message
    if (typeof method !== "string") return requests.answered(message)
    if (method !== "notifications/progress" && serverRequests?.take(message, requests.about(about)) === true) return
    if (id === undefined) HANDLERS.get(method)?.(this.options, JsonRpc.isObject(params) ? params : {})
  }
}

type Handler = (options: Options, params: Schema.JsonObject) => void

/** One handler for each notification of the protocol. */
const BY_METHOD: Readonly<Record<ServerNotificationMethod, Handler>> = {
  "notifications/progress": ({ requests }, params) => requests.progressed(params),
  "notifications/message": ({ notifications }, params) => notifications.logged(params),
  "notifications/resources/updated": ({ notifications }, params) => notifications.updated(params),
  "notifications/tools/list_changed": ({ notifications }) => notifications.toolsChanged(),
  "notifications/prompts/list_changed": ({ notifications }) => notifications.listChanged("prompts"),
  "notifications/resources/list_changed": ({ notifications }) => notifications.listChanged("resources"),
  "notifications/subscriptions/acknowledged": ({ requests }, params) =>
    void requests.noticed("acknowledged", subscriptionOf(params), params),
  "notifications/cancelled": ({ requests }, params) => {
    const { requestId }: Written<CancelledNotificationParams> = params
    requests.noticed("cancelled", requestId, params)
  },
  // Means nothing since 2026-07-28; before that `InboundRequests` takes it.
  "notifications/elicitation/complete": () => {}
}

const HANDLERS: ReadonlyMap<string, Handler> = new Map(Object.entries(BY_METHOD))

const brokenWords = (count: number, first: string): string =>
  `${count === 1 ? "a message of its" : `${count} messages of its`} could not be handled${
    count === 1 ? "" : ", first"
  }: ${first.slice(0, 200)}`

export interface RequestsOptions {
  readonly channel: Pick<Channel, "send">
  readonly asking: Pick<ServerAsks, "answers" | "calls">
  /** Runs what answers; it ends with the connection. */
  readonly run: (answering: Effect.Effect<void>) => Fiber.Fiber<void>
}

/** Answers the requests of a server of 2025-11-25 and before. A request that the server cancels gets no answer. */
export class InboundRequests {
  private readonly options: RequestsOptions
  /** By the server's ids. */
  private readonly open = new Map<string | number, Fiber.Fiber<void>>()

  constructor(options: RequestsOptions) {
    this.options = options
  }

  /** Takes a request of the server and what belongs to one; false for any other message. */
  take(message: JsonRpc.Message, about: About): boolean {
    const { id, method, params } = message
    const { asking } = this.options
    if (method === "notifications/elicitation/complete") {
      const { elicitationId }: Written<ElicitationCompleteNotificationParams> = JsonRpc.isObject(params) ? params : {}
      if (typeof elicitationId === "string") asking.answers().visited(elicitationId)
      return true
    }
    if (this.cancel(JsonRpc.cancelledId(message))) return true
    // An id of any other kind is none, and may not be writable as JSON.
    if (typeof method !== "string" || (typeof id !== "string" && typeof id !== "number")) return false
    if (asking.answers().isFlooded()) return true
    if (ServerQuestion.METHODS.has(method)) this.begin(id, this.respond(id, method, params, about))
    else this.answerAtOnce(id, method)
    return true
  }

  private answerAtOnce(id: string | number, method: string): void {
    const refusal = this.options.asking.answers().passing()
    const error = refusal === null ? UNKNOWN_METHOD : { code: refusal.code, message: refusal.message }
    const answer = refusal === null && method === "ping" ? { result: {} } : { error }
    this.options.channel.send({ jsonrpc: "2.0", id, ...answer })
  }
  private begin(id: string | number, answering: Effect.Effect<void>): void {
    // A server that asks the same twice wants one answer.
    this.cancel(id)
    const fiber = this.options.run(answering)
    this.open.set(id, fiber)
    fiber.addObserver(() => {
      if (this.open.get(id) === fiber) this.open.delete(id)
    })
  }
  /** False where nothing of this id is open. */
  private cancel(id: string | number | null): boolean {
    const fiber = id === null ? undefined : this.open.get(id)
    fiber?.interruptUnsafe()
    return fiber !== undefined
  }
  private respond(id: string | number, method: string, params: Schema.Json | undefined, about: About) {
    const { asking, channel } = this.options
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
