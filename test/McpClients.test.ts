/** `/mcp` of the chat server over HTTP: who is let in, what a profile offers, and who decides about calls that write. */
import { assert, describe, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import * as AppCommand from "./support/AppCommand.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as GatewayClients from "./support/GatewayClients.ts"

const INIT = {
  method: "POST",
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } }
  })
}
const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" }

const status = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, { ...INIT, headers: { ...HEADERS, ...headers } })
    await response.body?.cancel()
    return response.status
  })

/** The answers to a request that goes past the router, and to one that does not: it does not say how long it is. */
const bothWays = (url: string, headers: Readonly<Record<string, string>>) =>
  Effect.promise(() =>
    Promise.all(["text", "stream"].map(async (kind) => {
      const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })
      const body = kind === "text" ? text : new Blob([text]).stream()
      const answer = await fetch(url, { method: "POST", body, duplex: "half", headers: { ...HEADERS, ...headers } })
      const { date: _, ...others } = Object.fromEntries(answer.headers)
      return { status: answer.status, headers: others, text: await answer.text() }
    }))
  )

/** The status of a request whose text comes in two pieces; null where the client leaves after the first. */
const inPieces = (url: string, headers: Readonly<Record<string, string>>, leaves: boolean) =>
  Effect.promise(() =>
    new Promise<number | null>((resolve, reject) => {
      const length = { "content-length": String(INIT.body.length) }
      const asked = request(url, { method: "POST", headers: { ...HEADERS, ...headers, ...length } }, (answer) => {
        resolve(answer.resume().statusCode ?? null)
      })
      asked.on("error", (error) => leaves ? resolve(null) : reject(error))
      asked.write(INIT.body.slice(0, 20), () =>
        leaves ? asked.destroy(new Error("left")) : asked.end(INIT.body.slice(20)))
    })
  )

const names = (client: Client) =>
  Effect.map(Effect.promise(() => client.listTools()), ({ tools }) => tools.map(({ name }) => name))

const serving = Effect.fnUntraced(function*(more: Readonly<Record<string, string>> = {}) {
  const ledger = {
    ...FixtureServer.entry("Ledger", "ledger.txt"),
    cwd: "workspace",
    classes: { write: "writes" },
    writes: "ask"
  }
  const shared = yield* GatewayClients.shared({ files: FixtureServer.entry("Files", "."), ledger }, more)
  const server = yield* AppServer.start(shared.data, { BOOCODE_STATE_DIR: shared.state })
  yield* ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)
  const journal = () => {
    const text = readFileSync(join(shared.state, "own-writes.jsonl"), "utf8")
    return text.trim().split("\n").map((line) => JSON.parse(line))
  }
  return { ...shared, server, journal }
})

const add = (server: ChatServer.ChatServer, body: unknown) =>
  Effect.map(server.post("/api/clients", body), (added) => String(added.body["token"]))

