import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ArgumentHeaders from "../../../../mcp-client/src/rpc/ArgumentHeaders.ts"
import type { McpRegistry } from "../../../src/index.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

type Json = Schema.JsonObject

const named = (header: Schema.Json, type = "string"): Json => ({ type, "x-mcp-header": header })
const schema = (properties: Json, more: Json = {}): Json => ({ type: "object", properties, ...more })

/** Why the declaration is none, or the headers of a call. */
const of = (inputSchema: Json, args: Json = {}) =>
  Result.match(ArgumentHeaders.declarationsOf(inputSchema), {
    onFailure: (why) => why,
    onSuccess: (declarations) => ArgumentHeaders.headersOf(declarations, args)
  })

const decode = (value: string): string => {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? []
  return encoded === undefined ? value : Buffer.from(encoded, "base64").toString("utf8")
}

describe("ParamHeaders", () => {
  it("puts texts, integers and booleans into their headers, at any depth, and leaves out what is null or absent", () => {
    const declared = schema({
      region: named("Region"),
      limit: named("Limit", "integer"),
      dry: named("Dry", "boolean"),
      where: schema({ table: named("Table") }),
      free: { type: "string" }
    })
    assert.deepStrictEqual(of(declared, { region: "eu", limit: 0, dry: false, where: { table: "t" }, free: "x" }), {
      "Mcp-Param-Region": "eu",
      "Mcp-Param-Limit": "0",
      "Mcp-Param-Dry": "false",
      "Mcp-Param-Table": "t"
    })
    assert.deepStrictEqual(of(declared, { region: null, limit: 2 ** 60, dry: [true], where: 7 }), {})
  })

  it("encodes what a header would not carry as it is", () => {
    const value = (text: string) => Object.values(of(schema({ a: named("A") }), { a: text }))[0]
    assert.deepStrictEqual(["us west", "a\tb", "~!"].map(value), ["us west", "a\tb", "~!"])
    assert.strictEqual(value("Hello, 世界"), "=?base64?SGVsbG8sIOS4lueVjA==?=")
    assert.strictEqual(value(""), "=?base64??=")
    assert.strictEqual(value(" a"), "=?base64?IGE=?=")
    assert.strictEqual(value("=?base64?YQ==?="), "=?base64?PT9iYXNlNjQ/WVE9PT89?=")
  })

  it.prop("carries every text so that it can be told again, in a header that fetch takes", [
    Arbitrary.schema(Schema.String)
  ], ([text]) => {
    const whole = text.toWellFormed()
    const [value = ""] = Object.values(of(schema({ a: named("A") }), { a: whole }))
    assert.strictEqual(decode(new Headers({ a: value }).get("a") ?? ""), whole)
  })

  it("says what is wrong with a declaration", () => {
    const wrong: ReadonlyArray<readonly [Json, RegExp]> = [
      [schema({ a: named("") }), /is no name of a header \(a\)/],
      [schema({ a: named(7) }), /is no name of a header/],
      [schema({ a: named("a b") }), /is no name of a header/],
      [schema({ a: named("a:b") }), /is no name of a header/],
      [schema({ a: named("a\r\nX: y") }), /is no name of a header/],
      [schema({ a: named("ä") }), /is no name of a header/],
      [schema({ a: named("A", "number") }), /only a string, an integer or a boolean/],
      [schema({ a: named("A", "object") }), /only a string, an integer or a boolean/],
      [schema({ a: { "x-mcp-header": "A" } }), /only a string, an integer or a boolean/],
      [schema({ a: named("A"), b: schema({ c: named("a") }) }), /declared twice/],
      [schema({ a: { type: "array", items: named("A") } }), /reached by properties alone .*\(a\.items\)/],
      [schema({}, { anyOf: [schema({ a: named("A") })] }), /reached by properties alone/],
      [schema({}, { $defs: { a: named("A") } }), /reached by properties alone/],
      [{ ...schema({}), "x-mcp-header": "A" }, /the whole schema/]
    ]
    for (const [declared, why] of wrong) assert.match(String(of(declared)), why)
    // A word of that name that declares nothing.
    assert.deepStrictEqual(
      of(schema({ "x-mcp-header": { type: "string" } }, { examples: [{ "x-mcp-header": 1 }] })),
      {}
    )
  })

  it("looks through a schema that is nested ten thousand levels deep", () => {
    let deep: Json = named("A")
    for (let level = 0; level < 10_000; level++) deep = schema({ a: deep })
    assert.isTrue(Result.isSuccess(ArgumentHeaders.declarationsOf(deep)))
  })
})

