import { assert, describe, it } from "@effect/vitest"
import * as Discovery from "../../../src/tools/Discovery.ts"

describe("ReadOnly.rejection", () => {
  it("rejects a tool that declares itself a writer, in the present or the older way (Decision 2)", () => {
    assert.strictEqual(
      Discovery.readOnlyRejection({ readOnlyHint: false }),
      "declares itself not read-only (readOnlyHint is false)"
    )
    assert.strictEqual(
      Discovery.readOnlyRejection({ readOnly: false }),
      "declares itself not read-only (readOnly is false)"
    )
  })

  it("rejects a tool that declares itself destructive, whatever else it says (Decision 2)", () => {
    const reason = "declares itself destructive (destructiveHint is true)"
    assert.strictEqual(Discovery.readOnlyRejection({ destructiveHint: true }), reason)
    assert.strictEqual(Discovery.readOnlyRejection({ title: "x", readOnlyHint: true, destructiveHint: true }), reason)
  })

  it("rejects a tool that contradicts itself (Decision 2)", () => {
    assert.isString(Discovery.readOnlyRejection({ readOnlyHint: true, readOnly: false }))
    assert.isString(Discovery.readOnlyRejection({ readOnlyHint: false, readOnly: true }))
  })

  it("lets a tool pass that declares itself a reader, or nothing at all (Decision 2)", () => {
    for (
      const annotations of [{}, { readOnlyHint: true }, { readOnly: true }, { title: "x", destructiveHint: false }]
    ) {
      assert.isNull(Discovery.readOnlyRejection(annotations), JSON.stringify(annotations))
    }
  })

  it("takes only a boolean for a declaration", () => {
    for (const value of [null, 0, "", "false", "no", [], {}]) {
      const annotations = { readOnlyHint: value, readOnly: value, destructiveHint: value }
      assert.isNull(Discovery.readOnlyRejection(annotations), JSON.stringify(value))
      assert.isFalse(Discovery.isDeclared({ readOnlyHint: value, readOnly: value }), JSON.stringify(value))
    }
  })
})

describe("ReadOnly.isDeclared", () => {
  it("tells tools that say something about writing from those that do not (Decision 2)", () => {
    assert.isTrue(Discovery.isDeclared({ readOnlyHint: true }))
    assert.isTrue(Discovery.isDeclared({ readOnlyHint: false }))
    assert.isTrue(Discovery.isDeclared({ readOnly: true }))
    assert.isFalse(Discovery.isDeclared({}))
    assert.isFalse(Discovery.isDeclared({ idempotentHint: true, title: "readOnlyHint" }))
  })
})
