import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as LinearPattern from "../../src/validation/LinearPattern.ts"

const PIECES = [
  "\\s",
  "\\S",
  "\\w",
  "\\W",
  "\\d",
  "\\D",
  "\\b",
  ".",
  "[^",
  "[",
  "]",
  "-",
  "^",
  "$",
  "a",
  "_",
  "{,2}",
  "{2}",
  "*",
  "+",
  "?",
  "(",
  ")",
  "|",
  ":",
  "\\u00e9",
  "\\x41",
  "\\p{L}",
  "\\P{L}",
  "\\-",
  "\\n"
] as const
const LETTERS = [
  "a",
  "_",
  "-",
  ":",
  " ",
  "\n",
  "\v",
  "\u00a0",
  "\u2003",
  "\u2028",
  "\ufeff",
  "é",
  "A",
  "1",
  "٣",
  "😀"
] as const

const Text = Schema.Array(Schema.Literals(LETTERS)).check(Schema.isMaxLength(6))
/** Between its ends, so that most texts do not match. */
const Pattern = Schema.Array(Schema.Literals(PIECES)).check(Schema.isMaxLength(7))

describe("LinearPattern", () => {
  it.prop(
    "refuses nothing that ECMA-262 accepts, in either of its two ways to read",
    { pieces: Pattern, text: Text },
    ({ pieces, text }) => {
      const pattern = `^${pieces.join("")}$`
      const given = text.join("")
      const linear = LinearPattern.make(pattern)
      if (linear === null) return
      for (const flags of given.includes("😀") ? ["u"] : ["u", ""]) {
        const isMatch = Result.getOrElse(Result.try(() => new RegExp(pattern, flags).test(given)), () => false)
        if (isMatch) assert.isTrue(linear.test(given), `${pattern} and ${JSON.stringify(given)}`)
      }
    },
    { arbitrary: { runs: 300 } }
  )

  it("reads spaces, letters and digits of every script as servers do, whatever their language", () => {
    for (
      const [pattern, text] of [
        ["^\\w+$", "Über_straße"],
        ["^[\\w-.]+$", "naïve-файл.v2"],
        ["^[.-\\w]+$", "a-b"],
        ["^[\\w\\s]+$", "日本 हिन्दी\u00a0می‌خواهم"],
        ["^\\d{2}$", "٣٤"],
        ["^a\\s+b$", "a\u00a0\u2003\u2028\ufeff\vb"],
        ["^[^\\s]+$", "ab"],
        ["^[^\\d]+$", "٣"],
        ["^[^]*x$", "ax"],
        ["^[\\x20-\\x7e\\u00e9]+$", "café"]
      ] as const
    ) assert.isTrue(LinearPattern.make(pattern)?.test(text) ?? true, pattern)
  })

  it("still refuses what no reading accepts", () => {
    for (
      const [pattern, text] of [
        ["^\\d{4}-\\d{2}-\\d{2}$", "tomorrow"],
        ["^[\\w.-]+@[\\w.-]+$", "nobody"],
        ["^[^\\s]+$", "a b"],
        ["^[A-Z\\u00c0-\\u00d6]+$", "abc"],
        ["^AS\\d+$", "as12"],
        ["^(a|b)\\s?c$", "d"]
      ] as const
    ) assert.isFalse(LinearPattern.make(pattern)?.test(text), pattern)
  })

  it("knows no pattern that languages read differently, nor one that is not linear or too large", () => {
    for (
      const pattern of [
        "\\Aa\\z",
        "\\Qa\\E",
        "[[:alpha:]]",
        "[]a]",
        "a{,3}",
        "(a)\\1",
        "(?=a)",
        "\\bé",
        "[^\\S]",
        "\\pL",
        "a".repeat(1001),
        "(a{30}){30}(b{30}){30}"
      ]
    ) assert.isNull(LinearPattern.make(pattern), pattern)
  })
})