/** A server of revision 2026-07-28 over HTTP whose tools change; `refuse` says why a call is refused. */
const site = (tools: () => ReadonlyArray<Json>, refuse: (headers: Headers) => boolean = () => false) =>
  ScriptedWeb.server((seen) => {
    const give = (value: Json) => ScriptedWeb.json(ScriptedWeb.result(seen, { resultType: "complete", ...value }))
    switch (seen.method) {
      case "server/discover":
        return give({
          supportedVersions: ["2026-07-28"],
          capabilities: { tools: {} },
          serverInfo: { name: "w", version: "1" }
        })
      case "tools/list":
        return give({ tools: tools() })
      case "tools/call": {
        if (!refuse(seen.headers)) return give(ScriptedWeb.text("done"))
        const error = { code: -32020, message: "Header mismatch" }
        const body = JSON.stringify({ jsonrpc: "2.0", id: seen.message?.["id"] ?? null, error })
        return new Response(body, { status: 400, headers: { "content-type": "application/json" } })
      }
      default:
        return undefined
    }
  })

const tool = (name: string, inputSchema: Json): Json => ({ name, inputSchema })
const rejections = (registry: McpRegistry["Service"]) =>
  Effect.map(
    Effect.orDie(registry.server("web")),
    ({ rejected }) => rejected.map(({ reason, tool }) => `${tool}: ${reason}`)
  )

describe("Calls over HTTP since 2026-07-28", () => {
  it.effect("carry the headers that their tools ask for, and a tool that asks wrongly is rejected with the reason", () =>
    Effect.gen(function*() {
      const tools = [tool("good", schema({ region: named("Region") })), tool("bad", schema({ a: named("a b") }))]
      const { fetch, of } = yield* site(() => tools)
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          assert.isFalse((yield* registry.call("web_good", { region: "eu" })).isError)
          assert.deepStrictEqual(yield* rejections(registry), [
            "bad: its x-mcp-header is invalid: it is no name of a header (a)"
          ])
          yield* registry.refresh("web")
          assert.lengthOf(yield* rejections(registry), 1)
        }))
      const [call] = of("tools/call")
      assert.deepStrictEqual(
        ["mcp-param-region", "mcp-method", "mcp-name"].map((name) => call?.headers.get(name)),
        ["eu", "tools/call", "good"]
      )
    }))

  it.effect("are sent once more, after listing, where the server refuses them for their headers; never twice", () =>
    Effect.gen(function*() {
      let header = "Old"
      const { fetch, of } = yield* site(
        () => [tool("good", schema({ region: named(header) }))],
        (headers) => !headers.has("mcp-param-new")
      )
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          const refused = yield* registry.call("web_good", { region: "eu" })
          assert.isTrue(refused.isError)
          assert.lengthOf(of("tools/call"), 2)
          header = "New"
          assert.isFalse((yield* registry.call("web_good", { region: "eu" })).isError)
          assert.lengthOf(of("tools/call"), 4)
          assert.isFalse((yield* registry.call("web_good", { region: "eu" })).isError)
          assert.lengthOf(of("tools/call"), 5)
        }))
    }))

  it.effect("know no such headers in older revisions", () =>
    Effect.gen(function*() {
      const { fetch, of } = yield* ScriptedWeb.server((seen) =>
        seen.method === "tools/list"
          ? ScriptedWeb.json(
            ScriptedWeb.result(seen, { tools: [tool("odd", schema({ a: named("a b"), b: named("B") }))] })
          )
          : undefined
      )
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          assert.isFalse((yield* registry.call("web_odd", { b: "x" })).isError)
          assert.isFalse(of("tools/call")[0]?.headers.has("mcp-param-b"))
        }))
    }))
})
