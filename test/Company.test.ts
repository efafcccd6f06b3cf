/** A chat server among bad servers: the first turn works with the good one, and the status tells the truth at once. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import * as Marks from "../packages/toolkit/test/support/Marks.ts"
import * as ModelServer from "./servers/ModelServer.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import { folder } from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as Processes from "./support/Processes.ts"
import * as Zoo from "./support/Zoo.ts"

const AGENTS = "---\nname: Assistant\n---\n\nYou help.\n"

/** A chat server over these entries, started a moment ago: nothing is waited for. */
const serving = (entries: Zoo.Entries, env: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function*() {
    const mark = randomUUID()
    yield* Effect.addFinalizer(() => Processes.killAll(Zoo.MARK, mark))
    const marked = Object.entries(entries).map(([name, entry]) => [name, { ...entry, env: { [Zoo.MARK]: mark } }])
    const root = yield* folder({
      "data/mcp.json": JSON.stringify({ mcpServers: Object.fromEntries(marked) }),
      "data/AGENTS.md": AGENTS,
      "data/workspace/hello.txt": "hello\n"
    })
    const server = yield* AppServer.start(join(root, "data"), env)
    return { mark, server }
  })

interface Row {
  readonly name: string
  readonly state: string
  readonly pid: number | null
  readonly error: { readonly _tag: string; readonly message: string } | null
}

/** The servers as the API tells them, by name. */
const statuses = (server: ChatServer.ChatServer) =>
  Effect.map(server.get("/api/mcp/servers"), ({ body }) => {
    const rows: ReadonlyArray<Row> = Array.isArray(body["servers"]) ? body["servers"] : []
    return new Map(rows.map((row) => [row.name, row]))
  })

describe("Company", Deadline.TEST, () => {
  it.live(
    "a first turn completes with the good server's tools beside one that failed and one that never answers (R7, R16)",
    () =>
      Effect.gen(function*() {
        const models = yield* ModelServer.make(({ results }) =>
          results.length === 0
            ? [ModelServer.call("good_echo", { text: "here" })]
            : [ModelServer.text(`It said ${results[0]?.text}.`)]
        )
        const { server } = yield* serving({
          good: Zoo.entry("UnknownIds"),
          boom: Zoo.entry("Exits", "start"),
          silent: { ...Zoo.entry("Silent"), startupTimeout: "1 minute" }
        }, { OPENAI_BASE_URL: `${models.url}/v1`, BOOCODE_MODEL: "openai/scripted" })
        const started = Date.now()
        const { body: chat } = yield* server.post("/api/chats", { agent: "Assistant" })
        const parts = yield* server.stream(`/api/chats/${chat["id"]}/messages`, { text: "Hello" })
        // A turn waits three seconds at most for servers that still connect.
        assert.isBelow(Date.now() - started, Deadline.late(3000))
        assert.strictEqual(
          Marks.unnumbered(parts.filter(({ type }) => type === "text-delta").map(({ text }) => text).join("")),
          "It said <tool_result server=\"good\" tool=\"echo\" trusted=\"yes\">\nhere\n</tool_result>."
        )
        assert.deepInclude(parts.at(-1), { type: "finish", reason: "stop" })
        const warnings = parts.flatMap((part) => part["servers"] ?? [])
        assert.deepStrictEqual(warnings, [{ name: "boom", reason: "failed" }, { name: "silent", reason: "connecting" }])
        const now = yield* statuses(server)
        assert.strictEqual(now.get("good")?.state, "ready")
        assert.strictEqual(now.get("silent")?.state, "connecting")
        assert.strictEqual(now.get("boom")?.error?._tag, "Exited")
        assert.match(now.get("boom")?.error?.message ?? "", /boom: exits at start/)
      })
  )

  it.live(
    "the API tells within a second that a server was killed, and never that it is ready then (R45)",
    () =>
      Effect.gen(function*() {
        const { server } = yield* serving({ it: Zoo.entry("UnknownIds") })
        const row = Effect.map(statuses(server), (all) => all.get("it"))
        const before = yield* ChatServer.until(row, (it) => it?.state === "ready")
        process.kill(before?.pid ?? assert.fail("no pid"), "SIGKILL")
        const killed = Date.now()
        const after = yield* ChatServer.until(row, (it) => it?.state !== "ready")
        assert.isBelow(Date.now() - killed, Deadline.late(1000))
        assert.deepInclude(after, { state: "failed", pid: null })
        assert.match(after?.error?.message ?? "", /SIGKILL/)
        const { body } = yield* server.get("/api/health")
        assert.deepInclude(body["servers"], { ready: 0, failed: 1 })
      })
  )
})
