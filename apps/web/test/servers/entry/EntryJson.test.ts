import { assert, describe, it } from "@effect/vitest"
import * as EntryJson from "../../../src/servers/entry/EntryJson.ts"

const TEXT = `{
  // the program
  "command": "npx",
  "args": ["-y", "some-package"], // both
  "env": { "TOKEN": "\${TOKEN}" },
}`

const shown = (text: string, key: string) => {
  const span = EntryJson.spanOf(text, key)
  return span === null ? null : text.slice(span.from, span.to)
}

describe("The text of an entry", () => {
  it("is read with its comments and trailing commas", () => {
    assert.deepStrictEqual(EntryJson.read(TEXT), {
      value: { command: "npx", args: ["-y", "some-package"], env: { TOKEN: "${TOKEN}" } },
      troubles: []
    })
  })

  it("says where it is no JSON, and that a list is no entry", () => {
    const { troubles, value } = EntryJson.read("{\n  \"command\" \"npx\"\n}")
    assert.isNull(value)
    assert.deepStrictEqual(EntryJson.placeOf("{\n  \"command\" \"npx\"\n}", troubles[0]?.offset ?? 0), {
      line: 2,
      column: 13
    })
    assert.match(troubles[0]?.message ?? "", /^[a-z ]+ expected$/)
    assert.deepStrictEqual(EntryJson.read("[1]"), { value: null, troubles: [] })
  })

  it("keeps its comments when a value changes, comes or goes", () => {
    const changed = EntryJson.change(EntryJson.change(TEXT, ["args", 1], "other"), ["cwd"], "/tmp")
    assert.include(changed, "// the program")
    assert.include(changed, "// both")
    const gone = EntryJson.change(changed, ["env"], undefined)
    assert.deepStrictEqual(EntryJson.read(gone).value, { command: "npx", args: ["-y", "other"], cwd: "/tmp" })
  })

  it("is marked at the key that is wrong, or at the nearest one around it", () => {
    assert.strictEqual(shown(TEXT, "args[1]"), "\"some-package\"")
    assert.strictEqual(shown(TEXT, "env.TOKEN"), "\"TOKEN\": \"${TOKEN}\"")
    assert.strictEqual(shown(TEXT, "env.OTHER"), "\"env\": { \"TOKEN\": \"${TOKEN}\" }")
    assert.isNull(shown(TEXT, "url"))
    assert.deepStrictEqual(EntryJson.pathOf("headers.X-A.b"), ["headers", "X-A.b"])
  })

  it("is marked from a line and a column to the end of that line", () => {
    const { from, to } = EntryJson.spanAt(TEXT, 3, 3)
    assert.strictEqual(TEXT.slice(from, to), "\"command\": \"npx\",")
    assert.deepStrictEqual(EntryJson.spanAt("{}", 9, 9), { from: 2, to: 2 })
  })

  it("begins at the margin, however deep it stands in its file", () => {
    assert.strictEqual(
      EntryJson.outdented("{\n      \"a\": {\n        \"b\": 1\n      }\n    }"),
      "{\n  \"a\": {\n    \"b\": 1\n  }\n}"
    )
    assert.strictEqual(EntryJson.outdented("{ \"a\": 1 }"), "{ \"a\": 1 }")
  })
})
