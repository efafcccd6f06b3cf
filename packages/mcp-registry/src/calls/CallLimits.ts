/**
 * How long a call may be silent, and how long it may take, the time that people take to answer its server left out. One
 * fiber looks after all calls of a server, and sleeps until the first of them may be due.
 */
import * as CallScope from "@boocode/mcp-client/CallScope"
import { CallTimeout, type McpErrorReason } from "@boocode/mcp-client/McpError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** What a call has had of its time, however often it is sent. @category models */
export interface Spent {
  /** When it began, in milliseconds of the clock. */
  readonly since: number
  /** For how long questions were open, in milliseconds. */
  rested: number
}

/** @category models */
export interface Limits {
  /** What is said to have taken too long. */
  readonly what: string
  /** How long the server may say nothing. */
  readonly idle: Duration.Duration
  /** How long all of it may take. */
  readonly total: Duration.Duration
  readonly spent: Spent
}

/** What a call tells while it runs. @category models */
export interface Signs {
  /** It is on its way, and this ends it. Told again when something else does. */
  readonly started: (end: (reason: McpErrorReason) => void) => void
  /** The server said something. */
  readonly life: () => void
  /** So many of its questions are open now. */
  readonly asked: (open: number) => void
}

/** The limits of a server's calls. @category models */
export interface CallLimits {
  /** Begins now. */
  readonly begin: () => Spent
  /** How many milliseconds of the clock have gone since it began. */
  readonly taken: (spent: Spent) => number
  /** How much is left of all that a call may take, in milliseconds. */
  readonly left: (total: Duration.Duration, spent: Spent) => number
  /**
   * Runs a call within its limits: it is ended with a `CallTimeout` by what it said ends it. While a question of the
   * server's is open they rest: neither is it silence, nor does it count as time.
   */
  readonly within: <A, E>(limits: Limits, call: (signs: Signs) => Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** The same of a call that begins now: to be run at once, and over with this parting. */
  readonly begun: <A, E>(
    limits: Limits,
    parting: CallScope.CallScope,
    call: (signs: Signs) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
}

/** Questions stop the clock for so long altogether, whatever a server asks. @category constants */
export const MOST_REST = Duration.hours(2)

/** For so long the fiber sleeps at most, so that it ends soon after the last call. */
const NAP_MILLIS = 500

/**
 * No call runs yet. The fiber that looks after them starts with the first, and ends with the scope, or when it wakes and
 * there is none: to start it for each of many calls that follow each other would cost more than the calls. It runs in the
 * given context: who calls first lends nothing of its own to a fiber that looks after the calls of others.
 *
 * @category constructors
 */
export const make = (context: Context.Context<never>, scope: Scope.Scope): CallLimits => {
  const clock = Context.get(context, Clock.Clock)
  const running = makeDeadlines<Course>()
  /** Who looks after the calls, and until when it sleeps; null when nobody does. */
  let watcher: { asleepUntil: number } | null = null

  const idleOf = millisKept()
  const totalOf = millisKept()

  const now = () => clock.currentTimeMillisUnsafe()
  /** Ends what is due, and gives when the next may be. */
  const swept = (): number | null => {
    for (let first = running.first(); first !== null; first = running.first()) {
      if (first.at > now()) return first.at
      lookAt(first)
    }
    return null
  }
  /** Signs of life and rests are told often, so nothing is done about them before it would be due without them. */
  const lookAt = (course: Course) => {
    const { at, limit } = course.due
    if (at > now()) return running.move(course, at)
    running.remove(course)
    course.end(limit)
  }
  const watching = Effect.gen(function*() {
    const own = { asleepUntil: 0 }
    watcher = own
    yield* Effect.onInterrupt(napping(own), () => Effect.sync(() => leave(own)))
  })
  /** Until there is no call, or another one was started because this one would wake too late. */
  const napping = Effect.fnUntraced(function*(own: { asleepUntil: number }) {
    while (watcher === own) {
      const next = swept()
      if (next === null) return leave(own)
      own.asleepUntil = Math.min(next, now() + NAP_MILLIS)
      yield* Effect.sleep(own.asleepUntil - now())
    }
  })
  const leave = (own: { asleepUntil: number }) => {
    if (watcher === own) watcher = null
  }
  const inOwnContext: Effect.Effect<void> = Effect.updateContext(watching, () => context)
  const watched = Effect.forkIn(inOwnContext, scope, { startImmediately: true })

  const begun: CallLimits["begun"] = (limits, parting, call) => {
    const course = new Course(clock, limits, idleOf(limits.idle), totalOf(limits.total))
    const at = course.firstDue
    running.add(course, at)
    parting.add(() => {
      running.remove(course)
      course.over()
    })
    const request = call(course)
    return watcher === null || at < watcher.asleepUntil ? Effect.andThen(watched, request) : request
  }

  return {
    begin: () => ({ since: now(), rested: 0 }),
    // A clock may be set back.
    taken: ({ since }) => Math.max(0, now() - since),
    left: (total, { rested, since }) => Math.max(0, since + Duration.toMillis(total) + rested - now()),
    begun,
    within: (limits, call) => CallScope.around((parting) => begun(limits, parting, call))
  }
}

/** One call as it runs. */
class Course implements Deadline, Signs {
  at = 0
  place: number | null = null
  private readonly clock: Clock.Clock
  private readonly limits: Limits
  private readonly idleMillis: number
  private readonly totalMillis: number
  private lastSign: number
  /** Null while no question is open. */
  private restingSince: number | null = null
  private isOver = false
  /** Why it is ended, if nothing that ends it was known when it was due. */
  private late: CallTimeout | null = null
  private ending: ((reason: McpErrorReason) => void) | null = null

  constructor(clock: Clock.Clock, limits: Limits, idleMillis: number, totalMillis: number) {
    this.clock = clock
    this.limits = limits
    this.idleMillis = idleMillis
    this.totalMillis = totalMillis
    this.lastSign = this.now
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

  /** When it is due before anything was asked. */
  get firstDue(): number {
    const { spent } = this.limits
    return Math.min(this.lastSign + this.idleMillis, spent.since + this.totalMillis + spent.rested)
  }
  /** When it is due, as far as can be known now, and by which limit. It only ever becomes later. */
  get due(): { readonly at: number; readonly limit: CallTimeout["limit"] } {
    const { limits: { spent }, now, restingSince } = this
    const resting = this.rest
    // At rest the server has, so to speak, only just said something; what is left does not shrink.
    const quietSince = restingSince === null ? this.lastSign : restingSince + resting
    const idleAt = quietSince + this.idleMillis
    const totalAt = spent.since + this.totalMillis + spent.rested + resting
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
  /** No question is open any more. */
  private rested(): void {
    this.limits.spent.rested += this.rest
    this.restingSince = null
    this.lastSign = this.now
  }
}

const MOST_REST_MILLIS = Duration.toMillis(MOST_REST)

/** Of one limit after the other, which is mostly the same: that of the entry. */
const millisKept = (): (duration: Duration.Duration) => number => {
  let last: Duration.Duration | null = null
  let millis = 0
  return (duration) => {
    if (duration !== last) millis = Duration.toMillis(duration)
    last = duration
    return millis
  }
}

// Many deadlines and which of them is the first: one more, or one less, costs next to nothing however many there are.

/** A deadline; who sets it keeps it, and hands it in to move it or to take it away. @category models */
export interface Deadline {
  /** In milliseconds of the clock. Changed by `move` only. */
  at: number
  /** Where it is kept; null while it is not. */
  place: number | null
}

/** @category models */
export interface Deadlines<D extends Deadline> {
  readonly add: (deadline: D, at: number) => void
  readonly move: (deadline: D, at: number) => void
  /** Takes it away; nothing where it is not kept. */
  readonly remove: (deadline: D) => void
  /** Null when there is none. */
  readonly first: () => D | null
}

/**
 * No deadlines yet. A binary heap of those that know their place in it: the last one to come is mostly the last to be
 * due, and stays where it was put.
 *
 * @category constructors
 */
export const makeDeadlines = <D extends Deadline>(): Deadlines<D> => {
  const heap: Array<D> = []

  const put = (deadline: D, place: number) => {
    heap[place] = deadline
    deadline.place = place
  }
  /** Each that is due later than this one, on the way to the first, makes room for it. */
  const rise = (deadline: D, from: number) => {
    let place = from
    while (place > 0) {
      const above = heap[(place - 1) >> 1]
      if (above === undefined || above.at <= deadline.at) break
      put(above, place)
      place = (place - 1) >> 1
    }
    put(deadline, place)
  }
  /** The same the other way. */
  const sink = (deadline: D, from: number) => {
    let place = from
    for (;;) {
      const left = 2 * place + 1
      const one = heap[left]
      const other = heap[left + 1]
      const sooner = other !== undefined && one !== undefined && other.at < one.at ? other : one
      if (sooner === undefined || sooner.at >= deadline.at) break
      put(sooner, place)
      place = sooner === one ? left : left + 1
    }
    put(deadline, place)
  }
  const settle = (deadline: D, place: number) => {
    rise(deadline, place)
    sink(deadline, deadline.place ?? place)
  }
  return {
    add: (deadline, at) => {
      deadline.at = at
      rise(deadline, heap.length)
    },
    move: (deadline, at) => {
      deadline.at = at
      if (deadline.place !== null) settle(deadline, deadline.place)
    },
    remove: (deadline) => {
      const { place } = deadline
      if (place === null) return
      deadline.place = null
      const last = heap.pop()
      if (last !== undefined && last !== deadline) settle(last, place)
    },
    first: () => heap[0] ?? null
  }
}
