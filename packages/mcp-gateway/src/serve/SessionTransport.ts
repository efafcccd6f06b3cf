/**
 * The transport of one session. It answers requests that come alone, as most do: with JSON where nothing goes out before the
 * answer, else with a stream. Everything else of Streamable HTTP is the SDK's, which makes a stream for each request.
 */
import { JsonRpc } from "@boocode/mcp-client/Text"
import * as Effect from "effect/Effect"
import { json, type PlainAnswer, type PlainRequest } from "../model/PlainHttp.ts"
import type { JSONRPCMessage, JSONRPCRequest, Sdk, Transport } from "../model/Sdk.ts"
import type { Run } from "./ProtocolServer.ts"
import type { SessionCalls } from "./SessionCalls.ts"

export interface SessionTransport extends Transport {
  /** The answer to a request; null where it is the SDK's. Interruption lets it go, and cancels nothing. */
  readonly answer: (request: PlainRequest, body: unknown) => Effect.Effect<PlainAnswer> | null
  /** Keeps requests that wait for long alive: a client or a proxy may give up where it hears nothing at all. */
  readonly keepAlive: () => void
}

/** `inner` is the SDK's, for this session alone. `calls` are those of the session. */
export const make = (sdk: Sdk, inner: Transport, calls: SessionCalls, run: Run): SessionTransport => {
  let waiting = new Map<string | number, WaitingRequest>()
  const taken = (id: string | number): WaitingRequest | undefined => {
    const request = waiting.get(id)
    waiting.delete(id)
    // V8's quick collections keep what stood in a map that changes with each call (docs/performance.md).
    if (waiting.size === 0) waiting = new Map()
    return request
  }
  /** A request that its client gives up is never answered: its connection would stay open as long as the session. */
  const givenUp = (id: string | number | null) => {
    if (id !== null) taken(id)?.end()
  }
  const transport: SessionTransport = {
    start: () => {
      inner.onmessage = (message, extra) => {
        const cancelled = JsonRpc.isObject(message) ? JsonRpc.cancelledId(message) : null
        if (cancelled !== null) void run(calls.cancel(cancelled))
        transport.onmessage?.(message, extra)
        givenUp(cancelled)
      }
      inner.onerror = (error) => transport.onerror?.(error)
      inner.onclose = () => {
        for (const request of waiting.values()) request.end()
        waiting.clear()
        transport.onclose?.()
      }
      return inner.start()
    },
    send: (message, options) => {
      const answered = "method" in message ? undefined : message.id
      const id = answered ?? options?.relatedRequestId
      const request = id === undefined ? undefined : answered === undefined ? waiting.get(id) : taken(answered)
      if (request === undefined) return inner.send(message, options)
      request.send(message, answered !== undefined)
      return Promise.resolve()
    },
    close: () => inner.close(),
    setSupportedProtocolVersions: (versions) => inner.setSupportedProtocolVersions?.(versions),
    answer: (request, body) => {
      if (!isAlone(sdk, request, body) || waiting.has(body.id)) return null
      return Effect.suspend(() => {
        const one = new WaitingRequest()
        waiting.set(body.id, one)
        const begun = calls.begin(body, (answer) => taken(body.id)?.send(answer, true)) ??
          Effect.sync(() => transport.onmessage?.(body))
        return Effect.andThen(begun, one.answer)
      })
    },
    keepAlive: () => {
      for (const request of waiting.values()) request.keepAlive()
    }
  }
  return transport
}

/** Whether the SDK would let this request in as one of a session that stands. It says what is wrong with any other. */
const isAlone = (
  { isJSONRPCRequest, SUPPORTED_PROTOCOL_VERSIONS }: Sdk,
  { headers, method }: PlainRequest,
  body: unknown
): body is JSONRPCRequest => {
  const { accept = "", "content-type": type, "mcp-protocol-version": version } = headers
  return method === "POST" && accept.includes("application/json") && accept.includes("text/event-stream") &&
    type === "application/json" && (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) &&
    (isPlain(body) || isJSONRPCRequest(body)) && body.method !== "initialize" && !hasEnvelope(body)
}

/** A request as most are: to look is quicker than the SDK's schema, which takes others as well. */
const isPlain = (body: unknown): body is JSONRPCRequest =>
  JsonRpc.isObject(body) && body["jsonrpc"] === "2.0" && typeof body["method"] === "string" &&
  (typeof body["id"] === "string" || Number.isSafeInteger(body["id"])) && Object.keys(body).length === 4 &&
  JsonRpc.isObject(body["params"]) && body["params"]["_meta"] === undefined

/** The envelope that it brings along is of revision 2026-07-28. */
const hasEnvelope = ({ params }: JSONRPCRequest): boolean =>
  params?._meta !== undefined && Object.keys(params._meta).some((key) => key.startsWith("io.modelcontextprotocol/"))

const STREAM = { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform" }

const encoder = new TextEncoder()

/** A request that nobody has answered yet. */
class WaitingRequest {
  private stream: ReadableStreamDefaultController<Uint8Array> | null = null
  private isGone = false
  private isOld = false
  private answered: PlainAnswer | null = null
  private resume: (answer: Effect.Effect<PlainAnswer>) => void = () => {}

  /** Waits for the answer. Interruption lets it go. */
  readonly answer = Effect.callback<PlainAnswer>((resume) => {
    if (this.answered !== null) return resume(Effect.succeed(this.answered))
    this.resume = resume
    return Effect.sync(() => this.leave())
  })

  send(message: JSONRPCMessage, isLast: boolean): void {
    if (this.isGone) return
    if (this.stream === null && isLast) return this.resolve(json(message))
    this.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
    if (isLast) this.end()
  }
  /** Says something from the second time on. */
  keepAlive(): void {
    if (this.isOld && !this.isGone) this.write(": keepalive\n\n")
    this.isOld = true
  }
  /** The session has ended. */
  end(): void {
    if (this.isGone) return
    if (this.stream === null) this.open()
    this.stream?.close()
    this.isGone = true
  }
  leave(): void {
    this.isGone = true
  }
  private resolve(answer: PlainAnswer): void {
    this.answered = answer
    this.resume(Effect.succeed(answer))
  }
  private write(text: string): void {
    this.open()
    this.stream?.enqueue(encoder.encode(text))
  }
  private open(): void {
    if (this.stream !== null) return
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.stream = controller
      },
      cancel: () => this.leave()
    })
    this.resolve({ status: 200, headers: STREAM, body })
  }
}
