/** What tools of a chat wrote is listed and undone over HTTP, also after a kill. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as Processes from "./support/Processes.ts"

const MARK = "BOOCODE_WRITE_UNDO_TEST"

const bin = (name: string) => fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url))

interface Write {
  readonly id: string
  readonly call: string
  readonly name: string
  readonly outcome: string
  readonly allowedBy: string
  readonly undo: { readonly possible: boolean; readonly undoneAt: string | null; readonly why: string | null }
}

const ready = Effect.fnUntraced(function*(server: ChatServer.ChatServer) {
  yield* ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)
  return server
})

/** A chat of a server, which may write with a yes. */
const chatOn = Effect.fnUntraced(function*(server: ChatServer.ChatServer, known: string | null = null) {
  const id = known ?? String((yield* server.post("/api/chats", {})).body["id"])
  yield* server.patch(`/api/chats/${id}`, { write: { mode: "ask" } })
  const open = Effect.map(server.get("/api/approvals"), ({ body }) =>
    // A test reads what it asks for; a wrong shape is a failed assertion.
    body["pending"] as ReadonlyArray<{ readonly id: string }>)
  return {
    id,
    /** Makes a call after a yes. */
    call: Effect.fnUntraced(function*(tool: string, args: object) {
      const turn = yield* Effect.forkChild(
        server.stream(`/api/chats/${id}/messages`, { text: `/${tool} ${JSON.stringify(args)}` })
      )
      const [card] = yield* ChatServer.until(open, (some) => some.length === 1)
      yield* server.post(`/api/chats/${id}/approvals/${card?.id}`, { decision: "once" })
      const parts = yield* Fiber.join(turn)
      const result = parts.find((part) => part["type"] === "tool-result")
      assert.isFalse(result?.["isError"], String(result?.["text"]))
    }),
    writes: Effect.map(server.get(`/api/chats/${id}/writes`), ({ body }) => body["writes"] as ReadonlyArray<Write>),
    undo: (write: Write | undefined) => server.post(`/api/chats/${id}/writes/${write?.id}/undo`, {})
  }
})

describe("What the tools of a chat wrote", Deadline.TEST, () => {
  it.live("is undone from the newest on, by built-in tools and by those of servers, also after a kill", () =>
    Effect.gen(function*() {
      const mark = randomUUID()
      const files = { command: bin("mcp-server-filesystem"), args: ["workspace"], env: { [MARK]: mark } }
      const folder = yield* Command.folder({
        "data/mcp.json": JSON.stringify({ mcpServers: { files } }),
        "data/workspace/notes/a.md": "one\r\n"
      })
      const data = join(folder, "data")
      const file = (name: string) => join(data, "workspace", name)
      const text = (name: string) => existsSync(file(name)) ? readFileSync(file(name), "utf8") : null

      const first = yield* ready(yield* ChatServer.start(data))
      const before = yield* chatOn(first)
      yield* before.call("write_file", { path: "notes/a.md", content: "two\n" })
      yield* before.call("files_write_file", { path: "notes/a.md", content: "three\n" })
      yield* before.call("move", { from: "notes/a.md", to: "notes/b.md" })
      yield* before.call("delete", { path: "notes" })
      assert.isFalse(existsSync(file("notes")))
      yield* first.end("SIGKILL", "process")

      const server = yield* ready(yield* AppServer.start(data))
      const chat = yield* chatOn(server, before.id)
      const [deleted, moved, byServer, written] = yield* chat.writes
      assert.deepStrictEqual(
        [deleted, moved, byServer, written].map((write) => [write?.name, write?.outcome, write?.allowedBy]),
        [
          ["delete", "done", "person"],
          ["move", "done", "person"],
          ["files_write_file", "done", "person"],
          ["write_file", "done", "person"]
        ]
      )
      const tooEarly = yield* chat.undo(written)
      assert.deepStrictEqual([tooEarly.status, tooEarly.body["_tag"], tooEarly.body["state"]], [
        409,
        "ChangedSince",
        "changed"
      ])
      assert.deepStrictEqual([(yield* chat.undo(deleted)).status, text("notes/b.md")], [200, "three\n"])
      assert.deepStrictEqual([(yield* chat.undo(moved)).status, text("notes/a.md")], [200, "three\n"])
      writeFileSync(file("notes/a.md"), "mine\n")
      assert.strictEqual((yield* chat.undo(byServer)).body["state"], "changed")
      assert.strictEqual(text("notes/a.md"), "mine\n")
      writeFileSync(file("notes/a.md"), "three\n")
      assert.deepStrictEqual([(yield* chat.undo(byServer)).status, text("notes/a.md")], [200, "two\n"])
      assert.deepStrictEqual((yield* chat.undo(written)).body, { undone: true, text: "notes/a.md is as it was before" })
      assert.strictEqual(text("notes/a.md"), "one\r\n")
      const again = yield* chat.undo(written)
      assert.deepStrictEqual([again.status, again.body["state"]], [409, "undone"])
      assert.isTrue((yield* chat.writes).every(({ undo }) => !undo.possible && undo.undoneAt !== null))
      yield* server.end("SIGTERM", "process")
      assert.deepStrictEqual(yield* Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS), [])
    }).pipe(Effect.scoped))
})
