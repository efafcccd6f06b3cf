import { assert, describe, it } from "@effect/vitest"
import type { McpTool } from "../../src/model/McpTool.ts"
import * as ToolView from "../../src/tools/ToolView.ts"

const tool = (name: string): McpTool => ({
  name,
  server: "files",
  tool: name,
  title: null,
  description: null,
  inputSchema: {},
  outputSchema: null,
  annotations: {},
  class: "undeclared",
  isOpenWorld: false,
  target: null,
  tokens: 1,
  maxResultBytes: 1,
  isAlwaysLoaded: false,
  needsApproval: false,
  isTrusted: true
})

const ALL = ["ctx_docs", "ctx_find", "files_find", "files_list", "files_read_file"].map(tool)

const view = (patterns: ReadonlyArray<string> | undefined, own: ReadonlyArray<string> = []) =>
  ToolView.make(ALL, patterns, own)

const names = (patterns: ReadonlyArray<string> | undefined) => view(patterns).tools.map(({ name }) => name)
const warnings = (patterns: ReadonlyArray<string>, own: ReadonlyArray<string> = []) => view(patterns, own).warnings

describe("ToolView", () => {
  it("selects everything without patterns, and nothing with none", () => {
    assert.deepStrictEqual(view(undefined), { tools: ALL, warnings: [] })
    assert.deepStrictEqual(view([]), { tools: [], warnings: [] })
  })

  it("selects by patterns in order, the last that matches deciding, and keeps the order of the tools (Decision 3)", () => {
    assert.deepStrictEqual(names(["files_*", "ctx_docs"]), ["ctx_docs", "files_find", "files_list", "files_read_file"])
    assert.deepStrictEqual(names(["*", "!files_*"]), ["ctx_docs", "ctx_find"])
    assert.deepStrictEqual(names(["*", "!files_*", "files_list"]), ["ctx_docs", "ctx_find", "files_list"])
    assert.deepStrictEqual(names(["*_find", "!*", "ctx_*"]), ["ctx_docs", "ctx_find"])
  })

  it("warns of an exact name that nobody has, with the nearest ones, and selects the rest (Decision 3)", () => {
    assert.deepStrictEqual(warnings(["files_red_file"]), [
      "no tool is called files_red_file; did you mean files_read_file?"
    ])
    assert.deepStrictEqual(names(["files_red_file", "ctx_*"]), ["ctx_docs", "ctx_find"])
    assert.deepStrictEqual(warnings(["find"]), ["no tool is called find; did you mean ctx_find, files_find?"])
    assert.deepStrictEqual(warnings(["zzzzzzzzzzzzzzz"]), ["no tool is called zzzzzzzzzzzzzzz"])
  })

  it("warns of each stray name once, however often it is written", () => {
    assert.deepStrictEqual(warnings(["qqqqqq", "*", "qqqqqq"]), ["no tool is called qqqqqq"])
  })

  it("warns neither of patterns that match nothing, nor of denials, for their server may be down (Decision 3)", () => {
    assert.deepStrictEqual(warnings(["web_*", "*", "!gone_tool", "ctx_docs"]), [])
  })

  it("knows the names of tools that exist elsewhere (Decision 3)", () => {
    assert.deepStrictEqual(warnings(["view_file", "grep"], ["view_file", "grep"]), [])
    assert.deepStrictEqual(warnings(["view_fil"], ["view_file"]), [
      "no tool is called view_fil; did you mean view_file?"
    ])
    assert.deepStrictEqual(view(["view_file"], ["view_file"]).tools, [])
  })

  it("says that a list of denials alone selects nothing, and to put * first (Decision 3)", () => {
    assert.deepStrictEqual(names(["!ctx_*"]), [])
    assert.deepStrictEqual(warnings(["!ctx_*", "!files_list"]), [
      "the patterns only deny, so they select nothing; put * first to begin with every tool"
    ])
    assert.deepStrictEqual(warnings(["*", "!ctx_*"]), [])
  })

  it("keeps what was selected from a list, and selects anew from another one, by other patterns, or with other names", () => {
    const select = ToolView.keeping<McpTool>()
    const first = select(ALL, ["files_*"], [])
    assert.deepStrictEqual(first, view(["files_*"]))
    assert.strictEqual(select(ALL, ["files_*"], []), first)
    assert.deepStrictEqual(select(ALL, ["ctx_*"], []), view(["ctx_*"]))
    assert.deepStrictEqual(select(ALL, ["grep"], []), view(["grep"]))
    assert.deepStrictEqual(select(ALL, ["grep"], ["grep"]).warnings, [])
    const fewer = ALL.slice(0, 3)
    assert.deepStrictEqual(select(fewer, ["files_*"], []).tools, fewer.slice(2))
    assert.deepStrictEqual(select(ALL, ["files_*"], []), first)
  })
})
