/** The usage over days, as a real database adds it up. */
import { NO_USAGE } from "@boocode/chat"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Settings } from "../../apps/chat-server/src/settings/Settings.ts"
import { AuditCalls } from "../../apps/chat-server/src/team/AuditCalls.ts"
import { UsageDays } from "../../apps/chat-server/src/team/UsageDays.ts"
import * as UsageOverview from "../../apps/chat-server/src/team/UsageOverview.ts"
import { Users } from "../../apps/chat-server/src/users/Users.ts"

export const isAddedUp = Effect.gen(function*() {
  const usage = { ...NO_USAGE, inputTokens: 10, cost: 0.5 }
  const days = yield* UsageDays
  const users = yield* Users
  const person = (name: string) => Effect.map(users.add({ name, role: "member", groups: [] }), ({ user }) => user.id)
  const [ann, bob] = [yield* person("Ann"), yield* person("Bob")]
  yield* days.add(ann, usage, { model: "m", agent: null })
  yield* days.add(ann, usage, { model: "m", agent: null })
  const call = {
    ...{ at: new Date().toISOString(), owner: bob, origin: "own", place: null, class: "reads", tool: "now" } as const,
    ...{ server: null, permission: { by: "default", source: "" } } as const
  }
  yield* (yield* AuditCalls).add([
    { ...call, outcome: "failed", millis: 3 },
    { ...call, outcome: "refused", millis: 0 }
  ])
  const all = yield* (yield* UsageOverview.make)(1, null, [])
  assert.deepStrictEqual(all.models, [{ name: "m", requests: 2, inputTokens: 20, outputTokens: 0, cost: 1 }])
  assert.deepStrictEqual(all.servers, [{ name: "", calls: 2, failed: 1, refused: 1, millis: 3 }])
  assert.deepStrictEqual(all.days.map(({ calls, cost }) => [cost, calls]), [[1, 2]])
}).pipe(Effect.provide(Settings.layerValues({})))
