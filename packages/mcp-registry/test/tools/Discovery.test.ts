import type { ServerConfig } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { config } from "../../../mcp-client/test/support/ServerConfigs.ts"
import * as ToolUi from "../../src/model/ToolUi.ts"
import * as Discovery from "../../src/tools/Discovery.ts"

const tool = (name: string, more: Schema.JsonObject = {}): Schema.JsonObject => ({
  name,
  inputSchema: { type: "object" },
  ...more
})

const judge = (
  listed: ReadonlyArray<Schema.JsonObject>,
  options: Partial<ServerConfig> = {},
  servers = ["files"],
  isTrusted = false
) => told(Discovery.judge(config(options), listed, servers, undefined, isTrusted))

/** Without what it was made from. */
const told = ({ listed: _listed, pins: _pins, servers: _servers, ...found }: Discovery.Discovered) => found

const rawNames = ({ tools }: Pick<Discovery.Discovered, "tools">) => tools.map(({ tool }) => tool)
const reasons = ({ rejected }: Pick<Discovery.Discovered, "rejected">) =>
  Object.fromEntries(rejected.map(({ reason, tool }) => [tool, reason]))

const first = ({ tools }: Pick<Discovery.Discovered, "tools">) => tools[0] ?? assert.fail("no tool was accepted")

const Listed = Schema.Union([
  Schema.JsonObject,
  Schema.Struct({
    name: Schema.Literals(["a", "b", "a.b", "a_b", ""]),
    inputSchema: Schema.Union([Schema.JsonObject, Schema.Null]),
    description: Schema.Json,
    annotations: Schema.Union([Schema.Struct({ readOnlyHint: Schema.Boolean }), Schema.Json])
  })
])

