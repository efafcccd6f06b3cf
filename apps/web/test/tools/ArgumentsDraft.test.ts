import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { Json } from "../../src/api/Types.ts"
import { ArgumentsDraft, guessedSchema } from "../../src/tools/ArgumentsDraft.ts"
import { commandLine } from "../../src/tools/CommandLine.ts"

describe("Arguments", () => {
  const schema = { properties: { a: { type: "integer" }, b: { type: "string" } }, required: ["a"] }

  it("are the same in the form and as JSON, whatever was typed", () => {
    const args = new ArgumentsDraft(schema)
    assert.isUndefined(args.checked())
    assert.deepStrictEqual(args.problems.value.map(({ path }) => path), ["a"])
    args.toText()
    assert.strictEqual(args.text.value, "{}")
    args.type("{\"a\": \"x\", \"other\": [1]}")
    args.toForm()
    assert.strictEqual(args.mode.value, "form")
    args.toText()
    assert.deepStrictEqual(JSON.parse(args.text.value), { a: "x", other: [1] })
    args.type("[1]")
    args.toForm()
    assert.strictEqual(args.mode.value, "json")
    assert.match(args.textProblem.value ?? "", /one JSON object/)
    assert.strictEqual(args.text.value, "[1]")
    args.type("")
    assert.deepStrictEqual(args.checked(), {})
  })

  it("begin with those of a call, come back to them, and know others from them", () => {
    const given = { b: "x", a: 1 }
    const args = new ArgumentsDraft(schema, given)
    const same = args.checked() ?? assert.fail("they are whole")
    assert.deepStrictEqual(same, given)
    assert.isFalse(args.isOther(same))
    args.toText()
    args.type("{\"a\": 2, \"b\": \"x\"}")
    assert.isTrue(args.isOther(args.checked() ?? {}))
    args.reset()
    assert.deepStrictEqual(JSON.parse(args.text.value), given)
    assert.isFalse(args.isOther(args.checked() ?? {}))
    assert.isTrue(args.isOther({}))
  })

  it("have a field each where the schema is not known", () => {
    const given = { path: "a.txt", lines: [1, { x: null }], force: true, count: 2 }
    const args = new ArgumentsDraft(guessedSchema(given), given)
    assert.deepStrictEqual(args.form.properties().map(({ field, key }) => [key, field.kind]), [
      ["path", "text"],
      ["lines", "json"],
      ["force", "boolean"],
      ["count", "number"]
    ])
    assert.deepStrictEqual(args.checked(), given)
    assert.isFalse(args.isOther(args.checked() ?? {}))
  })

  it("stand in the line for a shell, quotes and all", () => {
    assert.strictEqual(commandLine("files_x", { q: "it's" }), `boocode mcp call files_x --args '{"q":"it'\\''s"}'`)
    assert.strictEqual(commandLine("odd name", undefined), "boocode mcp call 'odd name'")
  })

  it.prop("stand in the line for a shell as one word that says the same", [Schema.Json], ([value]) => {
    const plain: Json = JSON.parse(JSON.stringify(value))
    const line = commandLine("files_x", plain)
    const word = line.slice("boocode mcp call files_x --args ".length)
    // As a POSIX shell reads it: in quotes everything is itself, and \' beside them a quote.
    const read = word.startsWith("'") ? word.slice(1, -1).split("'\\''").join("'") : word
    assert.deepStrictEqual(JSON.parse(read), plain)
    if (!word.startsWith("'")) assert.notMatch(word, /[\s'"$`\\!*?<>|&;(){}[\]~#]/)
  })
})
