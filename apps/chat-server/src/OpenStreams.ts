/**
 * Bounds how many streams of events are open at once: each costs memory and a connection for as long as somebody listens.
 */
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Metric from "effect/Metric"
import * as ApiErrors from "./ApiErrors.ts"
import type { Guard } from "./Guards.ts"

/** Far above what people of one household or team have open; a client that forgets its streams is noticed. */
export const LIMIT = 200

const open = Metric.gauge("boocode_event_streams", { description: "Streams of events that are open" })

/** Each request that may be answered with a stream holds a place until its answer is over. */
export const guard: Effect.Effect<Guard> = Effect.sync(() => {
  let count = 0
  const change = (by: number) =>
    Effect.suspend(() => {
      count += by
      return Metric.update(open, count)
    })
  return (httpEffect) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) => {
      if (!mayStream(method, url)) return httpEffect
      if (count >= LIMIT) return Effect.succeed(full)
      return Effect.andThen(Effect.acquireRelease(change(1), () => change(-1)), httpEffect)
    })
})

const mayStream = (method: string, url: string): boolean => {
  const path = url.split("?")[0] ?? ""
  return method === "GET"
    ? /^\/api\/((chats\/[^/]+\/)?events|mcp\/servers\/[^/]+\/resources\/watch)$/.test(path)
    : method === "POST" && /^\/api\/(chats\/[^/]+\/messages|tools\/[^/]+\/stream)$/.test(path)
}

const full = ApiErrors.response(503, {
  _tag: "TooManyStreams",
  message: `${LIMIT} streams of events are open already`,
  hint: "close pages and programs that listen and are not needed any more"
}, { state: "busy", why: null })
