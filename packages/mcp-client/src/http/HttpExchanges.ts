/** The messages of one HTTP connection that are on their way, and which of them are answered. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { HttpFailure } from "./HttpFailure.ts"

/** One POST, from the message to the end of its response. */
export interface Exchange {
  /** Null for a message that has no answer. */
  readonly id: string | number | null
  readonly method: string
  /** Called at most once, and only while there is no answer. */
  readonly onFailure: ((failure: HttpFailure) => void) | undefined
  /** Called once, when nothing more comes of it. */
  readonly onOver: (() => void) | undefined
  abort: () => void
  isAnswered: boolean
  /** Its response has ended, and its answer comes elsewhere. */
  isPosted: boolean
  isOver: boolean
  hasLingered: boolean
}

/** How long, or twice that, a response may go on after all that it was for has happened. */
const LINGER = "5 seconds"

/**
 * Begins without any. Responses that linger are aborted until the scope closes: a server that leaves a stream open behind
 * its answer, or never answers a notification, must not cost us a connection each.
 */
export const make = Effect.fnUntraced(function*(): Effect.fn.Return<HttpExchanges, never, Scope.Scope> {
  const exchanges = new HttpExchanges()
  yield* Effect.sleep(LINGER).pipe(
    Effect.andThen(Effect.sync(() => exchanges.sweep())),
    Effect.forever,
    Effect.forkScoped({ startImmediately: true })
  )
  return exchanges
})

export class HttpExchanges {
  private readonly requests = new Map<number, Exchange>()
  /** Messages without an id, or with a text for one. */
  private readonly others = new Set<Exchange>()

  begin(
    id: Exchange["id"],
    method: string,
    onFailure: Exchange["onFailure"],
    onOver?: Exchange["onOver"]
  ): Exchange {
    const exchange = { ...FRESH, id, method, onFailure, onOver }
    if (typeof id === "number") this.requests.set(id, exchange)
    else this.others.add(exchange)
    return exchange
  }
  find(id: string | number): Exchange | undefined {
    return typeof id === "number" ? this.requests.get(id) : [...this.others].find((exchange) => exchange.id === id)
  }
  end(exchange: Exchange): void {
    const wasOver = exchange.isOver
    exchange.isOver = true
    if (typeof exchange.id !== "number") this.others.delete(exchange)
    else if (this.requests.get(exchange.id) === exchange) this.requests.delete(exchange.id)
    if (!wasOver) exchange.onOver?.()
  }
  /** Ends an exchange whose response nobody waits for any more. */
  abandon(exchange: Exchange | undefined): void {
    if (exchange === undefined) return
    this.end(exchange)
    exchange.abort()
  }
  abandonAll(): void {
    for (const exchange of this.open()) this.abandon(exchange)
  }
  /** Ends an exchange whose answer does not come, and says why, unless the answer came before. */
  fail(exchange: Exchange, failure: HttpFailure): void {
    if (exchange.isOver) return
    this.abandon(exchange)
    if (!exchange.isAnswered) exchange.onFailure?.(failure)
  }
  /** Says why the answer is unusable, while the rest of the response is still read. */
  refuse(exchange: Exchange, failure: HttpFailure): void {
    if (exchange.isAnswered) return
    exchange.isAnswered = true
    exchange.onFailure?.(failure)
  }
  /** Notes the answer to a request. False where none waits for it. */
  answered(id: string | number): boolean {
    const exchange = this.find(id)
    if (exchange === undefined || exchange.isAnswered) return false
    exchange.isAnswered = true
    if (exchange.isPosted) this.end(exchange)
    return true
  }
  waiting(): ReadonlyArray<Exchange> {
    return this.open().filter(({ id, isAnswered }) => id !== null && !isAnswered)
  }
  /** Aborts what lingers since the last sweep. */
  sweep(): void {
    for (const exchange of this.open().filter(({ id, isAnswered }) => id === null || isAnswered)) {
      if (exchange.hasLingered) this.abandon(exchange)
      exchange.hasLingered = true
    }
  }
  private open(): ReadonlyArray<Exchange> {
    return [...this.requests.values(), ...this.others]
  }
}

const FRESH = { abort: () => {}, isAnswered: false, isPosted: false, isOver: false, hasLingered: false }
