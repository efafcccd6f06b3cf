/**
 * The fetch that the SDK's transports get: ours, with caps, patience and a listening stream that keeps its pace.
 */
import * as Effect from "effect/Effect"
import { ConnectionLost, MessageTooLarge } from "../McpError.ts"
import * as ServerQuestion from "../requests/ServerQuestion.ts"
import * as JsonRpc from "../transport/JsonRpc.ts"
import type * as SseEvents from "../transport/SseEvents.ts"
import type { Exchange, HttpExchanges } from "./HttpExchanges.ts"
import * as HttpLimits from "./HttpLimits.ts"
import * as HttpListening from "./HttpListening.ts"
import * as HttpPatience from "./HttpPatience.ts"

/** @category models */
export interface Options {
  readonly fetch: typeof globalThis.fetch
  readonly exchanges: HttpExchanges
  readonly maxMessageBytes: number
  /** Whether the revision knows how to resume a stream that broke. */
  readonly resumes: () => boolean
  /** Takes a request of the server's that the SDK cannot read. */
  readonly onQuestion: (message: JsonRpc.Message) => void
  /** What to do for a GET that resumes nothing. */
  readonly listen: (request: Request) => Effect.Effect<Response, unknown>
}

/** A request of the SDK, on its way out. @category models */
export interface Request {
  readonly send: (headers: Headers) => Effect.Effect<Response, unknown>
  readonly headers: Headers
  readonly signal: AbortSignal | null
  readonly limits: SseEvents.Options
}

/**
 * Makes it. Its waits end with the current fiber's clock, and with the signal of the request.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<typeof globalThis.fetch> {
  // oxlint-disable-next-line house/no-run -- a fetch is a promise
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  return (input, init) => {
    const signal = init?.signal ?? null
    return run(answer(options, input, init ?? {}, signal), signal === null ? {} : { signal })
  }
})

const answer = (
  options: Options,
  input: Parameters<typeof globalThis.fetch>[0],
  init: RequestInit,
  signal: AbortSignal | null
): Effect.Effect<Response, unknown> => {
  const headers = new Headers(init.headers)
  const exchange = options.exchanges.take(headers)
  const send = (sent: Headers) =>
    // @effect-diagnostics-next-line unknownInEffectCatch:off -- the SDK gets what fetch threw as it is
    Effect.tryPromise({ try: () => options.fetch(input, { ...init, headers: sent }), catch: (error) => error })
  const limits = {
    maxBytes: options.maxMessageBytes,
    onOversized: replacements(options, exchange),
    onEvent: questions(options, exchange)
  }
  const method = init.method ?? "GET"
  if (method === "GET" && !headers.has("last-event-id")) return options.listen({ send, headers, signal, limits })
  // What the SDK takes for a stream that is over.
  if (method === "GET" && !options.resumes()) return Effect.succeed(new Response(null, { status: 405 }))
  if (exchange === null) return Effect.flatMap(send(headers), (response) => limited(response, limits, null))
  return HttpPatience.patiently(send(headers), exchange.method).pipe(
    Effect.flatMap((response) => limited(response, limits, exchange))
  )
}

const limited = (
  response: Response,
  limits: SseEvents.Options,
  exchange: Exchange | null
): Effect.Effect<Response, MessageTooLarge | ConnectionLost> => {
  if (!response.ok) return HttpLimits.refusal(response)
  if (response.status === 202 && exchange !== null && exchange.id !== null) return onlyAccepted(exchange.method)
  const isStream = HttpLimits.isEventStream(response)
  if (exchange !== null) exchange.mayContinue = isStream || response.status === 202
  if (!isStream) return HttpLimits.whole(response, limits.maxBytes)
  return Effect.succeed(HttpLimits.events(response, limits).response)
}

/** On the response to a call a server asks about that call; once the SDK has the message, nothing tells where it came. */
const questions = ({ exchanges, onQuestion }: Options, exchange: Exchange | null) => (data: () => string): void => {
  const text = data()
  const message = QUESTION.test(text) ? JsonRpc.parse(text) : null
  if (message === null) return
  const { params, ...bare } = message
  // A result may speak of such a request, and has an id as well: one of ours.
  if (!ServerQuestion.METHODS.has(message["method"])) return
  const id = JsonRpc.idOf(message)
  if (exchange !== null && id !== null) exchanges.asked(exchange, id)
  // The SDK reads no parameters but objects, and the server would wait for ever.
  if (params !== undefined && !JsonRpc.isObject(params)) onQuestion(bare)
}

/** Some write the slash with an escape. */
const QUESTION = /"(?:elicitation\\?\/create|sampling\\?\/createMessage|roots\\?\/list)"/

/** That status is for messages without an answer (2025-11-25, Streamable HTTP); to wait for one would be in vain. */
const onlyAccepted = (method: string) =>
  Effect.fail(
    new ConnectionLost({
      happened: "the server gave no answer",
      detail: `it accepted ${method} (HTTP 202) and said no more`,
      try:
        "check that the url is the server's MCP endpoint; a request is to be answered with JSON or a stream of events"
    })
  )

/**
 * An answer above the cap is replaced by an error, so that the SDK does not ask for it again. The stream of a POST holds
 * the answer to that request; on the listening stream it could be any (Decision 11).
 */
const replacements =
  ({ exchanges, maxMessageBytes }: Options, exchange: Exchange | null) => ({ bytes, id }: SseEvents.Oversized) => {
    const own = exchange === null ? exchanges.waiting() : [exchange.id].filter((known) => known !== null)
    return (id === null ? own : [id]).map((failed) => {
      const reason = new MessageTooLarge({ bytes, limitBytes: maxMessageBytes })
      exchanges.replace(failed, reason)
      return JSON.stringify({ jsonrpc: "2.0", id: failed, error: { code: -32000, message: reason.message } })
    })
  }

/** Listens as a streamable server is listened to. @category constructors */
export const listening = ({ headers, limits, send, signal }: Request): Effect.Effect<Response, unknown> =>
  HttpListening.open({
    get: (lastEventId) => {
      const sent = new Headers(headers)
      if (lastEventId !== null) sent.set("last-event-id", lastEventId)
      return send(sent)
    },
    limits,
    signal
  })

/**
 * Listens as a server of revision 2024-11-05 is listened to: its stream is its session, so a second one is no use.
 *
 * @category constructors
 */
export const listeningOnce = (onEnd: () => void) => {
  let isOver = false
  const end = () => {
    isOver = true
    onEnd()
  }
  return ({ headers, limits, send }: Request): Effect.Effect<Response, unknown> => {
    // The status that tells an EventSource not to come back. It asks by a timer of its own, for which nobody waits.
    if (isOver) return Effect.succeed(new Response(null, { status: 204 }))
    return Effect.flatMap(send(headers), (response) => {
      if (!response.ok) return HttpLimits.refusal(response)
      if (!HttpLimits.isEventStream(response)) return HttpLimits.whole(response, limits.maxBytes)
      return Effect.succeed(HttpLimits.whenOver(HttpLimits.events(response, limits).response, end))
    })
  }
}
