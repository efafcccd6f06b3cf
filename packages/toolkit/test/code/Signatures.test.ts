import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as ProgramNames from "../../src/code/ProgramNames.ts"
import * as Signatures from "../../src/code/Signatures.ts"

const tool = (
  server: string | null,
  raw: string,
  more: Partial<Signatures.Described> = {}
): Signatures.Described => ({
  name: server === null ? raw : `${server}_${raw}`,
  server,
  origin: { tool: raw },
  description: `Does ${raw}.`,
  inputSchema: { type: "object", properties: {} },
  ...more
})

const line = (inputSchema: Schema.JsonObject, outputSchema: Schema.Json = null) => {
  const one = tool("a", "b", { listed: { description: null, inputSchema, outputSchema } })
  return Signatures.listing([one], 2000)
}

const written = (...tools: ReadonlyArray<Signatures.Described>) =>
  ProgramNames.functions(tools).map(ProgramNames.written)

describe("Names of functions", () => {
  it("are the server's and the tool's where those are identifiers", () => {
    assert.deepStrictEqual(written(tool("files", "read"), tool("files", "delete"), tool(null, "view_file")), [
      "files.read",
      "files.delete",
      "tools.view_file"
    ])
  })

  it("are made of other letters without a clash, whatever else there is", () => {
    const [dashed, plain, spaced] = written(tool("a", "read-file"), tool("a", "read_file"), tool("my server", "1 x"))
    assert.match(dashed ?? "", /^a\.read_file_[0-9a-f]{8}$/)
    assert.deepStrictEqual([plain, spaced], ["a.read_file", "my_server._1_x"])
    assert.deepStrictEqual(written(tool("a", "read-file")), ["a.read_file"])
    const servers = written(
      tool("a-b", "x"),
      tool("a_b", "x"),
      tool("JSON", "x"),
      tool("console", "x"),
      tool("new", "x")
    )
    assert.lengthOf(new Set(servers), 5)
    assert.strictEqual(servers[1], "a_b.x")
    assert.match(servers.slice(2).join(), /^JSON_[0-9a-f]{8}\.x,console_[0-9a-f]{8}\.x,new_[0-9a-f]{8}\.x$/)
  })

  it.prop(
    "are distinct identifiers, the same in any order",
    { pairs: Arbitrary.array(Arbitrary.schema(Schema.Tuple([Schema.String, Schema.String])), { maxLength: 12 }) },
    ({ pairs }) => {
      const distinct = [...new Map(pairs.map((pair) => [JSON.stringify(pair), pair])).values()]
      const tools = distinct.map(([server, raw]) => tool(server, raw))
      const names = written(...tools)
      assert.lengthOf(new Set(names), tools.length)
      assert.isTrue(names.every((name) => name.split(".").every(ProgramNames.isIdentifier)), names.join(" "))
      assert.deepStrictEqual(written(...tools.toReversed()).toReversed(), names)
    }
  )
})

describe("A signature", () => {
  it("says arguments and result in TypeScript, with the first words of the tool", () => {
    const schema = {
      type: "object",
      properties: {
        path: { type: "string" },
        head: { type: ["integer", "null"] },
        "odd name": { enum: ["a", 1, null] },
        tags: { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
        at: { $ref: "#/$defs/place" },
        more: { type: "object", additionalProperties: { type: "boolean" } }
      },
      required: ["path"],
      $defs: { place: { type: "object", properties: { next: { $ref: "#/$defs/place" }, x: { type: "number" } } } }
    }
    const one = tool("files", "read", { inputSchema: schema, description: "Reads\n a file */ now." })
    assert.strictEqual(
      Signatures.listing([one], 2000),
      "files.read(args: { path: string; head?: number | null; \"odd name\"?: \"a\" | 1 | null; " +
        "tags?: Array<string | number>; at?: { next?: unknown; x?: number }; more?: Record<string, boolean> })" +
        ": Promise<unknown> // Reads a file * / now."
    )
  })

  it("takes no arguments where there are none, and knows the result where the server declares it", () => {
    assert.strictEqual(line({ type: "object", properties: {} }), "a.b(): Promise<unknown>")
    assert.strictEqual(line({ type: "object", additionalProperties: false }), "a.b(): Promise<unknown>")
    assert.strictEqual(
      line({ type: "object" }, { type: "object", properties: { n: { type: "number" } }, required: ["n"] }),
      "a.b(args?: Record<string, unknown>): Promise<{ n: number }>"
    )
  })

  it("tells all of a tool on demand: every description, and what a short line leaves out", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`property_${at}`, { type: "string", description: `What ${at} is.` }])
    )
    const one = tool("a", "wide", { inputSchema: { type: "object", properties } })
    const [of] = ProgramNames.functions([one])
    if (of === undefined) return assert.fail("no function")
    assert.strictEqual(
      Signatures.line(of, one),
      "a.wide(args?: Record<string, unknown>): Promise<unknown> // Does wide."
    )
    const whole = Signatures.whole(of, one)
    assert.include(whole, "/** What 59 is. */ property_59?: string")
    assert.isTrue(whole.startsWith("/** Does wide. */\na.wide(args?: {"))
  })

  const Json: Schema.Codec<Schema.Json> = Schema.Json

  it.prop(
    "is there for any schema, and short",
    { input: Arbitrary.schema(Schema.Record(Schema.String, Json)), output: Arbitrary.schema(Json) },
    ({ input, output }) => {
      const one = tool("a", "b", { listed: { description: "x", inputSchema: input, outputSchema: output } })
      const [of] = ProgramNames.functions([one])
      if (of === undefined) return assert.fail("no function")
      assert.isBelow(Signatures.line(of, one).length, 1000)
      assert.isBelow(Signatures.whole(of, one).length, 50_000)
    }
  )

  it("is there for a schema that refers to itself in many ways", () => {
    const names = Array.from({ length: 30 }, (_, at) => `t${at}`)
    const all = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]))
    const $defs = Object.fromEntries(names.map((name) => [name, { type: "object", properties: all }]))
    assert.isBelow(line({ type: "object", properties: all, $defs }).length, 1000)
  })
})

describe("A list of functions", () => {
  it("has room for some of every server, those first that are always loaded, and says how many more there are", () => {
    const many = Array.from({ length: 50 }, (_, at) => tool("many", `tool_${String(at).padStart(2, "0")}`))
    const tools = [...many, tool("few", "one"), { ...tool("many", "zz"), isAlwaysLoaded: true }]
    const text = Signatures.listing(tools, 160)
    assert.deepStrictEqual(text.split("\n"), [
      "few.one(): Promise<unknown> // Does one.",
      "many.tool_00(): Promise<unknown> // Does tool_00.",
      "many.zz(): Promise<unknown> // Does zz.",
      "// and 49 more"
    ])
    assert.strictEqual(Signatures.listing(tools.toReversed(), 160), text)
    assert.strictEqual(Signatures.listing([], 200), "")
  })
})
