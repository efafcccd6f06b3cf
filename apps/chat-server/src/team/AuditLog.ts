/** Takes calls as they end, and writes them to the database a little later, many at once. */
import { Audit } from "@boocode/chat"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import { Settings } from "../settings/Settings.ts"
import { AuditCalls, type TimedCall } from "./AuditCalls.ts"

/** So many wait at most for a database that is away; then the oldest go. */
const MOST_WAITING = 10_000

const MOST_AT_ONCE = 500

/** To write one call takes longer than to make it, so the calls of so long are written together. */
const PACE = "250 millis"

/** A call is in the database after a moment. A kill of the program loses that moment, its end in good order loses nothing. */
export const layer = Layer.effect(
  Audit.Audit,
  Effect.gen(function*() {
    const { auditDays } = yield* Settings
    const calls = yield* AuditCalls
    const tidy = Effect.gen(function*() {
      const oldest = DateTime.subtract(yield* DateTime.now, { days: auditDays })
      yield* calls.tidy(DateTime.formatIso(oldest))
    })
    const told = Effect.catch(({ message }: { readonly message: string }) =>
      Effect.logWarning(`calls are not noted for the audit: ${message}`)
    )
    yield* Effect.forkScoped(Effect.repeat(told(tidy), Schedule.spaced("1 hour")))
    if (auditDays === 0) return null
    const waiting = yield* Queue.sliding<Waiting>(MOST_WAITING)
    const write = (some: ReadonlyArray<Waiting>) => told(calls.add(some.map(timed)))
    const written = Effect.flatMap(
      Queue.clear(waiting),
      (all) => Effect.forEach(Arr.chunksOf(all, MOST_AT_ONCE), write, { discard: true })
    )
    yield* Effect.addFinalizer(() => written)
    yield* Effect.forkScoped(
      Effect.forever(
        Queue.peek(waiting).pipe(Effect.andThen(Effect.sleep(PACE)), Effect.andThen(Effect.uninterruptible(written)))
      )
    )
    return {
      note: (call) => Effect.map(Clock.currentTimeMillis, (over) => void Queue.offerUnsafe(waiting, { call, over }))
    }
  })
)

/** A call, and when it was over in milliseconds since 1970. */
interface Waiting {
  readonly call: Audit.AuditedCall
  readonly over: number
}

const timed = ({ call, over }: Waiting): TimedCall => ({ ...call, at: DateTime.formatIso(DateTime.makeUnsafe(over)) })
