/** Server-sent events as this server writes them: one JSON document a `data:` line, and a comment now and then. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"

/** Proxies close what is silent for long, often after 30 or 60 s. */
const HEARTBEAT = "15 seconds"

/**
 * How long after one look at a connection the next one comes, in milliseconds. A system takes the next bytes when about a third
 * of its buffer is free, so over a link of 2 KB a second half a minute may pass between two of those.
 */
const PATIENCE = 30_000

/** How many characters a connection is given at once, however long a document is. */
const PIECE = 65_536

/** How documents are written; JSON without ids by default. */
export interface Writing<A> {
  /** The event's id; null for none. */
  readonly id?: (document: A) => number | null
  readonly text?: (document: A) => string
}

/**
 * Each document is one event; `id` becomes the event's id. The first bytes go out at once, so that a client sees the
 * headers before anything happens. A client that goes away ends the subscription and nothing else. A client that takes
 * nothing is disconnected after 30 to 60 s: it comes back and says which event it saw last.
 */
export const response = <A, R = never>(
  documents: Stream.Stream<A, never, R>,
  writing: Writing<A> = {}
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest | R> =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    // The stream outlives its handler, and is for the same person.
    const own = Stream.provideContext(documents, yield* Effect.context<R>())
    return HttpServerResponse.stream(attended(body(own, writing), request), {
      contentType: "text/event-stream",
      headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
    })
  })

export const body = <A>(
  documents: Stream.Stream<A>,
  { id = () => null, text = textOf }: Writing<A> = {}
): Stream.Stream<Uint8Array> => {
  // One at a time, and others get their turn between: hundreds of long results may be waiting.
  const events = Stream.mapEffect(
    documents,
    (document) => Effect.map(Effect.yieldNow, () => event(text(document), id(document)))
  )
  const heartbeat = Stream.map(Stream.fromSchedule(Schedule.spaced(HEARTBEAT)), () => ": still here\n\n")
  const texts = Stream.concat(Stream.make(": hello\n\n"), Stream.merge(events, heartbeat, { haltStrategy: "left" }))
  return Stream.encodeText(Stream.flatMap(texts, inPieces))
}

const event = (text: string, id: number | null): string => `${id === null ? "" : `id: ${id}\n`}data: ${text}\n\n`

/** Many clients listen to the same part: all of them wait for one text. */
const texts = new WeakMap<object, string>()

const textOf = (document: unknown): string => {
  if (typeof document !== "object" || document === null) return JSON.stringify(document)
  const text = texts.get(document) ?? JSON.stringify(document)
  texts.set(document, text)
  return text
}

const inPieces = (text: string): Stream.Stream<string> =>
  text.length <= PIECE ? Stream.make(text) : Stream.fromIterable(pieces(text), { chunkSize: 1 })

function* pieces(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const to = from + PIECE
    // The two halves of a character stay together.
    const end = isLowSurrogate(text.charCodeAt(to)) ? to - 1 : to
    yield text.slice(from, end)
    from = end
  }
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff

type Request = HttpServerRequest.HttpServerRequest

/** Ends the connection of a client that takes nothing, for as long as there are bytes for it. */
const attended = (bytes: Stream.Stream<Uint8Array>, request: Request): Stream.Stream<Uint8Array> =>
  Stream.unwrap(Effect.as(Effect.forkScoped(Effect.andThen(stalled(request), disconnect(request))), bytes))

/**
 * Completes when nothing went out for a while, not even a comment. Node looks at what the system has taken, also of a write
 * that is under way.
 */
const stalled = (request: Request): Effect.Effect<void> =>
  Effect.callback((resume) => {
    NodeHttpServerRequest.toServerResponse(request).setTimeout(PATIENCE, () => resume(Effect.void))
  })

/** Ends the connection as if the client had gone: what waits for it is let go. */
const disconnect = (request: Request): Effect.Effect<void> =>
  Effect.andThen(
    Effect.logDebug(`a client that reads no events is disconnected: ${request.url}`),
    Effect.sync(() => void NodeHttpServerRequest.toServerResponse(request).destroy())
  )
