import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Configuration, McpConfig } from "../../src/index.ts"
import { configurationOf, configurationOfText, type Files } from "../support/Files.ts"

const broken = (configuration: Configuration): string => configuration.sources[0]?.error?.message ?? "read"
const names = (configuration: Configuration) => configuration.servers.map((server) => server.name)

const VALID = `{
  // a comment
  "mcpServers": {
    "files": { "type": "stdio", "command": "mcp-files", "args": ["--root", "/w"], "env": { "A": "b" } },
    "web": { "url": "https://x.example/mcp", "headers": { "X-Key": "\${KEY:-none}" }, "timeout": "30 seconds" }
  }
}
`

describe("ConfigFile", () => {
  it.effect("accepts comments, trailing commas and a byte order mark", () =>
    Effect.gen(function*() {
      const text = "\uFEFF{ /* one */ \"mcpServers\": { \"a\": { \"command\": \"x\", }, }, // two\n }"
      const configuration = yield* configurationOfText(text)
      assert.deepStrictEqual(names(configuration), ["a"])
      assert.strictEqual(broken(configuration), "read")
    }))

  it.effect("says file, line and column of what is not JSON, and has no servers (R66)", () =>
    Effect.gen(function*() {
      const cases = [
        ["{\n  \"mcpServers\": {\n    \"a\": { \"command\": \"x\" \"args\": [] }\n  }\n}", "3:27: expected a comma"],
        ["{\r\n  \"mcpServers\" {}\r\n}", "2:16: expected a colon after the key"],
        ["{ \"mcpServers\": { 'a': {} } }", "1:19: this is not JSON (text needs double quotes)"],
        ["{ \"mcpServers\": { \"a\": {} }", "1:28: expected a closing }"],
        ["{ \"mcpServers\": { \"a\": \"x } }", "1:24: a text is not closed"],
        ["{} {}", "1:4: expected the end of the text"]
      ] as const
      for (const [text, message] of cases) {
        const configuration = yield* configurationOfText(text)
        assert.strictEqual(broken(configuration), `/data/mcp.json:${message}`)
        assert.deepStrictEqual(names(configuration), [])
        assert.strictEqual(configuration.sources[0]?.state, "invalid")
      }
    }))

  it.effect("says that an empty file is empty, at its start (R66)", () =>
    Effect.gen(function*() {
      for (const text of ["", " \n\t", "\uFEFF"]) {
        assert.strictEqual(broken(yield* configurationOfText(text)), "/data/mcp.json:1:1: the file is empty")
      }
    }))

  it.effect("refuses a top level that is no object, and mcpServers that is none, where they stand (R66)", () =>
    Effect.gen(function*() {
      assert.include(broken(yield* configurationOfText("\n  []")), "/data/mcp.json:2:3: expected an object")
      assert.include(
        broken(yield* configurationOfText("{\n\"mcpServers\": []}")),
        "/data/mcp.json:2:15: \"mcpServers\" must"
      )
      assert.include(broken(yield* configurationOfText("{\"mcpServers\": null}")), "1:16")
    }))

  it.effect("warns when there is no mcpServers, and names the key that may have been meant (R66)", () =>
    Effect.gen(function*() {
      const none = yield* configurationOfText("{}")
      assert.deepStrictEqual(names(none), [])
      assert.include(none.warnings.join(), "no mcpServers")
      const other = yield* configurationOfText("{ \"mcpServer\": { \"a\": { \"command\": \"x\" } } }")
      assert.include(other.warnings.join(), "\"mcpServer\" is not read")
    }))

  it.effect("lets the last of two entries of one name count, and warns (R66)", () =>
    Effect.gen(function*() {
      const text = "{\"mcpServers\": {\n\"a\": {\"command\": \"x\"},\n\"a\": {\"url\": \"https://x\"}}}"
      const [server, ...others] = (yield* configurationOfText(text)).servers
      assert.deepStrictEqual(others, [])
      assert.strictEqual(server?.transport, "streamableHttp")
      assert.include(server?.warnings.join(), "/data/mcp.json:3:1: mcpServers.a: this name is written more than once")
    }))

  it.effect("reads nothing but an ordinary file of at most 1 MB, so that no device or pipe is waited for", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [Files[string], string]> = [
        [{ type: "device" }, "this is not an ordinary file"],
        [{ type: "folder" }, "this is a folder, not a file"],
        [" ".repeat(1_048_577), "the file has more than 1 MB"]
      ]
      for (const [file, detail] of cases) {
        const reads: Array<string> = []
        const configuration = yield* configurationOf(
          McpConfig.layerScopes({
            dataFile: null,
            projectFrom: "/repo",
            home: null
          }),
          { "/repo/.git/HEAD": "", "/repo/.mcp.json": file },
          {},
          reads
        )
        assert.strictEqual(broken(configuration), `/repo/.mcp.json: ${detail}`)
        assert.notInclude(reads, "/repo/.mcp.json")
      }
    }))

  it.effect("says that a file may not be read, in words", () =>
    Effect.gen(function*() {
      const configuration = yield* configurationOf(McpConfig.layerFile("/data/mcp.json"), {
        "/data/mcp.json": { type: "forbidden" }
      })
      assert.strictEqual(broken(configuration), "/data/mcp.json: the file may not be read")
    }))

  it.effect("keeps a text nested a hundred thousand levels deep from doing harm", () =>
    Effect.gen(function*() {
      const configuration = yield* configurationOfText("[".repeat(100_000))
      assert.match(broken(configuration), /^\/data\/mcp\.json:\d+:\d+: /)
    }))

  it.effect.prop("gives a value, or an error with a place, whatever a valid file is changed to (R66)", [
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: VALID.length })),
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 })),
    Schema.String.check(Schema.isPattern(/^[{}[\]",:\\a0 \n$/-]{0,3}$/))
  ], ([at, cut, put]) =>
    Effect.gen(function*() {
      const text = VALID.slice(0, at) + put + VALID.slice(at + cut)
      const configuration = yield* configurationOfText(text)
      const [source] = configuration.sources
      assert.isTrue(source?.state === "read" || (source?.error?.line ?? 0) > 0)
      assert.isAtMost(source?.error?.line ?? 0, text.split("\n").length)
    }), { arbitrary: { runs: 100 } })

  it.effect.prop(
    "never dies of a JSON value, whatever it is",
    [Schema.Json, Schema.Json],
    ([root, entry]) =>
      Effect.gen(function*() {
        yield* configurationOfText(JSON.stringify(root))
        yield* configurationOfText(JSON.stringify({ mcpServers: root }))
        yield* configurationOfText(JSON.stringify({ mcpServers: { a: entry, b: { command: entry, env: root } } }))
        yield* configurationOfText(JSON.stringify({ mcpServers: { a: { url: entry, headers: root, timeout: entry } } }))
      }),
    { arbitrary: { runs: 100 } }
  )
})
