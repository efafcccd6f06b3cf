import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { ConfigShape } from "../../src/Exchange.ts"
import { type ConfiguredServer, McpConfig } from "../../src/index.ts"
import * as JsonNode from "../../src/text/JsonNode.ts"
import { configurationOf } from "../support/Files.ts"
import { sampleOf, SAMPLES } from "../support/Samples.ts"
import { contextOf } from "../support/Shaped.ts"

const shapeOf = (value: unknown, isBare = false) => ConfigShape.detect(JsonNode.fromValue(value), isBare)
const family = (entry: unknown, more: unknown = {}) => shapeOf({ mcpServers: { a: entry }, ...Object(more) })

const VARIABLES = {
  ...{
    HOME: "/home/me",
    API_KEY: "1",
    TOKEN: "2",
    MY_KEY: "3",
    T: "4",
    K: "5",
    KEY: "6",
    MCP_URL: "https://u.example"
  },
  ...{ INPUT_API_KEY: "7", GITHUB_TOKEN: "8", FILE_SECRET: "9", KEY_ENV: "10", MCP_TOKEN: "11", SSE_KEY: "12", S: "13" }
}

/** The servers of a file that is the configuration, whichever application it is from. */
const serversOf = Effect.fnUntraced(function*(file: string, text: string, variables = VARIABLES) {
  const path = `/project/${file}`
  const configuration = yield* configurationOf(
    McpConfig.layerFile(path),
    { [path]: text, "/project/.env": "A=b" },
    variables
  )
  assert.strictEqual(configuration.sources[0]?.error?.message ?? "read", "read")
  return configuration.servers
})

const told = (server: ConfiguredServer | undefined): string => {
  if (server === undefined) return "not there"
  if (Result.isFailure(server.config)) return server.config.failure.message
  const { transport } = server.config.success
  const values = transport._tag === "stdio"
    ? [transport.command, ...transport.args.map(Redacted.value)]
    : [transport._tag, Redacted.value(transport.url), ...Object.values(transport.headers).map(Redacted.value)]
  return `${server.enabled ? "" : "off: "}${values.join(" ")}`
}

