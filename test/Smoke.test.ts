/** The smoke plan: the whole house with real processes, from outside. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Marks from "../packages/toolkit/test/support/Marks.ts"
import * as ModelServer from "./servers/ModelServer.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import { folder } from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as Processes from "./support/Processes.ts"
import { sized } from "./support/Size.ts"

const MARK = "BOOCODE_SMOKE_TEST"

const ALL_SIGNALS = [["SIGINT", "group"], ["SIGTERM", "process"], ["SIGHUP", "process"]] as const
const SIGNALS = ALL_SIGNALS.slice(0, sized(1, 3))

const AGENTS = `---
name: Assistant
---

You help.

---
name: Architect
tools: [view_file, ctx_*]
---

You plan.
`

type Entries = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** A data folder with these servers, each of whose processes carries the marker. */
const dataFolder = (entries: Entries, mark: string) => {
  const marked = Object.entries(entries).map(([name, entry]) => [name, { ...entry, env: { [MARK]: mark } }])
  return Effect.map(
    folder({
      "data/mcp.json": JSON.stringify({ mcpServers: Object.fromEntries(marked) }),
      "data/AGENTS.md": AGENTS,
      "data/workspace/hello.txt": "hello from the workspace\n"
    }),
    (root) => join(root, "data")
  )
}

const FILES = { command: "mcp-server-filesystem", args: ["workspace"] }

const serving = (
  entries: Entries,
  env: Readonly<Record<string, string>> = {},
  start: ChatServer.Start = AppServer.start
) =>
  Effect.gen(function*() {
    const mark = randomUUID()
    const server = yield* start(yield* dataFolder(entries, mark), env)
    yield* ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)
    return { mark, server }
  })

/** Rows of a list in a body, as records. */
const rows = (body: Record<string, unknown>, key: string): ReadonlyArray<Record<string, unknown>> => {
  const list = body[key]
  return Array.isArray(list) ? list : assert.fail(`no list called ${key} in ${JSON.stringify(body)}`)
}

