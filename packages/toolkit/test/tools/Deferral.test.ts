import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { Deferral } from "../../src/index.ts"
import * as ToolListing from "../../src/search/ToolListing.ts"

const Tools = Schema.Array(Schema.Struct({
  tokens: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2000 })),
  isAlwaysLoaded: Schema.Boolean
})).check(Schema.isMaxLength(200))
const Mode = Schema.Literals(Deferral.modes)
const Room = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 128 }))

const named = (tools: typeof Tools.Type) => tools.map((tool, at) => ({ ...tool, name: `t${at}` }))

const names = (tools: ReadonlyArray<{ readonly name: string }>) => tools.map(({ name }) => name)

describe("Deferral", () => {
  it.prop(
    "shows or defers each tool once, in the order of names, whatever the order in which they came (R51)",
    [Tools, Mode, Room],
    ([some, mode, room]) => {
      const tools = named(some)
      const plan = Deferral.plan(tools, { mode, threshold: 10_000 }, room)
      assert.deepStrictEqual(plan, Deferral.plan(tools.toReversed(), { mode, threshold: 10_000 }, room))
      assert.sameMembers(names([...plan.shown, ...plan.deferred]), names(tools))
      for (const list of [plan.shown, plan.deferred]) assert.deepStrictEqual(names(list), names(list).toSorted())
    }
  )

  it.prop(
    "leaves room for the tools that find and call others, whenever something is left to search (R49)",
    [Tools, Mode, Room],
    ([some, mode, room]) => {
      const { deferred, shown } = Deferral.plan(named(some), { mode, threshold: 10_000 }, room)
      if (deferred.length === 0) assert.isAtMost(shown.length, room)
      else assert.isAtMost(shown.length, Math.max(0, room - 3))
    }
  )

  it.prop("defers none that is always loaded while there is room (Decision 13)", [Tools, Mode], ([some, mode]) => {
    const { deferred, isOverflowing } = Deferral.plan(named(some), { mode, threshold: 0 }, Infinity)
    assert.isFalse(deferred.some(({ isAlwaysLoaded }) => isAlwaysLoaded))
    assert.isFalse(isOverflowing)
    if (mode === "never") assert.lengthOf(deferred, 0)
  })

  it("defers in mode auto from the first token above the threshold, not counting what is sent anyway (R48)", () => {
    const some = named([{ tokens: 9000, isAlwaysLoaded: true }, { tokens: 600, isAlwaysLoaded: false }, {
      tokens: 400,
      isAlwaysLoaded: false
    }])
    const deferred = (threshold: number) => names(Deferral.plan(some, { mode: "auto", threshold }, 128).deferred)
    assert.deepStrictEqual(deferred(1000), [])
    assert.deepStrictEqual(deferred(999), ["t1", "t2"])
  })

  it("says when more is wanted with every request than the provider takes", () => {
    const some = named(Array.from({ length: 130 }, () => ({ tokens: 1, isAlwaysLoaded: false })))
    assert.isTrue(Deferral.plan(some, { mode: "never", threshold: 0 }, 128).isOverflowing)
    assert.isFalse(Deferral.plan(some, Deferral.DEFAULT, 128).isOverflowing)
  })
})

describe("ToolListing", () => {
  const Pairs = Schema.Array(Schema.Struct({
    server: Schema.Literals(["a", "b", "long-server-name".repeat(10)]),
    name: Schema.String
  }))

  it.prop("is bounded, and the same whatever the order (R51)", [Pairs], ([tools]) => {
    const text = ToolListing.text(tools)
    assert.isAtMost(text.length, ToolListing.MAX_CHARACTERS + 100)
    assert.strictEqual(text, ToolListing.text(tools.toReversed()))
  })

  it("names every tool of few; of 10,000 it tells how many each server has (R48)", () => {
    const some = (count: number, servers: number) =>
      Array.from({ length: count }, (_, at) => ({ server: `s${at % servers}`, name: `s${at % servers}_tool_${at}` }))
    const few = some(100, 4)
    for (const { name } of few) {
      assert.match(ToolListing.text(few), new RegExp(`[ ,]${name.slice(3)}[,;]|${name.slice(3)}$`))
    }
    for (const servers of [1, 50, 2000]) {
      const text = ToolListing.text(some(10_000, servers))
      assert.isAtMost(text.length, ToolListing.MAX_CHARACTERS + 100)
      assert.match(text, /^There are 10000, by the beginning of their names: /)
      assert.include(text, `s0_ (${10_000 / servers})`)
    }
    assert.match(ToolListing.text(some(10_000, 2000)), /; 9600 more of 1920 other servers$/)
    assert.strictEqual(ToolListing.text([]), "")
  })
})
