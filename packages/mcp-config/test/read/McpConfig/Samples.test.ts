import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ConfigShape } from "../../../src/Exchange.ts"
import * as ConfigText from "../../../src/text/ConfigText.ts"
import { sampleOf, SAMPLES } from "../../support/Samples.ts"
import { contextOf, entriesOf, lines, plain, treeOf } from "../../support/Shaped.ts"

const found = Effect.fnUntraced(function*(file: string) {
  const { shape, text } = sampleOf(file)
  const root = yield* treeOf(text, ConfigText.formatOf(file))
  const result = ConfigShape.find(root, shape, contextOf(file))
  return Result.isSuccess(result) ? result.success : assert.fail(JSON.stringify(result.failure))
})

/** What a sample means, and what of it has no place, both in full. */
const check = Effect.fnUntraced(function*(file: string, servers: unknown, notes: ReadonlyArray<string>) {
  const all = yield* found(file)
  assert.deepStrictEqual(plain(all), servers)
  assert.deepStrictEqual(lines(all), notes)
})

const SIGN_IN = "a way to sign in that \"oauth\" of an entry does not know; a header with a variable is read"
const LABEL = "a label; servers are shown by their names here"
const ASKED = "calls start without asking here, unless \"ask\" names the tool"

describe("the files of other applications", () => {
  it.effect("are recognised by keys that no other application has (R67)", () =>
    Effect.gen(function*() {
      for (const { file, shape, text } of SAMPLES) {
        const root = yield* treeOf(text, ConfigText.formatOf(file))
        // Nothing in this one tells it from a native file, and it means the same as one.
        const expected = file === "claude-desktop.json" ? "native" : shape
        assert.strictEqual(ConfigShape.detect(root, file.endsWith(".mcprc")), expected, file)
      }
    }))

  it.effect("opencode: one list for program and arguments, {env:…}, {file:…}, and rules about tools (R67)", () =>
    check("opencode.jsonc", {
      playwright: {
        command: "npx",
        args: ["-y", "@playwright/mcp"],
        env: { BROWSER: "chromium", KEY: "${MY_KEY}" },
        cwd: "./tools",
        timeout: 30_000,
        enabled: true
      },
      github: {
        url: "https://api.example.com/mcp",
        headers: { Authorization: "Bearer ${GITHUB_TOKEN}", X: "${FILE_SECRET}" },
        tools: ["*", "!delete_repo"],
        ask: ["*", "!delete_repo"],
        oauth: { clientId: "id", clientSecret: "${S}", scopes: "a b" },
        enabled: false
      }
    }, [
      "16:71 mcp.github.headers.X: files are not read into values here: put what ~/.secret holds into the variable FILE_SECRET"
    ]))

  it.effect("opencode's second form: mcp.servers, disabled, and times by what they are for (R67)", () =>
    check("opencode-v2.json", {
      fs: { command: "npx", args: ["-y", "x"], env: {}, cwd: ".", timeout: 5000, disabled: true },
      web: {
        url: "https://x.example/mcp",
        headers: {},
        timeout: 45_000,
        startupTimeout: 10_000,
        disabled: false,
        oauth: { clientId: "i" }
      }
    }, [
      "11:9 mcp.servers.fs.codemode: says how that application offers the tools; not here",
      "12:22 mcp.servers.fs.timeout.catalog: listing the tools belongs to \"startupTimeout\" here"
    ]))

  it.effect("Claude Desktop: as it stands (R67)", () =>
    check("claude-desktop.json", {
      filesystem: {
        command: "npx",
        args: ["-y", "@modelcontextprotocol/server-filesystem", "/Users/me/Desktop"],
        env: { KEY: "value" }
      }
    }, []))

  it.effect("Claude Code: servers of the folder one stands in go before those of the person (R67)", () =>
    check("claude-code.json", {
      docs: { timeout: 600_000, type: "stdio", command: "local-docs", args: ["--db", "${DB:-dev}"], alwaysLoad: true },
      quiet: { disabled: true, command: "quiet-server" },
      legacy: { type: "sse", url: "https://x.example/sse" }
    }, [
      "4:5 mcpServers.docs: projects./home/me/project.mcpServers.docs goes before it",
      "25:5 projects./home/me/other: 1 server of that folder; they are read when you stand in it"
    ]))

  it.effect("Cursor: ${env:…} and the names of places (R67)", () =>
    check("cursor.json", {
      local: {
        type: "stdio",
        command: "npx",
        args: ["-y", "srv", "/project"],
        env: { API_KEY: "${API_KEY}" },
        envFile: "/project/.env"
      },
      remote: {
        url: "${MCP_URL}",
        headers: { Authorization: "Bearer ${TOKEN}" },
        oauth: { clientId: "${ID}", scopes: ["read"] }
      }
    }, []))

  it.effect("VS Code: what it asks a person for is a variable to set, with its default (R67)", () =>
    check("vscode.jsonc", {
      local: {
        env: { API_KEY: "${INPUT_API_KEY}", N: "1" },
        type: "stdio",
        command: "npx",
        args: ["-y", "srv", "--stage", "${INPUT_STAGE:-dev}"],
        cwd: "/project",
        envFile: "/project/.env"
      },
      remote: {
        type: "http",
        url: "https://api.example.com/mcp",
        headers: { Authorization: "Bearer ${INPUT_API_KEY}" }
      },
      old: { type: "sse", url: "https://x.example/sse" }
    }, [
      "10:40 servers.local.args[3]: boocode does not ask for inputs: set the variable INPUT_STAGE (Stage)",
      "12:27 servers.local.env.API_KEY: boocode does not ask for inputs: set the variable INPUT_API_KEY (API key)",
      "12:55 servers.local.env.UNSET: a variable that is not declared is not passed on here",
      "14:7 servers.local.sandboxEnabled: servers are not confined here",
      "15:7 servers.local.dev: an aid for developing a server; not here",
      "20:37 servers.remote.headers.Authorization: boocode does not ask for inputs: set the variable INPUT_API_KEY (API key)"
    ]))

  it.effect("Gemini CLI: httpUrl goes before url, $NAME, lists of tools, and lists of servers that are off (R67)", () =>
    check("gemini.json", {
      local: {
        startupTimeout: 600_000,
        timeout: 600_000,
        command: "python",
        args: ["-m", "srv"],
        env: { KEY: "${MY_KEY}", U: "${API_URL:-http://x}" },
        cwd: "./dir",
        tools: ["a", "b", "!b"]
      },
      http: { url: "https://x.example/mcp", headers: { Authorization: "Bearer ${T}" }, type: "http" },
      sse: { url: "https://x.example/sse", type: "sse" },
      old: { url: "https://x.example/mcp" },
      off: { disabled: true, command: "x" }
    }, [
      "2:33 mcp.serverCommand: a command line is not read; write the server under mcpServers",
      `10:7 mcpServers.local.trust: ${ASKED}`,
      `11:7 mcpServers.local.description: ${LABEL}`,
      "17:50 mcpServers.old.url: \"httpUrl\" goes before it",
      "19:14 mcpServers.tweak: neither a program nor an address: it changes a server that an extension brings along"
    ]))

  it.effect("Codex: seconds, headers in three fields, ${…} is plain text (R67)", () =>
    check("codex.toml", {
      docs: {
        command: "npx",
        args: ["-y", "docs-server"],
        env: { LOG: "debug" },
        cwd: "/project",
        inheritEnv: ["PATH_X", "TOKEN"],
        startupTimeout: 30_500,
        timeout: 300_000,
        tools: ["search", "delete", "!delete"],
        ask: ["search"],
        enabled: true
      },
      remote: {
        url: "https://example.com/mcp",
        headers: { "X-A": "$${b}", "X-Key": "${KEY_ENV}", "Authorization": "Bearer ${MCP_TOKEN}" },
        oauth: { scopes: ["read"] },
        enabled: false
      }
    }, [
      "12:1 mcp_servers.docs.required: says how that application offers the tools; not here",
      "23:26 mcp_servers.remote.http_headers.X-A: what looks like a variable is plain text in Codex, and stays that here"
    ]))

  it.effect("Kode: the bare map, and apiKey as a bearer header (R67)", () =>
    check("kode.mcprc", {
      fs: { type: "stdio", command: "npx", args: ["-y", "srv"], cwd: "/project", env: { K: "v" } },
      web: { type: "http", url: "https://x.example/mcp", headers: { A: "b" } },
      sse: { headers: { Authorization: "Bearer ${SSE_KEY}" }, type: "sse", url: "https://x.example/sse" },
      ide: { type: "ws-ide", url: "ws://127.0.0.1:1" }
    }, [
      `5:57 mcpServers.ide.ideName: ${LABEL}`,
      `5:78 mcpServers.ide.authToken: ${SIGN_IN}`
    ]))

  it.effect("Cline: seconds, an address without a type is SSE, and the nested form (R67)", () =>
    check("cline.json", {
      local: { type: "stdio", timeout: 120_000, command: "node", args: ["srv.js"], disabled: false },
      bare: { type: "sse", url: "https://x.example/sse", disabled: true },
      http: { type: "streamableHttp", url: "https://x.example/mcp", headers: { Authorization: "Bearer ${T}" } },
      nested: { type: "streamableHttp", url: "https://y.example/mcp", disabled: true, oauth: {} }
    }, [`7:7 mcpServers.local.autoApprove: ${ASKED}`]))

  it.effect("Roo Code: seconds and denied tools (R67)", () =>
    check("roo.json", {
      local: { timeout: 90_000, tools: ["*", "!drop"], command: "node", args: ["srv.js", "/project"], cwd: "/project" },
      remote: { type: "streamable-http", url: "https://x.example/mcp", disabled: true }
    }, [
      `7:7 mcpServers.local.alwaysAllow: ${ASKED}`,
      "10:7 mcpServers.local.watchPaths: an aid for developing a server; not here"
    ]))

  it.effect("1MCP: variables as a list, a filter of inherited ones, and a switch that is a template (R67)", () =>
    Effect.gen(function*() {
      yield* check("1mcp.json", {
        local: {
          startupTimeout: 20_000,
          timeout: 45_000,
          env: { LOG: "debug" },
          inheritEnv: ["API_KEY"],
          tools: ["*", "!drop"],
          restart: "on-failure",
          command: "npx",
          args: ["-y", "srv"]
        },
        open: { inheritEnv: ["GOPATH"], command: "x", disabled: true },
        template: { type: "http", url: "https://x.example/mcp", disabled: "{{#if a}}true{{/if}}" }
      }, [
        `7:7 mcpServers.local.tags: ${LABEL}`,
        "11:7 mcpServers.local.maxRestarts: how often and how soon a server is started again is not set here",
        "14:57 mcpServers.open.envFilter: a server inherits a short list of variables and those that \"inheritEnv\" " +
        "names one by one; patterns are not read"
      ])
      const [template] = entriesOf({ template: plain(yield* found("1mcp.json"))["template"] })
      assert.isTrue(template !== undefined && Result.isFailure(template.declaration))
    }))

  it.effect("goose: YAML, numbers among its variables, and parts of itself that are no servers (R67)", () =>
    check("goose.yaml", {
      gh: {
        command: "npx",
        args: ["-y", "@example/github"],
        env: { PORT: "8080" },
        inheritEnv: ["GITHUB_TOKEN"],
        timeout: 300_000,
        enabled: true
      },
      web: {
        url: "https://x.example/mcp",
        headers: { Authorization: "Bearer ${TOKEN}" },
        tools: ["read", "list"],
        enabled: false
      }
    }, [
      "5:5 extensions.developer: an extension of the type builtin is a part of goose, not a server",
      `10:5 extensions.gh.name: ${LABEL}`,
      "15:5 extensions.gh.env_keys: read from the environment; what goose keeps in its own store must be set there",
      `18:5 extensions.gh.bundled: ${LABEL}`
    ]))

  it.effect("Windsurf: serverUrl and ${env:…} (R67)", () =>
    check("windsurf.json", {
      local: { command: "npx", args: ["-y", "srv"], env: { K: "${K}" }, disabled: false },
      remote: {
        url: "https://x.example/mcp",
        tools: ["*", "!drop"],
        headers: { Authorization: "Bearer ${T}" },
        disabled: true
      }
    }, []))

  it.effect("Zed: context_servers, the older form of a command, and times in seconds", () =>
    check("zed.jsonc", {
      local: { command: "npx", args: ["-y", "srv"], env: { K: "a $${K}" }, timeout: 90_000 },
      older: { command: "uvx", args: ["srv"], env: {}, enabled: false },
      remote: { url: "https://x.example/mcp", headers: { Authorization: "Bearer t" } }
    }, [
      "8:21 context_servers.local.env.K: what looks like a variable is plain text in Zed, and stays that here",
      "17:18 context_servers.extension: an extension of Zed brings this server along, and only Zed can start it"
    ]))
})
