import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as CallLimits from "../../../src/calls/CallLimits.ts"

const below = (count: number) => Schema.Literals(Array.from({ length: count }, (_, at) => at))

/** What is done to one of eight deadlines, and until when. */
const Steps = Arbitrary.array(Arbitrary.schema(Schema.Tuple([below(3), below(8), below(20)])), { maxLength: 40 })

describe("Deadlines", () => {
  it.prop("know the first of those that are kept, whatever was added, moved and removed", [Steps], ([steps]) => {
    const deadlines = CallLimits.makeDeadlines<CallLimits.Deadline>()
    const all = Array.from({ length: 8 }, (): CallLimits.Deadline => ({ at: 0, place: null }))
    const kept = new Set<CallLimits.Deadline>()
    for (const [what, which, at] of steps) {
      const deadline = all[which] ?? assert.fail("no such deadline")
      if (what === 0 && !kept.has(deadline)) {
        deadlines.add(deadline, at)
        kept.add(deadline)
      } else if (what === 1 && kept.has(deadline)) deadlines.move(deadline, at)
      else if (what === 2) {
        deadlines.remove(deadline)
        kept.delete(deadline)
      }
      const soonest = Math.min(...[...kept].map((other) => other.at))
      assert.strictEqual(deadlines.first()?.at ?? Number.POSITIVE_INFINITY, soonest)
      assert.isTrue(all.every((other) => kept.has(other) === (other.place !== null)))
    }
    const order: Array<number> = []
    for (let first = deadlines.first(); first !== null; first = deadlines.first()) {
      order.push(first.at)
      deadlines.remove(first)
    }
    assert.deepStrictEqual(order, [...kept].map(({ at }) => at).sort((one, other) => one - other))
    return true
  }, { arbitrary: { runs: 1000 } })
})
