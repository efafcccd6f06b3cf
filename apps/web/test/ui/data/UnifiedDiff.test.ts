import { assert, describe, it } from "@effect/vitest"
import { diffLines, isDiff } from "../../../src/ui/data/UnifiedDiff.ts"

const DIFF = "diff --git a/a b/a\nindex 1..2\n--- a/a\n+++ b/a\n@@ -3,3 +3,3 @@ f\n one\n-two\n+2\n--- no file\n"

describe("a unified diff", () => {
  it("is one with places of changes in it and nothing else, also in a fence", () => {
    assert.isTrue(isDiff(DIFF))
    assert.isTrue(isDiff("```diff\n" + DIFF + "```"))
    assert.isTrue(isDiff("@@ -1 +1 @@\n-a\n+b"))
    for (const text of ["- a\n- b\n+ c", "Look:\n@@ -1 +1 @@\n-a", "--- a\n+++ b", ""]) {
      assert.isFalse(isDiff(text), text)
    }
  })

  it("has what stays, goes and comes, with the numbers of the lines", () => {
    assert.deepStrictEqual(
      diffLines(DIFF).map(({ after, before, kind, text }) => [kind, text, before, after]),
      [
        ["about", "diff --git a/a b/a", null, null],
        ["about", "index 1..2", null, null],
        ["about", "--- a/a", null, null],
        ["about", "+++ b/a", null, null],
        ["place", "@@ -3,3 +3,3 @@ f", null, null],
        ["same", "one", 3, 3],
        ["removed", "two", 4, null],
        ["added", "2", null, 4],
        ["removed", "-- no file", 5, null]
      ]
    )
  })
})
