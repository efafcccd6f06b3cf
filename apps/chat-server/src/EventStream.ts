/**
 * Server-sent events as this server writes them: one JSON document a `data:` line, and a comment now and then.
 */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"

/** Proxies close what is silent for long, often after 30 or 60 s. */
const HEARTBEAT = "15 seconds"

/**
 * Each document is one event; `id` becomes the event's id. The first bytes go out at once, so that a client sees the
 * headers before anything happens. A client that goes away ends the subscription and nothing else.
 */
export const response = <A>(
  documents: Stream.Stream<A>,
  id: (document: A) => number | null = () => null
): HttpServerResponse.HttpServerResponse => {
  // One at a time, and others get their turn between: hundreds of long results may be waiting.
  const events = Stream.mapEffect(
    documents,
    (document) => Effect.map(Effect.yieldNow, () => event(document, id(document)))
  )
  const heartbeat = Stream.map(Stream.fromSchedule(Schedule.spaced(HEARTBEAT)), () => ": still here\n\n")
  const body = Stream.concat(Stream.make(": hello\n\n"), Stream.merge(events, heartbeat, { haltStrategy: "left" }))
  return HttpServerResponse.stream(Stream.encodeText(body), {
    contentType: "text/event-stream",
    headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
  })
}

const event = (document: unknown, id: number | null): string =>
  `${id === null ? "" : `id: ${id}\n`}data: ${JSON.stringify(document)}\n\n`
