/**
 * What the two kinds of HTTP servers have in common: a session, the messages that are under way, and who takes what comes.
 */
import type { Http } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import * as JsonRpc from "../base/JsonRpc.ts"
import * as Redaction from "../base/Redaction.ts"
import type { Channel, Receiver, Sending } from "../contract/Channel.ts"
import type { McpErrorReason } from "../errors/McpError.ts"
import { StrayAnswers } from "../rpc/StrayAnswers.ts"
import * as HttpBody from "./HttpBody.ts"
import * as HttpExchanges from "./HttpExchanges.ts"
import * as HttpFailure from "./HttpFailure.ts"
import * as HttpHeaders from "./HttpHeaders.ts"
import type * as HttpPost from "./HttpPost.ts"
import * as HttpReplies from "./HttpReplies.ts"
import * as HttpReply from "./HttpReply.ts"
import type { Oversized } from "./Sse.ts"

/** How long ending a session may delay a close (R44). @category constants */
export const DELETE_LIMIT = "1 second"

/** What a channel is made from. @category models */
export interface Options {
  readonly http: Http
  readonly url: URL
  readonly ways: HttpPost.Ways
  readonly maxMessageBytes: number
  /** Where a failure of this method comes up. */
  readonly occasion: (method: string) => HttpFailure.Occasion
}

/** A channel, and what it knows of its session. @category models */
export interface HttpChannel extends Channel {
  /**
   * Whether a failure means that the session is over, so that a request was surely not processed (R22). From then on the
   * session counts as lost, and no DELETE is sent for it.
   */
  readonly endsSession: (reason: McpErrorReason) => boolean
  /** Whether the session is over. */
  readonly isLost: () => boolean
  /** Sends a request, and tells more of a failure than its reason. */
  readonly ask: (message: JsonRpc.Message, onFailure: (failure: HttpFailure.HttpFailure) => void) => void
}

/** @category models */
export interface HttpSession {
  readonly state: HttpHeaders.Session
  readonly headers: HttpHeaders.HttpHeaders
  readonly exchanges: HttpExchanges.HttpExchanges
  /** Hands a message of this length up; the exchange is the one on whose response it came. */
  readonly deliver: (message: JsonRpc.Message, exchange: HttpExchanges.Exchange | null, length: number) => void
  /** How a response is read: that of an exchange, or what nobody asked for. */
  readonly reading: (exchange: HttpExchanges.Exchange | null) => Omit<HttpReply.Reading, "onOver">
  /** Ends all exchanges. What waits does not take their place. */
  readonly close: Effect.Effect<void>
  /** Everything of a channel but the ways in which it differs. */
  readonly channel: (
    send: (request: HttpPost.Request) => void,
    closesToCancel: () => boolean,
    hasSession: () => boolean
  ) => HttpChannel
}

/** @category constructors */
export const make = Effect.fnUntraced(function*(
  { http, maxMessageBytes, occasion }: Options
): Effect.fn.Return<HttpSession, never, Scope.Scope> {
  const state: HttpHeaders.Session = { id: null, version: "", isLost: false }
  const exchanges = yield* HttpExchanges.make()
  const mailbox = makeMailbox()
  const strays = new StrayAnswers()
  const clock = yield* Clock.Clock
  const replies = HttpReplies.make(clock)
  const run = yield* FiberSet.makeRuntime<never, void>()
  const pace = HttpBody.makePace(clock, run)
  let lastId = 0

  const deliver: HttpSession["deliver"] = (message, exchange, length) => {
    const id = JsonRpc.isAnswer(message) ? JsonRpc.idOf(message) : null
    if (id === null || !exchanges.answered(id)) pace.weigh(length)
    if (id !== null) strays.answered(id)
    mailbox.put({ _tag: "Message", message }, exchange?.id ?? null)
  }
  /** The stream of a POST holds the answer to that request; on the listening stream it could be any (Decision 11). */
  const onOversized = ({ bytes, id }: Oversized, exchange: HttpExchanges.Exchange | null) => {
    const own = exchange === null ? exchanges.waiting() : [exchange]
    for (const failed of id === null ? own : [exchanges.find(id)]) {
      if (failed === undefined) pace.weigh(bytes)
      else exchanges.refuse(failed, HttpReply.tooLarge(bytes, maxMessageBytes))
    }
  }
  // Who knows it may speak on the session.
  const scrub = Redaction.besides(occasion("").scrub, () => state.id ?? undefined)
  const explain = (method: string, failure: HttpFailure.HttpFailure): McpErrorReason => {
    const where = { ...occasion(method), scrub }
    return method === "initialize" ? HttpFailure.handshakeReason(failure, where) : HttpFailure.toReason(failure, where)
  }
  const begin: HttpExchanges.HttpExchanges["begin"] = (id, name, onFailure, onOver) => {
    if (id !== null) strays.asked(id)
    return exchanges.begin(id, name, onFailure, onOver)
  }
  const request = (
    message: JsonRpc.Message,
    { headers, onAccepted, onFailed }: Sending,
    onOver?: () => void
  ): HttpPost.Request => {
    const name = methodOf(message)
    const id = message["method"] === undefined ? null : JsonRpc.idOf(message)
    const onFailure = onFailed === undefined ?
      undefined :
      (failure: HttpFailure.HttpFailure) => onFailed(explain(name, failure))
    return { exchange: begin(id, name, onFailure, onOver), message, more: headers, onAccepted }
  }
  return {
    state,
    headers: HttpHeaders.make(http, state),
    exchanges,
    deliver,
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
      pause: exchange === null ? () => HttpBody.both(replies.pause(), pace.pause()) : pace.pause,
      onOversized: (oversized) => onOversized(oversized, exchange)
    }),
    channel: (send, closesToCancel, hasSession) => ({
      pid: null,
      nextId: () => lastId += 1,
      send: (message, sending = PLAIN) =>
        message["method"] === undefined
          ? replies.add(({ onOver, onTaken }) => send(request(message, both(sending, onTaken), onOver)))
          : send(request(message, sending)),
      ask: (message, onFailure) =>
        send({
          exchange: begin(JsonRpc.idOf(message), methodOf(message), onFailure),
          message,
          more: undefined,
          onAccepted: undefined
        }),
      abandon: (id) => {
        exchanges.abandon(id)
        return closesToCancel()
      },
      listen: mailbox.listen,
      agreed: (revision) => {
        state.version = revision
      },
      stderr: () => "",
      scrub,
      diagnostics: () => [...strays.diagnostics().map(scrub), ...replies.diagnostics(), ...pace.diagnostics()],
      onClosed: () => staysOpen,
      isLost: () => state.isLost,
      endsSession: (reason) => {
        state.isLost ||= hasSession() && namesNoSession(reason)
        return state.isLost && namesNoSession(reason)
      }
    })
  }
})

const PLAIN: Sending = {}

const both = (sending: Sending, onTaken: () => void): Sending => ({
  ...sending,
  onAccepted: () => {
    onTaken()
    sending.onAccepted?.()
  }
})

/** What goes over it is told by each request. */
const staysOpen = () => {}

const methodOf = ({ method }: JsonRpc.Message): string => typeof method === "string" ? method : "an answer"

/**
 * The specification's answer is 404; servers made after the examples of the official SDKs say it with 400, and one that
 * keeps a single session says after its restart that nobody has initialized it.
 */
const namesNoSession = (reason: McpErrorReason): boolean =>
  reason._tag === "HttpStatus" &&
  (reason.code === 404 || (reason.code === 400 && /\bsession\b|\bnot initialized\b/i.test(reason.detail)))

/** Keeps what comes for the first receiver. */
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
