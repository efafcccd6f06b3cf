/**
 * Answers what a server of revision 2025-11-25 and before asks in requests of its own.
 */
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Answers } from "../requests/Answers.ts"
import type { About, AskingCalls } from "../requests/AskingCalls.ts"
import * as ServerQuestion from "../requests/ServerQuestion.ts"
import * as JsonRpc from "../transport/JsonRpc.ts"
import type { Taker } from "./Arrivals.ts"
import type { Channel } from "./Channel.ts"

/** @category models */
export interface Options {
  readonly channel: Pick<Channel, "send">
  readonly answers: () => Answers
  readonly calls: AskingCalls
}

/**
 * Answers until the scope closes, which ends what is open. A request that the server gives up gets no answer.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  { answers, calls, channel }: Options
): Effect.fn.Return<Taker, never, Scope.Scope> {
  const open = yield* FiberMap.make<string | number>()
  const run = yield* FiberMap.runtime(open)<never>()

  // A connection that is gone has told everybody by itself.
  const reply = (message: JsonRpc.Message) => Effect.sync(() => channel.send(message))
  const respond = (id: string | number, method: string, params: Schema.Json | undefined, about: About) =>
    answers().answer(method, params, calls.addressee(about)).pipe(
      Effect.matchEffect({
        onFailure: ({ code, message }) => reply({ jsonrpc: "2.0", id, error: { code, message } }),
        onSuccess: (result) => reply({ jsonrpc: "2.0", id, result })
      })
    )
  return (message, about) => {
    const { id, method, params } = message
    if (method === "notifications/elicitation/complete") {
      if (JsonRpc.isObject(params) && typeof params["elicitationId"] === "string") {
        answers().visited(params["elicitationId"])
      }
      return true
    }
    const cancelled = JsonRpc.cancelledId(message)
    if (cancelled !== null && FiberMap.hasUnsafe(open, cancelled)) {
      run(cancelled, Effect.void)
      return true
    }
    if (typeof method !== "string" || !ServerQuestion.METHODS.has(method)) return false
    if (typeof id !== "string" && typeof id !== "number") return false
    if (!answers().isFlooded()) run(id, respond(id, method, params, about))
    return true
  }
})
