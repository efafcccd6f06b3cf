import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ConfigExport, type ConfigShape } from "../../src/Exchange.ts"
import { entriesOf } from "../support/Shaped.ts"

const SERVERS = {
  files: {
    command: "npx",
    args: ["-y", "files"],
    env: { TOKEN: "${TOKEN}", LOG: "x" },
    timeout: 5000,
    restart: "on-failure"
  },
  web: { url: "https://x.example/mcp", headers: { Authorization: "Bearer ${KEY}" } },
  off: { command: "y", enabled: false }
}

const text = Effect.fnUntraced(function*(shape: ConfigShape.ShapeName, servers: unknown = SERVERS) {
  const encoded = ConfigExport.encode(entriesOf(servers), shape)
  const written = (yield* ConfigExport.writer(shape)).into("", encoded, { isReplacing: false })
  return Result.isSuccess(written) ? written.success : assert.fail(JSON.stringify(written.failure))
})

const into = Effect.fnUntraced(function*(
  before: string,
  shape: ConfigShape.ShapeName,
  options: { readonly servers?: unknown; readonly isReplacing?: boolean } = {}
) {
  const encoded = ConfigExport.encode(entriesOf(options.servers ?? SERVERS), shape)
  return (yield* ConfigExport.writer(shape)).into(before, encoded, { isReplacing: options.isReplacing ?? false })
})

const changed = Effect.fnUntraced(function*(
  before: string,
  shape: ConfigShape.ShapeName,
  options: { readonly servers?: unknown; readonly isReplacing?: boolean } = {}
) {
  const written = yield* into(before, shape, options)
  return Result.isSuccess(written) ? written.success : assert.fail(JSON.stringify(written.failure))
})

const outcomes = ({ servers }: ConfigExport.Written) =>
  Object.fromEntries(servers.map(({ isWritten, name, outcome }) => [name, `${outcome}${isWritten ? "!" : ""}`]))

const ONE = { web: { url: "https://x.example/mcp" } }

