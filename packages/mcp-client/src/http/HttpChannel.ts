/**
 * A channel to a streamable HTTP server: each message a POST, whose response holds the answer; what nobody asked for comes
 * on a stream of its own.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as JsonRpc from "../base/JsonRpc.ts"
import * as Revision from "../contract/Revision.ts"
import { ConnectionLost } from "../errors/McpError.ts"
import type { ResponseHeaders } from "../host/McpFetch.ts"
import * as HttpBody from "./HttpBody.ts"
import type { Exchange } from "./HttpExchanges.ts"
import type { HttpFailure } from "./HttpFailure.ts"
import * as HttpHeaders from "./HttpHeaders.ts"
import * as HttpPost from "./HttpPost.ts"
import * as HttpReply from "./HttpReply.ts"
import * as HttpRetry from "./HttpRetry.ts"
import * as HttpSession from "./HttpSession.ts"
import * as HttpStream from "./HttpStream.ts"

/**
 * Opens it; nothing is sent yet. The scope's close ends the session with one DELETE, one second at most, and then
 * everything that is open.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  options: HttpSession.Options
): Effect.fn.Return<HttpSession.HttpChannel, never, Scope.Scope> {
  const { url, ways } = options
  const scope = yield* Effect.scope
  const session = yield* HttpSession.make(options)
  const { exchanges, state } = session
  // oxlint-disable-next-line house/no-run -- what comes is told by plain calls
  const fork = Effect.runForkWith(yield* Effect.context<never>())

  const get = (lastEventId: string | null) =>
    HttpStream.get({ fetch: ways.fetch, url, headers: session.headers.plain(), lastEventId })
  const read = (exchange: Exchange | null) => (response: Response) =>
    HttpStream.read(response, session.reading(exchange))

  /** What a server asks on that stream before it is open is lost, so whoever goes on waits for it a little. */
  const listen = (goOn: Effect.Effect<void>) => {
    const asked = Deferred.makeUnsafe<void>()
    const listening = HttpStream.runListening({
      get: (lastEventId) => Effect.ensuring(get(lastEventId), Deferred.succeed(asked, undefined)),
      read: read(null)
    })
    const opened = Effect.timeoutOption(Deferred.await(asked), LISTENING_LIMIT)
    fork(Effect.forkIn(listening, scope, { startImmediately: true }))
    fork(Effect.forkIn(Effect.andThen(opened, goOn), scope))
  }
  const resume = (exchange: Exchange, place: HttpReply.Place) => {
    const isDone = () => exchange.isAnswered
    const resumed = HttpStream.runResumption({ get, read: read(exchange), isDone }, place)
    const fiber = fork(Effect.andThen(resumed, Effect.sync(() => exchanges.fail(exchange, streamEnded))))
    exchange.abort = () => fiber.interruptUnsafe()
  }
  /** Without this a call whose response ends early would wait for its timeout. */
  const ended = ({ exchange, message }: HttpPost.Request, failure: HttpFailure | null, place: HttpReply.Place) => {
    if (exchange.isAnswered && failure === null) return exchanges.end(exchange)
    const isResumable = (place.lastEventId() ?? "") !== "" && HttpHeaders.claimOf(message) === null
    if (failure?._tag === "Known") exchanges.fail(exchange, failure)
    else if (isResumable && !exchange.isAnswered) resume(exchange, place)
    else exchanges.fail(exchange, streamEnded)
  }
  const accepted = ({ exchange, onAccepted }: HttpPost.Request, status: number): HttpReply.Body => {
    const goOn = () => onAccepted?.()
    if (exchange.method === "notifications/initialized" && status === ACCEPTED) listen(Effect.sync(goOn))
    else goOn()
    return { onData: () => {}, onEnd: () => exchanges.end(exchange), onError: () => exchanges.end(exchange) }
  }
  const answered = (request: HttpPost.Request, headers: ResponseHeaders): HttpReply.Body => {
    const { exchange } = request
    const refuse = (failure: HttpFailure) => {
      exchanges.fail(exchange, failure)
      return HttpPost.IGNORED
    }
    const reading = session.reading(exchange)
    switch (HttpReply.contentType(headers)) {
      case HttpReply.JSON_TYPE: {
        const bytes = HttpReply.announced(headers)
        if (bytes > reading.maxBytes) return refuse(HttpReply.tooLarge(bytes, reading.maxBytes))
        const onOver = (failure: HttpFailure | null) =>
          failure === null && exchange.isAnswered ? exchanges.end(exchange) : void refuse(failure ?? otherAnswer)
        return HttpReply.json({ ...reading, onOver })
      }
      case HttpReply.EVENTS_TYPE: {
        const body = HttpReply.events({ ...reading, onOver: (failure) => ended(request, failure, body) })
        return body
      }
      default:
        return refuse({ _tag: "OtherContent", type: HttpReply.header(headers, "content-type") })
    }
  }
  const send = yield* HttpPost.make({
    ways,
    headers: session.headers,
    onFailure: ({ exchange, message }, failure) => {
      const answer = answerIn(failure, message)
      if (answer !== null) session.deliver(answer, exchange, 0)
      exchanges.fail(exchange, failure)
    },
    onSuccess: (request, status, headers) => {
      const { exchange } = request
      if (exchange.method === "initialize") state.id = HttpReply.header(headers, "mcp-session-id") || null
      if (exchange.id === null) return accepted(request, status)
      if (status !== ACCEPTED) return answered(request, headers)
      exchanges.fail(exchange, onlyAccepted(exchange.method))
      return HttpPost.IGNORED
    }
  })
  yield* Effect.addFinalizer(() => Effect.andThen(end(options, session), session.close))
  return session.channel(
    (request) => send(url, request),
    () => state.version === Revision.MODERN,
    () => state.id !== null
  )
})

