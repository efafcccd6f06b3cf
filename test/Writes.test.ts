/** The published servers of README's examples, whose writing tools a person offers: each of their calls waits for a yes. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as ModelServer from "./servers/ModelServer.ts"
import * as AppCommand from "./support/AppCommand.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as Processes from "./support/Processes.ts"

const MARK = "BOOCODE_WRITES_TEST"

const bin = (name: string) => fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url))

interface Part {
  readonly type: string
  readonly id: string
  readonly name: string
  readonly text: string
}

interface Status {
  readonly tools: number
  readonly pid: number | null
  readonly writes: string
  readonly offer: string | null
  readonly classes: Readonly<Record<string, number>>
}

/** `memory` and `files` as their READMEs have them, with what a person adds to their entries. */
const serving = Effect.fnUntraced(function*(more: object, env: Readonly<Record<string, string>> = {}) {
  const mark = randomUUID()
  const folder = yield* Command.folder({ "data/workspace/a.txt": "a\n" })
  const memory = join(folder, "memory.jsonl")
  const data = yield* Command.folder({
    "data/mcp.json": JSON.stringify({
      mcpServers: {
        memory: { command: bin("mcp-server-memory"), env: { [MARK]: mark, MEMORY_FILE_PATH: memory }, ...more },
        files: { command: bin("mcp-server-filesystem"), args: ["workspace"], env: { [MARK]: mark }, ...more }
      }
    }),
    "data/workspace/a.txt": "a\n"
  })
  const server = yield* AppServer.start(join(data, "data"), env)
  yield* ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)
  const { body } = yield* server.post("/api/chats", "OPENAI_BASE_URL" in env ? { model: "openai/m" } : {})
  const chat = String(body["id"])
  const open = Effect.map(server.get(`/api/chats/${chat}`), ({ body }) => {
    // A test reads what it asks for; a wrong shape is a failed assertion.
    const turns = body["turns"] as ReadonlyArray<{ readonly parts: ReadonlyArray<Part> }>
    const parts = turns.flatMap((turn) => turn.parts)
    const answered = new Set(parts.flatMap((part) => part.type === "approval-answer" ? [part.id] : []))
    return parts.filter((part) => part.type === "approval" && !answered.has(part.id))
  })
  /** Sends a message whose one call waits for a person, and answers it; gives the parts of the turn. */
  const asked = Effect.fnUntraced(function*(text: string, decision: "once" | "deny", before: () => void) {
    const turn = yield* Effect.forkChild(server.stream(`/api/chats/${chat}/messages`, { text }))
    const [request] = yield* ChatServer.until(open, (some) => some.length === 1)
    before()
    const answer = { decision }
    assert.strictEqual((yield* server.post(`/api/chats/${chat}/approvals/${request?.id}`, answer)).status, 204)
    return yield* Fiber.join(turn)
  })
  const status = (name: string) =>
    Effect.map(server.get("/api/mcp/servers"), ({ body }) => {
      const servers = body["servers"] as ReadonlyArray<Status & { readonly name: string }>
      return servers.find((one) => one.name === name) ?? assert.fail(name)
    })
  return {
    server,
    asked,
    status,
    left: Effect.andThen(server.end("SIGTERM", "process"), Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS)),
    send: (text: string) => server.stream(`/api/chats/${chat}/messages`, { text }),
    entry: (name: string): object => JSON.parse(readFileSync(join(data, "data/mcp.json"), "utf8")).mcpServers[name],
    remembered: () => existsSync(memory) ? readFileSync(memory, "utf8") : "",
    file: (name: string) => {
      const path = join(data, "data/workspace", name)
      return existsSync(path) ? readFileSync(path, "utf8") : null
    }
  }
})

const resultOf = (parts: ReadonlyArray<Record<string, unknown>>) =>
  parts.find((part) => part["type"] === "tool-result") ?? assert.fail("no result")

const ENTITIES = { entities: [{ name: "Ann", entityType: "person", observations: ["likes tea"] }] }

