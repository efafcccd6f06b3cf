/**
 * How long a call may be silent, and how long it may take. The time that people take to answer its server does not count.
 * One fiber watches all calls of a server: a timer for each would cost more than the rest of a call (docs/performance.md).
 */
import * as CallScope from "@boocode/mcp-client/CallScope"
import { CallTimeout, type McpErrorReason } from "@boocode/mcp-client/McpError"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Fork } from "./ProgressDelivery.ts"

/** The time that a call has had, however often it is sent. */
export interface Spent {
  /** When it began, in milliseconds of the clock. */
  readonly since: number
  /** For how long questions of the server were open, in milliseconds. */
  rested: number
}

export interface Limits {
  readonly what: string
  /** How long the server may be silent. */
  readonly idle: Duration.Duration
  /** How long all of it may take. */
  readonly total: Duration.Duration
  readonly spent: Spent
}

/** The reports of a call while it runs. */
export interface Signs {
  /** The request is on its way, and this ends it. Reported again when something else does. */
  readonly started: (end: (reason: McpErrorReason) => void) => void
  /** The server sent something. */
  readonly life: () => void
  /** So many of its questions are open now. */
  readonly asked: (open: number) => void
}

export interface CallLimits {
  /** Begins now. */
  readonly begin: () => Spent
  /** How many milliseconds have passed since it began. */
  readonly taken: (spent: Spent) => number
  /** How many milliseconds are left of all that a call may take. */
  readonly left: (total: Duration.Duration, spent: Spent) => number
  /**
   * Runs a call within its limits. A call that exceeds one ends with a `CallTimeout`. While a question of the server is open
   * the limits rest: that is no silence, and does not count as time.
   */
  readonly within: <A, E>(limits: Limits, call: (signs: Signs) => Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Runs a call that begins now: to be run at once. It is over when this scope is. */
  readonly begun: <A, E>(
    limits: Limits,
    scope: CallScope.CallScope,
    call: (signs: Signs) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
}

/** Questions stop the clock for so long altogether, whatever a server asks. */
const MOST_REST = Duration.hours(2)

/** The watcher sleeps for so long at most, so that it ends soon after the last call. */
const NAP_MILLIS = 500

/** No call runs yet. The watcher runs by `fork`, from the first call until it wakes and there is none. */
export const make = (clock: Clock.Clock, fork: Fork): CallLimits => {
  const running = new Set<RunningCall>()
  /** The fiber that watches, and until when it sleeps; null when there is none. */
  let watcher: { asleepUntil: number } | null = null

  const now = () => clock.currentTimeMillisUnsafe()
  /** Ends what is due, and gives when the next may be. */
  const swept = (): number => {
    let next = Number.POSITIVE_INFINITY
    for (const call of running) {
      const { at, limit } = call.due
      if (at > now()) next = Math.min(next, at)
      else {
        running.delete(call)
        call.end(limit)
      }
    }
    return next
  }
  /** Until there is no call, or another watcher was started because this one would wake too late. */
  const watch = (own: { asleepUntil: number }) =>
    Effect.gen(function*() {
      while (watcher === own) {
        const next = swept()
        if (running.size === 0) break
        own.asleepUntil = Math.min(next, now() + NAP_MILLIS)
        yield* Effect.sleep(own.asleepUntil - now())
      }
    }).pipe(Effect.ensuring(Effect.sync(() => {
      if (watcher === own) watcher = null
    })))

  const begun: CallLimits["begun"] = (limits, scope, call) => {
    const course = new RunningCall(clock, limits)
    running.add(course)
    scope.add(() => {
      running.delete(course)
      course.over()
    })
    if (watcher === null || course.firstDue < watcher.asleepUntil) {
      watcher = { asleepUntil: now() }
      fork(watch(watcher))
    }
    return call(course)
  }

  return {
    begin: () => ({ since: now(), rested: 0 }),
    // A clock may be set back.
    taken: ({ since }) => Math.max(0, now() - since),
    left: (total, { rested, since }) => Math.max(0, since + Duration.toMillis(total) + rested - now()),
    begun,
    within: (limits, call) => CallScope.around((scope) => begun(limits, scope, call))
  }
}

class RunningCall implements Signs {
  /** When it is due if nothing is heard of it. */
  readonly firstDue: number
  private readonly clock: Clock.Clock
  private readonly limits: Limits
  private readonly idleMillis: number
  private readonly totalMillis: number
  private lastSign: number
  /** Null while no question is open. */
  private restingSince: number | null = null
  private isOver = false
  /** Why it is to end, where it was due before anything could end it. */
  private late: CallTimeout | null = null
  private ending: ((reason: McpErrorReason) => void) | null = null

  constructor(clock: Clock.Clock, limits: Limits) {
    this.clock = clock
    this.limits = limits
    this.idleMillis = Duration.toMillis(limits.idle)
    this.totalMillis = Duration.toMillis(limits.total)
    this.lastSign = this.now
    const { rested, since } = limits.spent
    this.firstDue = Math.min(this.lastSign + this.idleMillis, since + this.totalMillis + rested)
  }

  started(end: (reason: McpErrorReason) => void): void {
    this.ending = end
    if (this.late !== null) end(this.late)
  }
  life(): void {
    this.lastSign = this.now
  }
  asked(open: number): void {
    // A question may end a moment after its call.
    if (this.isOver) return
    if (open > 0) this.restingSince ??= this.now
    else this.rested()
  }
  /** When it is due, as far as can be known now, and by which limit. It only ever becomes later. */
  get due(): { readonly at: number; readonly limit: CallTimeout["limit"] } {
    const { limits: { spent }, now, rest, restingSince } = this
    // A server at rest has only just said something, so to speak; what is left does not shrink.
    const quietSince = restingSince === null ? this.lastSign : restingSince + rest
    const idleAt = quietSince + this.idleMillis
    const totalAt = spent.since + this.totalMillis + spent.rested + rest
    return idleAt <= now || idleAt <= totalAt
      ? { at: idleAt, limit: "timeout" }
      : { at: totalAt, limit: "maxTotalTimeout" }
  }
  end(limit: CallTimeout["limit"]): void {
    const limitMillis = limit === "timeout" ? this.idleMillis : this.totalMillis
    this.late = new CallTimeout({ tool: this.limits.what, limitMillis, limit })
    this.ending?.(this.late)
  }
  over(): void {
    if (this.restingSince !== null) this.rested()
    this.isOver = true
  }

  private get now(): number {
    return this.clock.currentTimeMillisUnsafe()
  }
  /** How long the question that is open counts as rest. */
  private get rest(): number {
    const { limits: { spent }, restingSince } = this
    return restingSince === null ? 0 : Math.min(this.now - restingSince, MOST_REST_MILLIS - spent.rested)
  }
  private rested(): void {
    this.limits.spent.rested += this.rest
    this.restingSince = null
    this.lastSign = this.now
  }
}

const MOST_REST_MILLIS = Duration.toMillis(MOST_REST)
