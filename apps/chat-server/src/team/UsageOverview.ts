/** The use of models and the calls of tools over days: by day, person, model, agent, server and tool. */
import type { User } from "@boocode/chat"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { Settings } from "../settings/Settings.ts"
import { AuditCalls, type CallColumn, type NamedCalls } from "./AuditCalls.ts"
import { type NamedUse, NOTHING, type UsageColumn, UsageDays } from "./UsageDays.ts"

const NO_CALLS = { calls: 0, failed: 0, refused: 0, millis: 0 }

/** The names of both, the most expensive first. */
const joined = (used: ReadonlyArray<NamedUse>, called: ReadonlyArray<NamedCalls>) => {
  const calls = new Map(called.map((one) => [one.name, one]))
  const known = new Set(used.map(({ name }) => name))
  return [
    ...used.map((one) => ({ ...NO_CALLS, ...calls.get(one.name), ...one })),
    ...called.filter(({ name }) => !known.has(name)).map((one) => ({ ...NOTHING, ...one }))
  ]
}

/** The days up to today; a null owner is everybody. */
export const make = Effect.gen(function*() {
  const usage = yield* UsageDays
  const calls = yield* AuditCalls
  const { auditDays } = yield* Settings
  return Effect.fnUntraced(
    function*(days: number, owner: string | null, people: ReadonlyArray<Pick<User, "id" | "name">>) {
      const now = yield* DateTime.now
      const dayOf = (time: DateTime.Utc) => DateTime.formatIso(time).slice(0, 10)
      const since = dayOf(DateTime.subtract(now, { days: days - 1 }))
      const used = (column: UsageColumn) => usage.by(column, since, owner)
      const called = (column: CallColumn) => calls.by(column, since, owner)
      const names = new Map(people.map(({ id, name }) => [id, name]))
      const owners = joined(yield* used("owner"), yield* called("owner"))
      return {
        since,
        until: dayOf(now),
        auditDays,
        days: joined(yield* used("day"), yield* called("day")).toSorted((one, other) => one.name < other.name ? -1 : 1),
        people: owners.map(({ name: id, ...sums }) => ({ id, name: names.get(id) ?? "", ...sums })),
        models: yield* used("model"),
        agents: yield* used("agent"),
        servers: yield* called("server"),
        tools: yield* called("tool")
      }
    }
  )
})
