/**
 * Which resources a server of a revision before 2026-07-28 is asked to tell the updates of: one request for each.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { Connection, Refusals } from "../Connection.ts"
import type { McpErrorReason } from "../McpError.ts"
import type { Send } from "./Requests.ts"

/** So many requests are under way at once. */
const CONCURRENCY = 5

/** Nothing is asked for yet. @category constructors */
export const make = (send: Send): Connection["watch"] => {
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
