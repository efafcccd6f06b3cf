/**
 * Gives the SDK's client its own HTTP transports, with our fetch, our headers, and no answer that never comes.
 */
import type { Http } from "@boocode/mcp-config"
import {
  type JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport
} from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { ConnectionLost } from "../McpError.ts"
import * as JsonRpc from "../transport/JsonRpc.ts"
import * as LocalAnswer from "./LocalAnswer.ts"
import type { RawAnswers } from "./RawAnswers.ts"

/** How long ending a session may delay a close (R44). @category constants */
export const DELETE_LIMIT = "1 second"

/**
 * An HTTP transport for an entry. The scope's close ends the session with one DELETE, one second at most, and then
 * everything that is open.
 *
 * @category constructors
 */
export const make = (
  http: Http,
  url: URL,
  fetch: typeof globalThis.fetch,
  answers: RawAnswers
): Effect.Effect<Transport, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(Effect.sync(() => open(http, url, fetch)), close),
    (inner) => decorate(inner, answers)
  )

type Inner = StreamableHTTPClientTransport | SSEClientTransport

const open = (http: Http, url: URL, fetch: typeof globalThis.fetch): Inner => {
  const options = { fetch, requestInit: { headers: Record.map(http.headers, Redacted.value) } }
  return http._tag === "sse" ? new SSEClientTransport(url, options) : new StreamableHTTPClientTransport(url, options)
}

/** A server that cannot be reached keeps its session; a close neither waits for it nor fails by it. */
const close = (inner: Inner) =>
  Effect.gen(function*() {
    if (inner instanceof StreamableHTTPClientTransport && inner.sessionId !== undefined) {
      yield* Effect.tryPromise(() => inner.terminateSession()).pipe(Effect.timeoutOption(DELETE_LIMIT), Effect.ignore)
    }
    yield* Effect.tryPromise(() => inner.close()).pipe(Effect.timeoutOption(DELETE_LIMIT), Effect.ignore)
  })

const decorate = (inner: Inner, answers: RawAnswers): Transport => {
  const answer = (message: JsonRpc.Message) => {
    const decorated = answers.incoming(message)
    if (isSdkMessage(decorated)) transport.onmessage?.(decorated)
  }
  const transport: Transport = {
    ...(inner instanceof StreamableHTTPClientTransport ? { hasPerRequestStream: true } : {}),
    get sessionId() {
      return inner instanceof StreamableHTTPClientTransport ? inner.sessionId : undefined
    },
    start: () => {
      inner.onmessage = (message) => JsonRpc.isMessage(message) ? answer(message) : undefined
      inner.onclose = () => transport.onclose?.()
      inner.onerror = (error) => transport.onerror?.(error)
      return inner.start()
    },
    send: (message, options) => {
      const outgoing = JsonRpc.isMessage(message) ? answers.outgoing(message) : null
      if (outgoing === null || !isSdkMessage(outgoing)) return Promise.reject(new TypeError("not a JSON-RPC message"))
      if (inner instanceof SSEClientTransport) return inner.send(outgoing)
      const id = outgoing["id"]
      // Without this a call whose response stream ends early would wait for its timeout.
      const onRequestStreamEnd = () => {
        if (typeof id === "string" || typeof id === "number") LocalAnswer.fail(transport, id, streamEnded)
      }
      return inner.send(outgoing, {
        onRequestStreamEnd,
        ...(options?.requestSignal === undefined ? {} : { requestSignal: options.requestSignal }),
        ...(options?.headers === undefined ? {} : { headers: options.headers })
      })
    },
    close: () => inner.close(),
    setProtocolVersion: (version) => inner.setProtocolVersion(version)
  }
  return transport
}

const streamEnded = new ConnectionLost({ detail: "the response stream ended before the answer" })

const isSdkMessage = (message: JsonRpc.Message): message is JsonRpc.Message & JSONRPCMessage =>
  JsonRpc.isMessage(message)
