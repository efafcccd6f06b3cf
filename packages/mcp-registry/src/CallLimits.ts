/**
 * How long a call may be silent, and how long it may take, the time that people take to answer its server left out. One
 * fiber looks after all calls of a server, and sleeps until the first of them may be due.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Deadlines from "./Deadlines.ts"
import { CallTimeout, type McpErrorReason } from "./McpError.ts"
import * as Parting from "./Parting.ts"

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
    parting: Parting.Parting,
    call: (signs: Signs) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
}

/** Questions stop the clock for so long altogether, whatever a server asks. @category constants */
export const MOST_REST = Duration.hours(2)

/** For so long the fiber sleeps at most, so that it ends soon after the last call. */
const NAP_MILLIS = 500

/**
 * No call runs yet. The fiber that looks after them starts with the first, and ends with the scope, or when it wakes and
 * there is none: to start it for each of many calls that follow each other would cost more than the calls.
 *
 * @category constructors
 */
export const make = (scope: Scope.Scope): Effect.Effect<CallLimits> =>
  Effect.contextWith((context: Context.Context<never>) => Effect.succeed(makeIn(context, scope)))

/**
 * The same in a given context: who calls first lends nothing of its own to a fiber that looks after the calls of others.
 *
 * @category constructors
 */
export const makeIn = (context: Context.Context<never>, scope: Scope.Scope): CallLimits => {
  const clock = Context.get(context, Clock.Clock)
  const running = Deadlines.make<Course>()
  /** Who looks after the calls, and until when it sleeps; null when nobody does. */
  let watcher: { asleepUntil: number } | null = null

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
    const { at, limit } = dueOf(course, now())
    if (at > now()) return running.move(course, at)
    running.remove(course)
    end(course, limit)
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
    const course = courseOf(limits, now())
    const at = firstDueOf(course)
    running.add(course, at)
    parting.add(() => {
      running.remove(course)
      if (course.restingSince !== null) rested(course, now())
      course.isOver = true
    })
    const request = call(signsOf(course, now))
    return watcher === null || at < watcher.asleepUntil ? Effect.andThen(watched, request) : request
  }

  return {
    begin: () => ({ since: now(), rested: 0 }),
    // A clock may be set back.
    taken: ({ since }) => Math.max(0, now() - since),
    left: (total, { rested, since }) => Math.max(0, since + Duration.toMillis(total) + rested - now()),
    begun,
    within: (limits, call) => Parting.around((parting) => begun(limits, parting, call))
  }
}

/** One call as it runs. */
interface Course extends Deadlines.Deadline {
  readonly limits: Limits
  readonly idleMillis: number
  readonly totalMillis: number
  lastSign: number
  /** Null while no question is open. */
  restingSince: number | null
  isOver: boolean
  /** Why it is ended, if nothing that ends it was known when it was due. */
  late: CallTimeout | null
  end: ((reason: McpErrorReason) => void) | null
}

const courseOf = (limits: Limits, lastSign: number): Course => ({
  at: 0,
  place: null,
  limits,
  idleMillis: Duration.toMillis(limits.idle),
  totalMillis: Duration.toMillis(limits.total),
  lastSign,
  restingSince: null,
  isOver: false,
  late: null,
  end: null
})

const signsOf = (course: Course, now: () => number): Signs => ({
  started: (end) => {
    course.end = end
    if (course.late !== null) end(course.late)
  },
  life: () => {
    course.lastSign = now()
  },
  asked: (open) => {
    // A question may end a moment after its call.
    if (course.isOver) return
    if (open > 0) course.restingSince ??= now()
    else rested(course, now())
  }
})

const end = (course: Course, limit: CallTimeout["limit"]) => {
  const limitMillis = limit === "timeout" ? course.idleMillis : course.totalMillis
  course.late = new CallTimeout({ tool: course.limits.what, limitMillis, limit })
  course.end?.(course.late)
}

/** The same before anything was asked. */
const firstDueOf = ({ idleMillis, lastSign, limits: { spent }, totalMillis }: Course): number =>
  Math.min(lastSign + idleMillis, spent.since + totalMillis + spent.rested)

/** When a call is due, as far as can be known now, and by which limit. It only ever becomes later. */
const dueOf = (course: Course, now: number): { readonly at: number; readonly limit: CallTimeout["limit"] } => {
  const { limits: { spent }, restingSince } = course
  const resting = restOf(course, now)
  // At rest the server has, so to speak, only just said something; what is left does not shrink.
  const quietSince = restingSince === null ? course.lastSign : restingSince + resting
  const idleAt = quietSince + course.idleMillis
  const totalAt = spent.since + course.totalMillis + spent.rested + resting
  return idleAt <= now || idleAt <= totalAt
    ? { at: idleAt, limit: "timeout" }
    : { at: totalAt, limit: "maxTotalTimeout" }
}

/** No question is open any more. */
const rested = (course: Course, now: number) => {
  course.limits.spent.rested += restOf(course, now)
  course.restingSince = null
  course.lastSign = now
}

const MOST_REST_MILLIS = Duration.toMillis(MOST_REST)

/** How long the question that is open counts as rest. */
const restOf = ({ limits: { spent }, restingSince }: Course, now: number): number =>
  restingSince === null ? 0 : Math.min(now - restingSince, MOST_REST_MILLIS - spent.rested)
