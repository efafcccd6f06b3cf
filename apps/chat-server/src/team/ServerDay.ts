/** A server over the day or the week: its calls in slots of time, and what happened to it. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { Settings } from "../settings/Settings.ts"
import { AuditCalls } from "./AuditCalls.ts"
import { ServerEvents } from "./ServerEvents.ts"

/**
 * The last hours up to now for this person: their own calls and what happened to their own server, or everybody's calls
 * and what happened to the server that all share as well.
 */
export const make = Effect.gen(function*() {
  const calls = yield* AuditCalls
  const events = yield* ServerEvents
  const { auditDays } = yield* Settings
  return Effect.fnUntraced(function*(server: string, hours: 24 | 168, owner: string, isAll: boolean) {
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
      slots: yield* calls.slots(server, since, minutes, isAll ? null : owner),
      events: yield* events.list(server, since, { owner, isShared: isAll })
    }
  })
})

const MINUTE = 60_000
