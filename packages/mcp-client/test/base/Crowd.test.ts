import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { Crowd } from "../../src/base/Crowd.ts"

/** What comes and goes, in any order; those that come late have a number below others. */
const Id = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 }))
const Steps = Schema.Array(Schema.Struct({ id: Id, goes: Schema.Boolean })).check(Schema.isMaxLength(600))

describe("A crowd", () => {
  it.prop("has those that came and have not gone, by their numbers", { all: Steps }, ({ all }) => {
    const crowd = new Crowd()
    const known = new Map<number, { readonly id: number }>()
    for (const { goes, id } of all) {
      const member = known.get(id)
      assert.strictEqual(crowd.find(id), member)
      if (goes) assert.strictEqual(crowd.delete({ id }), known.delete(id))
      else if (member === undefined) {
        const added = { id }
        crowd.add(added)
        known.set(id, added)
      }
      assert.strictEqual(crowd.size, known.size)
    }
    assert.deepStrictEqual(crowd.all(), [...known.values()].toSorted((one, other) => one.id - other.id))
  })

  it("takes no more room for a long line in which each leaves when others come", () => {
    const crowd = new Crowd()
    for (let id = 0; id < 10_000; id++) {
      crowd.add({ id })
      if (id >= 100) assert.isTrue(crowd.delete({ id: id - 100 }))
    }
    assert.strictEqual(crowd.size, 100)
    assert.deepStrictEqual(crowd.all().map(({ id }) => id), Array.from({ length: 100 }, (_, at) => 9900 + at))
    assert.isFalse(crowd.delete({ id: 5 }))
    assert.isUndefined(crowd.find("9950"))
  })
})
