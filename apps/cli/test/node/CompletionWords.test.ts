import { Clients } from "@boocode/mcp-config/Exchange"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { candidates } from "../../src/node/CompletionWords.ts"
import { boocode } from "../support/Scripted.ts"

const FILES = {
  "data/mcp.json": `{
  // with a comment
  "mcpServers": {
    "files": {
      "command": "x"
    },
    "web": { // as well
      "url": "https://example.com"
    }
  }
}`,
  "data/mcp.lock.json": JSON.stringify({
    servers: [{ server: "files", tools: [{ name: "read" }, { name: "$(rm)" }] }, { server: "old", tools: [] }]
  }),
  "data/AGENTS.md": "---\nname: Ada\n---\nHello\n\n---\nname: \"Grace\"\n---\n",
  "data/agents/reader.md": "---\ndescription: reads\n---\n",
  "state/pins/a.json": JSON.stringify({ servers: [{ server: "near", tools: [{ name: "see" }] }] }),
  "state/pins/broken.json": "{",
  "state/mcp-clients.json": JSON.stringify([{ name: "cursor" }, { name: "laptop" }]),
  "data/gateway.jsonc": "{ \"profiles\": { // mine\n \"work\": { \"tools\": [] }, \"home\": {} } }",
  "work/notes.ts": "",
  "work/count.mjs": "",
  "work/read me.md": ""
}

const home = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "boocode-words-"))
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    const database = new DatabaseSync(join(folder, "state/chats.sqlite"))
    database.exec(
      "CREATE TABLE chats (id TEXT, updated_at TEXT); INSERT INTO chats VALUES ('aa11', '1'), ('bb22', '2')"
    )
    database.close()
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

describe("boocode completion", () => {
  it.live("knows servers, tools, agents, chats and programs where a name is wanted, from the files alone", () =>
    Effect.gen(function*() {
      const folder = yield* home
      const words = (...typed: ReadonlyArray<string>) =>
        candidates([...typed.slice(0, -1), "--data", join(folder, "data"), typed.at(-1) ?? ""], {
          BOOCODE_STATE_DIR: join(folder, "state")
        }, "linux")
      assert.deepStrictEqual(words("mcp", "get", ""), ["files", "near", "old", "web"])
      assert.deepStrictEqual(words("mcp", "--json", "logs", "f"), ["files"])
      assert.deepStrictEqual(words("mcp", "clients", "remove", ""), ["cursor", "laptop"])
      assert.deepStrictEqual(words("connect", ""), Clients.all.map(({ id }) => id).toSorted())
      assert.deepStrictEqual(words("disconnect", "--json", "cu"), ["cursor"])
      // What a shell could take for a command is no candidate.
      assert.deepStrictEqual(words("mcp", "call", ""), ["files_read", "near_see"])
      assert.deepStrictEqual(words("permissions", "explain", "files_"), ["files_read"])
      assert.deepStrictEqual(words("chats", "show", ""), ["bb22", "aa11"])
      assert.deepStrictEqual(words("chat", "--local", "hello", ""), [])
      assert.deepStrictEqual(words("mcp", "get", "files", ""), [])
      assert.deepStrictEqual(words("mcp", "get", "--"), [])
      const at = (flag: string) =>
        candidates(
          ["--data", join(folder, "data"), "chat", flag, ""],
          { BOOCODE_STATE_DIR: join(folder, "state") },
          "linux"
        )
      assert.deepStrictEqual(at("--agent"), ["Ada", "Grace", "reader"])
      assert.deepStrictEqual(at("--chat"), ["bb22", "aa11"])
      assert.deepStrictEqual(at("--profile"), ["default", "home", "work"])
      const here = { INIT_CWD: join(folder, "work"), BOOCODE_STATE_DIR: join(folder, "state") }
      assert.deepStrictEqual(candidates(["run", ""], here, "linux"), ["count.mjs", "notes.ts"])
      assert.deepStrictEqual(candidates(["run", "notes.ts", ""], here, "linux"), [])
      const empty = { HOME: join(folder, "nowhere"), MCP_CONFIG_PATH: join(folder, "nowhere/mcp.json") }
      for (const platform of ["linux", "darwin", "win32"]) {
        assert.deepStrictEqual(candidates(["chats", "show", ""], empty, platform), [])
        assert.deepStrictEqual(candidates(["mcp", "get", ""], empty, platform), [])
      }
    }).pipe(Effect.scoped))

  it.effect("prints a script for each shell, which asks for names first", () =>
    Effect.gen(function*() {
      for (const shell of ["bash", "zsh", "fish", "powershell"]) {
        const { code, stderr, stdout } = yield* boocode(["completion", shell])
        assert.strictEqual(code, 0, stderr)
        assert.include(stdout, "permissions")
        assert.strictEqual(stdout.includes("completion words"), shell !== "powershell", shell)
      }
      assert.strictEqual((yield* boocode(["completion", "tcsh"])).code, 2)
    }))
})
