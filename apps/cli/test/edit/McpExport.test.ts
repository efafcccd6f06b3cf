import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { MemoryFiles } from "../../../../packages/mcp-config/test/support/MemoryFiles.ts"
import { boocode, json } from "../support/Scripted.ts"

const DATA = "/data/mcp.json"

const SERVERS = {
  files: { command: "npx", args: ["-y", "files"], env: { TOKEN: "${TOKEN}" }, restart: "on-failure" },
  off: { command: "y", enabled: false }
}

const machine = (files: Readonly<Record<string, string>>) => {
  const memory = new MemoryFiles({
    ...{ "/repo/.git/HEAD": "", "/repo/sub/x": "", [DATA]: JSON.stringify({ mcpServers: SERVERS }) },
    ...files
  })
  const run = (...args: ReadonlyArray<string>) =>
    boocode(["mcp", "export", ...args], {
      files: Layer.succeed(FileSystem.FileSystem, memory.view()),
      variables: { INIT_CWD: "/repo/sub", HOME: "/home", TOKEN: "hunter2" },
      scopes: { dataFile: DATA, projectFrom: "/repo/sub", home: "/home" }
    })
  return { memory, run }
}

describe("mcp export", () => {
  it.effect("prints a file of the application on standard output, and what it cannot say beside it", () =>
    Effect.gen(function*() {
      const ended = yield* machine({}).run("cline")
      assert.strictEqual(ended.code, 0)
      assert.deepStrictEqual(JSON.parse(ended.stdout), {
        mcpServers: {
          files: { command: "npx", args: ["-y", "files"], env: { TOKEN: "${env:TOKEN}" } },
          off: { command: "y", disabled: true }
        }
      })
      assert.strictEqual(ended.stderr, "warning  files restart: Cline has no place for this\n")
    }))

  it.effect("never fills in a variable (R75)", () =>
    Effect.gen(function*() {
      for (const shape of ["native", "claude", "codex", "goose", "opencode"]) {
        const ended = yield* machine({}).run(shape)
        assert.notInclude(ended.stdout + ended.stderr, "hunter2")
        assert.include(ended.stdout, "TOKEN")
      }
    }))

  it.effect("adds to a file that is there, keeps its comments, and never changes what it has unless told to", () =>
    Effect.gen(function*() {
      const toml = "# mine\nmodel = \"o3\" # keep\n\n[mcp_servers.off] # c\ncommand = \"z\"\n"
      const { memory, run } = machine({ "/repo/sub/config.toml": toml })
      const dry = yield* run("codex", "--into", "config.toml", "--dry-run")
      assert.strictEqual(memory.text("/repo/sub/config.toml"), toml)
      assert.include(dry.stderr, "nothing was written to config.toml")
      const ended = yield* run("codex", "--into", "config.toml")
      assert.strictEqual(ended.stdout, "added      files\nchanged    off\n")
      const text = memory.text("/repo/sub/config.toml") ?? ""
      for (const line of toml.split("\n")) assert.include(text, line)
      assert.include(text, "env_vars = [ \"TOKEN\" ]")
      yield* run("codex", "--into", "config.toml", "--force")
      assert.include(memory.text("/repo/sub/config.toml"), "enabled = false")
    }))

  it.effect("prints one document, and makes a file that is not there", () =>
    Effect.gen(function*() {
      const { memory, run } = machine({})
      const ended = yield* run("vscode", "--into", ".vscode/mcp.json", "--json")
      const text =
        "{\n  \"servers\": {\n    \"files\": {\n      \"type\": \"stdio\",\n      \"command\": \"npx\",\n      \"args\": " +
        "[\"-y\", \"files\"],\n      \"env\": { \"TOKEN\": \"${env:TOKEN}\" }\n    }\n  }\n}\n"
      assert.deepStrictEqual(json(ended.stdout), {
        shape: "vscode",
        file: ".vscode/mcp.json",
        isWritten: true,
        text,
        servers: [
          {
            ...{ name: "files", outcome: "added", written: true },
            losses: [{ keys: ["restart"], detail: "VS Code has no place for this" }]
          },
          {
            ...{ name: "off", outcome: "skipped", written: false },
            losses: [{ keys: [], detail: "it is disabled here, and the files of VS Code cannot say that" }]
          }
        ]
      })
      assert.strictEqual(memory.text("/repo/sub/.vscode/mcp.json"), text)
    }))

  it.effect("leaves the servers of a project in the project, where they need approval (R70)", () =>
    Effect.gen(function*() {
      const ended = yield* machine({ "/repo/.mcp.json": "{ \"mcpServers\": { \"p\": { \"command\": \"x\" } } }" }).run(
        "claude"
      )
      assert.notInclude(ended.stdout, "\"p\"")
      assert.include(ended.stderr, "p: it is in a file of the project")
    }))

  it.effect("writes paths that lead where they led, and says which", () =>
    Effect.gen(function*() {
      const servers = { files: { command: "mcp-server-filesystem", args: ["workspace"] } }
      const { memory, run } = machine({
        [DATA]: JSON.stringify({ mcpServers: servers }),
        "/data/workspace/hello.txt": "hello",
        "/opt/boocode/bin/mcp-server-filesystem": ""
      })
      for (const shape of ["claude", "cursor", "gemini", "native"]) {
        const ended = yield* run(shape)
        assert.deepInclude(JSON.parse(ended.stdout).mcpServers.files, {
          command: "/opt/boocode/bin/mcp-server-filesystem",
          args: ["/data/workspace"]
        })
        assert.include(
          ended.stderr,
          "files command: this command comes with BooCode, so the path of it on this machine is"
        )
        assert.include(ended.stderr, "files args: written as an absolute path, since the file stands in /data")
      }
      yield* run("claude", "--into", "mine.json")
      assert.include(memory.text("/repo/sub/mine.json"), "/data/workspace")
    }))

  it.effect("refuses a file that is not the application's, and wrong usage", () =>
    Effect.gen(function*() {
      const { run } = machine({ "/repo/sub/x.json": "{ \"servers\": [] }" })
      const ended = yield* run("vscode", "--into", "x.json", "--json")
      assert.strictEqual(ended.code, 1)
      assert.include(JSON.parse(ended.stdout).error.message, "x.json:1:1: this is not a file of VS Code")
      for (const args of [["nope"], ["codex", "--force"], ["codex", "--dry-run"], []]) {
        const wrong = yield* run(...args)
        assert.deepStrictEqual([wrong.code, wrong.stdout], [2, ""])
      }
    }))
})
