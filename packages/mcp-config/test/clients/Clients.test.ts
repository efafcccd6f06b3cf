import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { Applications, Clients } from "../../src/Exchange.ts"
import { Environment } from "../../src/index.ts"
import { MemoryFiles } from "../support/MemoryFiles.ts"

type Variables = Readonly<Record<string, string>>

const located = Effect.fnUntraced(function*(files: ConstructorParameters<typeof MemoryFiles>[0], variables: Variables) {
  const layer = Layer.mergeAll(
    Layer.succeed(FileSystem.FileSystem, new MemoryFiles(files).view()),
    Path.layer,
    Environment.layer(variables)
  )
  const all = yield* Effect.provide(Effect.forEach(Clients.all, Clients.locate), layer)
  return Object.fromEntries(all.map((one, at) => {
    const state = one?.isThere === true ? "there" : one?.isFound === true ? "found" : "new"
    return [Clients.all[at]?.id ?? "", one === null ? null : `${state} ${one.file}`]
  }))
})

describe("Clients", () => {
  it.effect("have a place for a new file on Linux", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* located({ "/home/me/.cursor/x": "", "/home/me/.claude/x": "" }, { HOME: "/home/me" }),
        {
          "claude-code": "found /home/me/.claude.json",
          "claude-desktop": "new /home/me/.config/Claude/claude_desktop_config.json",
          cursor: "found /home/me/.cursor/mcp.json",
          vscode: "new /home/me/.config/Code/User/mcp.json",
          codex: "new /home/me/.codex/config.toml",
          gemini: "new /home/me/.gemini/settings.json",
          windsurf: "new /home/me/.codeium/windsurf/mcp_config.json",
          opencode: "new /home/me/.config/opencode/opencode.json",
          zed: "new /home/me/.config/zed/settings.json",
          goose: "new /home/me/.config/goose/config.yaml"
        }
      )
    }))

  it.effect("have a place for a new file on macOS", () =>
    Effect.gen(function*() {
      const support = "/Users/me/Library/Application Support"
      const found = yield* located({ [`${support}/Code - Insiders/User/x`]: "" }, { HOME: "/Users/me" })
      assert.deepStrictEqual([found["claude-desktop"], found["vscode"], found["zed"], found["goose"]], [
        `new ${support}/Claude/claude_desktop_config.json`,
        `found ${support}/Code - Insiders/User/mcp.json`,
        "new /Users/me/.config/zed/settings.json",
        "new /Users/me/.config/goose/config.yaml"
      ])
    }))

  it.effect("have a place for a new file on Windows", () =>
    Effect.gen(function*() {
      const found = yield* located({}, { USERPROFILE: "/users/me", APPDATA: "/appdata" })
      assert.deepStrictEqual(
        ["claude-desktop", "vscode", "zed", "goose", "cursor", "opencode"].map((id) => found[id]),
        [
          "new /appdata/Claude/claude_desktop_config.json",
          "new /appdata/Code/User/mcp.json",
          "new /appdata/Zed/settings.json",
          "new /appdata/Block/goose/config/config.yaml",
          "new /users/me/.cursor/mcp.json",
          "new /users/me/.config/opencode/opencode.json"
        ]
      )
    }))

  it.effect("have the file that is there, a link too, and that to which a variable moves it", () =>
    Effect.gen(function*() {
      const found = yield* located({
        "/home/me/.config/opencode/opencode.jsonc": "{}",
        "/home/me/.cursor/mcp.json": { link: "/nowhere" },
        "/home/me/.claude.json": "{}",
        "/home/me/.codex/config.toml": ""
      }, { HOME: "/home/me", CLAUDE_CONFIG_DIR: "/moved", CODEX_HOME: "/codex" })
      assert.deepStrictEqual(["opencode", "cursor", "claude-code", "codex"].map((id) => found[id]), [
        "there /home/me/.config/opencode/opencode.jsonc",
        "there /home/me/.cursor/mcp.json",
        "new /moved/.claude.json",
        "new /codex/config.toml"
      ])
    }))

  it.effect("are nowhere without a home folder", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(new Set(Object.values(yield* located({}, {}))), new Set([null]))
    }))

  it.effect("lend an import everything but the entry that starts BooCode", () =>
    Effect.gen(function*() {
      const own = "\"boocode\": { \"command\": \"/n\", \"args\": [\"/x/boocode/bin/boocode.cjs\", \"mcp\", \"serve\"] }"
      const files = { "/home/me/.cursor/mcp.json": `{ "mcpServers": { "a": { "command": "x" }, ${own} } }` }
      const layer = Layer.mergeAll(
        Layer.succeed(FileSystem.FileSystem, new MemoryFiles(files).view()),
        Path.layer,
        Environment.layer({ HOME: "/home/me" })
      )
      const [source] = yield* Effect.provide(Applications.scan("/home/me/work"), layer)
      const found = source === undefined || Result.isFailure(source.found) ? assert.fail() : source.found.success
      assert.deepStrictEqual(found.servers.map(({ key }) => key), ["a"])
      assert.deepStrictEqual([found.skipped, found.notes.map(({ detail }) => detail)], [["boocode"], [
        "it starts BooCode itself"
      ]])
    }))
})
