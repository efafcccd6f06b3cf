import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as JsonSize from "../../src/text/JsonSize.ts"

class Thing {
  readonly name = "thing"
}

const ODD = [undefined, Number.NaN, Number.POSITIVE_INFINITY, 1n, Symbol.iterator, new Thing(), new Map(), () => 1]
const Odd = Arbitrary.schema(Schema.Literals([...ODD.keys()]))
const Values = Arbitrary.array(Arbitrary.schema(Schema.Json), { maxLength: 4 })
const isJsonObject = Schema.is(Schema.JsonObject)

describe("Arguments that need no closer look", () => {
  it.prop("are JSON objects, and nothing else is", [Values, Odd, Arbitrary.schema(Schema.Boolean)], ([
    values,
    odd,
    isOdd
  ]) => {
    // As parsed: what is made otherwise may need the closer look.
    const given = { values: JSON.parse(JSON.stringify(values)), inner: isOdd ? [{ odd: ODD[odd] }] : [] }
    assert.strictEqual(JsonSize.isPlainObject(given, JsonSize.MAX_DEPTH), isJsonObject(given))
    assert.isFalse(JsonSize.isPlainObject(given.values, JsonSize.MAX_DEPTH))
    return true
  })

  it("are no deeper than the limit, and never too deep to be looked at", () => {
    const nested = (levels: number): unknown => levels === 0 ? {} : { in: nested(levels - 1) }
    assert.isTrue(JsonSize.isPlainObject(nested(100), 200))
    assert.isFalse(JsonSize.isPlainObject(nested(201), 200))
    let deep: unknown = {}
    for (let level = 0; level < 100_000; level++) deep = [deep]
    assert.isFalse(JsonSize.isPlainObject({ deep }, 200))
  })
})
