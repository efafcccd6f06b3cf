/** A clock that stands still until a test moves it, so that nothing that is shown depends on when or how fast a test runs. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The moment at which every picture is taken. */
export const NOW = Date.parse("2026-11-24T15:30:00Z")

/** Before all that is shown: some measure paces by this clock, which must not go back. */
const BEGIN = NOW - 30 * 86_400_000

const real = Clock.Clock.defaultValue()
const shown: { millis: number | null } = { millis: BEGIN }

const set = (millis: number | null) =>
  Effect.sync(() => {
    shown.millis = millis
  })

/** What happens until the next call happened so many minutes before the pictures are taken. */
export const happenedBefore = (minutes: number) => set(NOW - minutes * 60_000)

/** From here on it is an ordinary clock. */
export const runs = set(null)

const millis = () => shown.millis ?? real.currentTimeMillisUnsafe()
const nanos = () => BigInt(millis()) * 1_000_000n

/** What time it is stands still; what measures or sleeps does so. */
export const layer = Layer.effect(
  Clock.Clock,
  Effect.as(set(BEGIN), {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration)
  })
)
