/** A published server is installed from recorded answers of a registry, as its authors ship it, and called. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as AppCommand from "./support/AppCommand.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as Processes from "./support/Processes.ts"

const RECORDED = fileURLToPath(new URL("fixtures/registry", import.meta.url))
const INSTALLED = fileURLToPath(new URL("node_modules", import.meta.url))
const MEMORY = "io.github.modelcontextprotocol/server-memory"

/** npx takes the package from here, as it would from its cache after a download. */
const haveInstalled = (folder: string) => {
  const modules = join(folder, "node_modules")
  mkdirSync(join(modules, ".bin"), { recursive: true })
  mkdirSync(join(modules, "@modelcontextprotocol"))
  const name = "@modelcontextprotocol/server-memory"
  symlinkSync(realpathSync(join(INSTALLED, name)), join(modules, name))
  symlinkSync(join(INSTALLED, ".bin/mcp-server-memory"), join(modules, ".bin/mcp-server-memory"))
}

describe("A server of an MCP registry", () => {
  it.live(
    "is tried, written with its version, called, and compared with another version",
    () =>
      Effect.gen(function*() {
        const root = yield* Command.folder({ "data/mcp.json": "{ \"mcpServers\": {} }", "data/package.json": "{}" })
        const data = join(root, "data")
        haveInstalled(data)
        const kept = join(root, "kept.jsonl")
        const run = (...args: ReadonlyArray<string>) => AppCommand.run(["mcp", ...args, "--data", data], { cwd: root })
        const recorded = ["--registry", `file:${RECORDED}`]
        const installed = yield* run("install", MEMORY, ...recorded, "--set", `MEMORY_FILE_PATH=${kept}`, "--yes")
        assert.strictEqual(installed.code, 0, installed.stderr)
        assert.match(installed.stderr, /memory {2}healthy {2}9 tools/)
        const { memory } = JSON.parse(readFileSync(join(data, "mcp.json"), "utf8")).mcpServers
        assert.deepStrictEqual(memory, {
          command: "npx",
          args: ["-y", "@modelcontextprotocol/server-memory@2026.8.31"],
          env: { MEMORY_FILE_PATH: kept },
          startupTimeout: "3 minutes",
          from: `${MEMORY}@2026.8.31`
        })
        const called = yield* run("call", "memory_read_graph")
        assert.deepStrictEqual(JSON.parse(called.stdout), { entities: [], relations: [] }, called.stderr)
        const back = yield* run("upgrade", "memory", ...recorded, "--version", "2026.7.4", "--dry-run")
        assert.match(
          back.stdout,
          /- +"@modelcontextprotocol\/server-memory@2026\.8\.31"\n +\+ +.*@2026\.7\.4"/,
          back.stderr
        )
        assert.deepStrictEqual(yield* Processes.leftAfter("MEMORY_FILE_PATH", kept, Deadline.GONE_MILLIS), [])
      }),
    300_000
  )
})
