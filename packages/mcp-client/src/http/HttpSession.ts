/** The common part of both HTTP channels: a session, the messages on their way, and the receiver of the answers. */
import type { Http } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import * as JsonRpc from "../base/JsonRpc.ts"
import * as Pace from "../base/Pace.ts"
import * as Redaction from "../base/Redaction.ts"
import type { Channel, Receiver, Sending } from "../contract/Channel.ts"
import type { McpErrorReason } from "../errors/McpError.ts"
import type { Pause, ResponseHeaders } from "../host/McpFetch.ts"
import { StrayAnswers } from "../rpc/StrayAnswers.ts"
import * as HttpAuth from "./HttpAuth.ts"
import * as HttpExchanges from "./HttpExchanges.ts"
import * as HttpFailure from "./HttpFailure.ts"
import * as HttpHeaders from "./HttpHeaders.ts"
import * as HttpResponse from "./HttpResponse.ts"
import type { HttpSender } from "./HttpSender.ts"
import { ResponseQueue } from "./ResponseQueue.ts"

export interface Options {
  readonly http: Http
  readonly url: URL
  readonly auth: HttpAuth.HttpAuth
  readonly sender: HttpSender
  readonly maxMessageBytes: number
}

export interface SessionChannel extends Channel {
  /**
   * Whether a failure means that the session is over, so that a request was surely not processed (R22). From then on the
   * session counts as lost, and no DELETE is sent for it.
   */
  readonly endsSession: (reason: McpErrorReason) => boolean
  readonly isLost: () => boolean
  /** Sends a request, and tells more of a failure than its reason. */
  readonly ask: (message: JsonRpc.Message, onFailure: (failure: HttpFailure.HttpFailure) => void) => void
}

export interface Posting {
  readonly exchange: HttpExchanges.Exchange
  readonly message: JsonRpc.Message
  readonly more?: HttpHeaders.HeaderRecord | undefined
  readonly onAccepted?: (() => void) | undefined
}

export interface HttpSession {
  readonly state: HttpHeaders.Session
  readonly headers: HttpHeaders.HttpHeaders
  readonly exchanges: HttpExchanges.HttpExchanges
  /** How a response is read: that of an exchange, or a stream of what nobody asked for. */
  readonly reading: (exchange: HttpExchanges.Exchange | null) => Omit<HttpResponse.Reading, "onOver">
  /** Sends a message. `onSuccess` returns what takes the body of the response. */
  readonly post: (
    url: URL,
    posting: Posting,
    onSuccess: (status: number, headers: ResponseHeaders) => HttpResponse.Body
  ) => void
  /** Ends all exchanges. Waiting replies do not take their place. */
  readonly close: Effect.Effect<void>
  /** All of a channel but the ways in which the two kinds differ. */
  readonly channel: (
    send: (posting: Posting) => void,
    closesToCancel: () => boolean,
    hasSession: () => boolean
  ) => SessionChannel
}

export const make = Effect.fnUntraced(function*(
  { auth, http, maxMessageBytes, sender }: Options
): Effect.fn.Return<HttpSession, never, Scope.Scope> {
  const state: HttpHeaders.Session = { id: null, version: "", isLost: false }
  const headers = HttpHeaders.make(http, state)
  const exchanges = yield* HttpExchanges.make()
  const mailbox = makeMailbox()
  const strays = new StrayAnswers()
  const clock = yield* Clock.Clock
  const replies = new ResponseQueue(clock)
  const run = yield* FiberSet.makeRuntime<never, void>()
  const pace = makePace(clock, run)
  let lastId = 0

  const deliver = (message: JsonRpc.Message, exchange: HttpExchanges.Exchange | null, length: number) => {
    const id = JsonRpc.isAnswer(message) ? JsonRpc.idOf(message) : null
    if (id === null || !exchanges.answered(id)) pace.weigh(length)
    if (id !== null) strays.answered(id)
    mailbox.put({ _tag: "Message", message }, exchange?.id ?? null)
  }
  /** The stream of a POST holds the answer to that request; on the listening stream it could be any. */
  const onOversized: (exchange: HttpExchanges.Exchange | null) => HttpResponse.Reading["onOversized"] =
    (exchange) => ({ bytes, id }) => {
      const own = exchange === null ? exchanges.waiting() : [exchange]
      for (const failed of id === null ? own : [exchanges.find(id)]) {
        if (failed === undefined) pace.weigh(bytes)
        else exchanges.refuse(failed, HttpResponse.tooLarge(bytes, maxMessageBytes))
      }
    }
  // The session's id lets its holder speak on the session.
  const scrub = Redaction.besides(auth.scrub, () => state.id ?? undefined)
  const explain = (method: string, failure: HttpFailure.HttpFailure): McpErrorReason => {
    const occasion = { ...HttpAuth.occasionOf(auth, method), scrub }
    return method === "initialize"
      ? HttpFailure.handshakeReason(failure, occasion)
      : HttpFailure.toReason(failure, occasion)
  }
  const begin: HttpExchanges.HttpExchanges["begin"] = (id, method, onFailure, onOver) => {
    if (id !== null) strays.asked(id)
    return exchanges.begin(id, method, onFailure, onOver)
  }
  const posting = (
    message: JsonRpc.Message,
    { headers: more, onAccepted, onFailed }: Sending,
    onOver?: () => void
  ): Posting => {
    const method = methodOf(message)
    const id = message["method"] === undefined ? null : JsonRpc.idOf(message)
    const onFailure = onFailed === undefined
      ? undefined
      : (failure: HttpFailure.HttpFailure) => onFailed(explain(method, failure))
    return { exchange: begin(id, method, onFailure, onOver), message, more, onAccepted }
  }
  return {
    state,
    headers,
    exchanges,
    close: Effect.sync(() => {
      replies.close()
      exchanges.abandonAll()
    }),
    reading: (exchange) => ({
      maxBytes: maxMessageBytes,
      onMessage: (message, length) => deliver(message, exchange, length),
      onIdle: pace.weigh,
      // The response to a request of ours may hold its answer.
      isOwn: exchange !== null,
      pause: exchange === null ? () => bothPauses(replies.pause(), pace.pause()) : pace.pause,
      onOversized: onOversized(exchange)
    }),
    post: (url, { exchange, message, more }, onSuccess) => {
      exchange.abort = sender({
        method: "POST",
        url,
        rpcMethod: exchange.method,
        headers: (signed) => headers.post(message, signed, more),
        body: JSON.stringify(message),
        onSuccess,
        onFailure: (failure) => {
          const answer = answerIn(failure, message)
          if (answer !== null) deliver(answer, exchange, 0)
          exchanges.fail(exchange, failure)
        }
      })
    },
    channel: (send, closesToCancel, hasSession) => ({
      pid: null,
      nextId: () => lastId += 1,
      send: (message, sending = {}) =>
        message["method"] === undefined
          ? replies.add(({ onOver, onTaken }) => send(posting(message, both(sending, onTaken), onOver)))
          : send(posting(message, sending)),
      ask: (message, onFailure) =>
        send({ exchange: begin(JsonRpc.idOf(message), methodOf(message), onFailure), message }),
      abandon: (id) => {
        exchanges.abandon(exchanges.find(id))
        return closesToCancel()
      },
      listen: mailbox.listen,
      agreed: (revision) => {
        state.version = revision
      },
      stderr: () => "",
      scrub,
      diagnostics: () => [...strays.diagnostics().map(scrub), ...replies.diagnostics(), ...pace.diagnostics()],
      // Nothing but its requests tells that the server is gone.
      onClosed: () => () => {},
      isLost: () => state.isLost,
      endsSession: (reason) => {
        state.isLost ||= hasSession() && namesNoSession(reason)
        return state.isLost && namesNoSession(reason)
      }
    })
  }
})

