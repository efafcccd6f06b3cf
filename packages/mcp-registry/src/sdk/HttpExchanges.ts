/**
 * The messages of one HTTP connection that are under way: which are answered, and how to end those that nobody waits for.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { MessageTooLarge } from "../McpError.ts"
import * as JsonRpc from "../transport/JsonRpc.ts"

/** One POST, from the message to the end of its response. @category models */
export interface Exchange {
  /** Null for a message that has no answer. */
  readonly id: string | number | null
  readonly method: string
  /** Headers by which our fetch knows the exchange. They are taken off before anything is sent. */
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** True when the answer may still come although the request was accepted: on a stream of events. */
  mayContinue: boolean
  isAnswered: boolean
}

/** @category models */
export interface HttpExchanges {
  /** Begins an exchange. It is aborted when `outer` is. */
  readonly begin: (message: JsonRpc.Message, outer?: AbortSignal) => Exchange
  /** The exchange that a request's headers name; takes the name off them. */
  readonly take: (headers: Headers) => Exchange | null
  /** To be called when the response has ended. */
  readonly end: (exchange: Exchange) => void
  /** Notes that a request has its answer. */
  readonly answered: (id: string | number) => void
  /** Ends the exchange of the request that a message cancels: its answer is of no interest any more. */
  readonly cancel: (message: JsonRpc.Message) => void
  /** Ends all exchanges. */
  readonly cancelAll: () => void
  /** Notes that a request of the server's came on the response of an exchange. */
  readonly asked: (exchange: Exchange, id: string | number) => void
  /** The request of ours on whose response that one came; null when that is not known, or over. Forgets it. */
  readonly askedOn: (id: string | number | null) => string | number | null
  /** The requests without an answer. */
  readonly waiting: () => ReadonlyArray<string | number>
  /** Notes why an answer is not the server's own. */
  readonly replace: (id: string | number, reason: MessageTooLarge) => void
  /** Why this answer is not the server's own; null when it is. Forgets it. */
  readonly replaced: (id: string | number) => MessageTooLarge | null
}

const TICKET = "boocode-ticket"
/** How long, or twice that, a response may go on after all that it was for has happened. */
const LINGER = "5 seconds"
/** Of more requests than these nobody knows on which response they came. */
const MOST_ASKED = 1000

/**
 * Begins without any. Responses that linger are ended until the scope closes: a server that leaves a stream open behind
 * its answer, or never answers a notification, must not cost us a connection each.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(): Effect.fn.Return<HttpExchanges, never, Scope.Scope> {
  const exchanges = makeExchanges()
  yield* Effect.sleep(LINGER).pipe(
    Effect.andThen(Effect.sync(exchanges.sweep)),
    Effect.forever,
    Effect.forkScoped({ startImmediately: true })
  )
  return exchanges
})

interface Open extends Exchange {
  readonly ticket: string
  readonly abort: () => void
  hasLingered: boolean
}

const makeExchanges = (): HttpExchanges & { readonly sweep: () => void } => {
  let last = 0
  const open = new Map<string, Open>()
  const byId = new Map<string | number, Open>()
  const reasons = new Map<string | number, MessageTooLarge>()
  const asked = new Map<string | number, string | number>()

  const forget = (exchange: Open) => {
    open.delete(exchange.ticket)
    // What the SDK could not read is never asked for.
    for (const [id, about] of asked) if (about === exchange.id) asked.delete(id)
    if (exchange.id === null || byId.get(exchange.id) !== exchange) return
    byId.delete(exchange.id)
    reasons.delete(exchange.id)
  }
  const abort = (exchange: Open) => {
    forget(exchange)
    exchange.abort()
  }
  return {
    begin: (message, outer) => {
      const ticket = String(++last)
      const exchange = { ...describe(message), ...abortable(), ...fresh(ticket) }
      open.set(ticket, exchange)
      if (exchange.id !== null) byId.set(exchange.id, exchange)
      // The SDK does not tell the end of a stream that it gave up itself.
      outer?.addEventListener("abort", () => abort(exchange), { once: true, signal: exchange.signal })
      if (outer?.aborted === true) abort(exchange)
      return exchange
    },
    take: (headers) => {
      const ticket = headers.get(TICKET)
      headers.delete(TICKET)
      return ticket === null ? null : open.get(ticket) ?? null
    },
    end: (exchange) => {
      const ended = open.get(exchange.headers[TICKET] ?? "")
      if (ended !== undefined) forget(ended)
    },
    answered: (id) => {
      const exchange = byId.get(id)
      if (exchange !== undefined) exchange.isAnswered = true
    },
    cancel: ({ method, params }) => {
      if (method !== "notifications/cancelled" || !JsonRpc.isObject(params)) return
      const { requestId } = params
      const exchange = typeof requestId === "string" || typeof requestId === "number" ? byId.get(requestId) : undefined
      if (exchange !== undefined) abort(exchange)
    },
    cancelAll: () => [...open.values()].forEach(abort),
    asked: (exchange, id) => {
      if (exchange.id !== null && asked.size < MOST_ASKED) asked.set(id, exchange.id)
    },
    askedOn: (id) => {
      const exchange = id === null ? null : asked.get(id) ?? null
      if (id !== null) asked.delete(id)
      return exchange
    },
    waiting: () => [...byId].flatMap(([id, { isAnswered }]) => isAnswered ? [] : [id]),
    replace: (id, reason) => {
      if (byId.get(id)?.isAnswered === false) reasons.set(id, reason)
    },
    replaced: (id) => {
      const reason = reasons.get(id) ?? null
      reasons.delete(id)
      return reason
    },
    sweep: () => {
      const over = [...open.values()].filter(({ id, isAnswered }) => id === null || isAnswered)
      for (const exchange of over) {
        if (exchange.hasLingered) abort(exchange)
        exchange.hasLingered = true
      }
    }
  }
}

const describe = (message: JsonRpc.Message) => {
  const { method } = message
  return {
    id: JsonRpc.isAnswer(message) ? null : JsonRpc.idOf(message),
    method: typeof method === "string" ? method : "an answer"
  }
}

const fresh = (ticket: string) => ({
  ticket,
  headers: { [TICKET]: ticket },
  mayContinue: false,
  isAnswered: false,
  hasLingered: false
})

const abortable = () => {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}
