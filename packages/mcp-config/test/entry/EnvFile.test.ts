import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { EnvFile } from "../../src/index.ts"

describe("EnvFile", () => {
  it("reads names and values, with export, spaces, comments and empty values", () => {
    const text = "# keys\nA=1\nexport B = two words # why\r\nC=\n\nnot a line\nD=a=b\nA=3"
    assert.deepStrictEqual(EnvFile.parse(text), { A: "3", B: "two words", C: "", D: "a=b" })
  })

  it("takes quotes off and keeps what they protect", () => {
    const text = "A=\"x # y\"\nB='it\\n'\nC=\"a\\nb \\\"c\\\"\"\nD=`q'\"`\nE=\"two\nlines\""
    assert.deepStrictEqual(EnvFile.parse(text), {
      A: "x # y",
      B: "it\\n",
      C: "a\nb \"c\"",
      D: "q'\"",
      E: "two\nlines"
    })
  })

  it("does not expand variables, and keeps a name that objects have anyway", () => {
    assert.deepStrictEqual(Object.entries(EnvFile.parse("A=${B}\n__proto__=x")), [["A", "${B}"], ["__proto__", "x"]])
  })

  it("gives a variable a new value where it stands, and leaves every other line as it was", () => {
    const text = "# keys\nA=1 # one\nexport B='two'\r\nA=3 # last"
    assert.strictEqual(
      EnvFile.change(text, { A: "4", C: "x y" }),
      "# keys\nA=1 # one\nexport B='two'\r\nA=4 # last\nC='x y'\n"
    )
    assert.strictEqual(EnvFile.change(text, { B: "it's" }), text.replace("'two'", "`it's`"))
    assert.strictEqual(EnvFile.change("", { A: "" }), "A=''\n")
    assert.isNull(EnvFile.change("", { A: "'`\\" }))
    assert.isNull(EnvFile.change("", { "A B": "1" }))
  })

  it.prop("reads every value that it wrote, and all others as before", [
    Schema.Record(Schema.Literals(["A", "B", "C"]), Schema.String),
    Schema.String,
    Schema.Array(Schema.Literals(["A", "\"", "'", "`", "\\", "\n", "\r", "#", "=", " ", "$", "{", "n"]))
  ], ([values, text, pieces]) => {
    const before = Object.entries(values).reduce(
      (left, [name, value]) => EnvFile.change(left, { [name]: value }) ?? left,
      text
    )
    const value = pieces.join("")
    const after = EnvFile.change(before, { B: value })
    if (after === null) return assert.isTrue(value.includes("'") && value.includes("`") && value.includes("\\"))
    assert.deepStrictEqual(EnvFile.parse(after), { ...EnvFile.parse(before), B: value })
  })
})
