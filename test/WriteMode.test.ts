import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as ModelServer from "./servers/ModelServer.ts"
import * as AppCommand from "./support/AppCommand.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as Processes from "./support/Processes.ts"

const LIMIT = 60_000
const MARK = "BOOCODE_WRITE_MODE_TEST"

const bin = (name: string) => fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url))

type Part = Record<string, unknown> & { readonly id: string }

const chatOn = Effect.fnUntraced(function*(server: ChatServer.ChatServer, known: string | null = null) {
  const id = known ?? String((yield* server.post("/api/chats", {})).body["id"])
  const parts = Effect.map(server.get(`/api/chats/${id}`), ({ body }) => {
    // A test reads what it asks for; a wrong shape is a failed assertion.
    const turns = body["turns"] as ReadonlyArray<{ readonly parts: ReadonlyArray<Part> }>
    return turns.flatMap((turn) => turn.parts)
  })
  const open = Effect.map(parts, (all) => {
    const answered = new Set(all.flatMap((part) => part["type"] === "approval-answer" ? [part.id] : []))
    return all.filter((part) => part["type"] === "approval" && !answered.has(part.id))
  })
  return {
    id,
    parts,
    send: (text: string, more: object = {}) => server.stream(`/api/chats/${id}/messages`, { text, ...more }),
    write: (write: unknown) => server.patch(`/api/chats/${id}`, { write }),
    waiting: Effect.map(ChatServer.until(open, (some) => some.length > 0), ([one]) => one ?? assert.fail("no card")),
    answer: (approval: string, more: object) => server.post(`/api/chats/${id}/approvals/${approval}`, more)
  }
})

const resultOf = (parts: ReadonlyArray<Record<string, unknown>>) =>
  String(parts.find((part) => part["type"] === "tool-result")?.["text"])

describe("The rules of permissions", () => {
  it.live(
    "are written over HTTP once their examples hold, and decide from then on, also when the file is edited by hand",
    () =>
      Effect.gen(function*() {
        const folder = yield* Command.folder({ "data/mcp.json": `{"mcpServers": {}}`, "data/workspace/a.md": "one\n" })
        const file = join(folder, "data/permissions.jsonc")
        const server = yield* AppServer.start(join(folder, "data"))
        const put = (body: object) =>
          Effect.promise(async () => {
            const headers = { "content-type": "application/json" }
            const init = { method: "PUT", headers, body: JSON.stringify(body) }
            const response = await fetch(`${server.url}/api/permissions`, init)
            return { status: response.status, body: Object(await response.json()) }
          })
        const explained = (tool: string) =>
          Effect.map(server.post("/api/permissions/explain", { tool, args: { path: "a.md" } }), ({ body }) => body)
        assert.deepInclude(yield* explained("view_file"), { outcome: "allow", class: "reads", mode: "off" })
        assert.deepInclude(yield* explained("write_file"), {
          outcome: "deny",
          class: "writes",
          source: "write mode off"
        })
        const example = (expect: string) => ({ tool: "write_file", args: { path: "a.md" }, expect })
        const rules = [{ deny: "view_file" }, { allow: "write_file", where: { path: "*.md" } }]
        const text = (expect: string) => JSON.stringify({ write: "rules", rules, examples: [example(expect)] })
        assert.strictEqual((yield* put({ text: text("ask") })).status, 400)
        assert.isFalse(existsSync(file))
        const written = yield* put({ text: text("allow") })
        assert.deepInclude(written.body, { write: "rules", text: text("allow"), problems: [] })
        assert.strictEqual(readFileSync(file, "utf8"), text("allow"))
        assert.deepInclude(yield* explained("write_file"), { outcome: "allow", source: `${file}:1`, mode: "rules" })
        const chat = yield* chatOn(server)
        assert.include(resultOf(yield* chat.send(`/view_file {"path": "a.md"}`)), "says deny view_file")
        yield* chat.send(`/write_file {"path": "b.md", "content": "two"}`)
        assert.strictEqual(readFileSync(join(folder, "data/workspace/b.md"), "utf8"), "two")
        writeFileSync(file, "{}")
        yield* ChatServer.until(explained("view_file"), ({ outcome }) => outcome === "allow")
        assert.deepInclude(yield* explained("view_file"), { outcome: "allow" })
      }),
    LIMIT
  )
})

