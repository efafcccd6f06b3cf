/**
 * A channel to a server of revision 2024-11-05: its one stream of events is the session, says where messages are posted,
 * and carries every answer.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { ConnectionLost, HandshakeFailed, type McpErrorReason } from "../errors/McpError.ts"
import * as HttpAuth from "./HttpAuth.ts"
import * as HttpFailure from "./HttpFailure.ts"
import * as HttpSession from "./HttpSession.ts"
import * as HttpStream from "./HttpStream.ts"

/**
 * Opens the stream, and waits until it has said where messages go. When it ends, the session is lost: a second stream
 * would be another session.
 */
export const make = Effect.fnUntraced(function*(
  options: HttpSession.Options
): Effect.fn.Return<HttpSession.SessionChannel, McpErrorReason, Scope.Scope> {
  const { auth, sender, url } = options
  const session = yield* HttpSession.make(options)
  const { exchanges, state } = session
  const endpoint = yield* Deferred.make<URL, McpErrorReason>()
  const handshake = HttpAuth.occasionOf(auth, "initialize")

  const onOther = (data: string, name: string) => {
    const target = name === "endpoint" ? URL.parse(data.trim(), url.href) : null
    if (target === null) return
    const found = target.origin === url.origin ? Effect.succeed(target) : Effect.fail(elsewhere(target))
    Deferred.doneUnsafe(endpoint, found)
  }
  yield* Effect.addFinalizer(() => session.close)
  const reading = { ...session.reading(null), onOther }
  const ended = Effect.matchEffect(
    HttpStream.read({ sender, url, headers: session.headers.plain(), lastEventId: null, reading }),
    {
      onFailure: (failure) => Deferred.fail(endpoint, notOpened(failure, handshake)),
      onSuccess: () =>
        Effect.sync(() => {
          state.isLost = true
          Deferred.doneUnsafe(endpoint, Effect.fail(streamEnded.reason))
          for (const exchange of exchanges.waiting()) exchanges.fail(exchange, streamEnded)
        })
    }
  )
  yield* Effect.forkScoped(ended, { startImmediately: true })
  const target = yield* Deferred.await(endpoint)
  const send = (posting: HttpSession.Posting) =>
    session.post(target, posting, () => {
      const { exchange, onAccepted } = posting
      onAccepted?.()
      const end = () => {
        exchange.isPosted = true
        if (exchange.id === null || exchange.isAnswered) exchanges.end(exchange)
      }
      return { onData: () => {}, onEnd: end, onError: end }
    })
  return session.channel(send, () => false, () => true)
})

const streamEnded = {
  _tag: "Known",
  reason: new ConnectionLost({ detail: "the response stream ended before the answer" })
} as const

/** Messages are for this server alone. */
const elsewhere = ({ origin }: URL) =>
  new ConnectionLost({ detail: `Endpoint origin does not match connection origin: ${origin.slice(0, MOST_OF_ORIGIN)}` })

const MOST_OF_ORIGIN = 300

const notOpened = (failure: HttpFailure.HttpFailure, occasion: HttpFailure.Occasion): McpErrorReason => {
  switch (failure._tag) {
    case "OtherContent":
      return new HandshakeFailed({
        method: occasion.method,
        detail: NO_STREAM,
        code: null,
        stderr: "",
        try: `check the path of the url; a server newer than revision 2024-11-05 needs "type": "streamableHttp"`
      })
    case "Refused":
      return HttpFailure.toReason({ ...failure, text: NO_STREAM, redirect: null }, occasion)
    default:
      return HttpFailure.handshakeReason(failure, occasion)
  }
}

const NO_STREAM = "the url offers no stream of events"
