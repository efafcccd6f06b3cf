import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Expansion from "../../src/entry/Expansion.ts"
import * as VariableSyntax from "../../src/shapes/VariableSyntax.ts"
import * as Template from "../../src/text/Template.ts"

const HERE = { workspace: "/project/my project", isWindows: false }
const vscode = VariableSyntax.editor("VS Code", HERE, new Map([["key", { description: "the key", fallback: null }]]))
const gemini = VariableSyntax.dollar("Gemini CLI", { fallbacks: true })

const texts = (dialect: VariableSyntax.VariableSyntax, cases: Readonly<Record<string, string>>) => {
  for (const [text, expected] of Object.entries(cases)) assert.strictEqual(dialect.toNative(text).text, expected)
}

const PIECES = ["a", "$", "$$", "{", "}", ":-", "${A}", "${B:-}", "${C:-x}", "$${", "$A", "${D:-${A}}", " "] as const
const Text = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(Schema.Literals(PIECES)), { maxLength: 7 }),
  (pieces) => pieces.join("")
)

/** What a template comes to, told without any way of writing it. */
const evaluate = (template: Template.Template, variables: Readonly<Record<string, string>>): string =>
  template.map((part) => {
    if (part._tag !== "variable") return part.text
    const value = variables[part.name] ?? ""
    return value === "" && part.fallback !== null ? evaluate(part.fallback, variables) : value
  }).join("")

const VARIABLES = { A: "1", B: "", C: "3", D: "" }

describe("Template", () => {
  it.prop("reads the native form as the expansion does", [Text], ([text]) => {
    const template = Result.getOrNull(Template.parse(text))
    const expanded = Expansion.expand(text, VARIABLES)
    if (template === null) assert.isTrue(Result.isFailure(expanded), text)
    else assert.deepStrictEqual(expanded, Result.succeed(evaluate(template, VARIABLES)), text)
  })

  it.prop("writes any plain text so that the expansion gives it back", [Text], ([text]) => {
    const native = Template.print(Template.joined([Template.text(text)]))
    assert.deepStrictEqual(Expansion.expand(native, VARIABLES), Result.succeed(text))
  })

  it("writes a dollar sign before a variable so that it stays one", () => {
    const native = Template.print([Template.text("a$$"), Template.variable("A")])
    assert.deepStrictEqual(Expansion.expand(native, VARIABLES), Result.succeed("a$$1"))
  })

  it("writes a text that looks like Gemini CLI's variable so that it is a text", () => {
    const native = Template.print([Template.text("$A")])
    assert.isNull(Expansion.foreignSyntax(native, VARIABLES))
    assert.deepStrictEqual(Expansion.expand(native, VARIABLES), Result.succeed("$A"))
  })
})

describe("Dialect", () => {
  it("opencode: {env:NAME} is a variable, {file:path} one to set, ${NAME} plain text", () => {
    texts(VariableSyntax.opencode(), {
      "Bearer {env:TOKEN}": "Bearer ${TOKEN}",
      "{file:./a/.my-key}": "${FILE_MY_KEY}",
      "${TOKEN}": "$${TOKEN}",
      "{env:}{env:A-B}": "{env:}{env:A-B}",
      "${env:A}": "${DOLLAR:-$}${A}"
    })
    assert.deepStrictEqual(VariableSyntax.opencode().toNative("${TOKEN}").remarks, [
      "what looks like a variable is plain text in opencode, and stays that here; opencode writes a variable {env:NAME}"
    ])
  })

  it("editors: ${env:NAME}, places and inputs; what cannot be told is left for the reader to refuse", () => {
    texts(vscode, {
      "${env:A}/${workspaceFolder}/x": "${A}//project/my project/x",
      "${workspaceFolderBasename}${pathSeparator}${/}": "my project//",
      "${userHome}/.x": "${HOME}/.x",
      "${input:key}${input:other thing}": "${INPUT_KEY}${INPUT_OTHER_THING}",
      "${A} ${A:-b}": "$${A} $${A:-b}",
      "${command:x.y}${config:z}": "${command:x.y}${config:z}"
    })
    texts(VariableSyntax.editor("Cursor", { workspace: null, isWindows: true }), {
      "${workspaceFolder}": "${workspaceFolder}",
      "${userHome}${/}": "${USERPROFILE}\\",
      "${input:key}": "${input:key}"
    })
    assert.deepStrictEqual(VariableSyntax.editor("Roo Code").toNative("${workspaceFolder}"), {
      text: "${workspaceFolder}",
      remarks: ["what ${workspaceFolder} stands for cannot be told from here: write that in its place"]
    })
  })

  it("an input's default becomes the variable's, unless it holds a brace", () => {
    const inputs = new Map([["a", { description: null, fallback: "dev" }], ["b", {
      description: null,
      fallback: "{}"
    }]])
    texts(VariableSyntax.editor("VS Code", HERE, inputs), { "${input:a}${input:b}": "${INPUT_A:-dev}${INPUT_B}" })
  })

  it("Gemini CLI: $NAME, ${NAME} and ${NAME:-default} are variables, a lone $ is not", () => {
    texts(gemini, {
      "Bearer $T": "Bearer ${T}",
      "${A}-${B:-c d}": "${A}-${B:-c d}",
      "5$ $5 a$": "5$ $5 a$",
      "a$$T": "a${DOLLAR:-$}${T}"
    })
  })

  it("Codex: everything is plain text, and what looks like a variable is remarked on", () => {
    const codex = VariableSyntax.literal("Codex")
    texts(codex, { "${A} $B {env:C}": "$${A} $B {env:C}", "$HOME": "${DOLLAR:-$}HOME" })
    assert.strictEqual(codex.toNative("$HOME").remarks.length, 1)
    assert.deepStrictEqual(codex.toNative("5 $ ${").remarks, [])
    assert.isNull(codex.fromTemplate([Template.variable("A")]))
  })

  it("writes nothing that the application would read as something else", () => {
    const text = (plain: string) => [Template.text(plain)]
    assert.isNull(gemini.fromTemplate(text("costs $A")))
    assert.isNull(VariableSyntax.opencode().fromTemplate(text("{env:A}")))
    assert.isNull(vscode.fromTemplate(text("${workspaceFolder}")))
    assert.isNull(vscode.fromTemplate([Template.variable("A", text("b"))]))
    assert.strictEqual(
      vscode.fromTemplate([Template.text("x "), Template.variable("A")]),
      "x ${env:A}"
    )
  })

  it.prop("gives back what it wrote, in every application's way", [Text], ([native]) => {
    const template = Result.getOrNull(Template.parse(native))
    const dialects = [
      gemini,
      vscode,
      VariableSyntax.opencode(),
      VariableSyntax.literal("Codex"),
      VariableSyntax.same("Claude")
    ]
    for (const dialect of dialects) {
      const written = template === null ? null : dialect.fromTemplate(template)
      if (written === null || template === null) continue
      const again = Result.getOrNull(Template.parse(dialect.toNative(written).text))
      assert.strictEqual(again === null ? null : evaluate(again, VARIABLES), evaluate(template, VARIABLES))
    }
  })

  it("takes linear time for texts that only begin variables", () => {
    const begin = "${A:-".repeat(150_000) + "{env:".repeat(10_000) + "${input:".repeat(10_000)
    for (const dialect of [gemini, vscode, VariableSyntax.opencode(), VariableSyntax.literal("Codex")]) {
      dialect.toNative(begin)
    }
    Result.getOrNull(Template.parse(begin))
    assert.isNull(Result.getOrNull(Template.parse("${A:-".repeat(100_000) + "}".repeat(100_000))))
  }, 10_000)
})
