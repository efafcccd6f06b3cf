/** A server over the day, as a real database has it. */
import { assert } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { Settings } from "../../apps/chat-server/src/settings/Settings.ts"
import { AuditCalls } from "../../apps/chat-server/src/team/AuditCalls.ts"
import * as ServerDay from "../../apps/chat-server/src/team/ServerDay.ts"
import { ServerEvents } from "../../apps/chat-server/src/team/ServerEvents.ts"
import { Users } from "../../apps/chat-server/src/users/Users.ts"

export const isKept = Effect.gen(function*() {
  const users = yield* Users
  const person = (name: string) => Effect.map(users.add({ name, role: "member", groups: [] }), ({ user }) => user.id)
  const [ann, bob] = [yield* person("Ann"), yield* person("Bob")]
  const calls = yield* AuditCalls
  const call = (
    owner: string,
    at: string,
    millis: number,
    outcome: "done" | "failed" | "unknown" | "refused" = "done"
  ) => ({
    ...{ at, owner, millis, outcome, server: "s", tool: "s_now", class: "reads", origin: "own", place: null } as const,
    permission: { by: "default", source: "" } as const
  })
  const now = yield* DateTime.now
  // Half an hour ago, and so in a slot of its own.
  const earlier = DateTime.formatIso(DateTime.subtract(now, { minutes: 30 }))
  yield* calls.add([
    ...Array.from({ length: 19 }, (_, index) => call(ann, earlier, index + 1)),
    call(bob, earlier, 900, "unknown"),
    call(bob, earlier, 1, "refused"),
    call(bob, DateTime.formatIso(now), 7, "failed"),
    { ...call(bob, earlier, 5), server: "other" },
    call(bob, DateTime.formatIso(DateTime.subtract(now, { hours: 30 })), 5)
  ])
  const events = yield* ServerEvents
  yield* events.add({ server: "s", owner: null, kind: "ready", reason: null })
  yield* events.add({ server: "s", owner: null, kind: "failed", reason: "CrashLoop" })
  // Another node of a fleet tells the same.
  yield* events.add({ server: "s", owner: null, kind: "failed", reason: "CrashLoop" })
  yield* events.add({ server: "other", owner: null, kind: "ready", reason: null })
  yield* events.add({ server: "s", owner: bob, kind: "stopped", reason: null })
  yield* events.tidy
  const day = yield* ServerDay.make
  const all = yield* day("s", 24, ann, true)
  assert.deepStrictEqual(all.slots.map(({ from: _, ...slot }) => slot), [
    { calls: 20, failed: 1, p50: 10, p95: 19, slowest: 900 },
    { calls: 1, failed: 1, p50: 7, p95: 7, slowest: 7 }
  ])
  const [first] = all.slots
  assert.isTrue(first !== undefined && first.from <= earlier && earlier.slice(0, 13) === first.from.slice(0, 13))
  assert.strictEqual(Date.parse(first?.from ?? "") % (15 * 60_000), 0)
  assert.deepStrictEqual(all.events.map(({ kind, reason }) => [kind, reason]), [["ready", null], [
    "failed",
    "CrashLoop"
  ]])
  const kinds = Effect.fnUntraced(function*(owner: string, isAll: boolean) {
    const { events, slots } = yield* day("s", 168, owner, isAll)
    return [slots.reduce((sum, { calls: many }) => sum + many, 0), events.map(({ kind }) => kind).join()]
  })
  assert.deepStrictEqual(yield* kinds(bob, false), [3, "stopped"])
  assert.deepStrictEqual(yield* kinds(bob, true), [22, "ready,failed,stopped"])
  assert.deepStrictEqual(yield* kinds(ann, false), [19, ""])
}).pipe(Effect.provide(Settings.layerValues({})))
