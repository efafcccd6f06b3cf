/**
 * The life of one server: one connection after the other, with sleep and pauses between them as the policy says.
 */
import { AuthState } from "@boocode/mcp-client/Auth"
import type * as Connect from "@boocode/mcp-client/Connect"
import { ServerLog } from "@boocode/mcp-client/Host"
import type { McpErrorReason } from "@boocode/mcp-client/McpError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as AttemptFailure from "../server/AttemptFailure.ts"
import * as RestartPolicy from "../server/RestartPolicy.ts"
import * as Discovery from "../tools/Discovery.ts"
import { Manifests } from "../tools/Manifests.ts"
import * as ConnectionRun from "./ConnectionRun.ts"
import type { Course, LifeOptions } from "./ConnectionRun.ts"
import * as Idle from "./Idle.ts"

/**
 * Leads the life until the policy gives up; interruption closes the connection. Never fails: what goes wrong is in the
 * snapshot.
 *
 * @category constructors
 */
export const lead = Effect.fnUntraced(function*(
  options: LifeOptions
): Effect.fn.Return<void, never, Connect.Requirements> {
  const course: Course = {
    failures: 0,
    wasEverReady: false,
    isWoken: false,
    isListed: false,
    greeting: "first"
  }
  if (options.config.lazy && !options.isWanted) {
    yield* Effect.catchDefect(rest(options, course), (defect) => Effect.asVoid(broken(options, course, defect)))
  }
  for (;;) {
    const end: ConnectionRun.End = yield* Effect.catchDefect(
      Effect.scoped(ConnectionRun.live(options, course)),
      (defect) => broken(options, course, defect)
    )
    course.wasEverReady ||= end.wasReady
    if (end.wasReady) course.isWoken = course.isListed = false
    if (end.reason === null) yield* slept(options, course)
    else {
      course.failures = end.wasHealthy ? 1 : course.failures + 1
      const isTriedAgain = ConnectionRun.isTriedAgain(options, end.reason, course)
      if (isTriedAgain) yield* course.isWoken ? nextCall(options) : pause(options, course)
      else if (!(yield* signedInElsewhere(options, course, end.reason))) return
    }
  }
})

/** A lazy server sleeps at once where its tools are known, else it is started once to list them (R94). */
const rest = Effect.fnUntraced(function*(options: LifeOptions, course: Course) {
  const manifest = yield* Effect.flatMap(Manifests, ({ recall }) => recall(options))
  course.isListed = manifest === null
  if (manifest === null) return
  const discovered = yield* ConnectionRun.judgeTools(options, manifest)
  yield* ServerLog.event(`asleep until it is called: ${ConnectionRun.countsOf(discovered)} as last listed`)
  options.standing.set({
    ...Idle.ASLEEP,
    instructions: manifest.instructions,
    capabilities: manifest.capabilities,
    logLevel: manifest.capabilities?.logging === true ? options.news.level : null,
    discovered: Discovery.among(discovered, options.config, options.servers())
  })
  yield* slept(options, course)
})

const slept = Effect.fnUntraced(function*(options: LifeOptions, course: Course) {
  yield* Idle.untilWoken(options)
  course.failures = 0
  course.isWoken = true
})

/** A server that only waits for a person; false for any other, and for one that never will be told. */
const signedInElsewhere = Effect.fnUntraced(function*(options: LifeOptions, course: Course, reason: McpErrorReason) {
  if (!(yield* AuthState.waitForSignIn(options.config, reason))) return false
  course.failures = 0
  yield* ServerLog.event("somebody has signed in by way of another program")
  options.standing.set({ retry: "trying" })
  return true
})

/** Whoever calls pays for the attempt: a server that nobody needs is not tried again by itself. */
const nextCall = Effect.fnUntraced(function*(options: LifeOptions) {
  options.wish.withdraw()
  options.standing.set({ retry: "soon" })
  yield* Idle.untilWoken(options)
})

/**
 * Waits for the next attempt; while the pace is fast a call may end the wait (R4). It always may for a remote server that
 * was there: without pings its connection would still be open, and the call would find out by itself (R99).
 */
const pause = Effect.fnUntraced(function*(options: LifeOptions, { failures, wasEverReady }: Course) {
  const isFast = failures <= RestartPolicy.FAST_ATTEMPTS || (wasEverReady && ConnectionRun.isRemote(options.config))
  const wait = RestartPolicy.delay(failures, yield* Random.next)
  const delay = Effect.sleep(wait)
  yield* ServerLog.event(`trying again in ${Duration.toMillis(wait)} ms`)
  options.standing.set({ retry: isFast ? "soon" : "slowly" })
  yield* isFast ? Effect.raceFirst(delay, options.wish.taken) : delay
  const { restarts } = options.standing.now
  const isRestart = wasEverReady && !ConnectionRun.isRemote(options.config)
  options.standing.set({ retry: "trying", restarts: isRestart ? restarts + 1 : restarts })
})

const broken = Effect.fnUntraced(function*(
  options: LifeOptions,
  course: Course,
  defect: unknown
): Effect.fn.Return<ConnectionRun.End> {
  const reason = AttemptFailure.ofDefect(defect, {
    step: "its work",
    elapsed: () => 0,
    stderr: () => "",
    said: () => []
  })
  yield* ConnectionRun.tellFailed(options, reason, Effect.logError, { ...course, wasEverReady: false })
  return { reason, wasReady: false, wasHealthy: false }
})
