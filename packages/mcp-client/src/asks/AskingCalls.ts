/** The calls of a connection that a server may ask something about, and who answers for them. */
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as CallScope from "../base/CallScope.ts"
import type { Inquirer } from "../contract/Connection.ts"
import { CallTimeout } from "../errors/CallErrors.ts"
import { McpError } from "../errors/McpError.ts"
import { type Asker, nobody } from "../host/ServerRequests.ts"

export interface AskingCall {
  /** Null where its caller brought none. */
  readonly asker: Asker | null
  /** Counts a question that may belong to it for as long as it is open. */
  readonly asked: <A, E, R>(question: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Waits until the call has its answer, or nobody wants it any more. */
  readonly ended: Effect.Effect<void>
}

/** The asker of a question, and the calls it may belong to; none for one that the server asks on its own. */
export interface Addressee {
  readonly asker: Asker
  readonly calls: ReadonlyArray<AskingCall>
  /** The name that the server gives the question, where it gives one. */
  readonly key?: string
}

/**
 * The subject of a question, as far as the stream tells on which it came: a call, a request that is none, one that is
 * over, or nobody knows.
 */
export type About = AskingCall | "another request" | "a request that is over" | "unknown"

/** A server that is told that a call is given up may have asked about it before, and goes on for a while. */
const AFTERMATH = Duration.seconds(10)

/** The calls in flight. `host` answers where nobody else does. */
export class AskingCalls {
  private readonly host: Asker
  private readonly clock: Clock.Clock
  private readonly inFlight = new Set<InFlight>()
  /** The askers of calls that were given up, and until when that counts; the oldest first. */
  private givenUp: Map<Asker, number> | null = null

  constructor(host: Asker, clock: Clock.Clock) {
    this.host = host
    this.clock = clock
  }

  /** Makes a call known for as long as it runs: until the inquirer's scope ends, where there is one. */
  during<A, E, R>(inquirer: Inquirer, run: (call: AskingCall) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    const { parting } = inquirer
    return parting === undefined
      ? CallScope.around((own) => this.begun(inquirer, own, run))
      : this.begun(inquirer, parting, run)
  }
  /** It is known only where its end is sure to be noticed: an interruption may come between any two steps. */
  private begun<A, E, R>(
    inquirer: Inquirer,
    parting: CallScope.CallScope,
    run: (call: AskingCall) => Effect.Effect<A, E, R>
  ) {
    const call = new InFlight(inquirer)
    this.inFlight.add(call)
    parting.add((exit) => this.finish(call, exit))
    return run(call)
  }
  /** The asker of a question that came now. */
  addressee(about: About): Addressee {
    switch (about) {
      case "unknown":
        return this.ofAny()
      case "another request":
        return { asker: this.host, calls: [] }
      case "a request that is over":
        return { asker: nobody, calls: [] }
      default:
        return { asker: about.asker ?? this.host, calls: [about] }
    }
  }

  private finish(call: InFlight, exit: Exit.Exit<unknown, unknown>): void {
    this.inFlight.delete(call)
    call.end()
    if (!isGivenUp(exit)) return
    const now = this.clock.currentTimeMillisUnsafe()
    const asker = call.asker ?? this.host
    this.forget(now)
    this.givenUp ??= new Map()
    this.givenUp.delete(asker)
    this.givenUp.set(asker, now + Duration.toMillis(AFTERMATH))
  }
  private forget(now: number): void {
    for (const [asker, until] of this.givenUp ?? []) {
      if (until > now) return
      this.givenUp?.delete(asker)
    }
  }
  /** A question of a call that was given up is not shown to another call's user. */
  private ofAny(): Addressee {
    const { host } = this
    if (this.inFlight.size === 0) return { asker: host, calls: [] }
    this.forget(this.clock.currentTimeMillisUnsafe())
    const calls = [...this.inFlight]
    const asker = commonOf(calls.map((call) => call.asker ?? host)) ?? host
    const maySee = [...this.givenUp?.keys() ?? []].every((gone) => areSeenBySame(gone, asker))
    return { asker: maySee ? asker : host, calls }
  }
}

/** Whether its server was told to leave off, and has not answered: nobody wanted it any more, or it took too long. */
const isGivenUp = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.some((reason) => Cause.isFailReason(reason) ? isTimeout(reason.error) : true)

const isTimeout = (error: unknown): boolean => (error instanceof McpError ? error.reason : error) instanceof CallTimeout

/** The one asker of all calls; where there are several, the one that all of them share. */
const commonOf = (askers: ReadonlyArray<Asker>): Asker | null => {
  const [first, ...others] = askers
  if (first === undefined) return null
  if (others.every((other) => other === first)) return first
  const shared = first.shared ?? first
  return others.every((other) => (other.shared ?? other) === shared) ? shared : null
}

const areSeenBySame = (one: Asker, other: Asker): boolean =>
  (one.shared ?? one) === (other.shared ?? other) || (one.audience !== undefined && one.audience === other.audience)

/** Most calls are never asked about, so what waits for their end is made when it is needed. */
class InFlight implements AskingCall {
  readonly asker: Asker | null
  private readonly onAsked: Inquirer["onAsked"]
  private open = 0
  private hasEnded = false
  private latch: Latch.Latch | null = null

  constructor({ asker, onAsked }: Inquirer) {
    this.asker = asker ?? null
    this.onAsked = onAsked
  }
  asked<A, E, R>(question: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.acquireUseRelease(this.tell(1), () => question, () => this.tell(-1))
  }
  get ended(): Effect.Effect<void> {
    this.latch ??= Latch.makeUnsafe(this.hasEnded)
    return this.latch.await
  }
  end(): void {
    this.hasEnded = true
    if (this.latch !== null) Latch.openUnsafe(this.latch)
  }
  private tell(change: number): Effect.Effect<void> {
    return Effect.sync(() => {
      this.open += change
      this.onAsked?.(this.open)
    })
  }
}
