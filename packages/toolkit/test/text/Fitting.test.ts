import { assert, describe, it } from "@effect/vitest"
import * as Fitting from "../../src/text/Fitting.ts"

describe("Fitting", () => {
  it("counts the first items that have room together, and no later one that would fit alone", () => {
    const counted = (room: number) => Fitting.count([2, 3, 9, 1], room, (size) => size)
    assert.deepStrictEqual([0, 2, 5, 6, 14, 15].map(counted), [0, 1, 2, 2, 3, 4])
  })
})
