/**
 * Streams of events that are asked for by GET: where a server tells what nobody asked for, and where it goes on with an
 * answer that broke off.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as FetchPost from "./FetchPost.ts"
import type { HttpFailure } from "./HttpFailure.ts"
import type { Headers } from "./HttpHeaders.ts"
import * as HttpLongWay from "./HttpLongWay.ts"
import * as HttpRedirects from "./HttpRedirects.ts"
import * as HttpReply from "./HttpReply.ts"

/** @category models */
export interface Options {
  readonly fetch: typeof globalThis.fetch
  readonly url: URL
  readonly headers: Headers
  /** Where the last stream ended; null for a new one. */
  readonly lastEventId: string | null
}

/** Asks. The response is given up when the scope closes. @category constructors */
export const get = Effect.fnUntraced(function*(
  { fetch, headers, lastEventId, url }: Options
): Effect.fn.Return<Response, HttpFailure, Scope.Scope> {
  const { signal } = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  const asked = { ...headers, accept: HttpReply.EVENTS_TYPE, ...(lastEventId === null ? {} : { [LAST]: lastEventId }) }
  const init: RequestInit = { method: "GET", headers: asked, signal, redirect: "manual" }
  return yield* HttpRedirects.within(url, "GET", (at) => HttpLongWay.thrown(() => fetch(at, init)))
})

const LAST = "last-event-id"

/** Whether a response is a stream of events. @category predicates */
export const isStream = (response: Response): boolean =>
  response.ok && HttpReply.contentType(FetchPost.headersOf(response)) === HttpReply.EVENTS_TYPE

/** Reads a stream to its end, however that comes, and gives where that was. @category combinators */
export const read = (response: Response, reading: Omit<HttpReply.Reading, "onOver">): Effect.Effect<HttpReply.Place> =>
  Effect.callback((resume) => {
    let stop = () => {}
    const body = HttpReply.events({
      ...reading,
      onOver: () => {
        stop()
        resume(Effect.succeed(body))
      }
    })
    stop = FetchPost.read(response.body, body)
    return Effect.sync(() => stop())
  })
