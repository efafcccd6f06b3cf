/**
 * How long a request may be silent, and how long it may take, the time that people take to answer its server left out.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { CallTimeout } from "./McpError.ts"

/** @category models */
export interface Options {
  /** What is said to have taken too long. */
  readonly what: string
  /** How long the server may say nothing. */
  readonly idle: Duration.Duration
  /** How long all of it may take. */
  readonly total: Duration.Duration
  /** When it began, in milliseconds of the clock. */
  readonly since: number
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
  const course: Course = { lastSign: clock.currentTimeMillisUnsafe(), restingSince: null, rested: 0 }
  const signs: Signs = {
    life: () => {
      course.lastSign = clock.currentTimeMillisUnsafe()
    },
    asked: (open) => {
      const now = clock.currentTimeMillisUnsafe()
      if (open > 0) course.restingSince ??= now
      else {
        course.rested += restOf(course, now)
        course.restingSince = null
        course.lastSign = now
      }
    }
  }
  return yield* Effect.raceFirst(request(signs), watchdog(options, course))
})

interface Course {
  lastSign: number
  /** Null while no question is open. */
  restingSince: number | null
  /** How long questions were open before, in milliseconds. */
  rested: number
}

const MOST_REST_MILLIS = Duration.toMillis(MOST_REST)

/** How long the question that is open counts as rest. */
const restOf = ({ rested, restingSince }: Course, now: number): number =>
  restingSince === null ? 0 : Math.min(now - restingSince, MOST_REST_MILLIS - rested)

/** Fails when the request was silent for too long, or took too long altogether. */
const watchdog = Effect.fnUntraced(function*(
  { idle, since, total, what: tool }: Options,
  course: Course
): Effect.fn.Return<never, CallTimeout> {
  const idleMillis = Duration.toMillis(idle)
  const totalMillis = Duration.toMillis(total)
  for (;;) {
    const now = yield* Clock.currentTimeMillis
    const resting = restOf(course, now)
    // At rest the server has, so to speak, only just said something; what is left does not shrink.
    const quietSince = course.restingSince === null ? course.lastSign : course.restingSince + resting
    const idleLeft = quietSince + idleMillis - now
    const totalLeft = since + totalMillis + course.rested + resting - now
    if (idleLeft <= 0) return yield* new CallTimeout({ tool, limitMillis: idleMillis, limit: "timeout" })
    if (totalLeft <= 0) return yield* new CallTimeout({ tool, limitMillis: totalMillis, limit: "maxTotalTimeout" })
    yield* Effect.sleep(Math.min(idleLeft, totalLeft))
  }
})
