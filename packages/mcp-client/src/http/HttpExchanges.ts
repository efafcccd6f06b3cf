/**
 * The messages of one HTTP connection that are under way: which are answered, and how to end those that nobody waits for.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { HttpFailure } from "./HttpFailure.ts"

/** One POST, from the message to the end of its response. @category models */
export interface Exchange {
  /** Null for a message that has no answer. */
  readonly id: string | number | null
  readonly method: string
  /** Told at most once, and only while there is no answer. */
  readonly onFailure: ((failure: HttpFailure) => void) | undefined
  /** Told once, when nothing more is told of it. */
  readonly onOver: (() => void) | undefined
  /** Ends what is under way. */
  abort: () => void
  isAnswered: boolean
  /** Its response is over, and its answer comes elsewhere. */
  isPosted: boolean
  /** Nothing more is told of it. */
  isOver: boolean
  hasLingered: boolean
}

/** @category models */
export interface HttpExchanges {
  readonly begin: (
    id: Exchange["id"],
    method: string,
    onFailure: Exchange["onFailure"],
    onOver?: Exchange["onOver"]
  ) => Exchange
  /** To be called when the response has ended. */
  readonly end: (exchange: Exchange) => void
  /** Ends an exchange whose answer does not come; tells why, unless it came. */
  readonly fail: (exchange: Exchange, failure: HttpFailure) => void
  /** Notes that a request has its answer. False where none waits for it, any more or at all. */
  readonly answered: (id: string | number) => boolean
  /** Tells that the answer is none, while what the response has to say besides goes on. */
  readonly refuse: (exchange: Exchange, failure: HttpFailure) => void
  readonly find: (id: string | number) => Exchange | undefined
  /** Ends the exchange of a request: its answer is of no interest any more. */
  readonly abandon: (id: string | number) => void
  /** Ends all exchanges, and tells nobody. */
  readonly abandonAll: () => void
  /** The requests without an answer. */
  readonly waiting: () => ReadonlyArray<Exchange>
}

/** How long, or twice that, a response may go on after all that it was for has happened. */
const LINGER = "5 seconds"

/**
 * Begins without any. Responses that linger are ended until the scope closes: a server that leaves a stream open behind
 * its answer, or never answers a notification, must not cost us a connection each.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(): Effect.fn.Return<HttpExchanges, never, Scope.Scope> {
  const exchanges = begin()
  yield* Effect.sleep(LINGER).pipe(
    Effect.andThen(Effect.sync(exchanges.sweep)),
    Effect.forever,
    Effect.forkScoped({ startImmediately: true })
  )
  return exchanges
})

const begin = (): HttpExchanges & { readonly sweep: () => void } => {
  const requests = new Map<number, Exchange>()
  /** Those without an id, or with one of another kind. */
  const others = new Set<Exchange>()
  const open = () => [...requests.values(), ...others]
  const find = (id: string | number) =>
    typeof id === "number" ? requests.get(id) : [...others].find((exchange) => exchange.id === id)
  const end = (exchange: Exchange) => {
    const wasOver = exchange.isOver
    exchange.isOver = true
    if (typeof exchange.id !== "number") others.delete(exchange)
    else if (requests.get(exchange.id) === exchange) requests.delete(exchange.id)
    if (!wasOver) exchange.onOver?.()
  }
  const abandon = (exchange: Exchange) => {
    end(exchange)
    exchange.abort()
  }
  return {
    begin: (id, method, onFailure, onOver) => {
      const exchange = { ...fresh, id, method, onFailure, onOver }
      if (typeof id === "number") requests.set(id, exchange)
      else others.add(exchange)
      return exchange
    },
    end,
    fail: (exchange, failure) => {
      if (exchange.isOver) return
      abandon(exchange)
      if (!exchange.isAnswered) exchange.onFailure?.(failure)
    },
    answered: (id) => {
      const exchange = find(id)
      if (exchange === undefined || exchange.isAnswered) return false
      exchange.isAnswered = true
      if (exchange.isPosted) end(exchange)
      return true
    },
    refuse: (exchange, failure) => {
      if (exchange.isAnswered) return
      exchange.isAnswered = true
      exchange.onFailure?.(failure)
    },
    find,
    abandon: (id) => {
      const exchange = find(id)
      if (exchange !== undefined) abandon(exchange)
    },
    abandonAll: () => open().forEach(abandon),
    waiting: () => open().filter(({ id, isAnswered }) => id !== null && !isAnswered),
    sweep: () => {
      for (const exchange of open().filter(({ id, isAnswered }) => id === null || isAnswered)) {
        if (exchange.hasLingered) abandon(exchange)
        exchange.hasLingered = true
      }
    }
  }
}

const fresh = { abort: () => {}, isAnswered: false, isPosted: false, isOver: false, hasLingered: false }
