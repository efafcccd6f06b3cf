import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ToolArguments } from "../src/index.ts"

const failure = (args: unknown): string => {
  const result = ToolArguments.parse("files_read", args)
  return Result.isFailure(result) ? result.failure.message : assert.fail("expected a failure")
}

describe("ToolArguments", () => {
  it("makes {} of missing, null and empty arguments (Decision 9, R57)", () => {
    for (const empty of [undefined, null, "", "  \n", {}, "{}", "null"]) {
      assert.deepStrictEqual(ToolArguments.parse("t", empty), Result.succeed({}))
    }
  })

  it.prop("reads the text of an object as that object (R58)", { args: Schema.JsonObject }, ({ args }) => {
    assert.deepStrictEqual(
      ToolArguments.parse("t", JSON.stringify(args)),
      Result.succeed(JSON.parse(JSON.stringify(args)))
    )
    return true
  })

  it("keeps an object as it is, its strings too (R58)", () => {
    const args = { path: "a", text: "{\"b\":1}", list: [null, 1] }
    assert.deepStrictEqual(ToolArguments.parse("t", args), Result.succeed(args))
  })

  it("says where the JSON goes wrong", () => {
    assert.include(failure("{\"path\": x}"), "bad arguments for files_read: not JSON at line 1, column 10")
    assert.include(failure("{\n  \"a\": 1,\n  \"b\" 2\n}"), "line 3, column 7")
    assert.include(failure("{\"a\": \"unfinished"), "line 1, column 7")
    assert.include(failure("{\"a\": 1"), "column 8: CloseBraceExpected, found the end")
  })

  it("refuses what is JSON only to a lenient reader", () => {
    for (const text of ["{\"a\": 1,}", "{/* */\"a\": 1}", "{a: 1}", "{'a': 1}", "{\"a\": 1} x", "// only"]) {
      assert.include(failure(text), "not JSON at line 1")
    }
  })

  it("says what it got in place of an object", () => {
    assert.include(failure("[1]"), "expected a JSON object, got an array")
    assert.include(failure("\"text\""), "got a string")
    assert.include(failure(7), "got a number")
    assert.include(failure(() => 1), "got a function")
    assert.include(failure({ at: 1n }), "got an object that is not JSON")
  })
})
