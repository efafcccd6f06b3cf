import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Expansion from "../../src/entry/Expansion.ts"

const VARIABLES = { HOME: "/home/me", KEY: "k", EMPTY: "", TRICK: "${KEY}", GONE: undefined }

const expanded = (text: string): string => {
  const result = Expansion.expand(text, VARIABLES)
  if (Result.isSuccess(result)) return result.success
  return result.failure._tag === "Unset" ? `unset ${result.failure.variable}` : "malformed"
}

describe("Expansion", () => {
  it("puts a variable's value in its place, wherever it stands (R65)", () => {
    assert.strictEqual(expanded("${KEY}"), "k")
    assert.strictEqual(expanded("Bearer ${KEY}:${HOME}/x"), "Bearer k:/home/me/x")
  })

  it("names the variable that is not set, and never sends its place empty or as written (R65)", () => {
    assert.strictEqual(expanded("a ${NOPE} b"), "unset NOPE")
    assert.strictEqual(expanded("${GONE}"), "unset GONE")
  })

  it("does not take what every object has for a variable", () => {
    assert.strictEqual(expanded("${constructor}"), "unset constructor")
    assert.strictEqual(expanded("${__proto__}"), "unset __proto__")
  })

  it("takes the default of a variable that is unset or empty, as a shell does (R65)", () => {
    assert.strictEqual(expanded("${NOPE:-d}"), "d")
    assert.strictEqual(expanded("${EMPTY:-d}"), "d")
    assert.strictEqual(expanded("${KEY:-d}"), "k")
    assert.strictEqual(expanded("<${NOPE:-}>"), "<>")
    assert.strictEqual(expanded("<${EMPTY}>"), "<>")
  })

  it("expands inside a default that is used, and asks nothing of one that is not (R65)", () => {
    assert.strictEqual(expanded("${NOPE:-${HOME}/x}"), "/home/me/x")
    assert.strictEqual(expanded("${NOPE:-${ALSO_NOPE:-deep}}"), "deep")
    assert.strictEqual(expanded("${KEY:-${NOPE}}"), "k")
    assert.strictEqual(expanded("${NOPE:-${ALSO_NOPE}}"), "unset ALSO_NOPE")
  })

  it("takes a value as it is: what it holds is not expanded again", () => {
    assert.strictEqual(expanded("${TRICK}"), "${KEY}")
  })

  it("gives ${ for $${ (R65)", () => {
    assert.strictEqual(expanded("$${KEY}"), "${KEY}")
    assert.strictEqual(expanded("$${"), "${")
    assert.strictEqual(expanded("$$$"), "$$$")
  })

  it("refuses a ${ without a name or without an end instead of sending it (R65)", () => {
    for (const text of ["${", "${}", "${1}", "${a b}", "${KEY", "${KEY:-", "${KEY:-${HOME}", "${KEY-x}"]) {
      assert.strictEqual(expanded(text), "malformed", text)
    }
  })

  it.prop("leaves text without ${ as it is (R65)", [Schema.String], ([text]) => {
    const plain = text.replaceAll("${", "")
    return plain.includes("${") || expanded(plain) === plain
  }, { arbitrary: { runs: 150 } })

  it.prop(
    "gives back any text that was written with $${ for ${",
    [
      Schema.String.check(Schema.isPattern(/^[a{}: -]{0,6}(\$\{)?[aK}:-]{0,6}(\$\{)?[a}]{0,4}$/))
    ],
    ([text]) => expanded(text.replaceAll("${", () => "$${")) === text,
    { arbitrary: { runs: 150 } }
  )

  it("tells whose way of writing a variable this is (R65, R67)", () => {
    const application = (text: string) => Expansion.foreignSyntax(text, VARIABLES)?.detail
    assert.include(application("$API_KEY"), "Gemini CLI")
    assert.include(application("Bearer ${env:API_KEY}"), "Cursor")
    assert.include(application("Bearer {env:API_KEY}"), "opencode")
    assert.include(application("{file:~/.secret}"), "opencode")
    assert.include(application("${input:api-key}"), "VS Code")
    assert.include(application("${workspaceFolder}/src"), "VS Code")
  })

  it("does not take a dollar in a password or an expression for a variable", () => {
    for (
      const text of ["pa$$word", "a$b", "^x$", "$1", "$", "costs $5", "$a.b", "${KEY}", "$${env}", "{}", "-e $HOME/x"]
    ) {
      assert.isNull(Expansion.foreignSyntax(text, VARIABLES), text)
    }
    assert.isNull(Expansion.foreignSyntax("${workspaceFolder}", { workspaceFolder: "/w" }), "a variable that is set")
  })
})