describe("The write mode of a chat", () => {
  it.live(
    "offers the tools that write, each call with a yes, until a person switches it off",
    () =>
      Effect.gen(function*() {
        const folder = yield* Command.folder({
          "data/mcp.json": `{"mcpServers": {}}`,
          "data/workspace/notes/a.md": "one\n"
        })
        const data = join(folder, "data")
        const write = { path: "notes/a.md", content: "two\n" }
        const model = yield* ModelServer.make((request) =>
          request.results.length === 0
            ? [ModelServer.call("write_file", write)]
            : [ModelServer.text(request.results.map(({ text }) => text).join(" / "))]
        )
        const server = yield* AppServer.start(data, {
          OPENAI_BASE_URL: `${model.url}/v1`,
          BOOCODE_MODEL: "openai/m"
        })
        const chat = yield* chatOn(server)
        const text = () => readFileSync(join(data, "workspace/notes/a.md"), "utf8")
        const off = yield* chat.send("write it")
        assert.include(resultOf(off), "no tool is called write_file")
        const patched = yield* chat.write({ mode: "ask", until: "2999-01-01T00:00:00Z" })
        assert.deepStrictEqual(patched.body["write"], { mode: "ask", until: "2999-01-01T00:00:00Z" })
        const turn = yield* Effect.forkChild(chat.send("write it"))
        const { class: kind, before, id, rule, suggestions } = yield* chat.waiting
        assert.deepStrictEqual({ kind, before, rule, suggestions }, {
          kind: "writes",
          before: "one\n",
          rule: null,
          suggestions: [
            { where: { path: "notes/*" }, text: "write_file where path is notes/*" },
            { where: null, text: "write_file" }
          ]
        })
        assert.strictEqual(text(), "one\n")
        assert.strictEqual((yield* chat.answer(id, { decision: "chat", where: { path: "plans/*" } })).status, 400)
        assert.strictEqual((yield* chat.answer(id, { decision: "chat", where: { path: "notes/*" } })).status, 204)
        const parts = yield* Fiber.join(turn)
        assert.deepStrictEqual(parts.map((part) => part["type"]).filter((type) => type !== "text-delta"), [
          "tool-call",
          "approval",
          "approval-answer",
          "write",
          "tool-result",
          "finish"
        ])
        assert.strictEqual(text(), "two\n")
        const again = yield* chat.send("write it")
        assert.isUndefined(again.find((part) => part["type"] === "approval"))
        // Explaining a call decides as the call is decided.
        const place = join(folder, "state")
        const explained = Effect.fnUntraced(function*(path: string) {
          const call = ["explain", "write_file", JSON.stringify({ path, content: "" }), "--chat", chat.id.slice(0, 8)]
          const args = ["permissions", ...call, "--json", "--data", data]
          const { stdout } = yield* AppCommand.run(args, { env: { BOOCODE_STATE_DIR: place } })
          return JSON.parse(stdout)
        })
        assert.match((yield* explained("notes/a.md")).source, /^a person's yes of /)
        const inChat = (body: object) =>
          Effect.map(
            server.post("/api/permissions/explain", {
              tool: "write_file",
              args: { path: "a" },
              chat: chat.id,
              ...body
            }),
            ({ body }) => [body["outcome"], body["mode"], body["source"]]
          )
        assert.deepStrictEqual(yield* inChat({}), ["ask", "ask", "default"])
        yield* server.patch(`/api/chats/${chat.id}`, { off: { servers: [], tools: ["write_*"] } })
        assert.deepStrictEqual(yield* inChat({}), ["deny", "ask", "the chat"])
        yield* server.patch(`/api/chats/${chat.id}`, { off: { servers: [], tools: [] } })
        yield* chat.write({ mode: "off" })
        assert.deepStrictEqual(yield* inChat({}), ["deny", "off", "write mode off"])
        const refused = yield* chat.send("write it")
        assert.include(resultOf(refused), "no tool is called write_file")
        assert.isTrue(existsSync(join(data, "../state/undo")))
      }),
    LIMIT
  )

  it.live(
    "lets the published servers remember and write, shows what a write replaces, and brings its card back after a kill",
    () =>
      Effect.gen(function*() {
        const mark = randomUUID()
        const env = { [MARK]: mark }
        const memory = join(yield* Command.folder({}), "graph.jsonl")
        const folder = yield* Command.folder({
          "data/mcp.json": JSON.stringify({
            mcpServers: {
              memory: { command: bin("mcp-server-memory"), env: { ...env, MEMORY_FILE_PATH: memory } },
              files: { command: bin("mcp-server-filesystem"), args: ["workspace"], env }
            }
          }),
          "data/workspace/notes/a.md": "one\n",
          "data/permissions.jsonc": JSON.stringify({
            rules: [{ deny: "memory_delete_*" }, { allow: "memory_*" }],
            hooks: [{ command: ["sh", "-c", "case \"$(cat)\" in *forbidden*) echo '{\"outcome\":\"deny\"}';; esac"] }]
          })
        })
        const data = join(folder, "data")
        const ready = Effect.fnUntraced(function*(server: ChatServer.ChatServer) {
          yield* ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)
          return server
        })
        const first = yield* ready(yield* ChatServer.start(data))
        const chat = yield* chatOn(first)
        const entity = (name: string) =>
          `{"entities": [{"name": "${name}", "entityType": "person", "observations": []}]}`
        const remember = (name: string) => chat.send(`/memory_create_entities ${entity(name)}`)
        assert.deepStrictEqual(yield* remember("Ann"), [])
        yield* chat.write({ mode: "ask" })
        assert.include(resultOf(yield* remember("Ann")), "Ann")
        assert.include(resultOf(yield* remember("forbidden")), "the hook at")
        assert.isFalse(readFileSync(memory, "utf8").includes("forbidden"))
        const gone = yield* chat.send(`/memory_delete_entities {"entityNames": ["Ann"]}`)
        assert.deepStrictEqual(gone, [])
        const content = "two\n"
        yield* Effect.forkChild(
          Effect.exit(chat.send(`/files_write_file ${JSON.stringify({ path: "notes/a.md", content })}`))
        )
        const card = yield* chat.waiting
        assert.deepInclude(card, { before: "one\n", class: "destroys" })
        yield* first.end("SIGKILL", "process")
        const second = yield* ready(yield* AppServer.start(data))
        const again = yield* chatOn(second, chat.id)
        assert.strictEqual((yield* again.answer(card.id, { decision: "once" })).status, 204)
        yield* ChatServer.until(again.parts, (parts) => parts.at(-1)?.["type"] === "finish")
        assert.strictEqual(readFileSync(join(data, "workspace/notes/a.md"), "utf8"), content)
        const { body } = yield* second.get(`/api/chats/${chat.id}/writes`)
        const writes = body["writes"] as ReadonlyArray<Part>
        assert.deepStrictEqual(writes.map(({ allowedBy, name }) => [name, allowedBy]), [
          ["files_write_file", "person"],
          ["memory_create_entities", "rule"]
        ])
        const undone = yield* second.post(`/api/chats/${chat.id}/writes/${writes[0]?.id}/undo`)
        assert.strictEqual(undone.status, 200)
        assert.strictEqual(readFileSync(join(data, "workspace/notes/a.md"), "utf8"), "one\n")
        yield* second.end("SIGTERM", "process")
        assert.deepStrictEqual(yield* Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS), [])
      }),
    LIMIT
  )
})
