import { assert, describe, it } from "@effect/vitest"
import * as LineCompletion from "../../src/chat/LineCompletion.ts"

const names = {
  agents: ["Assistant", "Analyst"],
  models: ["openai/gpt-5", "openai/gpt-5-mini"],
  tools: ["files_read", "files_list"]
}

const of = (line: string) => LineCompletion.of(line, names)

describe("LineCompletion", () => {
  it("knows commands and tools behind a slash, and agents behind an at sign", () => {
    assert.deepStrictEqual(of("/mo"), ["/model"])
    assert.deepStrictEqual(of("/files_"), ["/files_read", "/files_list"])
    assert.deepStrictEqual(of("@A"), ["@Assistant", "@Analyst"])
    assert.includeMembers([...of("/")], ["/help", "/cost", "/clear", "/exit", "/files_read"])
    assert.notInclude(of("/"), "/stop")
  })

  it("knows what may follow a command", () => {
    assert.deepStrictEqual(of("/agent An"), ["/agent Analyst"])
    assert.deepStrictEqual(of("/model openai/gpt-5-"), ["/model openai/gpt-5-mini"])
    assert.deepStrictEqual(of("/export "), ["/export markdown", "/export json"])
  })

  it("leaves other text alone", () => {
    for (const line of ["", "hello", "/files_read", "what is /mo"]) assert.deepStrictEqual(of(line), [])
  })
})
