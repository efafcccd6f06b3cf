import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { ToolGlob } from "../src/index.ts"
import { fits, split } from "../src/ToolGlob.ts"

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

const MANY = { arbitrary: { runs: 300 } }

describe("ToolGlob", () => {
  it.prop("decides as the slow reference does, whatever the patterns (R50)", [Patterns, Name], (
    [patterns, name]
  ) => ToolGlob.compile(patterns).allows(name) === allowsSlowly(patterns, name), MANY)

  it.prop(
    "matches one pattern as the slow reference does",
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
    // Every text up to 7 in every name of 11.
    const names = texts(11)
    for (const piece of [1, 2, 3, 4, 5, 6, 7].flatMap(texts)) {
      const glob = ToolGlob.compile([`*${piece}*`])
      const wrong = names.find((name) => glob.allows(name) !== name.includes(piece))
      assert.isUndefined(wrong, piece)
    }
  })

  it.prop("lets a literal match itself and nothing else", [Literal, Literal], ([literal, other]) => {
    const glob = ToolGlob.compile([literal])
    return glob.allows(literal) && glob.allows(other) === (literal === other) && !glob.allows(`${literal}x`) &&
      !glob.allows(literal.slice(1))
  }, MANY)

  it.prop(
    "lets * alone match every name",
    [Schema.String],
    ([name]) => ToolGlob.compile(["*"]).allows(name)
  )

  it.prop("changes only the names that an appended pattern matches", [Patterns, PatternText, Name], (
    [patterns, appended, name]
  ) => {
    const after = ToolGlob.compile([...patterns, appended]).allows(name)
    return ToolGlob.matches(appended, name)
      ? after === !ToolGlob.isDenial(appended)
      : after === ToolGlob.compile(patterns).allows(name)
  }, MANY)

  it.prop("allows after a denial followed by the same allowance", [Patterns, PatternText, Name], (
    [patterns, text, name]
  ) => {
    const pattern = text.replace(/^!+/, "")
    const glob = ToolGlob.compile([...patterns, `!${pattern}`, pattern])
    return !ToolGlob.matches(pattern, name) || glob.allows(name)
  }, MANY)

  it("lets the last pattern that matches decide, not the first and not a denial as such (R50)", () => {
    const glob = ToolGlob.compile(["*", "!web_*", "web_search"])
    assert.deepStrictEqual(
      ["files_read", "web_fetch", "web_search"].map(glob.allows),
      [true, false, true]
    )
    assert.isFalse(ToolGlob.compile(["web_search", "!web_*"]).allows("web_search"))
  })

  it("denies what nothing matches, so no patterns and denials alone allow nothing", () => {
    for (const patterns of [[], ["!web_*"], ["!*"], [""]]) {
      assert.isFalse(ToolGlob.compile(patterns).allows("files_read"), JSON.stringify(patterns))
    }
  })

  it("takes ! as a character everywhere but in front", () => {
    assert.isTrue(ToolGlob.compile(["a!b"]).allows("a!b"))
    assert.isFalse(ToolGlob.compile(["*", "!!b"]).allows("!b"))
    assert.isTrue(ToolGlob.compile(["*", "!!b"]).allows("b"))
  })

  it("gives no other character a meaning", () => {
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

  it("searches once for each text between stars, whatever the pattern, and never goes back", () => {
    const name = "a".repeat(200)
    const searches = (pattern: string): ReadonlyArray<number> => {
      const starts: Array<number> = []
      const indexOf = (text: string, from = 0) => {
        starts.push(from)
        return name.indexOf(text, from)
      }
      const { length } = name
      fits(split(pattern), {
        length,
        indexOf,
        startsWith: (text) => name.startsWith(text),
        endsWith: (text) => name.endsWith(text)
      })
      return starts
    }
    for (const stars of [1, 10, 100, 199]) {
      const starts = searches(`${"*a".repeat(stars)}*b*`)
      assert.deepStrictEqual(starts, Array.from({ length: stars + 1 }, (_, index) => index))
    }
    assert.deepStrictEqual(searches(`*${"a".repeat(50)}b*${"a".repeat(50)}c*`), [0])
  })

  it("may allow a name that begins so unless no pattern can, or a denial covers all of them", () => {
    const all: ReadonlyArray<readonly [ReadonlyArray<string>, boolean]> = [
      [["*"], true],
      [["web_fetch"], true],
      [["w*h"], true],
      [["*_fetch"], true],
      [["web"], false],
      [["files_*"], false],
      [[], false],
      [["!files_*"], false],
      [["*", "!web_*"], false],
      [["*", "!we*"], false],
      [["*", "!**"], false],
      [["*", "!web_f*"], true],
      [["*", "!*_fetch"], true],
      [["!web_*", "web_fetch"], true]
    ]
    for (const [patterns, may] of all) assert.strictEqual(ToolGlob.mayAllow(patterns, "web_"), may, patterns.join())
  })
})