const both = (sending: Sending, onTaken: () => void): Sending => ({
  ...sending,
  onAccepted: () => {
    onTaken()
    sending.onAccepted?.()
  }
})

const methodOf = ({ method }: JsonRpc.Message): string => typeof method === "string" ? method : "an answer"

/** Since 2026-07-28 the answer to a wrong request, or one for an unknown method, comes under such a status. */
const answerIn = (failure: HttpFailure.HttpFailure, message: JsonRpc.Message): JsonRpc.Message | null => {
  if (failure._tag !== "Refused" || ![400, 404].includes(failure.status)) return null
  const answer = HttpHeaders.claimOf(message) === null ? null : JsonRpc.parse(failure.text)
  return answer !== null && JsonRpc.isAnswer(answer) && JsonRpc.idOf(answer) === JsonRpc.idOf(message) ? answer : null
}

/**
 * The specification's answer is 404; servers made after the examples of the official SDKs say it with 400, and one that
 * keeps a single session says after its restart that nobody has initialized it.
 */
const namesNoSession = (reason: McpErrorReason): boolean =>
  reason._tag === "HttpStatus" &&
  (reason.code === 404 || (reason.code === 400 && /\bsession\b|\bnot initialized\b/i.test(reason.detail)))

const makeMailbox = () => {
  const kept: Array<Parameters<Receiver>> = []
  let put: Receiver = (...arrival) => void kept.push(arrival)
  return {
    put: (...arrival: Parameters<Receiver>) => put(...arrival),
    listen: (receiver: Receiver) => {
      put = receiver
      for (const arrival of kept.splice(0)) receiver(...arrival)
    }
  }
}

/** How fast the streams are read that bring what nobody asked for. */
interface HttpPace {
  /** Notes so many characters that answer no request of ours. */
  readonly weigh: (length: number) => void
  /** A pause before more of a stream is read; null when none is due. */
  readonly pause: () => Pause | null
  /** At most one line. */
  readonly diagnostics: () => ReadonlyArray<string>
}

/** One allowance for all streams of a session, as large as that of a program's pipes. `run` ends what waits. */
const makePace = (clock: Clock.Clock, run: (wait: Effect.Effect<void>) => unknown): HttpPace => {
  const pace = new Pace.Pace()
  let unasked = 0
  return {
    weigh: (length) => {
      unasked += length + Pace.LINE_COST
    },
    pause: () => {
      if (unasked === 0) return null
      const wait = pace.note(unasked, clock.currentTimeMillisUnsafe())
      unasked = 0
      return wait === 0 ? null : (goOn) => void run(Effect.andThen(Effect.sleep(wait), Effect.sync(goOn)))
    },
    diagnostics: pace.diagnostics.bind(pace)
  }
}

/** Waits for one and then for the other. */
const bothPauses = (one: Pause | null, other: Pause | null): Pause | null => {
  if (one === null) return other
  return other === null ? one : (goOn) => one(() => other(goOn))
}
