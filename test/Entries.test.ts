/** Entries of servers over HTTP, with real servers: tried, given variables, edited and imported. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import { untilSeen } from "./support/CliFolder.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as Processes from "./support/Processes.ts"

const MARK = "BOOCODE_ENTRY_TEST"

const EXAMPLE = {
  type: "streamableHttp",
  url: "https://mcp.context7.com/mcp",
  headers: { "X-API-Key": "${CONTEXT7_API_KEY:-}" },
  enabled: false
}

const stage = Effect.fnUntraced(function*(mcpServers: Readonly<Record<string, unknown>>, more = {}) {
  const mark = randomUUID()
  const folder = yield* Command.folder({
    "data/mcp.json": JSON.stringify({ mcpServers }, null, 2),
    "data/workspace/a.txt": "a",
    ...more
  })
  const data = join(folder, "data")
  const server = yield* AppServer.start(data)
  const put = (path: string, body: unknown) =>
    Effect.promise(async () => {
      const headers = { "content-type": "application/json" }
      const response = await fetch(`${server.url}${path}`, { method: "PUT", headers, body: JSON.stringify(body) })
      const given: Record<string, unknown> = JSON.parse(await response.text())
      return { status: response.status, body: given }
    })
  const marked = (entry: object) => ({ ...entry, env: { ...Command.COMPILED, [MARK]: mark } })
  const left = Effect.map(Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS), ({ length }) => length)
  const file = () => readFileSync(join(data, "mcp.json"), "utf8")
  return { data, server, put, mark, marked, left, file }
})

const names = (list: unknown) => (list as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name)

describe("Entries over HTTP", () => {
  it.live(
    "a trial gives the tools and the log of a server, writes nothing and leaves no process",
    () =>
      Effect.gen(function*() {
        const { data, file, left, marked, server } = yield* stage({})
        const before = file()
        const entry = { ...marked(FixtureServer.entry("Files", "workspace")), enabled: false }
        const { body, status } = yield* server.post("/api/mcp/try", { name: "files", entry })
        assert.strictEqual(status, 200, JSON.stringify(body))
        assert.include(body["server"], { name: "files", state: "ready" })
        assert.include(names(body["tools"]), "files_read_text_file")
        assert.isAbove(names(body["log"]).length, 0)
        assert.strictEqual(yield* left, 0)
        const wrong = yield* server.post("/api/mcp/try", {
          name: "files",
          text: "{ \"command\": \"no-such-program\" }"
        })
        assert.deepInclude(Object(wrong.body["server"]), { state: "failed" })
        assert.strictEqual(Object(wrong.body["server"]).error._tag, "CommandNotFound")
        assert.deepStrictEqual(names((yield* server.get("/api/mcp/servers")).body["servers"]), [])
        assert.strictEqual(file(), before)
        assert.isFalse(existsSync(join(data, ".env")))
      }),
    120_000
  )

  it.live("a trial of a server that never answers ends with its request", () =>
    Effect.gen(function*() {
      const { left, mark, marked, server } = yield* stage({})
      const controller = new AbortController()
      const asked = fetch(`${server.url}/api/mcp/try`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name: "silent", entry: marked(FixtureServer.program("Silent")) }),
        signal: controller.signal
      }).catch(() => null)
      yield* untilSeen(() => Processes.alive(MARK, mark).length > 0)
      controller.abort()
      yield* Effect.promise(() => asked)
      assert.strictEqual(yield* left, 0)
    }), 120_000)

  it.live(
    "a value for a variable goes into .env, for its owner alone, and its server starts",
    () =>
      Effect.gen(function*() {
        const files = FixtureServer.entry("Files", "${FOLDER}")
        const { data, put, server } = yield* stage({ files: { ...files, env: Command.COMPILED } }, {
          "data/.env": "# mine\nOTHER=1\n"
        })
        const state = Effect.map(server.get("/api/mcp/servers"), ({ body }) => Object(body["servers"])[0])
        yield* ChatServer.until(state, (one) => one.error?._tag === "VariableUnset")
        const refused = yield* put("/api/mcp/servers/files/variables", { OTHER: "2" })
        assert.deepStrictEqual([refused.status, refused.body["key"]], [400, "OTHER"])
        const { body, status } = yield* put("/api/mcp/servers/files/variables", { FOLDER: "workspace" })
        assert.deepStrictEqual([status, body["state"]], [200, "ready"], JSON.stringify(body))
        assert.strictEqual(readFileSync(join(data, ".env"), "utf8"), "# mine\nOTHER=1\nFOLDER=workspace\n")
        assert.strictEqual(statSync(join(data, ".env")).mode & 0o777, 0o600)
        const again = yield* put("/api/mcp/servers/files/variables", { FOLDER: "workspace" })
        assert.deepStrictEqual([again.status, again.body["state"]], [200, "ready"])
      }),
    120_000
  )

  it.live(
    "an edited entry is applied at once, and servers of another application come in",
    () =>
      Effect.gen(function*() {
        const files = { ...FixtureServer.entry("Files", "nowhere"), env: Command.COMPILED }
        const cursor = { mcpServers: { context7: files, later: { command: "no-such-program" } } }
        const { data, file, put, server } = yield* stage({ context7: EXAMPLE }, {
          "data/.cursor/mcp.json": JSON.stringify(cursor)
        })
        const found = yield* server.get("/api/mcp/imports")
        assert.deepInclude(Object(found.body["sources"])[0], {
          application: "cursor",
          file: join(data, ".cursor/mcp.json")
        })
        const done = yield* server.post("/api/mcp/imports", { source: "cursor", names: ["context7"] })
        assert.deepInclude(done.body, { isWritten: true }, JSON.stringify(done.body))
        assert.deepStrictEqual(names((yield* server.get("/api/mcp/servers")).body["servers"]), ["context7"])
        const { body } = yield* server.get("/api/mcp/servers/context7/entry")
        assert.notInclude(String(body["text"]), "enabled")
        const text = String(body["text"]).replace("nowhere", "workspace").replace(
          "\"args\"",
          "// the workspace\n  \"args\""
        )
        const edited = yield* put("/api/mcp/servers/context7/entry", { text, newName: "files" })
        assert.deepStrictEqual([edited.status, edited.body["state"]], [200, "ready"], JSON.stringify(edited.body))
        assert.include(file(), "// the workspace")
        const call = yield* server.post("/api/tools/files_read_text_file/call", { args: { path: "a.txt" } })
        assert.include(JSON.stringify(call.body), "\"a\"")
      }),
    120_000
  )
})
