import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as WorkspaceSearch from "../../src/workspace/WorkspaceSearch.ts"

const compile = (pattern: string, ignoreCase = false) =>
  Result.getOrThrow(WorkspaceSearch.makeLinearRegExp(pattern, ignoreCase))

describe("LinearRegExp", () => {
  it("finds a pattern anywhere in a line, with and without regard to case", () => {
    assert.isTrue(compile("b+c$").test("aabbc"))
    assert.isFalse(compile("B+C$").test("aabbc"))
    assert.isTrue(compile("B+C$", true).test("aabbc"))
    assert.isTrue(compile("^é{2}").test("éé!"))
    assert.isFalse(compile("\\bfoo\\b").test("foobar"))
  })

  it("says in words what is wrong with a pattern", () => {
    for (const pattern of ["[", "(?=a)", "\\1", "a".repeat(1001)]) {
      assert.match(Result.getOrThrow(Result.flip(WorkspaceSearch.makeLinearRegExp(pattern, false))), /pattern|regexp/)
    }
  })

  // With the engine's own expressions each of these would take longer than the universe has.
  it("comes back from patterns that take the engine's own expressions for ever", () => {
    const line = `${"a".repeat(5000)}!`
    for (const pattern of ["(a+)+$", "(a|a)*b", "(a|aa)+$", "(.*)*x", "^([a-zA-Z]+)*$"]) {
      assert.isFalse(compile(pattern).test(line), pattern)
    }
  })
})
