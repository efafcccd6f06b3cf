/** A server over the day or the week: its calls in slots of time, and what happened to it. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { Settings } from "../settings/Settings.ts"
import { AuditCalls } from "./AuditCalls.ts"
import { ServerEvents } from "./ServerEvents.ts"

/** The last hours up to now; a null owner is everybody, and sees what happened to the server. */
export const make = Effect.gen(function*() {
  const calls = yield* AuditCalls
  const events = yield* ServerEvents
  const { auditDays } = yield* Settings
  return Effect.fnUntraced(function*(server: string, hours: 24 | 168, owner: string | null) {
    const now = yield* DateTime.now
    const minutes = hours === 24 ? 15 : 60
    const last = Math.floor(DateTime.toEpochMillis(now) / (minutes * MINUTE)) * minutes * MINUTE
    const since = DateTime.formatIso(DateTime.makeUnsafe(last - hours * 60 * MINUTE + minutes * MINUTE))
    return {
      server,
      since,
      until: DateTime.formatIso(now),
      minutes,
      auditDays,
      slots: yield* calls.slots(server, since, minutes, owner),
      events: owner === null ? yield* events.list(server, since) : []
    }
  })
})

const MINUTE = 60_000
