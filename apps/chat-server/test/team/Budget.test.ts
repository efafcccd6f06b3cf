import { NO_USAGE, People, Spending, SqlChatStore, type User } from "@boocode/chat"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as NodeSqlite from "../../src/database/NodeSqlite.ts"
import type * as LimitSettings from "../../src/settings/people/LimitSettings.ts"
import * as Settings from "../../src/settings/Settings.ts"
import { AuditCalls, type TimedCall } from "../../src/team/AuditCalls.ts"
import { Budget } from "../../src/team/Budget.ts"
import * as Limits from "../../src/team/Limits.ts"
import * as TeamDatabase from "../../src/team/TeamDatabase.ts"
import { UsageDays } from "../../src/team/UsageDays.ts"
import * as UsageOverview from "../../src/team/UsageOverview.ts"
import { SecretKey } from "../../src/users/SecretKey.ts"
import * as UserDatabase from "../../src/users/UserDatabase.ts"

const ann: User = { id: "a", name: "Ann", role: "member", groups: ["dev", "ops"] }

const database = TeamDatabase.layer("memory").pipe(
  Layer.provideMerge(Layer.provide(UserDatabase.layer("memory"), SecretKey.layerOf("the key of a test"))),
  Layer.provideMerge(SqlChatStore.layer("memory")),
  Layer.provideMerge(NodeSqlite.layer(":memory:"))
)

const over = (limits: LimitSettings.Limits) =>
  Budget.layer.pipe(
    Layer.provideMerge(database),
    Layer.provide(Settings.Settings.layerValues({ limits })),
    Layer.provide(Layer.succeed(People, { get: (id) => Effect.succeed({ ...ann, id }) }))
  )

const used = (cost: number | null, inputTokens = 0) => ({ ...NO_USAGE, cost, inputTokens })

const BY = { model: "m/small", agent: "Assistant" }

describe("Limits", () => {
  it("of a person are the narrowest that says something, each by itself", () => {
    const everyone = { money: "20 USD a month", tokens: "2M a day", turns: 3 }
    const of = (limits: LimitSettings.Limits, user = ann) => {
      const { money, tokens, turns } = Limits.of(limits, user)
      return [money?.text ?? null, tokens?.most ?? null, turns]
    }
    assert.deepStrictEqual(of({}), [null, null, null])
    assert.deepStrictEqual(of({ everyone }), ["20 USD a month", 2_000_000, 3])
    assert.deepStrictEqual(of({ everyone, "group:dev": { turns: 5 }, "ann": { money: "1 USD a day" } }), [
      "1 USD a day",
      2_000_000,
      5
    ])
    assert.deepStrictEqual(
      of({ everyone, "group:dev": { money: "2 USD a day" }, "group:ops": { money: "50 USD a month" } })[0],
      "2 USD a day",
      "of two groups the more generous"
    )
    assert.deepStrictEqual(of({ everyone, "group:dev": { money: null }, "group:other": { turns: 9 } }), [
      null,
      2_000_000,
      3
    ])
    assert.isNull(of({ everyone, admins: { tokens: null } }, { ...ann, role: "admin" })[1])
    assert.strictEqual(of({ everyone: { turns: 1 } }, { ...ann, name: "everyone" })[2], 1)
  })

  it("with units that nobody knows are none", () => {
    for (const money of ["20 EUR a month", "20 USD", "-1 USD a day", "20 USD a year", 20]) {
      assert.isFalse(Settings.isGood("limits", { everyone: { money } }), String(money))
    }
    assert.isFalse(Settings.isGood("limits", { everyone: { token: "5 a day" } }))
    assert.isTrue(Settings.isGood("limits", { "everyone": { money: "0.5 USD a day", tokens: null }, "group:dev": {} }))
    const wrong = Settings.taken({ limits: { everyone: { money: "much" } } })
    assert.match(wrong.problems.join(), /limits/)
    assert.strictEqual(Limits.of(wrong.values.limits, ann).money?.most, 0, "until it is mended nothing is spent")
  })
})