describe("ConfigShape", () => {
  it("tells files of one family by the keys of their entries (R67)", () => {
    assert.deepStrictEqual(
      [
        family({ command: "x" }),
        family({ httpUrl: "https://x" }),
        family({ command: "x" }, { mcp: { excluded: [] } }),
        family({ serverUrl: "https://x" }),
        family({ command: "x", alwaysAllow: [] }),
        family({ command: "x", restartOnExit: true }),
        family({ url: "https://x", apiKey: "k" }),
        family({ transport: { type: "stdio", command: "x" } }),
        family({ url: "https://x", auth: { CLIENT_ID: "i" } }),
        family({ command: "x" }, { projects: { "/a": { mcpServers: {} } } }),
        shapeOf({ a: { url: "https://x", apiKey: "k" } }, true)
      ],
      ["native", "gemini", "gemini", "windsurf", "roo", "1mcp", "kode", "cline", "cursor", "claude", "kode"]
    )
  })

  it("takes a file for native when something in it speaks against the other application (R67)", () => {
    assert.deepStrictEqual(
      [
        // Keys of two applications.
        family({ httpUrl: "https://x", serverUrl: "https://y" }),
        // A key that only a native entry has.
        shapeOf({ mcpServers: { a: { serverUrl: "https://x" }, b: { command: "x", restart: "never" } } }),
        // A variable that would be plain text.
        shapeOf({ mcpServers: { a: { serverUrl: "https://x" }, b: { command: "x", args: ["${A}"] } } }),
        // A time that would be many hours.
        family({ command: "x", alwaysAllow: [], timeout: 60_000 }),
        family({ command: "x", autoApprove: [], disabled: true }),
        shapeOf({ servers: { command: "x" } }, true),
        shapeOf({ mcp: 1, servers: [], extensions: {}, mcp_servers: null })
      ],
      ["native", "native", "native", "native", "native", "native", "native"]
    )
  })

  it("tells opencode from VS Code where both have mcp.servers (R67)", () => {
    assert.strictEqual(shapeOf({ mcp: { servers: { a: { type: "local", command: ["x"] } } } }), "opencode")
    assert.strictEqual(shapeOf({ mcp: { servers: { a: { type: "stdio", command: "x" } } } }), "vscode")
    assert.strictEqual(shapeOf({ customizations: { vscode: { mcp: { servers: { a: { url: "x" } } } } } }), "vscode")
    assert.strictEqual(shapeOf({ mcp: { a: { enabled: false } } }), "opencode")
  })

  it("knows that an opencode server may be called servers or timeout", () => {
    const names = (mcp: unknown) => {
      const found = ConfigShape.find(JsonNode.fromValue({ mcp }), "opencode", contextOf("opencode.json"))
      return Result.isSuccess(found) ? found.success.servers.map(({ key }) => key) : []
    }
    const local = { type: "local", command: ["x"] }
    assert.deepStrictEqual(names({ servers: local, timeout: local }), ["servers", "timeout"])
    assert.deepStrictEqual(names({ servers: { a: local }, timeout: { startup: 1 } }), ["a"])
    assert.deepStrictEqual(names({ servers: { a: local }, b: local }), ["a", "b"])
  })

  it.effect("makes any application's file work where a native one is expected (R65, R67)", () =>
    Effect.gen(function*() {
      const first: Record<string, string> = {}
      for (const { file, text } of SAMPLES) first[file] = told((yield* serversOf(file, text))[0])
      assert.deepStrictEqual(first, {
        "native.jsonc": "mcp-files /srv",
        "opencode.jsonc": "off: streamableHttp https://api.example.com/mcp Bearer 8 9",
        "opencode-v2.json": "off: npx -y x",
        "claude-desktop.json": "npx -y @modelcontextprotocol/server-filesystem /Users/me/Desktop",
        "claude-code.json": "streamableHttp https://api.example.com/mcp Bearer 1",
        "cursor.json": "npx -y srv /project",
        "vscode.jsonc": "npx -y srv --stage dev",
        "gemini.json": "streamableHttp https://x.example/mcp Bearer 4",
        "codex.toml": "npx -y docs-server",
        "kode.mcprc": "npx -y srv",
        "cline.json": "off: sse https://x.example/sse",
        "roo.json": "node srv.js /project",
        "1mcp.json": "npx -y srv",
        "goose.yaml": "npx -y @example/github",
        "windsurf.json": "npx -y srv",
        "zed.jsonc": "npx -y srv"
      })
    }))

  it.effect("says file, line, column and the file's own key of what is wrong (R66)", () =>
    Effect.gen(function*() {
      const cases = [
        [
          "opencode.json",
          "{\"mcp\": {\n\"a\": {\"type\": \"local\", \"command\": [\"x\", \"{env:NOPE}\"], \"environment\": {\"B\": 1}}}}",
          "/project/opencode.json:2:77: mcp.a.environment.B: expected a text, found a number"
        ],
        [
          "config.toml",
          "[mcp_servers.a]\nurl = \"https://x\"\nbearer_token_env_var = \"NOPE\"\n",
          "/project/config.toml:3:24: mcp_servers.a.bearer_token_env_var needs the variable NOPE, which is not set"
        ],
        [
          "goose.yaml",
          "extensions:\n  a:\n    type: stdio\n    cmd: x\n    enabled: no\n",
          "/project/goose.yaml:5:14: extensions.a.enabled: expected true or false, found a text"
        ],
        [
          "mcp.json",
          "{\"servers\": {\"a\": {\"type\": \"http\", \"url\": \"unix:///tmp/x.sock\"}}}",
          "/project/mcp.json:1:43: servers.a.url: this is not an address that starts with http:// or https://"
        ]
      ] as const
      for (const [file, text, message] of cases) {
        assert.strictEqual(told((yield* serversOf(file, text))[0]), message)
      }
    }))

  it.effect("refuses another application's variable in a native file and says whose it is (R65)", () =>
    Effect.gen(function*() {
      const text = JSON.stringify({
        mcpServers: {
          a: { command: "x", args: ["{env:A}"] },
          b: { command: "x", args: ["${env:A}"] },
          c: { command: "x", args: ["${input:a}"] },
          d: { command: "x", args: ["$A"] }
        }
      })
      const messages = (yield* serversOf("mcp.json", text)).map(told)
      for (
        const [index, application] of ["opencode", "Cursor or VS Code", "VS Code", "Gemini CLI or goose"].entries()
      ) {
        assert.include(messages[index], `is how ${application} writes this`)
      }
    }))

  it.effect("warns of what makes a server behave differently here, and of nothing else (R66)", () =>
    Effect.gen(function*() {
      const servers = yield* serversOf("mcp.json", sampleOf("vscode.jsonc").text)
      assert.deepStrictEqual(servers.find(({ name }) => name === "local")?.warnings, [
        "/project/mcp.json:10:40: servers.local.args[3]: boocode does not ask for inputs: set the variable INPUT_STAGE (Stage)",
        "/project/mcp.json:12:27: servers.local.env.API_KEY: boocode does not ask for inputs: set the variable INPUT_API_KEY (API key)",
        "/project/mcp.json:14:7: servers.local.sandboxEnabled: servers are not confined here"
      ])
    }))

  it("refuses a top level that is not the shape's, and notes a file without servers", () => {
    for (const shape of ConfigShape.names) {
      const context = contextOf("any.json")
      for (const value of [[], "x", 1, null]) {
        assert.isTrue(Result.isFailure(ConfigShape.find(JsonNode.fromValue(value), shape, context)), shape)
      }
      const { path } = ConfigShape.named(shape)
      assert.isTrue(Result.isFailure(ConfigShape.find(JsonNode.fromValue({ [path[0]]: 1 }), shape, context)), shape)
      const none = ConfigShape.find(JsonNode.fromValue({}), shape, context)
      assert.deepStrictEqual(Result.isSuccess(none) ? [none.success.servers, none.success.notes.length] : none, [[], 1])
    }
  })
})
