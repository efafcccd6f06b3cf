/**
 * Gives the SDK's client its own HTTP transports, with our fetch, our headers, and no answer that never comes.
 */
import type { Http } from "@boocode/mcp-config"
import {
  type JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions
} from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { ConnectionLost, type McpErrorReason } from "../McpError.ts"
import * as JsonRpc from "../transport/JsonRpc.ts"
import * as HttpExchanges from "./HttpExchanges.ts"
import * as HttpFetch from "./HttpFetch.ts"
import * as LocalAnswer from "./LocalAnswer.ts"
import type { RawAnswers } from "./RawAnswers.ts"

/** How long ending a session may delay a close (R44). @category constants */
export const DELETE_LIMIT = "1 second"
/** A response stream that broke is asked for again no sooner than this, whatever the server says, in milliseconds. */
const MIN_RESUME_MILLIS = 100

/** What a transport is made from. @category models */
export interface Options {
  readonly http: Http
  readonly url: URL
  readonly fetch: typeof globalThis.fetch
  readonly answers: RawAnswers
  readonly maxMessageBytes: number
}

/** A transport, and what it knows of its session. @category models */
export interface HttpTransport {
  readonly transport: Transport
  /**
   * Whether a failure means that the session is over, so that a request was surely not processed (R22). From then on the
   * session counts as lost, and no DELETE is sent for it.
   */
  readonly endsSession: (reason: McpErrorReason) => boolean
  /** Whether the session is over. */
  readonly isLost: () => boolean
}

/**
 * An HTTP transport for an entry. The scope's close ends the session with one DELETE, one second at most, and then
 * everything that is open.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<HttpTransport, never, Scope.Scope> {
  const exchanges = yield* HttpExchanges.make()
  const session: Session = { isLost: false, version: "" }
  const onListenEnd = () => {
    session.isLost = true
    for (const id of exchanges.waiting()) LocalAnswer.fail(transport, id, streamEnded)
  }
  const fetch = yield* HttpFetch.make({
    fetch: options.fetch,
    exchanges,
    maxMessageBytes: options.maxMessageBytes,
    resumes: () => session.version < STATELESS_SINCE,
    onQuestion: (message) => isSdkMessage(message) ? inner.onmessage?.(message) : undefined,
    listen: options.http._tag === "sse" ? HttpFetch.listeningOnce(onListenEnd) : HttpFetch.listening
  })
  const reconnectionScheduler = yield* scheduler(session)
  const requestInit = { headers: Record.map(options.http.headers, Redacted.value) }
  const inner = yield* Effect.acquireRelease(
    Effect.sync(() =>
      options.http._tag === "sse"
        ? new SSEClientTransport(options.url, { fetch, requestInit })
        : new StreamableHTTPClientTransport(options.url, { fetch, requestInit, reconnectionScheduler })
    ),
    (open) => close(open, session.isLost)
  )
  const transport = decorate(inner, options.answers, exchanges, session)
  return {
    transport,
    endsSession: (reason) => {
      session.isLost ||= hasSession(inner) && namesNoSession(reason)
      return session.isLost && namesNoSession(reason)
    },
    isLost: () => session.isLost
  }
})

type Inner = StreamableHTTPClientTransport | SSEClientTransport

interface Session {
  isLost: boolean
  /** The revision that was agreed on; empty until then. */
  version: string
}

/** From this revision on there are no sessions, and a broken stream loses its request (2026-07-28, Streamable HTTP). */
const STATELESS_SINCE = "2026-07-28"

const hasSession = (inner: Inner): boolean => inner instanceof SSEClientTransport || inner.sessionId !== undefined

/**
 * The specification's answer is 404; servers made after the examples of the official SDKs say it with 400, and one that
 * keeps a single session says after its restart that nobody has initialized it.
 */
const namesNoSession = (reason: McpErrorReason): boolean =>
  reason._tag === "HttpStatus" &&
  (reason.code === 404 || (reason.code === 400 && /\bsession\b|\bnot initialized\b/i.test(reason.detail)))

/** The pauses before broken response streams are asked for again, in our scope and by our clock (R86). */
const scheduler = Effect.fnUntraced(function*(session: Session) {
  const scope = yield* Effect.scope
  // oxlint-disable-next-line house/no-run -- the SDK's scheduler is a callback
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  return (reconnect: () => void, delay: number) => {
    const pause = session.version < STATELESS_SINCE ? Math.max(delay, MIN_RESUME_MILLIS) : 0
    fork(Effect.forkIn(Effect.andThen(Effect.sleep(pause), Effect.sync(reconnect)), scope))
  }
})

