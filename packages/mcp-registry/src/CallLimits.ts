/**
 * How long a request may be silent, and how long it may take, the time that people take to answer its server left out.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { CallTimeout } from "./McpError.ts"

/** What a request has had of its time, however often it is sent. @category models */
export interface Spent {
  /** When it began, in milliseconds of the clock. */
  readonly since: number
  /** For how long questions were open, in milliseconds. */
  rested: number
}

/** @category models */
export interface Options {
  /** What is said to have taken too long. */
  readonly what: string
  /** How long the server may say nothing. */
  readonly idle: Duration.Duration
  /** How long all of it may take. */
  readonly total: Duration.Duration
  readonly spent: Spent
}

/** What a request tells while it runs. @category models */
export interface Signs {
  /** The server said something. */
  readonly life: () => void
  /** So many of its questions are open now. */
  readonly asked: (open: number) => void
}

/** Questions stop the clock for so long altogether, whatever a server asks. @category constants */
export const MOST_REST = Duration.hours(2)

/** Begins now. @category constructors */
export const begin: Effect.Effect<Spent> = Effect.map(Clock.currentTimeMillis, (since) => ({ since, rested: 0 }))

/** How much is left of all that a request may take, in milliseconds. @category getters */
export const left = (total: Duration.Duration, { rested, since }: Spent): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (now) => Math.max(0, since + Duration.toMillis(total) + rested - now))

/**
 * Runs a request within its limits. While a question of the server's is open they rest: neither is it silence, nor does it
 * count as time.
 *
 * @category combinators
 */
export const within = Effect.fnUntraced(function*<A, E>(
  options: Options,
  request: (signs: Signs) => Effect.Effect<A, E>
): Effect.fn.Return<A, E | CallTimeout> {
  const clock = yield* Clock.Clock
  const { spent } = options
  const course: Course = { lastSign: clock.currentTimeMillisUnsafe(), restingSince: null, isOver: false }
  const wake = (now: number) => {
    spent.rested += restOf(spent, course, now)
    course.restingSince = null
    course.lastSign = now
  }
  const signs: Signs = {
    life: () => {
      course.lastSign = clock.currentTimeMillisUnsafe()
    },
    asked: (open) => {
      // A question may end a moment after its request.
      if (course.isOver) return
      const now = clock.currentTimeMillisUnsafe()
      if (open > 0) course.restingSince ??= now
      else wake(now)
    }
  }
  const end = Effect.sync(() => {
    wake(clock.currentTimeMillisUnsafe())
    course.isOver = true
  })
  return yield* Effect.ensuring(Effect.raceFirst(request(signs), watchdog(options, course)), end)
})

interface Course {
  lastSign: number
  /** Null while no question is open. */
  restingSince: number | null
  isOver: boolean
}

const MOST_REST_MILLIS = Duration.toMillis(MOST_REST)

/** How long the question that is open counts as rest. */
const restOf = ({ rested }: Spent, { restingSince }: Course, now: number): number =>
  restingSince === null ? 0 : Math.min(now - restingSince, MOST_REST_MILLIS - rested)

/** Fails when the request was silent for too long, or took too long altogether. */
const watchdog = Effect.fnUntraced(function*(
  { idle, spent, total, what: tool }: Options,
  course: Course
): Effect.fn.Return<never, CallTimeout> {
  const idleMillis = Duration.toMillis(idle)
  const totalMillis = Duration.toMillis(total)
  for (;;) {
    const now = yield* Clock.currentTimeMillis
    const resting = restOf(spent, course, now)
    // At rest the server has, so to speak, only just said something; what is left does not shrink.
    const quietSince = course.restingSince === null ? course.lastSign : course.restingSince + resting
    const idleLeft = quietSince + idleMillis - now
    const totalLeft = spent.since + totalMillis + spent.rested + resting - now
    if (idleLeft <= 0) return yield* new CallTimeout({ tool, limitMillis: idleMillis, limit: "timeout" })
    if (totalLeft <= 0) return yield* new CallTimeout({ tool, limitMillis: totalMillis, limit: "maxTotalTimeout" })
    yield* Effect.sleep(Math.min(idleLeft, totalLeft))
  }
})
