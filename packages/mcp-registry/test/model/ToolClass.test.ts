import { TOOL_CLASSES } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import type * as Schema from "effect/Schema"
import * as ToolClass from "../../src/model/ToolClass.ts"

const NOTHING: ToolClass.Settings = { classes: {}, trustAnnotations: true }

const classify = (
  annotations: Schema.JsonObject,
  settings: Partial<ToolClass.Settings> = {},
  isTrusted = true
) => ToolClass.classify({ ...NOTHING, ...settings }, isTrusted, "tool", annotations)

describe("ToolClass.ofAnnotations", () => {
  it("takes a tool for a writer that declares itself one, in the present or the older way (Decision 2)", () => {
    assert.strictEqual(ToolClass.ofAnnotations({ readOnlyHint: false }), "writes")
    assert.strictEqual(ToolClass.ofAnnotations({ readOnly: false }), "writes")
    assert.strictEqual(ToolClass.ofAnnotations({ readOnlyHint: false, destructiveHint: false }), "writes")
  })

  it("takes a tool for one that destroys that declares itself destructive, whatever else it says (Decision 2)", () => {
    assert.strictEqual(ToolClass.ofAnnotations({ destructiveHint: true }), "destroys")
    assert.strictEqual(ToolClass.ofAnnotations({ readOnlyHint: true, destructiveHint: true }), "destroys")
    assert.strictEqual(ToolClass.ofAnnotations({ readOnlyHint: false, destructiveHint: true }), "destroys")
  })

  it("takes a tool that contradicts itself for a writer (Decision 2)", () => {
    assert.strictEqual(ToolClass.ofAnnotations({ readOnlyHint: true, readOnly: false }), "writes")
    assert.strictEqual(ToolClass.ofAnnotations({ readOnlyHint: false, readOnly: true }), "writes")
  })

  it("tells tools that say they only read from those that say nothing of it (Decision 2)", () => {
    assert.strictEqual(ToolClass.ofAnnotations({ readOnlyHint: true }), "reads")
    assert.strictEqual(ToolClass.ofAnnotations({ readOnly: true }), "reads")
    for (const annotations of [{}, { title: "x", destructiveHint: false }, { idempotentHint: true }]) {
      assert.strictEqual(ToolClass.ofAnnotations(annotations), "undeclared", JSON.stringify(annotations))
    }
  })

  it("takes only a boolean for a declaration", () => {
    for (const value of [null, 0, 1, "", "false", "true", "no", [], {}]) {
      const annotations = { readOnlyHint: value, readOnly: value, destructiveHint: value }
      assert.strictEqual(ToolClass.ofAnnotations(annotations), "undeclared", JSON.stringify(value))
      assert.isFalse(ToolClass.isOpenWorld({ openWorldHint: value }), JSON.stringify(value))
    }
    assert.isTrue(ToolClass.isOpenWorld({ openWorldHint: true }))
  })
})

describe("ToolClass.classify", () => {
  it("says of every writer why it is one, and of no other tool", () => {
    assert.strictEqual(
      classify({ readOnlyHint: false }).whyWriter,
      "declares itself not read-only (readOnlyHint is false)"
    )
    assert.strictEqual(classify({ readOnly: false }).whyWriter, "declares itself not read-only (readOnly is false)")
    assert.strictEqual(
      classify({ readOnlyHint: true, destructiveHint: true }).whyWriter,
      "declares itself destructive (destructiveHint is true)"
    )
    const saying = (hint: string) => [{}, { [hint]: true }, { [hint]: false }]
    const all = saying("readOnlyHint").flatMap((one) =>
      saying("readOnly").flatMap((two) => saying("destructiveHint").map((three) => ({ ...one, ...two, ...three })))
    )
    for (const annotations of all) {
      for (const trustAnnotations of [true, false]) {
        for (const given of [undefined, ...TOOL_CLASSES]) {
          const classes = given === undefined ? {} : { tool: given }
          const { toolClass, whyWriter } = classify(annotations, { trustAnnotations, classes })
          assert.strictEqual(whyWriter !== null, ToolClass.isWriter(toolClass), JSON.stringify([annotations, given]))
        }
      }
    }
  })

  it("takes every tool for a writer where annotations are not trusted, and one that destroys for what it says", () => {
    const settings = { trustAnnotations: false }
    for (const annotations of [{}, { readOnlyHint: true }, { readOnly: true }, { readOnlyHint: false }]) {
      assert.strictEqual(classify(annotations, settings).toolClass, "writes", JSON.stringify(annotations))
    }
    assert.strictEqual(classify({ readOnlyHint: true, destructiveHint: true }, settings).toolClass, "destroys")
  })

  it("takes the class that a person's own entry gives, up and down", () => {
    for (const annotations of [{}, { readOnlyHint: true }, { readOnlyHint: false }, { destructiveHint: true }]) {
      for (const given of TOOL_CLASSES) {
        for (const trustAnnotations of [true, false]) {
          const { ignored, toolClass } = classify(annotations, { classes: { tool: given }, trustAnnotations })
          assert.deepStrictEqual([toolClass, ignored], [given, null])
        }
      }
    }
    const other = ToolClass.classify({ ...NOTHING, classes: { tool: "reads" } }, true, "constructor", {})
    assert.strictEqual(other.toolClass, "undeclared")
  })

  it("takes no milder class from a project file than the tool declares, and says so", () => {
    for (const annotations of [{}, { readOnlyHint: true }, { readOnlyHint: false }, { destructiveHint: true }]) {
      const own = ToolClass.ofAnnotations(annotations)
      for (const given of TOOL_CLASSES) {
        const isMilder = TOOL_CLASSES.indexOf(given) < TOOL_CLASSES.indexOf(own)
        const { ignored, toolClass } = classify(annotations, { classes: { tool: given } }, false)
        assert.strictEqual(toolClass, isMilder ? own : given)
        assert.strictEqual(ignored !== null, isMilder)
      }
    }
    const { ignored } = classify({ destructiveHint: true }, { classes: { tool: "reads" } }, false)
    assert.strictEqual(ignored, "a project file may not call tool \"reads\", which is less than \"destroys\"")
    const { toolClass } = classify({}, { classes: { tool: "reads" }, trustAnnotations: false }, false)
    assert.strictEqual(toolClass, "writes")
  })
})