/** A server that cannot be reached keeps its session; a close neither waits for it nor fails by it. */
const close = (inner: Inner, isLost: boolean) =>
  Effect.gen(function*() {
    if (inner instanceof StreamableHTTPClientTransport && inner.sessionId !== undefined && !isLost) {
      yield* Effect.tryPromise(() => inner.terminateSession()).pipe(Effect.timeoutOption(DELETE_LIMIT), Effect.ignore)
    }
    yield* Effect.tryPromise(() => inner.close()).pipe(Effect.timeoutOption(DELETE_LIMIT), Effect.ignore)
  })

const decorate = (
  inner: Inner,
  answers: RawAnswers,
  exchanges: HttpExchanges.HttpExchanges,
  session: Session
): Transport => {
  const fail = (id: string | number, reason: Parameters<typeof LocalAnswer.fail>[2]) => {
    exchanges.answered(id)
    LocalAnswer.fail(transport, id, reason)
  }
  const receive = (message: JsonRpc.Message) => {
    const id = JsonRpc.isAnswer(message) ? JsonRpc.idOf(message) : null
    const reason = id === null ? null : exchanges.replaced(id)
    if (id !== null && reason !== null) return fail(id, reason)
    if (id !== null) exchanges.answered(id)
    const decorated = answers.incoming(message, id === null ? exchanges.askedOn(JsonRpc.idOf(message)) : null)
    if (isSdkMessage(decorated)) transport.onmessage?.(decorated)
  }
  /** Without this a call whose response ends early would wait for its timeout. */
  const ended = (exchange: HttpExchanges.Exchange, reason: ConnectionLost) => {
    exchanges.end(exchange)
    if (exchange.id !== null && !exchange.isAnswered && !exchange.signal.aborted) fail(exchange.id, reason)
  }
  const post = (streamable: StreamableHTTPClientTransport, message: SdkMessage, options?: TransportSendOptions) => {
    const exchange = exchanges.begin(message, options?.requestSignal)
    const sent = streamable.send(message, {
      onRequestStreamEnd: () => ended(exchange, streamEnded),
      requestSignal: exchange.signal,
      headers: { ...options?.headers, ...exchange.headers }
    })
    const over = (reason: ConnectionLost) => exchange.mayContinue ? undefined : ended(exchange, reason)
    return sent.then(() => over(otherAnswer), (error: unknown) => {
      exchanges.end(exchange)
      return Promise.reject(error)
    })
  }
  const transport: Transport = {
    ...(inner instanceof StreamableHTTPClientTransport ? { hasPerRequestStream: true } : {}),
    get sessionId() {
      return inner instanceof StreamableHTTPClientTransport ? inner.sessionId : undefined
    },
    start: () => {
      inner.onmessage = (message) => JsonRpc.isMessage(message) ? receive(message) : undefined
      inner.onerror = (error) => transport.onerror?.(error)
      return inner.start()
    },
    send: (message, options) => {
      const outgoing = JsonRpc.isMessage(message) ? answers.outgoing(message) : null
      if (outgoing === null || !isSdkMessage(outgoing)) return Promise.reject(new TypeError("not a JSON-RPC message"))
      const sent = inner instanceof SSEClientTransport
        ? legacyPost(inner, outgoing, exchanges)
        : post(inner, outgoing, options)
      exchanges.cancel(outgoing)
      return sent
    },
    // What is open belongs to the scope: the session still has to be ended then.
    close: () => {
      exchanges.cancelAll()
      transport.onclose?.()
      return Promise.resolve()
    },
    setProtocolVersion: (version) => {
      session.version = version
      inner.setProtocolVersion(version)
    }
  }
  return transport
}

/** In revision 2024-11-05 the answers come on the listening stream. */
const legacyPost = (inner: SSEClientTransport, message: SdkMessage, exchanges: HttpExchanges.HttpExchanges) => {
  const exchange = exchanges.begin(message)
  return inner.send(message).then(
    () => exchange.id === null ? exchanges.end(exchange) : undefined,
    (error: unknown) => {
      exchanges.end(exchange)
      return Promise.reject(error)
    }
  )
}

const streamEnded = new ConnectionLost({ detail: "the response stream ended before the answer" })
const otherAnswer = new ConnectionLost({ detail: "the response held no answer to the request" })

type SdkMessage = JsonRpc.Message & JSONRPCMessage

const isSdkMessage = (message: JsonRpc.Message): message is SdkMessage => JsonRpc.isMessage(message)
