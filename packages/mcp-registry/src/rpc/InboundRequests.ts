/**
 * Answers what a server of revision 2025-11-25 and before asks in requests of its own.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import type { Background } from "../Background.ts"
import type { About } from "../requests/AskingCalls.ts"
import * as ServerQuestion from "../requests/ServerQuestion.ts"
import * as JsonRpc from "../transport/JsonRpc.ts"
import type { Taker } from "./Arrivals.ts"
import type { Asking } from "./Asking.ts"
import type { Channel } from "./Channel.ts"

/** @category models */
export interface Options {
  readonly channel: Pick<Channel, "send">
  readonly asking: Pick<Asking, "answers" | "calls">
  /** What is open ends with it. */
  readonly background: Background
}

/** Answers from now on. A request that the server gives up gets no answer. @category constructors */
export const make = (options: Options): Taker => new Answering(options)

class Answering implements Taker {
  private readonly options: Options
  /** By the server's ids. */
  private open: Map<string | number, Fiber.Fiber<void>> | null = null

  constructor(options: Options) {
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
