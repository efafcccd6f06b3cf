/**
 * A channel to a streamable HTTP server: each message is a POST, whose response holds the answer. Messages that the
 * server sends of its own accord come on a stream that a GET opens.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Revision from "../contract/Revision.ts"
import { ConnectionLost } from "../errors/McpError.ts"
import type { ResponseHeaders } from "../host/McpFetch.ts"
import type { Exchange } from "./HttpExchanges.ts"
import type { HttpFailure } from "./HttpFailure.ts"
import * as HttpHeaders from "./HttpHeaders.ts"
import * as HttpResponse from "./HttpResponse.ts"
import { IGNORED } from "./HttpSender.ts"
import * as HttpSession from "./HttpSession.ts"
import * as HttpStream from "./HttpStream.ts"

/**
 * Opens a channel; nothing is sent yet. The scope's close ends the session with one DELETE, within a second, and then
 * everything that is open.
 */
export const make = Effect.fnUntraced(function*(
  options: HttpSession.Options
): Effect.fn.Return<HttpSession.SessionChannel, never, Scope.Scope> {
  const { sender, url } = options
  const scope = yield* Effect.scope
  const session = yield* HttpSession.make(options)
  const { exchanges, state } = session
  // oxlint-disable-next-line house/no-run -- what comes is told by plain calls
  const fork = Effect.runForkWith(yield* Effect.context<never>())

  const stream = (exchange: Exchange | null, lastEventId: string | null, onOpen?: () => void) =>
    Effect.suspend(() => {
      const [headers, reading] = [session.headers.plain(), session.reading(exchange)]
      return HttpStream.read({ sender, url, headers, lastEventId, reading, ...(onOpen && { onOpen }) })
    })
  /** Requests of the server are lost before that stream is open, so `goOn` waits for it a little. */
  const listen = (goOn: () => void) => {
    const asked = Deferred.makeUnsafe<void>()
    const tell = () => void Deferred.doneUnsafe(asked, Effect.void)
    const listening = HttpStream.runListening((lastEventId) =>
      Effect.ensuring(stream(null, lastEventId, tell), Effect.sync(tell))
    )
    const opened = Effect.timeoutOption(Deferred.await(asked), LISTENING_LIMIT)
    fork(Effect.forkIn(listening, scope, { startImmediately: true }))
    fork(Effect.forkIn(Effect.andThen(opened, Effect.sync(goOn)), scope))
  }
  const resume = (exchange: Exchange, place: HttpResponse.Place) => {
    const resumed = HttpStream.runResumption(
      (lastEventId) => stream(exchange, lastEventId),
      place,
      () => exchange.isAnswered
    )
    const fiber = fork(Effect.andThen(resumed, Effect.sync(() => exchanges.fail(exchange, streamEnded))))
    exchange.abort = () => fiber.interruptUnsafe()
  }
  /** Without this a call whose response ends early would wait for its timeout. */
  const ended = (
    { exchange, message }: HttpSession.Posting,
    failure: HttpFailure | null,
    place: HttpResponse.Place
  ) => {
    if (exchange.isAnswered && failure === null) return exchanges.end(exchange)
    const isResumable = (place.lastEventId ?? "") !== "" && HttpHeaders.claimOf(message) === null
    if (failure?._tag === "Known") exchanges.fail(exchange, failure)
    else if (isResumable && !exchange.isAnswered) resume(exchange, place)
    else exchanges.fail(exchange, streamEnded)
  }
  const accepted = ({ exchange, onAccepted = () => {} }: HttpSession.Posting, status: number): HttpResponse.Body => {
    if (exchange.method === "notifications/initialized" && status === ACCEPTED) listen(onAccepted)
    else onAccepted()
    return { onData: () => {}, onEnd: () => exchanges.end(exchange), onError: () => exchanges.end(exchange) }
  }
  const answered = (posting: HttpSession.Posting, status: number, headers: ResponseHeaders): HttpResponse.Body => {
    const { exchange } = posting
    const refuse = (failure: HttpFailure) => {
      exchanges.fail(exchange, failure)
      return IGNORED
    }
    if (status === ACCEPTED) return refuse(onlyAccepted(exchange.method))
    const reading = session.reading(exchange)
    switch (HttpResponse.contentType(headers)) {
      case HttpResponse.JSON_TYPE: {
        const bytes = HttpResponse.announced(headers)
        if (bytes > reading.maxBytes) return refuse(HttpResponse.tooLarge(bytes, reading.maxBytes))
        const onOver = (failure: HttpFailure | null) =>
          failure === null && exchange.isAnswered ? exchanges.end(exchange) : void refuse(failure ?? otherAnswer)
        return HttpResponse.json({ ...reading, onOver })
      }
      case HttpResponse.EVENTS_TYPE: {
        const body = HttpResponse.events({ ...reading, onOver: (failure) => ended(posting, failure, body.place) })
        return body
      }
      default:
        return refuse({ _tag: "OtherContent", type: HttpResponse.header(headers, "content-type") })
    }
  }
  const send = (posting: HttpSession.Posting) =>
    session.post(url, posting, (status, headers) => {
      const { exchange } = posting
      if (exchange.method === "initialize") state.id = HttpResponse.header(headers, "mcp-session-id") || null
      return exchange.id === null ? accepted(posting, status) : answered(posting, status, headers)
    })
  yield* Effect.addFinalizer(() => Effect.andThen(end(options, session), session.close))
  return session.channel(send, () => state.version === Revision.MODERN, () => state.id !== null)
})

const ACCEPTED = 202

/** Some servers send no headers before they have something to tell. */
const LISTENING_LIMIT = "500 millis"

/** How long ending a session may delay a close (R44). */
const DELETE_LIMIT = "1 second"

/** A server that cannot be reached keeps its session; a close neither waits for it nor fails by it. */
const end = ({ sender, url }: HttpSession.Options, { headers, state }: HttpSession.HttpSession) =>
  state.id === null || state.isLost ?
    Effect.void :
    Effect.callback<void>((resume) => {
      const abort = sender({
        method: "DELETE",
        url,
        rpcMethod: "the end of the session",
        headers: (signed) => ({ ...headers.plain(), ...signed }),
        body: null,
        onFailure: () => resume(Effect.void),
        onSuccess: () => {
          abort()
          resume(Effect.void)
          return IGNORED
        }
      })
      return Effect.sync(abort)
    }).pipe(Effect.timeoutOption(DELETE_LIMIT), Effect.asVoid)

const lost = (reason: ConnectionLost): HttpFailure => ({ _tag: "Known", reason })

const streamEnded = lost(new ConnectionLost({ detail: "the response stream ended before the answer" }))
const otherAnswer = lost(new ConnectionLost({ detail: "the response held no answer to the request" }))

/** HTTP 202 is for messages without an answer (2025-11-25, Streamable HTTP); to wait for one would be in vain. */
const onlyAccepted = (method: string): HttpFailure =>
  lost(
    new ConnectionLost({
      happened: "the server gave no answer",
      detail: `it accepted ${method} (HTTP 202) and said no more`,
      try:
        "check that the url is the server's MCP endpoint; a request is to be answered with JSON or a stream of events"
    })
  )