describe("ConfigExport", () => {
  it.effect("writes a file that the application reads, in its language", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        (yield* text("opencode")).text,
        `{
  "mcp": {
    "files": {
      "type": "local",
      "command": ["npx", "-y", "files"],
      "environment": { "TOKEN": "{env:TOKEN}", "LOG": "x" },
      "timeout": 5000
    },
    "off": {
      "type": "local",
      "command": ["y"],
      "enabled": false
    },
    "web": {
      "type": "remote",
      "url": "https://x.example/mcp",
      "headers": { "Authorization": "Bearer {env:KEY}" }
    }
  }
}
`
      )
      assert.strictEqual(
        (yield* text("codex")).text,
        `[mcp_servers]

[mcp_servers.files]
command = "npx"
args = [ "-y", "files" ]
env = { LOG = "x" }
env_vars = [ "TOKEN" ]
tool_timeout_sec = 5

[mcp_servers.off]
command = "y"
enabled = false

[mcp_servers.web]
url = "https://x.example/mcp"
bearer_token_env_var = "KEY"
`
      )
      assert.strictEqual(
        (yield* text("goose", { web: SERVERS.web })).text,
        `extensions:
  web:
    enabled: true
    type: streamable_http
    name: web
    description: ""
    uri: https://x.example/mcp
    headers:
      Authorization: Bearer \${KEY}
`
      )
    }))

  it.effect("says what an application cannot, key by key, and leaves out what would be another server", () =>
    Effect.gen(function*() {
      const losses = ConfigExport.encode(
        entriesOf({
          a: { command: "x", args: ["${A}"], restart: "on-failure", maxConcurrency: 2 },
          b: { command: "x", env: { K: "p-${A}" } },
          c: { command: "x", enabled: false },
          d: { type: "sse", url: "https://x" },
          "e f": { command: "x" },
          g: { command: 1 }
        }),
        "codex"
      ).map(({ losses: all, name, value }) =>
        `${name}${value === null ? " left out" : ""}: ${all.map(({ keys }) => keys.join())}`
      )
      assert.deepStrictEqual(losses, [
        "a left out: ,maxConcurrency,restart",
        "b: env.K",
        "c: ",
        "d left out: ",
        "e f left out: ",
        "g left out: "
      ])
      const [off] = ConfigExport.encode(entriesOf({ off: SERVERS.off }), "vscode")
      assert.isNull(off?.value)
      assert.include(off?.losses[0]?.detail, "it is disabled here, and the files of VS Code cannot say that")
    }))

  it.effect("adds to a file that is there and keeps its comments and everything else", () =>
    Effect.gen(function*() {
      const json =
        "{\n  // mine\n  \"inputs\": [], /* b */\n  \"servers\": {\n    \"old\": { \"url\": \"https://o\" } // c\n  }\n}\n"
      const { text: jsonText } = yield* changed(json, "vscode", { servers: ONE })
      for (const part of ["// mine", "/* b */", "// c", "\"inputs\": []", "\"old\": { \"url\": \"https://o\" }"]) {
        assert.include(jsonText, part)
      }
      assert.include(jsonText, "\"web\": { \"type\": \"http\", \"url\": \"https://x.example/mcp\" }")
      const toml =
        "# mine\nmodel = \"o3\" # keep\nat = 1979-05-27T07:32:00Z\n\n[mcp_servers.old] # c\ncommand = 'x'   # d\n"
      const { text: tomlText } = yield* changed(toml, "codex", { servers: ONE })
      for (const line of toml.split("\n")) assert.include(tomlText, line)
      const yaml = "# mine\nA: x # keep\nextensions:\n  # d\n  old: {type: builtin, enabled: true}\n"
      const { text: yamlText } = yield* changed(yaml, "goose", { servers: ONE })
      for (const line of yaml.split("\n")) assert.include(yamlText, line)
    }))

  it.effect("never changes a server that is there, unless that was asked for", () =>
    Effect.gen(function*() {
      const before = "{ \"mcpServers\": { \"web\": { \"url\": \"https://mine\", \"alwaysAllow\": [\"a\"] } } }"
      const kept = yield* changed(before, "windsurf", { servers: ONE })
      assert.deepStrictEqual([kept.text, outcomes(kept)], [before, { web: "changed" }])
      const replaced = yield* changed(before, "windsurf", { servers: ONE, isReplacing: true })
      assert.deepStrictEqual(outcomes(replaced), { web: "changed!" })
      assert.include(replaced.text, "\"serverUrl\": \"https://x.example/mcp\"")
      const again = yield* changed(replaced.text, "windsurf", { servers: ONE, isReplacing: true })
      assert.deepStrictEqual([again.text, outcomes(again)], [replaced.text, { web: "unchanged" }])
    }))

  it.effect("refuses a text that is not the application's, with its place", () =>
    Effect.gen(function*() {
      const cases = [
        ["vscode", "{ \"servers\": [] }", "this is not a file of VS Code"],
        [
          "opencode",
          "{ \"mcp\": { \"servers\": { \"a\": { \"type\": \"local\" } } } }",
          "this is not a file of opencode"
        ],
        ["codex", "mcp_servers = 1", "this is not a file of Codex"],
        ["codex", "a = ", "this is not TOML"],
        ["goose", "extensions:\n", "this is not a file of goose"],
        ["claude", "[]", "this is not a file of Claude"]
      ] as const
      for (const [shape, before, detail] of cases) {
        const written = yield* into(before, shape, { servers: ONE })
        assert.include(Result.isFailure(written) ? written.failure.detail : "no failure", detail)
      }
    }))

  it.effect("changes Codex files in every form that TOML has for a table", () =>
    Effect.gen(function*() {
      const forms = [
        "mcp_servers = { a = { command = 'x' } }\n",
        "[mcp_servers]\na = { command = 'x' }\nb.command = 'y'\n",
        "mcp_servers.a.command = 'x'\n[other]\nb = 1\n",
        "[mcp_servers.a]\ncommand = 'x'\n[mcp_servers.a.tools.t]\napproval_mode = 'auto'\n[[list]]\nn = 1\n"
      ]
      for (const before of forms) {
        const written = yield* changed(before, "codex", { servers: { ...ONE, a: { command: "z" } }, isReplacing: true })
        assert.deepStrictEqual(outcomes(written), { a: "changed!", web: "added!" }, before)
      }
    }))
})
