import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { PendingTable } from "../../src/base/PendingTable.ts"

/** Takes one by its place among those there are, or by a number that may be over or was never given. */
const Step = Schema.Union([
  Schema.Literals(["add", "add", "add", "the first", "the last", "the middle"]),
  Schema.Int.check(Schema.isBetween({ minimum: -2, maximum: 100 }))
])
const Steps = Arbitrary.array(Arbitrary.schema(Step), { maxLength: 100 })

const chosen = (step: Exclude<typeof Step.Type, "add">, numbers: ReadonlyArray<number>) => {
  if (typeof step === "number") return step
  return numbers[step === "the first" ? 0 : step === "the last" ? numbers.length - 1 : numbers.length >> 1]
}

describe("Passing", () => {
  it.prop(
    "keeps each by its number until it is taken, however long some stay and however many there are",
    [Steps],
    ([steps]) => {
      const passing = new PendingTable<string>()
      const kept = new Map<number, string>()
      let last = 0
      for (const step of steps) {
        if (step === "add") {
          passing.add(++last, `item ${last}`)
          kept.set(last, `item ${last}`)
        } else {
          const number = chosen(step, [...kept.keys()]) ?? 0
          assert.strictEqual(passing.get(number), kept.get(number))
          assert.strictEqual(passing.take(number), kept.get(number))
          kept.delete(number)
        }
        assert.strictEqual(passing.size, kept.size)
        assert.deepStrictEqual(passing.all(), [...kept.values()])
      }
    }
  )

  it("gives nothing for a text that looks like a number, nor for what was taken", () => {
    const passing = new PendingTable<string>()
    passing.add(1, "one")
    assert.strictEqual(passing.get("1"), undefined)
    assert.strictEqual(passing.take(1), "one")
    assert.strictEqual(passing.take(1), undefined)
    assert.strictEqual(passing.get(null), undefined)
  })

  it("finds one that stays while thousands come and go", () => {
    const passing = new PendingTable<string>()
    passing.add(1, "stays")
    for (let number = 2; number < 5000; number++) {
      passing.add(number, "goes")
      if (number > 40) assert.strictEqual(passing.take(number - 20), "goes")
    }
    assert.strictEqual(passing.get(1), "stays")
    assert.strictEqual(passing.take(1), "stays")
    assert.strictEqual(passing.get(1), undefined)
  })
})
