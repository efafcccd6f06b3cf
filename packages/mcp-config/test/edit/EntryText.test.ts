import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ConfigEditor, EntryText } from "../../src/index.ts"

const FILE = `{
  // ours
  "mcpServers": {
    "a": { "command": "x" }, // first
    "b": {
      /* why */
      "command": "npx", // with a remark

      "args": ["-y", "b"],
    }, // after it
    "c": {}
  }
}
`

const B = `{
  /* why */
  "command": "npx", // with a remark

  "args": ["-y", "b"],
}`

const done = <A>(result: Result.Result<A, unknown>): A =>
  Result.isSuccess(result) ? result.success : assert.fail(JSON.stringify(result.failure))

const failure = <E>(result: Result.Result<unknown, E>): E =>
  Result.isFailure(result) ? result.failure : assert.fail(JSON.stringify(result.success))

describe("The text of an entry", () => {
  it("is shown without the indentation of its file, with its comments and its place", () => {
    assert.deepStrictEqual(done(ConfigEditor.entryText(FILE, "b")), { text: B, at: { line: 5, column: 10 } })
    assert.strictEqual(done(ConfigEditor.entryText(FILE, "a")).text, "{ \"command\": \"x\" }")
    assert.strictEqual(done(ConfigEditor.entryText(FILE.replaceAll("\n", "\r\n"), "b")).text, B)
    assert.include(failure(ConfigEditor.entryText(FILE, "z")), { _tag: "NameUnknown" })
    assert.include(failure(ConfigEditor.entryText("{ \"mcpServers\": { \"a\": 1 } }", "a")), { _tag: "Unreadable" })
  })

  it("goes back into the indentation and the ends of lines of its file", () => {
    const changed = B.replace("\"b\"]", "\"c\"]")
    assert.strictEqual(done(ConfigEditor.setEntryText(FILE, "b", changed)), FILE.replace("\"b\"]", "\"c\"]"))
    const windows = `\uFEFF${FILE.replaceAll("\n", "\r\n")}`
    assert.strictEqual(
      done(ConfigEditor.setEntryText(windows, "b", changed)),
      windows.replace("\"b\"]", "\"c\"]")
    )
    assert.strictEqual(
      done(ConfigEditor.setEntryText(FILE, "c", "{\n  \"url\": \"https://x\", // here\n}")),
      FILE.replace("\"c\": {}", "\"c\": {\n      \"url\": \"https://x\", // here\n    }")
    )
  })

  it("may get another name, unless that is taken", () => {
    assert.strictEqual(
      done(ConfigEditor.setEntryText(FILE, "b", B, { newName: "b\"2" })),
      FILE.replace("\"b\": {", "\"b\\\"2\": {")
    )
    assert.include(failure(ConfigEditor.setEntryText(FILE, "b", B, { newName: "c" })), { _tag: "NameTaken", name: "c" })
  })

  it.prop("leaves every other byte of its file as it was, and comes back as it was written", [
    Schema.Array(Schema.Literals(["\n", "\r\n", "  ", "\t", " // x\n", "/* y */", ""])).check(Schema.isMaxLength(4)),
    Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Array(Schema.String)])),
    Schema.Literals([0, 2, "\t"]),
    Schema.Literals(["\n", "\r\n"])
  ], ([trivia, entry, unit, eol]) => {
    const space = trivia.join("")
    const before = `{${space}"mcpServers"${space}:{"a":{"command":"x"},${space}"b"${space}:${space}`
    const after = `${space},${eol}"c"${space}:{},}${space}}${space}`
    const old = "{ \"command\": \"y\" }"
    const text = JSON.stringify(entry, null, unit)
    const written = done(ConfigEditor.setEntryText(before + old + after, "b", text))
    assert.isTrue(written.startsWith(before) && written.endsWith(after), written)
    assert.deepStrictEqual(JSON.parse(written.slice(before.length, written.length - after.length)), JSON.parse(text))
    const again = done(ConfigEditor.entryText(written, "b")).text
    assert.strictEqual(done(ConfigEditor.setEntryText(written, "b", again)), written)
  })

  it("is an entry and nothing else", () => {
    assert.strictEqual(done(EntryText.read(`\n${B}\n`)).text, B)
    const rows = [
      ["", 1, 1, "there is no entry"],
      ["[]", 1, 1, "expected an entry"],
      ["{\n  \"a\" 1\n}", 2, 7, "expected a colon"],
      ["{}\n // after", 2, 2, "outside of the braces"],
      ["/* before */ {}", 1, 1, "outside of the braces"]
    ] as const
    for (const [text, line, column, words] of rows) {
      const fault = failure(EntryText.read(text))
      assert.deepInclude(fault, { line, column }, text)
      assert.include(fault.detail, words)
    }
  })
})

describe("The examples of a new data folder", () => {
  const context7 = {
    type: "streamableHttp",
    url: "https://mcp.context7.com/mcp",
    headers: { "X-API-Key": "${CONTEXT7_API_KEY:-}" },
    enabled: false
  }
  const own = { command: "npx", args: ["-y", "@upstash/context7-mcp"] }
  const file = (entry: unknown) => `{\n  // mine\n  "mcpServers": { "context7": ${JSON.stringify(entry)} }\n}\n`

  it("give way to a person's own server of their name", () => {
    const added = done(ConfigEditor.addServer(file(context7), "context7", own))
    assert.deepStrictEqual(JSON.parse(added.replace("// mine", "")), { mcpServers: { context7: own } })
    assert.include(added, "// mine")
    assert.deepStrictEqual(ConfigEditor.examples(file(context7)), ["context7"])
  })

  it("are a person's own as soon as anything of them was changed", () => {
    for (const changed of [{ ...context7, enabled: true }, { ...context7, timeout: 1 }, { ...context7, headers: {} }]) {
      assert.include(failure(ConfigEditor.addServer(file(changed), "context7", own)), { _tag: "NameTaken" })
      assert.deepStrictEqual(ConfigEditor.examples(file(changed)), [])
    }
    assert.deepStrictEqual(ConfigEditor.examples(file(context7).replace("context7", "mine")), [])
  })
})
