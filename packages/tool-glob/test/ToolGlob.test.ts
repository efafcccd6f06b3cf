import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { ToolGlob } from "../src/index.ts"
import { decide, rulesOf } from "../src/ToolGlob.ts"

/** Three characters, two of them special somewhere, so that random names and patterns meet often. */
const Name = Schema.String.check(Schema.isPattern(/^[ab!]{0,8}$/))
const PatternText = Schema.String.check(Schema.isPattern(/^!?[ab*!]{0,8}$/))
const Patterns = Schema.Array(PatternText).check(Schema.isMaxLength(5))
const Literal = Schema.String.check(Schema.isPattern(/^[a-z_.?[\]\\^$()+|{}-][a-z!_.?[\]\\^$()+|{}-]{0,8}$/))

/** What a pattern means, said as plainly as possible and as slowly. */
const matchesSlowly = (pattern: string, name: string): boolean => {
  if (pattern === "") return name === ""
  if (pattern[0] !== "*") return pattern[0] === name[0] && matchesSlowly(pattern.slice(1), name.slice(1))
  return Array.from({ length: name.length + 1 }).some((_, skipped) =>
    matchesSlowly(pattern.slice(1), name.slice(skipped))
  )
}

const allowsSlowly = (patterns: ReadonlyArray<string>, name: string): boolean => {
  let allowed = false
  for (const pattern of patterns) {
    if (pattern[0] === "!" && matchesSlowly(pattern.slice(1), name)) allowed = false
    if (pattern[0] !== "!" && matchesSlowly(pattern, name)) allowed = true
  }
  return allowed
}

const MANY = { arbitrary: { runs: 2000 } }