describe("Discovery.judge", () => {
  it("gives a tool its name, what the server wrote, and what its entry says", () => {
    const inputSchema = { type: "object", properties: { path: { type: "string" } }, "x-own": [1] }
    const outputSchema = { type: "object" }
    const annotations = { readOnlyHint: true, title: "Other" }
    const listed = tool("read file", { title: "Read", description: "Reads.", inputSchema, outputSchema, annotations })
    const { byName, ...rest } = judge([listed], { maxResultBytes: 99, results: "structured" })
    assert.deepStrictEqual([...byName.values()], rest.tools)
    assert.deepStrictEqual(rest, {
      tools: [{
        name: "files_read_file",
        server: "files",
        tool: "read file",
        title: "Read",
        description: "Reads.",
        inputSchema,
        outputSchema,
        annotations,
        class: "reads",
        isOpenWorld: false,
        target: null,
        tokens: 34,
        maxResultBytes: 99,
        prefersStructured: true,
        isAlwaysLoaded: false,
        needsApproval: false,
        isAsked: false,
        isOffered: false,
        isTrusted: false
      }],
      rejected: [],
      writers: [],
      appTools: [],
      classes: { reads: 1, undeclared: 0, writes: 0, destroys: 0 },
      remarks: [],
      undeclared: 0,
      asks: 0,
      tokens: 34,
      isTrusted: false,
      isMirrored: false
    })
  })

  it.prop(
    "judges every tool of any listing, and none twice (R8)",
    [Arbitrary.array(Arbitrary.schema(Listed), { maxLength: 8 })],
    ([listed]) => {
      const { rejected, tools } = judge(listed)
      assert.strictEqual(tools.length + rejected.length, listed.length)
      assert.strictEqual(new Set(tools.map(({ name }) => name)).size, tools.length)
      assert.deepStrictEqual(tools.map(({ name }) => name), tools.map(({ name }) => name).sort())
      return tools.every(({ annotations }) => annotations["readOnlyHint"] !== false)
    },
    { arbitrary: { runs: 150 } }
  )

  it("lets a malformed tool cost itself alone (R8)", () => {
    const found = judge([
      tool("a"),
      { inputSchema: {} },
      { name: 7, inputSchema: {} },
      { name: "", inputSchema: {} },
      { name: "no-schema" },
      tool("null-schema", { inputSchema: null }),
      tool("list-schema", { inputSchema: [] }),
      tool("text-schema", { inputSchema: "object" }),
      tool("b")
    ])
    assert.deepStrictEqual(rawNames(found), ["a", "b"])
    assert.deepStrictEqual(reasons(found), {
      "(tool 2)": "malformed: it has no name",
      "(tool 3)": "malformed: it has no name",
      "(tool 4)": "malformed: it has no name",
      "no-schema": "malformed: its inputSchema is not an object",
      "null-schema": "malformed: its inputSchema is not an object",
      "list-schema": "malformed: its inputSchema is not an object",
      "text-schema": "malformed: its inputSchema is not an object"
    })
  })

  it("accepts a tool whose other fields are null or of the wrong kind, without them (R8)", () => {
    const found = judge([
      tool("a", { annotations: null, description: null, title: null, outputSchema: null }),
      tool("b", { annotations: "x", description: 7, title: {}, outputSchema: [] })
    ])
    for (const { annotations, description, outputSchema, title } of found.tools) {
      assert.deepStrictEqual({ annotations, description, outputSchema, title }, {
        annotations: {},
        description: null,
        outputSchema: null,
        title: null
      })
    }
    assert.deepStrictEqual(rawNames(found), ["a", "b"])
  })

  it("rejects tools that declare themselves writers, and says so (Decision 2)", () => {
    const found = judge([
      tool("write", { annotations: { readOnlyHint: false } }),
      tool("old", { annotations: { readOnly: false } }),
      tool("read", { annotations: { readOnlyHint: true } })
    ])
    assert.deepStrictEqual(rawNames(found), ["read"])
    assert.match(reasons(found)["write"] ?? "", /^declares itself not read-only/)
    assert.match(reasons(found)["old"] ?? "", /^declares itself not read-only/)
  })

  it("keeps complete those that are rejected only because they write, with what offers them", () => {
    const listed = [
      tool("write", { annotations: { readOnlyHint: false, openWorldHint: true } }),
      tool("erase", { annotations: { destructiveHint: true } }),
      tool("write", { description: "again", annotations: { readOnlyHint: false } }),
      tool("task", { annotations: { readOnlyHint: false }, execution: { taskSupport: "required" } }),
      tool("dropped", { annotations: { readOnlyHint: false } }),
      { name: "bad", annotations: { readOnlyHint: false } },
      tool("read", { annotations: { readOnlyHint: true } }),
      tool("silent")
    ]
    const found = judge(listed, { tools: ["*", "!dropped"] }, ["files"], true)
    assert.deepStrictEqual(rawNames(found), ["read", "silent"])
    assert.deepStrictEqual(
      found.writers.map((one) => [one.name, one.class, one.isOpenWorld, one.needsApproval, one.isTrusted]),
      [["files_erase", "destroys", false, true, true], ["files_write", "writes", true, true, true]]
    )
    assert.deepStrictEqual(found.classes, { reads: 1, undeclared: 1, writes: 1, destroys: 1 })
    const hint = "boocode mcp writes files ask offers it, each call with your yes"
    assert.deepStrictEqual(found.rejected.map((left) => [left.tool, left.class, left.isWriter, left.hint]), [
      ["write", "writes", true, hint],
      ["erase", "destroys", true, hint],
      ["write", "writes", false, null],
      ["task", "writes", false, null],
      ["dropped", "writes", false, null],
      ["bad", "writes", false, null]
    ])
    const [left] = found.rejected
    assert.strictEqual(Discovery.whyLeft(left ?? assert.fail("none")).hint, hint)
  })

  it("keeps tools that are for apps alone from everybody else, and calls them all the same", () => {
    const forApps = (name: string, more: object = {}) => tool(name, { _meta: { ui: { visibility: ["app"] } }, ...more })
    const listed = [
      forApps("refresh", { annotations: { readOnlyHint: true } }),
      forApps("save", { annotations: { readOnlyHint: false } }),
      tool("both", { _meta: { ui: { visibility: ["model", "app"], resourceUri: "ui://a" } } }),
      tool("old", { _meta: { "ui/resourceUri": "ui://b" } }),
      tool("shown", { _meta: { ui: { visibility: ["model"] } } })
    ]
    const found = judge(listed)
    assert.deepStrictEqual(rawNames(found), ["both", "old", "shown"])
    assert.deepStrictEqual([found.writers, found.rejected], [[], []])
    assert.deepStrictEqual(found.appTools.map((one) => one.tool), ["refresh", "save"])
    assert.deepStrictEqual(
      [false, true].map((writes) => ["refresh", "save"].map((name) => Discovery.offers(found, name, writes))),
      [[true, false], [true, true]]
    )
    assert.deepStrictEqual(judge(listed, { writes: "off" }).appTools.map((one) => one.tool), ["refresh"])
    assert.deepStrictEqual(found.tools.map((one) => [ToolUi.of(one).resourceUri, ToolUi.of(one).isForApps]), [
      ["ui://a", true],
      ["ui://b", true],
      [null, false]
    ])
  })

  it("offers them where the entry says so, each with a person's yes, and keeps none where it says off", () => {
    const listed = [
      tool("write", { annotations: { readOnlyHint: false } }),
      tool("read", { annotations: { readOnlyHint: true } })
    ]
    const asked = judge(listed, { writes: "ask" })
    assert.deepStrictEqual(asked.tools.map(({ needsApproval, tool }) => [tool, needsApproval]), [
      ["read", false],
      ["write", true]
    ])
    assert.deepStrictEqual([asked.rejected, asked.writers, asked.asks], [[], [], 1])
    assert.deepStrictEqual(asked.classes, { reads: 1, undeclared: 0, writes: 1, destroys: 0 })
    const off = judge(listed, { writes: "off" })
    assert.deepStrictEqual([rawNames(off), off.writers], [["read"], []])
    assert.deepStrictEqual(off.rejected.map(({ isWriter }) => isWriter), [true])
  })

  it("goes by what the entry says of classes, and lowers none for a project", () => {
    const listed = [
      tool("says_reads", { annotations: { readOnlyHint: true } }),
      tool("says_writes", { annotations: { readOnlyHint: false } })
    ]
    assert.deepStrictEqual(rawNames(judge(listed, { trustAnnotations: false })), [])
    const classes = { says_reads: "writes", says_writes: "reads" } as const
    assert.deepStrictEqual(rawNames(judge(listed, { classes }, ["files"], true)), ["says_writes"])
    const project = judge(listed, { classes })
    assert.deepStrictEqual(rawNames(project), [])
    assert.deepStrictEqual(project.remarks, [
      "a project file may not call says_writes \"reads\", which is less than \"writes\""
    ])
    assert.match(
      project.rejected[0]?.hint ?? "",
      /^a project file cannot offer it: write the entry into a file of your own/
    )
  })

  it("rejects tools that only run as tasks, and no others that know tasks (Decision 2)", () => {
    const found = judge([
      tool("long", { execution: { taskSupport: "required" } }),
      tool("both", { execution: { taskSupport: "optional" } }),
      tool("never", { execution: { taskSupport: "forbidden" } }),
      tool("odd", { execution: "required" })
    ])
    assert.deepStrictEqual(rawNames(found), ["both", "never", "odd"])
    assert.match(reasons(found)["long"] ?? "", /^runs as a task only .*does not support/)
  })

  it("accepts tools without annotations and counts them as undeclared, the rejected left out (Decision 2)", () => {
    const found = judge([
      tool("a"),
      tool("b", { annotations: { title: "B" } }),
      tool("c", { annotations: { readOnlyHint: true } }),
      tool("d", { annotations: { readOnlyHint: false } }),
      tool("e"),
      { name: "f" }
    ], { tools: ["*", "!e"] })
    assert.deepStrictEqual(rawNames(found), ["a", "b", "c"])
    assert.strictEqual(found.undeclared, 2)
  })

  it("keeps the first of tools that are listed more than once (R54)", () => {
    const found = judge([tool("a", { description: "first" }), tool("a", { description: "second" })])
    assert.deepStrictEqual(found.tools.map(({ description }) => description), ["first"])
    assert.deepStrictEqual(reasons(found), { a: "listed more than once; the first one is kept" })
  })

  it("does not let a tool that was left out come back as another one of its name (R54)", () => {
    const found = judge([
      tool("a", { annotations: { readOnlyHint: false } }),
      tool("a", { annotations: { readOnlyHint: true } }),
      tool("b")
    ])
    assert.deepStrictEqual(rawNames(found), ["b"])
    assert.deepStrictEqual(found.rejected.map(({ reason }) => reason), [
      "declares itself not read-only (readOnlyHint is false)",
      "listed more than once; the first one is kept"
    ])
  })

  it("does not let a malformed tool take the place of a good one of its name (R8)", () => {
    assert.deepStrictEqual(rawNames(judge([{ name: "a" }, tool("a")])), ["a"])
  })

  it("leaves out what `tools` of the entry does not allow, by raw names (Decision 3, R50)", () => {
    const listed = [tool("read_file"), tool("read_dir"), tool("find")]
    const found = judge(listed, { tools: ["read_*", "!*_dir", "files_find"] })
    assert.deepStrictEqual(rawNames(found), ["read_file"])
    assert.deepStrictEqual(reasons(found), {
      read_dir: "left out by \"tools\" of the entry",
      find: "left out by \"tools\" of the entry"
    })
    assert.lengthOf(judge(listed, { tools: [] }).tools, 0)
    assert.lengthOf(judge(listed, { tools: null }).tools, 3)
  })

  it("lists what `ask` of the entry names as tools that need a yes, by raw names", () => {
    const found = judge([tool("read"), tool("send"), tool("send_all")], { ask: ["send*", "!send_all", "files_read"] })
    assert.deepStrictEqual(found.tools.map(({ needsApproval, tool }) => [tool, needsApproval]), [
      ["read", false],
      ["send", true],
      ["send_all", false]
    ])
    assert.deepStrictEqual([found.asks, found.rejected], [1, []])
    assert.strictEqual(judge([tool("read"), tool("send")], { ask: ["*"] }).asks, 2)
  })

  it("R73: asks also about a tool that calls itself harmless", () => {
    const harmless = tool("send", { annotations: { readOnlyHint: true, destructiveHint: false, readOnly: true } })
    for (const isTrusted of [false, true]) {
      const { tools } = Discovery.judge(
        config({ ask: ["*"] }),
        [harmless, tool("silent")],
        ["files"],
        undefined,
        isTrusted
      )
      assert.deepStrictEqual(tools.map(({ needsApproval }) => needsApproval), [true, true])
    }
  })

  it("names the weightier reason where several hold", () => {
    const writer = tool("a", { annotations: { readOnlyHint: false } })
    assert.match(reasons(judge([writer], { tools: [], ask: ["*"] }))["a"] ?? "", /^declares itself/)
  })

  it("sorts by name, whatever the order of the server (Decision 1, R51)", () => {
    const listed = [tool("b"), tool("B"), tool("a-1"), tool("a1"), tool("_")]
    const names = judge(listed).tools.map(({ name }) => name)
    assert.deepStrictEqual(names, ["files_B", "files__", "files_a-1", "files_a1", "files_b"])
    assert.deepStrictEqual(judge(listed.toReversed()), judge(listed))
  })

  it("names tools with regard to all configured servers (Decision 1)", () => {
    const found = judge([tool("b_x"), tool("x")], { name: "a" }, ["a", "a_b"])
    assert.match(found.tools[0]?.name ?? "", /^a_b_x_[0-9a-f]{8}$/)
    assert.strictEqual(found.tools[1]?.name, "a_x")
  })

  it("takes the title of the annotations when a tool has none of its own", () => {
    assert.strictEqual(first(judge([tool("a", { annotations: { title: "A" } })])).title, "A")
    assert.strictEqual(first(judge([tool("a", { title: "T", annotations: { title: "A" } })])).title, "T")
  })

  it("removes terminal escapes from titles and descriptions (R100)", () => {
    const found = first(
      judge([tool("a", { title: "\u001b[31mred\u001b[0m", description: "x\u0007\u001b]0;t\u0007y\n z" })])
    )
    assert.strictEqual(found.title, "red")
    assert.strictEqual(found.description, "xy\n z")
  })

  it("estimates a quarter of the definition's characters as tokens", () => {
    const description = "d".repeat(400)
    const { inputSchema, name, tokens } = first(judge([tool("a", { description, outputSchema: { x: description } })]))
    assert.strictEqual(tokens, Math.ceil(JSON.stringify({ name, description, inputSchema }).length / 4))
    assert.isAbove(tokens, 100)
    assert.isBelow(tokens, 130)
  })

  it("counts what a model reads of a description, not how it is written down", () => {
    const tokens = (description: string) => first(judge([tool("a", { description })])).tokens
    assert.strictEqual(tokens("\n".repeat(400)), tokens("d".repeat(400)))
  })

  it("leaves out a tool that is nested too deep to be written, and keeps the others (R8, R37)", () => {
    let inputSchema: Schema.JsonObject = {}
    for (let level = 0; level < 100_000; level++) inputSchema = { items: inputSchema }
    const found = judge([
      tool("a"),
      tool("deep", { inputSchema }),
      tool("hints", { annotations: { inputSchema } }),
      { name: "none" },
      tool("b")
    ])
    assert.deepStrictEqual(rawNames(found), ["a", "b"])
    const why = "malformed: it is nested too deep, or a number in it is too large to be sent on"
    assert.deepStrictEqual(reasons(found), {
      deep: why,
      hints: why,
      none: "malformed: its inputSchema is not an object"
    })
  })

  it("finds nothing in nothing", () => {
    assert.deepStrictEqual(judge([]), told(Discovery.NOTHING))
  })
})

describe("Discovery.among", () => {
  const listed = [tool("b_read"), tool("write", { annotations: { readOnlyHint: false } })]

  it("gives tools the names they have among other servers, rejected ones too", () => {
    const alone = Discovery.judge(config(), listed, ["files"])
    const names = ["files", "files_b"]
    const crowded = Discovery.among(alone, config(), names)
    assert.deepStrictEqual(crowded, Discovery.judge(config(), listed, names))
    assert.notStrictEqual(crowded.tools[0]?.name, "files_b_read")
    assert.deepStrictEqual(Discovery.among(crowded, config(), ["files"]), alone)
  })

  it("leaves everything as it is among the same servers", () => {
    const found = Discovery.judge(config(), listed, ["files"])
    assert.strictEqual(Discovery.among(found, config(), ["files"]), found)
    assert.strictEqual(Discovery.among(Discovery.NOTHING, config(), ["a"]), Discovery.NOTHING)
  })
})