describe("Servers whose entry says \"writes\": \"ask\"", Deadline.TEST, () => {
  it.live("remember for a model, each call with a person's yes, and not after a no", () =>
    Effect.gen(function*() {
      const model = yield* ModelServer.make((request) =>
        request.results.length === 0
          ? [ModelServer.call("memory_create_entities", ENTITIES)]
          : [ModelServer.text("Noted.")]
      )
      const here = yield* serving({ writes: "ask" }, { OPENAI_BASE_URL: `${model.url}/v1` })
      const { classes, offer, tools, writes } = yield* here.status("memory")
      assert.deepStrictEqual([tools, writes, offer], [9, "ask", null])
      assert.deepStrictEqual(classes, { reads: 3, undeclared: 0, writes: 3, destroys: 3 })
      const parts = yield* here.asked("Ann likes tea", "once", () => assert.strictEqual(here.remembered(), ""))
      assert.strictEqual(resultOf(parts)["isError"], false)
      assert.include(here.remembered(), "likes tea")
      const before = here.remembered()
      model.answer(({ body }) =>
        JSON.stringify(body).includes("was not called")
          ? [ModelServer.text("Kept.")]
          : [ModelServer.call("memory_delete_entities", { entityNames: ["Ann"] })]
      )
      yield* here.asked("forget Ann", "deny", () => assert.strictEqual(here.remembered(), before))
      assert.strictEqual(here.remembered(), before)
      assert.deepStrictEqual(yield* here.left, [])
    }).pipe(Effect.scoped))

  it.live("write files, each call with a person's yes", () =>
    Effect.gen(function*() {
      const here = yield* serving({ writes: "ask" })
      const write = `/files_write_file ${JSON.stringify({ path: "note.txt", content: "remember\n" })}`
      const parts = yield* here.asked(write, "once", () => assert.isNull(here.file("note.txt")))
      assert.strictEqual(resultOf(parts)["isError"], false)
      assert.strictEqual(here.file("note.txt"), "remember\n")
      yield* here.asked(write.replace("remember", "again"), "deny", () => {})
      assert.strictEqual(here.file("note.txt"), "remember\n")
      // What reads asks nobody.
      assert.include(String(resultOf(yield* here.send(`/files_read_text_file {"path":"a.txt"}`))["text"]), "a")
      assert.deepStrictEqual(yield* here.left, [])
    }).pipe(Effect.scoped))

  it.live("stay rejected in a project's file, whatever it says, and nobody writes it there", () =>
    Effect.gen(function*() {
      const entry = { command: bin("mcp-server-memory"), writes: "ask" }
      const folder = yield* Command.folder({
        "repo/.git/HEAD": "",
        "repo/.mcp.json": JSON.stringify({ mcpServers: { theirs: entry } }),
        "repo/data/mcp.json": "{}",
        "repo/data/settings.json": JSON.stringify({ scopes: ["project"] })
      })
      const repo = join(folder, "repo")
      const before = readFileSync(join(repo, ".mcp.json"), "utf8")
      const server = yield* AppServer.start(join(repo, "data"), { INIT_CWD: repo })
      yield* server.post("/api/mcp/servers/theirs/approve", {})
      const theirs = Effect.map(server.get("/api/mcp/servers"), ({ body }) => {
        const [status] = body["servers"] as ReadonlyArray<Status & { readonly warnings: ReadonlyArray<string> }>
        return status ?? assert.fail("no server")
      })
      const { offer, warnings, writes } = yield* ChatServer.until(theirs, ({ tools }) => tools === 3)
      assert.strictEqual(writes, null)
      assert.match(offer ?? "", /^a project file cannot offer it/)
      assert.match(warnings.join("\n"), /mcpServers\.theirs\.writes: a project file may say "off" only/)
      const refused = yield* server.post("/api/mcp/servers/theirs/writes", { writes: "ask" })
      assert.deepStrictEqual([refused.status, refused.body["_tag"]], [409, "EntryNotChanged"])
      assert.strictEqual(readFileSync(join(repo, ".mcp.json"), "utf8"), before)
    }).pipe(Effect.scoped))

  it.live("are rejected without it, say what offers them, and are offered by one request while the server runs on", () =>
    Effect.gen(function*() {
      const here = yield* serving({})
      const before = yield* here.status("files")
      const hint = "boocode mcp writes files ask offers it, each call with your yes"
      assert.deepStrictEqual([before.tools, before.writes, before.offer], [10, null, hint])
      assert.deepStrictEqual(before.classes, { reads: 10, undeclared: 0, writes: 1, destroys: 3 })
      const args = { path: "a.txt", content: "b" }
      const { body, status } = yield* here.server.post("/api/tools/files_write_file/call", { args })
      assert.deepStrictEqual([status, body["_tag"]], [403, "YesNeeded"])
      assert.strictEqual(here.file("a.txt"), "a\n")
      const changed = yield* here.server.post("/api/mcp/servers/files/writes", { writes: "ask" })
      assert.deepStrictEqual(
        [changed.status, changed.body["writes"], changed.body["tools"], changed.body["pid"]],
        [200, "ask", 14, before.pid]
      )
      assert.propertyVal(here.entry("files"), "writes", "ask")
      yield* here.asked(`/files_create_directory {"path":"new"}`, "once", () => {})
      const off = yield* here.server.post("/api/mcp/servers/files/writes", { writes: "off" })
      assert.deepStrictEqual([off.body["writes"], off.body["tools"], off.body["pid"]], [null, 10, before.pid])
      assert.notProperty(here.entry("files"), "writes")
      const command = yield* AppCommand.run(["mcp", "writes", "files", "ask", "--url", here.server.url, "--json"])
      assert.deepInclude(JSON.parse(command.stdout), { writes: "ask", tools: 14, pid: before.pid })
      assert.propertyVal(here.entry("files"), "writes", "ask")
      assert.deepStrictEqual(yield* here.left, [])
    }).pipe(Effect.scoped))
})
