/** The real server over a project of its own, with servers in every state, and a browser that looks at its panels. */
import { assert } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { randomUUID } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { BrowserContextOptions } from "playwright-core"
import { browser } from "./Browser.ts"
import * as ChatServer from "./ChatServer.ts"
import * as Command from "./Command.ts"
import * as Deadline from "./Deadline.ts"
import * as FixtureServer from "./FixtureServer.ts"
import * as FreshState from "./FreshState.ts"
import { openAt } from "./PageStage.ts"
import * as Processes from "./Processes.ts"

const MARK = "BOOCODE_PANELS_TEST"

export const MARKUP = `<img src=x onerror="document.title='owned'"><b>bold</b>`

const bin = (name: string) => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url))

const AGENTS = `---
name: Assistant
description: Answers questions.
---

Help.

---
name: Reader
tools: [files_*, nothing_*]
steps: 5
---

Read.
`

const make = Effect.gen(function*() {
  const mark = randomUUID()
  const env = { [MARK]: mark }
  const files = { command: bin("mcp-server-filesystem"), args: ["workspace"], env }
  const folder = yield* Command.folder({
    "repo/.git/HEAD": "",
    "repo/tools.json": JSON.stringify([{ name: "read", description: "Reads." }]),
    "repo/.mcp.json": JSON.stringify({
      mcpServers: {
        theirs: { ...FixtureServer.entry("Telltale", "spawned", "tools.json"), env: { ...env, TOKEN: "x" } }
      }
    }),
    "repo/data/mcp.json": JSON.stringify({
      mcpServers: {
        files,
        everything: { command: bin("mcp-server-everything"), env },
        broken: { command: "/bin/sh", args: ["-c", "echo cannot start >&2; exit 3"], env },
        off: { command: "true", enabled: false },
        later: { ...files, enabled: false },
        patient: { ...FixtureServer.entry("Patient", "patient.txt"), env },
        asking: { ...FixtureServer.entry("Replay", "bing-cn-mcp"), env, ask: ["bing_search"] }
      }
    }),
    "repo/data/settings.json": JSON.stringify({ scopes: ["project"], registry: "file:registry" }),
    "repo/data/registry/notes.json": JSON.stringify({
      name: "com.example/notes",
      description: "Keeps notes",
      version: "2.0.0",
      packages: [{
        registryType: "npm",
        identifier: "notes",
        version: "2.0.0",
        transport: { type: "stdio" },
        packageArguments: [{ type: "named", name: "size", isRequired: true, choices: ["small", "large"] }],
        environmentVariables: [{ name: "KEY", isRequired: true, isSecret: true }]
      }]
    }),
    "repo/data/AGENTS.md": AGENTS,
    "repo/data/workspace/notes.txt": "hello",
    "repo/data/workspace/page.html": MARKUP
  })
  const repo = join(folder, "repo")
  const data = join(repo, "data")
  const written = ["mcp.json", "settings.json", "AGENTS.md"].map((name) => join(data, name))
  const texts = written.map((file) => readFileSync(file, "utf8"))
  const server = yield* ChatServer.start(data, { BOOCODE_STATE_DIR: join(folder, "state"), INIT_CWD: repo })
  yield* Effect.addFinalizer(() =>
    Effect.gen(function*() {
      yield* server.end("SIGTERM", "process")
      assert.deepStrictEqual(yield* Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS), [], "left behind")
    })
  )
  return {
    data,
    server,
    browser: yield* browser,
    /** Its files as they were, every server as they say, and no chats. */
    fresh: Effect.gen(function*() {
      for (const [index, file] of written.entries()) {
        const text = texts[index] ?? ""
        if (readFileSync(file, "utf8") !== text) writeFileSync(file, text)
      }
      yield* FreshState.servers(server.url)
      yield* FreshState.conversations(server.url)
    })
  }
})

export class PanelsStage extends Context.Service<PanelsStage, Effect.Success<typeof make>>()("test/PanelsStage") {
  static readonly layer = Layer.effect(PanelsStage, make)
}

/** Opens a panel of a server on which nothing has happened yet, and keeps what a browser would complain about. */
export const open = Effect.fnUntraced(function*(path: string, options: BrowserContextOptions = {}) {
  const { fresh } = yield* PanelsStage
  yield* fresh
  return yield* openBeside(path, options)
})

/** A further page, which sees what the test did so far. */
export const openBeside = Effect.fnUntraced(function*(path: string, options: BrowserContextOptions = {}) {
  const { browser, server } = yield* PanelsStage
  return yield* openAt({ browser, url: server.url }, path, options)
})
