import { assert, describe, it } from "@effect/vitest"
import * as ReadOnly from "../src/ReadOnly.ts"

describe("ReadOnly.rejection", () => {
  it("rejects a tool that declares itself a writer, in the present or the older way (Decision 2)", () => {
    assert.strictEqual(
      ReadOnly.rejection({ readOnlyHint: false }),
      "declares itself not read-only (readOnlyHint is false)"
    )
    assert.strictEqual(ReadOnly.rejection({ readOnly: false }), "declares itself not read-only (readOnly is false)")
  })

  it("rejects a tool that declares itself destructive, whatever else it says (Decision 2)", () => {
    const reason = "declares itself destructive (destructiveHint is true)"
    assert.strictEqual(ReadOnly.rejection({ destructiveHint: true }), reason)
    assert.strictEqual(ReadOnly.rejection({ title: "x", readOnlyHint: true, destructiveHint: true }), reason)
  })

  it("rejects a tool that contradicts itself (Decision 2)", () => {
    assert.isString(ReadOnly.rejection({ readOnlyHint: true, readOnly: false }))
    assert.isString(ReadOnly.rejection({ readOnlyHint: false, readOnly: true }))
  })

  it("lets a tool pass that declares itself a reader, or nothing at all (Decision 2)", () => {
    for (
      const annotations of [{}, { readOnlyHint: true }, { readOnly: true }, { title: "x", destructiveHint: false }]
    ) {
      assert.isNull(ReadOnly.rejection(annotations), JSON.stringify(annotations))
    }
  })

  it("takes only a boolean for a declaration", () => {
    for (const value of [null, 0, "", "false", "no", [], {}]) {
      const annotations = { readOnlyHint: value, readOnly: value, destructiveHint: value }
      assert.isNull(ReadOnly.rejection(annotations), JSON.stringify(value))
      assert.isFalse(ReadOnly.isDeclared({ readOnlyHint: value, readOnly: value }), JSON.stringify(value))
    }
  })
})

describe("ReadOnly.isDeclared", () => {
  it("tells tools that say something about writing from those that do not (Decision 2)", () => {
    assert.isTrue(ReadOnly.isDeclared({ readOnlyHint: true }))
    assert.isTrue(ReadOnly.isDeclared({ readOnlyHint: false }))
    assert.isTrue(ReadOnly.isDeclared({ readOnly: true }))
    assert.isFalse(ReadOnly.isDeclared({}))
    assert.isFalse(ReadOnly.isDeclared({ idempotentHint: true, title: "readOnlyHint" }))
  })
})
