import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as LinearRegExp from "../src/LinearRegExp.ts"

const compile = (pattern: string, ignoreCase = false) => Result.getOrThrow(LinearRegExp.make(pattern, ignoreCase))

describe("LinearRegExp", () => {
  const Piece = Schema.Literals([
    ..."ab.^$|",
    "\\d",
    "\\w",
    "\\s",
    "\\b",
    "\\B",
    "\\.",
    "[ab]",
    "[^a]",
    "[]a]",
    "[\\]b]",
    "(a|b)",
    "(?:ab)?",
    "(a*)+",
    "(b|)",
    "a{2}",
    "b{1,2}",
    "a{0,}",
    "x*?",
    "\\x61",
    "\\u0062",
    "(?<n>a)",
    "]",
    "}",
    "\\(",
    "a+?",
    " "
  ])
  const Line = Schema.String.check(Schema.isPattern(/^[ab1 .(\]}_x]{0,10}$/))

  it.prop("agrees with the engine's own expressions", {
    pieces: Arbitrary.array(Arbitrary.schema(Piece), { minLength: 1, maxLength: 6 }),
    line: Line
  }, ({ line, pieces }) => {
    const pattern = pieces.join("")
    const expected = Result.try(() => new RegExp(pattern, "i"))
    if (Result.isFailure(expected)) {
      assert.isTrue(Result.isFailure(LinearRegExp.make(pattern, true)), pattern)
      return
    }
    assert.strictEqual(compile(pattern, true).test(line), expected.success.test(line), `${pattern} on ${line}`)
  }, { arbitrary: { runs: 2000 } })

  it("stays linear for patterns that take the engine ages", () => {
    const line = "a".repeat(5000)
    for (
      const pattern of [
        "(a+)+$b",
        "(a|a)*b",
        "(a|aa)+$b",
        "a*a*a*a*a*a*a*a*b",
        "(.*)*x",
        "((a?){20})*c",
        "(a{1,30}){1,30}b"
      ]
    ) {
      assert.isFalse(compile(pattern).test(line), pattern)
    }
  })

  it("says what is wrong, and what it leaves out", () => {
    for (const pattern of ["(", "a**", "[b-a]", "\\"]) {
      assert.isTrue(Result.isFailure(LinearRegExp.make(pattern, false)), pattern)
    }
    for (const pattern of ["(a)\\1", "(?=a)", "(?<!a)b", "\\p{L}"]) {
      const made = LinearRegExp.make(pattern, false)
      assert.match(Result.isFailure(made) ? made.failure : "", /not supported/, pattern)
    }
    for (const pattern of ["((a{50}){50}){50}", "((((){999}){999}){999}){999}", "(".repeat(600) + ")".repeat(600)]) {
      const made = LinearRegExp.make(pattern, false)
      assert.match(Result.isFailure(made) ? made.failure : "", /too large/, pattern)
    }
  })

  it("heeds case only when asked to", () => {
    assert.isFalse(compile("Ab[C-D]").test("xabcx"))
    assert.isTrue(compile("Ab[C-D]", true).test("xabcx"))
  })
})
