import { assert, describe, it } from "@effect/vitest"
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
})
