import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as JsonSize from "../../src/schema/JsonSize.ts"

class Odd {
  readonly inner = 1
}

const values: ReadonlyArray<unknown> = [
  null,
  undefined,
  true,
  "text",
  0,
  -0,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2n,
  Symbol("s"),
  () => 1,
  [],
  Array.from({ length: 2 }),
  // oxlint-disable-next-line no-sparse-arrays -- a hole is what is tested.
  [1, , 2],
  {},
  new Odd(),
  new Map(),
  new Date(0),
  Object.create(null, { own: { value: 1, enumerable: true } }),
  Object.create({ inherited: () => 1 }),
  { [Symbol("key")]: () => 1 }
]

describe("JsonSize", () => {
  it("takes for JSON what Effect's schema takes for it, at the root and inside", () => {
    const isJson = Schema.is(Schema.Json)
    for (const value of [...values, ...values.map((one) => [one]), ...values.map((one) => ({ deep: { one } }))]) {
      assert.strictEqual(JsonSize.isJson(value), isJson(value))
    }
  })

  it.prop("takes whatever JSON there is", { value: Schema.Json }, ({ value }) => JsonSize.isJson(value))
})