const ACCEPTED = 202

/** Some servers send no headers before they have something to tell. */
const LISTENING_LIMIT = "500 millis"

/** A server that cannot be reached keeps its session; a close neither waits for it nor fails by it. */
const end = ({ url, ways }: HttpSession.Options, { headers, state }: HttpSession.HttpSession) =>
  state.id === null || state.isLost ?
    Effect.void :
    HttpRetry.thrown((signal) =>
      ways.fetch(url, { method: "DELETE", headers: headers.plain(), signal, redirect: "manual" })
    ).pipe(Effect.flatMap(HttpBody.discard), Effect.timeoutOption(HttpSession.DELETE_LIMIT), Effect.ignore)

/** Since 2026-07-28 a request that is wrong, or asks for a method that is not there, has its answer under such a status. */
const answerIn = (failure: HttpFailure, message: JsonRpc.Message): JsonRpc.Message | null => {
  if (failure._tag !== "Refused" || !WITH_ANSWER.has(failure.status) || HttpHeaders.claimOf(message) === null) {
    return null
  }
  const answer = JsonRpc.parse(failure.text)
  return answer !== null && JsonRpc.isAnswer(answer) && JsonRpc.idOf(answer) === JsonRpc.idOf(message) ? answer : null
}

const WITH_ANSWER: ReadonlySet<number> = new Set([400, 404])

const lost = (reason: ConnectionLost): HttpFailure => ({ _tag: "Known", reason })

const streamEnded = lost(new ConnectionLost({ detail: "the response stream ended before the answer" }))
const otherAnswer = lost(new ConnectionLost({ detail: "the response held no answer to the request" }))

/** That status is for messages without an answer (2025-11-25, Streamable HTTP); to wait for one would be in vain. */
const onlyAccepted = (method: string): HttpFailure =>
  lost(
    new ConnectionLost({
      happened: "the server gave no answer",
      detail: `it accepted ${method} (HTTP 202) and said no more`,
      try:
        "check that the url is the server's MCP endpoint; a request is to be answered with JSON or a stream of events"
    })
  )
