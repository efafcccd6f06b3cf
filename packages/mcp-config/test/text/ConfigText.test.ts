import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as ConfigText from "../../src/text/ConfigText.ts"
import * as JsonNode from "../../src/text/JsonNode.ts"
import { treeOf } from "../support/Shaped.ts"

const fault = (text: string, format: ConfigText.Format) =>
  Effect.map(ConfigText.parse(text, format), (result) => {
    if (Result.isSuccess(result)) return "no fault"
    const { column, detail, line } = result.failure
    return `${line}:${column} ${detail}`
  })

const faults = Effect.fnUntraced(function*(format: ConfigText.Format, cases: Readonly<Record<string, string>>) {
  for (const [text, expected] of Object.entries(cases)) {
    assert.include(yield* fault(text, format), expected, text.slice(0, 60))
  }
})

/** Every value with its place, as lines. */
const placed = (node: JsonNode.JsonNode, path = ""): ReadonlyArray<string> => {
  if (node.type === "object") {
    return node.members.flatMap(({ at, key, value }) => [
      `${path}${key} @${at.line}:${at.column}`,
      ...placed(value, `${path}${key}.`)
    ])
  }
  if (node.type === "array") return node.items.flatMap((item, index) => placed(item, `${path}${index}.`))
  return [`${path}= ${JSON.stringify("value" in node ? node.value : null)} @${node.at.line}:${node.at.column}`]
}

const TOML = `# top
model = "x"
[a.b] # c
x.y = [1, "t", { z = true }]
[[a.list]]
n = 1_000
[[a.list]]
d = 1979-05-27T07:32:00Z
f = 1.5
[a.list.in]
"__proto__" = 'p'
`

describe("ConfigText", () => {
  it("tells the language by the name of the file", () => {
    assert.deepStrictEqual(
      ["a/config.toml", "config.YAML", "c.yml", "mcp.json", "x.jsonc", ".mcprc", "toml"].map(ConfigText.formatOf),
      ["toml", "yaml", "yaml", "json", "json", "json", "json"]
    )
  })

  it.effect("gives TOML as a tree in which everything knows its place", () =>
    Effect.gen(function*() {
      const root = yield* treeOf(TOML, "toml")
      assert.deepStrictEqual(
        JSON.stringify(JsonNode.toValue(root)),
        "{\"model\":\"x\",\"a\":{\"b\":{\"x\":{\"y\":[1,\"t\",{\"z\":true}]}},\"list\":[{\"n\":1000}," +
          "{\"d\":\"1979-05-27T07:32:00Z\",\"f\":1.5,\"in\":{\"__proto__\":\"p\"}}]}}"
      )
      assert.includeMembers([...placed(root)], [
        "model @2:1",
        "model.= \"x\" @2:9",
        "a.b.x.y.1.= \"t\" @4:11",
        "a.b.x.y.2.z @4:18",
        "a.list.0.n @6:1",
        "a.list.1.in.__proto__.= \"p\" @11:15"
      ])
    }))

  it.effect("gives YAML as a tree in which everything knows its place, aliases followed", () =>
    Effect.gen(function*() {
      const root = yield* treeOf("# c\na: &x\n  b: [1, 'two', ~]\n8080: yes\nc: *x\n<<: *x\n", "yaml")
      assert.deepStrictEqual(JsonNode.toValue(root), {
        "a": { b: [1, "two", null] },
        "8080": "yes",
        "c": { b: [1, "two", null] },
        "<<": { b: [1, "two", null] }
      })
      assert.includeMembers([...placed(root)], ["a.b @3:3", "a.b.1.= \"two\" @3:10", "8080 @4:1", "c @5:1"])
    }))

  it.effect("says where and why a text cannot be read", () =>
    Effect.gen(function*() {
      yield* faults("toml", {
        "": "1:1 the file is empty",
        "a = ": "1:5 this is not TOML",
        "a = 1\nb = [1,": "2:8 this is not TOML",
        "a = 1\n a = 2": "2:2 this is not TOML: defining a key multiple times is invalid",
        "[a]\nb = 1\n[a]": "3:2 this is not TOML: defining a key",
        "a = { b = 1,\n c = 2 }": "2:2 this is not TOML"
      })
      yield* faults("yaml", {
        " \n": "1:1 the file is empty",
        "a: b: c": "1:4 this is not YAML",
        "a: [1,\nb: 2": "this is not YAML",
        "a: 1\nb: 2\na: 3": "3:1 this key is written more than once",
        "? [x]\n: 1": "1:3 a key must be a text",
        "a: *b": "1:4 there is no anchor",
        "a: 1\n---\nb: 2": "this is not YAML: there is more than one document",
        "a: \"secret\\q\"": "1:11 this is not YAML: there is no such escape in double quotes",
        "a: &x [1, *x]": "1:11 an alias stands inside its own anchor"
      })
    }))

  it.effect("never shows a part of the text that it could not read", () =>
    Effect.gen(function*() {
      for (
        const text of ["k: \"hunter2\\q\"", "k: hunter2: x", "- hunter2\nhunter2", "k: !hunter2 x\n&hunter2 : *hunter3"]
      ) {
        assert.notInclude(yield* fault(text, "yaml"), "hunter")
      }
      for (const text of ["k = hunter2", "k = \"hunter2", "hunter2 hunter2", "[hunter2"]) {
        assert.notInclude(yield* fault(text, "toml"), "hunter")
      }
    }))

  it.effect("refuses what is too long, too deep, or grows when it is read", () =>
    Effect.gen(function*() {
      const deep = (open: string, close: string) => open.repeat(102) + close.repeat(102)
      const anchors = Array.from({ length: 9 }, (_, index) => {
        const alias = `*a${index - 1}`
        return `a${index}: &a${index} [${Array.from({ length: 9 }, () => index === 0 ? "x" : alias).join(", ")}]`
      })
      const long = `"${"x".repeat(1024 * 1024)}"`
      yield* faults("json", {
        [deep("[", "]")]: "1:102 nested more than 100 levels deep",
        ["[".repeat(40_000)]: "nested too deeply",
        [long]: "1:1 the text has more than 1 MB"
      })
      yield* faults("toml", {
        [`a = ${deep("[", "]")}`]: "nested more than 100 levels deep",
        [`a = ${"[".repeat(40_000)}${"]".repeat(40_000)}`]: "nested too deeply",
        [`a${".a".repeat(150)} = 1`]: "nested more than 100 levels deep",
        [`a = ${long}`]: "1:1 the text has more than 1 MB"
      })
      yield* faults("yaml", {
        [deep("[", "]")]: "nested more than 100 levels deep",
        ["[".repeat(40_000)]: "1:",
        [anchors.join("\n")]: "the aliases stand for too many values",
        [`a: &x 1\nb: [${"*x,".repeat(20_000)}]`]: "2:",
        [`a: ${long}`]: "1:1 the text has more than 1 MB"
      })
    }), 20_000)

  it.effect("takes a text of tens of thousands of keys in linear time", () =>
    Effect.gen(function*() {
      const keys = Array.from({ length: 10_000 }, (_, index) => `k${index}`)
      const count = (root: JsonNode.JsonNode) => root.type === "object" ? root.members.length : 0
      assert.strictEqual(count(yield* treeOf(keys.map((key) => `${key} = 1`).join("\n"), "toml")), 10_000)
      assert.strictEqual(count(yield* treeOf(keys.map((key) => `${key}: 1`).join("\n"), "yaml")), 10_000)
    }), 20_000)
})