describe("/mcp of the chat server", Deadline.TEST, () => {
  it.live("knows a client by its token, which opens its own profile alone and nothing once it is taken back", () =>
    Effect.gen(function*() {
      const profiles = { profiles: { work: { tools: ["files_read_*"] } } }
      const { data, env, server } = yield* serving({ "data/gateway.jsonc": JSON.stringify(profiles) })
      const token = yield* add(server, { name: "cursor", profile: "work" })
      const headers = { authorization: `Bearer ${token}` }
      const client = yield* GatewayClients.overHttp(`${server.url}/mcp`, { headers })
      assert.deepStrictEqual((yield* names(client)).filter((name) => name.startsWith("files_")), [
        "files_read_text_file"
      ])
      const listed = yield* server.get("/api/clients")
      assert.include(JSON.stringify(listed.body), `"name":"cursor","program":{"name":"test-client"`)
      assert.notInclude(JSON.stringify(listed.body), token)
      assert.notInclude(readFileSync(join(data, "..", "state", "mcp-clients.json"), "utf8"), token)
      assert.strictEqual(yield* status(`${server.url}/mcp/default`, headers), 403)
      assert.strictEqual(yield* status(`${server.url}/mcp`, { authorization: "Bearer boo_of-nobody" }), 401)
      assert.strictEqual(yield* status(`${server.url}/mcp/none`), 404)
      // The token of a client opens no door of the API beyond what everyone has, and a foreign page has none.
      assert.strictEqual(yield* status(`${server.url}/mcp`, { origin: "https://evil.example" }), 403)
      for (
        const [path, more, expected] of [
          ["/mcp", headers, 400],
          ["/mcp/work", { ...headers, "mcp-session-id": "of-nobody" }, 404],
          ["/mcp/default", headers, 403],
          ["/mcp", { authorization: "Bearer boo_of-nobody" }, 401],
          ["/mcp", { ...headers, origin: "https://evil.example" }, 403],
          ["/mcp/none", {}, 404]
        ] as const
      ) {
        const [past, through] = yield* bothWays(`${server.url}${path}`, more)
        assert.strictEqual(past?.status, expected, path)
        assert.deepStrictEqual(past, through, path)
      }
      assert.isNull(yield* inPieces(`${server.url}/mcp`, headers, true))
      assert.strictEqual(yield* inPieces(`${server.url}/mcp`, headers, false), 200)
      const removed = yield* AppCommand.run(["mcp", "clients", "remove", "cursor", "--data", data], { env })
      assert.strictEqual(removed.code, 0, removed.stderr)
      assert.strictEqual(yield* status(`${server.url}/mcp`, headers), 401)
      assert.deepStrictEqual((yield* server.get("/api/clients")).body["clients"], [])
    }))

  it.live("takes a changed gateway.jsonc at once, keeps a profile whose text is broken, and says where", () =>
    Effect.gen(function*() {
      const { data, server } = yield* serving()
      const file = join(data, "gateway.jsonc")
      const offered = Effect.flatMap(GatewayClients.overHttp(`${server.url}/mcp/work`), names).pipe(
        Effect.scoped,
        Effect.catchDefect(() => Effect.succeed<ReadonlyArray<string>>([])),
        Effect.map((all) => all.filter((name) => name.includes("_") && !/^(read_result|approval_status)$/.test(name)))
      )
      assert.deepStrictEqual(yield* offered, [])
      writeFileSync(file, JSON.stringify({ profiles: { work: { tools: ["ledger_look"] } } }))
      const first = yield* ChatServer.until(offered, (all) => all.length > 0)
      assert.deepStrictEqual(first, ["ledger_look"])
      writeFileSync(file, "{\n  \"profiles\": {\n    \"work\": { \"write\": \"of\" }\n  }\n}")
      const told = yield* ChatServer.until(
        server.get("/api/clients"),
        ({ body }) => JSON.stringify(body["problems"]).includes("profiles.work.write")
      )
      assert.include(JSON.stringify(told.body["problems"]), "\"line\":3")
      assert.deepStrictEqual(yield* offered, ["ledger_look"])
    }))

  it.live("asks the client's own person about a write, who decides, and keeps a trace of it", () =>
    Effect.gen(function*() {
      const { journal, server } = yield* serving()
      const asked: Array<string> = []
      let answer: "accept" | "decline" = "decline"
      const client = new Client({ name: "asker", version: "1" }, { capabilities: { elicitation: { form: {} } } })
      client.setRequestHandler("elicitation/create", ({ params }) => {
        asked.push(params.message)
        return { action: answer, ...answer === "accept" ? { content: {} } : {} }
      })
      const write = Effect.promise(() => client.callTool({ name: "ledger_write", arguments: { text: "hello" } }))
      yield* Effect.addFinalizer(() => Effect.promise(() => client.close()))
      yield* Effect.promise(() => client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`))))
      yield* names(client)
      assert.include(JSON.stringify(yield* write), "said no")
      answer = "accept"
      assert.include(JSON.stringify(yield* write), "write is done")
      assert.strictEqual(asked.length, 2)
      assert.include(asked[0], "hello")
      assert.deepStrictEqual(
        journal().map(({ allowedBy, client: by, name, outcome }) => [name, outcome, allowedBy, by]),
        [
          ["ledger_write", "done", "person", "asker"]
        ]
      )
    }))

  it.live("asks at the page where the client cannot ask, with the arguments, and makes the call after the yes", () =>
    Effect.gen(function*() {
      const { journal, server } = yield* serving()
      const client = yield* GatewayClients.overHttp(`${server.url}/mcp`, { name: "claude-ai" })
      yield* names(client)
      const call = client.callTool({ name: "ledger_write", arguments: { text: "hello" } })
      const open = yield* ChatServer.until(
        server.get("/api/questions"),
        ({ body }) => JSON.stringify(body).includes("call")
      )
      const [question] = JSON.parse(JSON.stringify(open.body["questions"]))
      assert.deepInclude(question, { kind: "call", server: "ledger", chat: null })
      assert.deepInclude(question.wanted, {
        program: "claude-ai",
        name: "ledger_write",
        args: { text: "hello" },
        class: "writes"
      })
      yield* server.post(`/api/questions/${question.id}`, { action: "accept" })
      assert.include(JSON.stringify(yield* Effect.promise(() => call)), "write is done")
      assert.strictEqual(journal()[0].source, "a person's yes to this call")
    }))

  it.live("runs programs for a profile of code, with a question for each call that writes and a rule for each", () =>
    Effect.gen(function*() {
      const { journal, server } = yield* serving({
        "data/gateway.jsonc": JSON.stringify({ profiles: { code: { exposure: "code" } } }),
        "data/permissions.jsonc": JSON.stringify({ rules: [{ deny: "files_read_text_file" }] })
      })
      const client = new Client({ name: "coder", version: "1" }, { capabilities: { elicitation: { form: {} } } })
      client.setRequestHandler("elicitation/create", ({ params }) => ({
        action: params.message.includes("second") ? "decline" as const : "accept" as const,
        content: {}
      }))
      yield* Effect.addFinalizer(() => Effect.promise(() => client.close()))
      yield* Effect.promise(() => client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp/code`))))
      assert.sameMembers(yield* names(client), ["search_tools", "execute", "approval_status", "read_result"])
      const found = yield* Effect.promise(() =>
        client.callTool({ name: "search_tools", arguments: { query: "write into the ledger" } })
      )
      assert.include(JSON.stringify(found), "ledger.write(")
      const code = `
        const said = []
        for (const text of ["first", "second"]) said.push(await ledger.write({ text }).catch((error) => String(error)))
        said.push(await files.read_text_file({ path: "hello.txt" }).catch((error) => String(error)))
        return said`
      const answer = yield* Effect.promise(() => client.callTool({ name: "execute", arguments: { code } }))
      const [{ text }] = JSON.parse(JSON.stringify(answer.content))
      const [first, second, third] = JSON.parse(/Value:\n(.*)/.exec(text)?.[1] ?? "[]")
      assert.include(JSON.stringify(first), "write is done")
      assert.include(second, "said no")
      assert.include(third, "permissions.jsonc:1 says deny")
      assert.include(text, "ledger_write (line 3): done")
      assert.include(text, "ledger_write (line 3): not made")
      assert.deepStrictEqual(journal().map(({ client: by, name, outcome }) => [name, outcome, by]), [
        ["ledger_write", "done", "coder"]
      ])
    }))

  it.live("makes no call that a rule denies, whoever says yes, and in a profile of rules none that no rule allows", () =>
    Effect.gen(function*() {
      const profiles = { profiles: { ruled: { write: "rules" } } }
      const rules = { rules: [{ deny: "files_read_text_file" }] }
      const { server } = yield* serving({
        "data/gateway.jsonc": JSON.stringify(profiles),
        "data/permissions.jsonc": JSON.stringify(rules)
      })
      const client = yield* GatewayClients.overHttp(`${server.url}/mcp`)
      yield* names(client)
      const read = yield* Effect.promise(() =>
        client.callTool({ name: "files_read_text_file", arguments: { path: "hello.txt" } })
      )
      assert.include(JSON.stringify(read), "permissions.jsonc:1 says deny")
      const ruled = yield* GatewayClients.overHttp(`${server.url}/mcp/ruled`)
      yield* names(ruled)
      const write = yield* Effect.promise(() => ruled.callTool({ name: "files_write_file", arguments: { path: "x" } }))
      assert.include(JSON.stringify(write), "write mode is off")
      assert.deepStrictEqual((yield* server.get("/api/questions")).body["questions"], [])
    }))

  it.live("ends a client that a person ends, which may come back", () =>
    Effect.gen(function*() {
      const { data, env, server } = yield* serving()
      const client = yield* GatewayClients.overHttp(`${server.url}/mcp`, { name: "guest" })
      yield* names(client)
      const shown = yield* AppCommand.run(["mcp", "clients", "--data", data], { env })
      assert.match(shown.stdout, /guest +1\.0\.0, profile default \(flat\)/, shown.stderr)
      const [{ id }] = JSON.parse(JSON.stringify((yield* server.get("/api/clients")).body["clients"]))
      const ended = yield* AppCommand.run(["mcp", "clients", "end", id.slice(0, 8), "--data", data], { env })
      assert.strictEqual(ended.stdout, "1 client ended\n", ended.stderr)
      assert.deepStrictEqual((yield* server.get("/api/clients")).body["clients"], [])
      yield* names(yield* GatewayClients.overHttp(`${server.url}/mcp`, { name: "guest" }))
    }))
})