describe("Smoke", Deadline.TEST, () => {
  it.live("(2) calls tools in a chat turn and shows their results (R95)", () =>
    Effect.gen(function*() {
      const script: ModelServer.Script = ({ results }) =>
        results.length === 0
          ? [
            ModelServer.text("Let me look. "),
            ModelServer.call("files_list_directory", { path: "." }),
            ModelServer.call("files_read_text_file", { path: "hello.txt" }),
            ModelServer.call("files_read_text_fil", { path: "hello.txt" })
          ]
          : [ModelServer.text(`It says ${results[1]?.text.trim()}.`)]
      const models = yield* ModelServer.make(script)
      const { server } = yield* serving({ files: FILES }, {
        OPENAI_BASE_URL: `${models.url}/v1`,
        BOOCODE_MODEL: "openai/scripted"
      })
      const { body: chat } = yield* server.post("/api/chats", { agent: "Assistant" })
      const parts = yield* server.stream(`/api/chats/${chat["id"]}/messages`, { text: "What is in hello.txt?" })
      const texts = parts.filter(({ type }) => type === "text-delta").map(({ text }) => text).join("")
      const frame = "<tool_result server=\"files\" tool=\"read_text_file\" trusted=\"yes\">"
      assert.strictEqual(
        Marks.unnumbered(texts),
        `Let me look. It says ${frame}\nhello from the workspace\n\n</tool_result>.`
      )
      assert.deepStrictEqual(
        parts.filter(({ type }) => type === "tool-call").map(({ name, server }) => [name, server]),
        [
          ["files_list_directory", "files"],
          ["files_read_text_file", "files"],
          ["files_read_text_fil", null]
        ]
      )
      const results = parts.filter(({ type }) => type === "tool-result")
      assert.deepStrictEqual(results.map(({ isError }) => isError).sort(), [false, false, true])
      assert.match(JSON.stringify(results.find(({ isError }) => isError === true)), /files_read_text_file/)
      assert.strictEqual(parts.at(-1)?.["type"], "finish")
      assert.deepStrictEqual(parts.map(({ seq }) => seq), parts.map((_, index) => index + 1))
      assert.isTrue(models.requests.every(({ problem }) => problem === null))
      // One more, without tools, may have asked for a title by now.
      assert.lengthOf(models.requests.filter(({ body }) => body["tools"] !== undefined), 2)
    }))

  it.live("(5) shows an agent only what its patterns allow, and calls nothing else (R50)", () =>
    Effect.gen(function*() {
      const offered: Array<ReadonlyArray<string>> = []
      const models = yield* ModelServer.make(({ results, tools }) => {
        offered.push(tools)
        return results.length === 0
          ? [ModelServer.call("files_list_directory", { path: "." })]
          : [ModelServer.text("ok")]
      })
      const env = { OPENAI_BASE_URL: `${models.url}/v1`, BOOCODE_MODEL: "openai/scripted" }
      const { server } = yield* serving({
        files: FILES,
        ctx: { command: fileURLToPath(new URL("node_modules/.bin/context7-mcp", import.meta.url)) }
      }, env)
      const tools = rows((yield* server.get("/api/tools?agent=Architect")).body, "tools")
      const expected = ["ctx_query-docs", "ctx_resolve-library-id", "view_file"]
      assert.deepStrictEqual(tools.map(({ name }) => name), expected.slice(0, 2))
      const { body: chat } = yield* server.post("/api/chats", { agent: "Architect" })
      const parts = yield* server.stream(`/api/chats/${chat["id"]}/messages`, { text: "List the files." })
      // One of them has a description longer than OpenAI takes; tool_describe gives the whole of it.
      assert.deepStrictEqual(offered[0], [...expected.slice(0, 2), "tool_describe", ...expected.slice(2)])
      assert.isTrue(parts.find(({ type }) => type === "tool-result")?.["isError"])
    }))

  it.live("(1) (3) (4) logs the tools of the healthy server beside one that is disabled and /bin/cat, which fails with a logged warning (R7)", () =>
    Effect.gen(function*() {
      const { mark, server } = yield* serving({
        cat: { command: "/bin/cat" },
        files: FILES,
        off: { ...FixtureServer.entry("Echo"), enabled: false }
      })
      const { body } = yield* server.post("/api/tools/files_read_text_file/call", { args: { path: "hello.txt" } })
      assert.match(String(body["text"]), /hello from the workspace/)
      const [cat, files, off] = rows((yield* server.get("/api/mcp/servers")).body, "servers")
      assert.deepStrictEqual([cat?.["state"], files?.["state"], off?.["state"]], ["failed", "ready", "disabled"])
      assert.match(JSON.stringify(cat?.["error"]), /no MCP server/)
      assert.match(server.stderr(), /WARN.*cat: .*no MCP server/)
      assert.strictEqual(files?.["tools"], 10)
      assert.deepStrictEqual(
        rows(files ?? {}, "rejected").map(({ tool }) => tool).sort(),
        ["create_directory", "edit_file", "move_file", "write_file"]
      )
      yield* ChatServer.until(Effect.sync(server.stdout), (text) => text.includes("10 tools"))
      assert.match(server.stdout(), /files\s+ready, 10 tools, 4 rejected, \d+ ms/)
      const tools = rows((yield* server.get("/api/tools")).body, "tools")
      assert.deepStrictEqual(tools.filter(({ server: from }) => from === "off"), [])
      // The process of the files is all that carries the mark.
      const alive = yield* ChatServer.until(
        Effect.sync(() => Processes.alive(MARK, mark)),
        ({ length }) => length === 1
      )
      assert.lengthOf(alive, 1)
    }))

  // `Cli.test.ts` sends the other signals to the command, and `HostEnd.test.ts` to a program with as stubborn servers.
  for (const [signal, to] of SIGNALS) {
    it.live(`(6) leaves no process after ${signal} to its ${to}, stubborn ones and those that left included (R1, R2)`, () =>
      Effect.gen(function*() {
        const { mark, server } = yield* serving(
          {
            files: FILES,
            stubborn: FixtureServer.entry("Stubborn"),
            fugitive: FixtureServer.entry("Stubborn", "--detach"),
            wrapped: {
              command: "sh",
              args: ["-c", `exec 3<&0; "${FixtureServer.NODE}" "${FixtureServer.file("Stubborn")}" <&3 & wait`]
            }
          },
          {},
          ChatServer.start
        )
        assert.isAtLeast((yield* Processes.untilAlive(MARK, mark, 8, Deadline.WAIT_MILLIS)).length, 8)
        const code = yield* server.end(signal, to).pipe(Effect.timeout(Deadline.GONE_MILLIS))
        assert.strictEqual(code, 0)
        assert.deepStrictEqual(yield* Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS), [])
      }))
  }

  it.live("(7) holds nine servers with at least 158 tools at once, each under one legal name (R14, R15)", () =>
    Effect.gen(function*() {
      const recorded = [
        "ppt",
        "playwright",
        "mcp-server-chart",
        "word-document-server",
        "opgg-mcp",
        "trends-hub",
        "npm-sentinel-mcp",
        "basic-memory",
        "searxng"
      ]
      const entries = recorded.map((name) => [name, FixtureServer.entry("Replay", "--page", "10", name)])
      const { server } = yield* serving(Object.fromEntries(entries))
      const servers = rows((yield* server.get("/api/mcp/servers")).body, "servers")
      assert.deepStrictEqual(servers.map(({ state }) => state), recorded.map(() => "ready"))
      const tools = rows((yield* server.get("/api/tools")).body, "tools").filter(({ server: from }) => from !== null)
      assert.isAtLeast(tools.length, 158)
      const names = tools.map(({ name }) => String(name))
      assert.strictEqual(new Set(names).size, names.length)
      assert.isTrue(names.every((name) => /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(name)))
      const last = tools.at(-1)
      const args = { filename: "boo.docx", password: "boo" }
      const { body } = yield* server.post(`/api/tools/${last?.["name"]}/call`, { args })
      assert.strictEqual(body["text"], `unprotect_document ${JSON.stringify(args)}`)
    }))
})