describe("ToolGlob", () => {
  it.prop("decides as the slow reference does, whatever the patterns (Decision 3, R50)", [Patterns, Name], (
    [patterns, name]
  ) => ToolGlob.compile(patterns).allows(name) === allowsSlowly(patterns, name), MANY)

  it.prop(
    "matches one pattern as the slow reference does (Decision 3)",
    [PatternText, Name],
    ([pattern, name]) => ToolGlob.matches(pattern, name) === matchesSlowly(pattern.replace(/^!/, ""), name),
    MANY
  )

  it("finds a piece between stars wherever it starts, also inside a failed attempt", () => {
    const texts = (length: number) =>
      Array.from(
        { length: 2 ** length },
        (_, bits) => bits.toString(2).padStart(length, "0").replaceAll("0", "a").replaceAll("1", "b")
      )
    // Every piece up to 7 in every name of 11: the shortest pair that tells a wrong table of borders from a right one.
    const names = texts(11)
    for (const piece of [1, 2, 3, 4, 5, 6, 7].flatMap(texts)) {
      const glob = ToolGlob.compile([`*${piece}*`])
      const wrong = names.find((name) => glob.allows(name) !== name.includes(piece))
      assert.isUndefined(wrong, piece)
    }
  })

  it.prop("lets a literal match itself and nothing else (Decision 3)", [Literal, Literal], ([literal, other]) => {
    const glob = ToolGlob.compile([literal])
    return glob.allows(literal) && glob.allows(other) === (literal === other) && !glob.allows(`${literal}x`) &&
      !glob.allows(literal.slice(1))
  }, MANY)

  it.prop(
    "lets * alone match every name (Decision 3)",
    [Schema.String],
    ([name]) => ToolGlob.compile(["*"]).allows(name)
  )

  it.prop("changes only the names that an appended pattern matches (Decision 3)", [Patterns, PatternText, Name], (
    [patterns, appended, name]
  ) => {
    const after = ToolGlob.compile([...patterns, appended]).allows(name)
    return ToolGlob.matches(appended, name)
      ? after === !ToolGlob.isDenial(appended)
      : after === ToolGlob.compile(patterns).allows(name)
  }, MANY)

  it.prop("allows after a denial followed by the same allowance (Decision 3)", [Patterns, PatternText, Name], (
    [patterns, text, name]
  ) => {
    const pattern = text.replace(/^!+/, "")
    const glob = ToolGlob.compile([...patterns, `!${pattern}`, pattern])
    return !ToolGlob.matches(pattern, name) || glob.allows(name)
  }, MANY)

  it("lets the last pattern that matches decide, not the first and not a denial as such (Decision 3, R50)", () => {
    const glob = ToolGlob.compile(["*", "!web_*", "web_search"])
    assert.deepStrictEqual(
      ["files_read", "web_fetch", "web_search"].map(glob.allows),
      [true, false, true]
    )
    assert.isFalse(ToolGlob.compile(["web_search", "!web_*"]).allows("web_search"))
  })

  it("denies what nothing matches, so no patterns and denials alone allow nothing (Decision 3)", () => {
    for (const patterns of [[], ["!web_*"], ["!*"], [""]]) {
      assert.isFalse(ToolGlob.compile(patterns).allows("files_read"), JSON.stringify(patterns))
    }
  })

  it("takes ! as a character everywhere but in front (Decision 3)", () => {
    assert.isTrue(ToolGlob.compile(["a!b"]).allows("a!b"))
    assert.isFalse(ToolGlob.compile(["*", "!!b"]).allows("!b"))
    assert.isTrue(ToolGlob.compile(["*", "!!b"]).allows("b"))
  })

  it("gives no other character a meaning (Decision 3)", () => {
    for (const pattern of ["a?c", "a.c", "[abc]", "{a,b}", "a\\*", "^a$", "(a)"]) {
      assert.isFalse(ToolGlob.compile([pattern]).allows("abc"), pattern)
      assert.isFalse(ToolGlob.compile([pattern]).allows("a"), pattern)
    }
    assert.isTrue(ToolGlob.compile(["a\\*"]).allows("a\\bc"))
  })

  it("does not let the text before and after a star share characters", () => {
    assert.isFalse(ToolGlob.matches("aba*aba", "aba"))
    assert.isFalse(ToolGlob.matches("aba*aba", "ababa"))
    assert.isTrue(ToolGlob.matches("aba*aba", "abaaba"))
    assert.isFalse(ToolGlob.matches("*ab*ab*", "ab"))
  })

  it("keeps the patterns as they were given, and tells exact ones and denials apart", () => {
    assert.deepStrictEqual(ToolGlob.compile(["*", "!a"]).patterns, ["*", "!a"])
    assert.deepStrictEqual(["read", "re!ad", "!read", "re*", ""].map(ToolGlob.isExact), [
      true,
      true,
      false,
      false,
      true
    ])
    assert.deepStrictEqual(["read", "!read", "re!ad"].map(ToolGlob.isDenial), [false, true, false])
  })

  it("reads a name at most three times a pattern: 10,000 names of 200 characters, 100 hostile patterns (Decision 3)", () => {
    const stars = (count: number) => "*a".repeat(count)
    const run = (count: number) => "a".repeat(count)
    const hostile = Array.from({ length: 25 }, (_, n) => [
      `${stars(n * 4 + 1)}*b`,
      `${stars(n * 4 + 1)}*b*`,
      `*${run(n * 4 + 1)}b*`,
      `*${run(n + 1)}b*${run(n + 1)}c*`
    ]).flat()
    const endings = ["a", "b", "c", "ab", "ba"]
    let reads = 0
    const rules = rulesOf(hostile)
    for (let n = 0; n < 10_000; n++) {
      const name = `${run(n % 100)}${n % 7 === 0 ? "b" : "a"}${run(200)}`.slice(0, 198) + (endings[n % 5] ?? "")
      const padded = name.padEnd(200, "a")
      decide(rules, padded.length, (index) => {
        reads++
        return padded.charCodeAt(index)
      })
    }
    assert.isAtLeast(reads, 10_000 * 200, "the patterns were not hostile")
    assert.isAtMost(reads, 10_000 * 100 * 200 * 3)
  })

  it("doubles its work when a name doubles, and not more", () => {
    const work = (length: number): number => {
      let reads = 0
      const name = "a".repeat(length)
      decide(rulesOf([`${"*a".repeat(50)}*b*`, `*${"a".repeat(50)}b*`]), length, (index) => {
        reads++
        return name.charCodeAt(index)
      })
      return reads
    }
    assert.isAtMost(work(20_000) / work(10_000), 2.01)
    assert.isAtLeast(work(20_000) / work(10_000), 1.9)
  })
})
