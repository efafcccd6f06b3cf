import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Environment, Snippet } from "../../src/index.ts"

const parse = (text: string) =>
  Snippet.parse(text, "/p/.mcp.json").pipe(Effect.provide(Layer.merge(Path.layer, Environment.layer({}))))

const FILES = ["files", { command: "npx", args: ["-y", "x"] }] as const

describe("Snippet", () => {
  it.effect("reads servers with and without mcpServers, and without the outermost braces", () =>
    Effect.gen(function*() {
      const inner = "\"files\": { \"command\": \"npx\", /* how */ \"args\": [\"-y\", \"x\"], }"
      const texts = [`{ "mcpServers": { ${inner} } }`, `{ ${inner} }`, inner, `${inner},`, `"mcpServers": { ${inner} }`]
      for (const text of texts) {
        assert.deepStrictEqual(yield* parse(text), { servers: [FILES], notes: [], shape: "native" }, text)
      }
    }))

  it.effect("reads one entry alone, which has no name", () =>
    Effect.gen(function*() {
      const entry = { url: "https://x.example/mcp", headers: { A: "b" }, anything: null }
      assert.deepStrictEqual((yield* parse(JSON.stringify(entry))).servers, [[null, entry]])
      assert.deepStrictEqual((yield* parse("\"command\": \"npx\" // how")).servers, [[null, { command: "npx" }]])
    }))

  it.effect("keeps the order, and of a name written twice the last", () =>
    Effect.gen(function*() {
      const { servers } = yield* parse("{ \"b\": {}, \"a\": { \"url\": \"1\" }, \"a\": { \"url\": \"2\" } }")
      assert.deepStrictEqual(servers, [["b", {}], ["a", { url: "2" }]])
    }))

  it.effect("turns what another application writes into native entries, and says what has no place here", () =>
    Effect.gen(function*() {
      const vscode = yield* parse(JSON.stringify({
        inputs: [{ type: "promptString", id: "api-key", password: true }],
        servers: { gh: { type: "stdio", command: "npx", env: { KEY: "${input:api-key}", HOME: "${env:HOME}" } } }
      }))
      assert.match(JSON.stringify(vscode.servers), /"KEY":"\$\{\w*API_KEY\}","HOME":"\$\{HOME\}"/)
      assert.include(vscode.notes.join(), "API_KEY")
      const opencode = yield* parse(JSON.stringify({ mcp: { gh: { type: "local", command: ["npx", "-y", "x"] } } }))
      assert.deepInclude(opencode.servers[0]?.[1], { command: "npx", args: ["-y", "x"] })
      const gemini = yield* parse(JSON.stringify({ httpUrl: "https://x.example/mcp" }))
      assert.deepInclude(gemini.servers[0]?.[1], { url: "https://x.example/mcp" })
      assert.strictEqual(gemini.servers[0]?.[0], null)
      const roo = yield* parse(JSON.stringify({ mcpServers: { a: { command: "x", alwaysAllow: ["read"] } } }))
      assert.notProperty(roo.servers[0]?.[1], "alwaysAllow")
    }))

  it.effect("does not take an unknown wrapper for a server", () =>
    Effect.gen(function*() {
      const fault = yield* Effect.flip(parse("{ \"tool_servers\": { \"a\": { \"command\": \"x\" } } }"))
      assert.deepStrictEqual(fault, {
        line: 1,
        column: 3,
        detail: "\"tool_servers\" is how another application writes its servers"
      })
    }))

  it.effect("says what is wrong and where, in the text as it was given (R66)", () =>
    Effect.gen(function*() {
      const cases = [
        ["", 1, 1, "there is no server in it"],
        ["{\n  \"a\": { \"command\" \"x\" }\n}", 2, 20, "expected a colon"],
        ["npx -y x", 1, 1, "this is not JSON"],
        ["[]", 1, 1, "expected an object of servers by name, or one entry"],
        ["{}", 1, 1, "there is no server in it"],
        ["{ \"mcpServers\": [] }", 1, 17, "expected an object of servers by name"],
        ["{ \"mcpServers\": { \"a\": \"x\" } }", 1, 24, "expected an entry"]
      ] as const
      for (const [text, line, column, detail] of cases) {
        const found = yield* Effect.flip(parse(text))
        assert.deepStrictEqual([found.line, found.column], [line, column], text)
        assert.include(found.detail, detail)
      }
    }))

  it.effect.prop(
    "gives a value or a place, whatever the text is",
    [Schema.String, Schema.Json],
    ([text, json]) =>
      Effect.gen(function*() {
        for (
          const written of [text, `{${text}}`, JSON.stringify(json), JSON.stringify({ a: json, servers: { b: json } })]
        ) {
          const result = yield* Effect.result(parse(written))
          if (Result.isFailure(result)) assert.isAtLeast(result.failure.line, 1)
        }
      }),
    { arbitrary: { runs: 100 } }
  )
})