describe("Budget", () => {
  it.effect("adds up days and months of UTC for each person, and ends when the next one begins", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.parse("2026-11-29T23:00:00Z"))
      const { check, note } = yield* Spending
      const { report } = yield* Budget
      yield* note("a", used(1.5, 100), BY)
      yield* note("b", used(9), BY)
      yield* check("a")
      yield* TestClock.setTime(Date.parse("2026-11-30T01:00:00Z"))
      yield* note("a", used(null, 50), BY)
      yield* note("a", used(0.75), { ...BY, model: "m/large" })
      const error = yield* Effect.flip(check("a"))
      assert.deepInclude(error, { _tag: "LimitReached", used: "2.25 USD", resets: "2026-12-01T00:00:00.000Z" })
      const { day, limits, month, turns } = yield* report(ann)
      assert.deepStrictEqual(day, { requests: 2, inputTokens: 50, outputTokens: 0, cost: 0.75 })
      assert.deepStrictEqual(month, { requests: 3, inputTokens: 150, outputTokens: 0, cost: 2.25 })
      assert.deepStrictEqual(limits.map(({ limit, most, used }) => [limit, used, most]), [
        ["2 USD a month", 2.25, 2],
        ["1k tokens a day", 50, 1000]
      ])
      assert.strictEqual(turns, 4)
      yield* TestClock.setTime(Date.parse("2026-12-01T00:00:01Z"))
      yield* check("a")
      const days = yield* UsageDays
      assert.deepStrictEqual([...(yield* days.month("2026-11")).keys()].toSorted(), ["a", "b"])
      yield* days.forget("a")
      assert.deepStrictEqual([...(yield* days.month("2026-11")).keys()], ["b"])
    }).pipe(Effect.provide(over({ everyone: { money: "2 USD a month", tokens: "1k a day", turns: 4 } }))))
})

describe("The usage over days", () => {
  it.effect("is told by day, person, model and agent, and calls by day, person, server and tool, of one person or of all", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.parse("2026-11-24T12:00:00Z"))
      const days = yield* UsageDays
      const calls = yield* AuditCalls
      const over = yield* UsageOverview.make
      yield* days.add("a", used(1, 10), BY)
      yield* days.add("a", used(2, 20), { model: "m/large", agent: null })
      yield* days.add("b", used(4, 40), BY)
      const call: TimedCall = {
        at: "2026-11-23T10:00:00.000Z",
        owner: "a",
        tool: "files_read",
        server: "files",
        class: "reads",
        origin: "chat",
        place: null,
        outcome: "done",
        permission: { by: "default", source: "" },
        millis: 5
      }
      yield* calls.add([
        call,
        { ...call, outcome: "failed", millis: 7 },
        { ...call, owner: "b", tool: "now", server: null, outcome: "refused", millis: 0 },
        { ...call, at: "2026-11-17T23:59:59.999Z" }
      ])
      const sums = { inputTokens: 10, outputTokens: 0, requests: 1, cost: 1 }
      const own = yield* over(7, "a", [ann])
      assert.deepStrictEqual([own.since, own.until, own.auditDays], ["2026-11-18", "2026-11-24", 90])
      assert.deepStrictEqual(own.days.map(({ calls, cost, name }) => [name, cost, calls]), [["2026-11-23", 0, 2], [
        "2026-11-24",
        3,
        0
      ]])
      assert.deepStrictEqual(own.people.map(({ calls, cost, id, name }) => [id, name, cost, calls]), [[
        "a",
        "Ann",
        3,
        2
      ]])
      assert.deepStrictEqual(own.models, [
        { name: "m/large", ...sums, inputTokens: 20, cost: 2 },
        { name: "m/small", ...sums }
      ])
      assert.deepStrictEqual(own.agents.map(({ cost, name }) => [name, cost]), [["", 2], ["Assistant", 1]])
      assert.deepStrictEqual(own.tools, [{ name: "files_read", calls: 2, failed: 1, refused: 0, millis: 12 }])
      const all = yield* over(7, null, [ann])
      assert.deepStrictEqual(all.people.map(({ name }) => name), ["", "Ann"], "the most expensive first")
      assert.deepStrictEqual(all.servers.map(({ calls, name, refused }) => [name, calls, refused]), [["files", 2, 0], [
        "",
        1,
        1
      ]])
      assert.lengthOf((yield* over(8, null, [])).days, 3)
    }).pipe(Effect.provide(Layer.merge(database, Settings.Settings.layerValues({})))))
})
