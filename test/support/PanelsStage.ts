/** The real server over a project of its own, with servers in every state, and a browser that looks at its panels. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { BrowserContextOptions } from "playwright-core"
import { browser } from "./Browser.ts"
import * as ChatServer from "./ChatServer.ts"
import * as Command from "./Command.ts"
import * as Deadline from "./Deadline.ts"
import * as FixtureServer from "./FixtureServer.ts"
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
    "repo/data/settings.json": JSON.stringify({ scopes: ["project"] }),
    "repo/data/AGENTS.md": AGENTS,
    "repo/data/workspace/notes.txt": "hello",
    "repo/data/workspace/page.html": MARKUP
  })
  const repo = join(folder, "repo")
  const data = join(repo, "data")
  const server = yield* ChatServer.start(data, { BOOCODE_STATE_DIR: join(folder, "state"), INIT_CWD: repo })
  return {
    data,
    server,
    browser: yield* browser,
    /** What is left of its servers, a moment after it has ended. */
    left: Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS)
  }
})

export class PanelsStage extends Context.Service<PanelsStage, Effect.Success<typeof make>>()("test/PanelsStage") {
  static readonly layer = Layer.effect(PanelsStage, make)
}

/** Opens a panel, and keeps what a browser would complain about. */
export const open = Effect.fnUntraced(function*(path: string, options: BrowserContextOptions = {}) {
  const { browser, server } = yield* PanelsStage
  return yield* openAt({ browser, url: server.url }, path, options)
})
