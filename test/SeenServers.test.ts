/** What people of a real server see of servers and agents that are for some of them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import * as AppCommand from "./support/AppCommand.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as RawRequest from "./support/RawRequest.ts"

/** Offers a tool, a prompt and a resource that have the word of its first argument in them. */
const SERVER = `
import { createInterface } from "node:readline"
const word = process.argv[2]
const answers = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: { tools: {}, prompts: {}, resources: {} },
    serverInfo: { name: word, version: "1" },
    instructions: word
  }),
  "tools/list": () => ({
    tools: [{ name: "look", description: word, inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }]
  }),
  "tools/call": () => ({ content: [{ type: "text", text: word }] }),
  "prompts/list": () => ({ prompts: [{ name: "ask" }] }),
  "resources/list": () => ({ resources: [{ uri: "word:" + word, name: word }] }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, text: word }] }),
  ping: () => ({})
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const answer = answers[method]
  const rest = answer ? { result: answer(params) } : { error: { code: -32601, message: "no" } }
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...rest }))
}
`

const AGENTS = `---
name: Main
---
Help.

---
name: covert agent
for: [group:dev]
---
Help.
`

const entry = (word: string, more: object = {}) => ({
  command: process.execPath,
  args: ["server.mjs", word],
  protocol: "legacy",
  ...more
})

const CONFIG = { mcpServers: { plain: entry("plain"), covert: entry("covert", { for: ["group:dev"] }) } }

describe("Servers and agents that are for some people", Deadline.TEST, () => {
  it.live("are there for those, and nowhere for everybody else", () =>
    Effect.gen(function*() {
      const folder = yield* Command.folder({
        "data/mcp.json": JSON.stringify(CONFIG),
        "data/server.mjs": SERVER,
        "data/AGENTS.md": AGENTS
      })
      const data = join(folder, "data")
      const env = { BOOCODE_STATE_DIR: join(folder, "state") }
      const server = yield* AppServer.start(data)
      const invited = Effect.fnUntraced(function*(name: string, ...more: ReadonlyArray<string>) {
        const { stdout } = yield* AppCommand.run(["users", "add", name, ...more, "--data", data], { env, cwd: data })
        const token = /#\/invitation\/([\w-]{43})/.exec(stdout)?.[1]
        const { headers: set } = yield* RawRequest.ask(`${server.url}/api/invitations/${token}`, {
          body: JSON.stringify({ password: "correct horse battery" })
        })
        const cookie = String([set["set-cookie"] ?? []].flat()[0]).split(";")[0] ?? ""
        const ask = (method: string, path: string, body?: object) =>
          RawRequest.ask(`${server.url}${path}`, {
            method,
            headers: { cookie },
            ...body === undefined ? {} : { body: JSON.stringify(body) }
          })
        const { body } = yield* ask("POST", "/api/me/tokens", { name: "t", scopes: ["gateway", "chat"] })
        const mcp = (method: string, params: { readonly name?: string; readonly arguments?: object } = {}) =>
          RawRequest.ask(`${server.url}/mcp`, {
            headers: {
              authorization: `Bearer ${String(body["token"])}`,
              accept: "application/json, text/event-stream",
              "mcp-protocol-version": "2026-07-28",
              "mcp-method": method,
              ...params.name === undefined ? {} : { "mcp-name": params.name }
            },
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: META } })
          })
        return { ask, mcp, cookie }
      })
      const ann = yield* invited("Ann")
      const bob = yield* invited("Bob", "--groups", "ops")
      const dora = yield* invited("Dora", "--groups", "dev")
      yield* ChatServer.until(ann.ask("GET", "/api/mcp/servers"), ({ text }) => text.split("\"ready\"").length === 3)

      const LISTS = [
        "/api/tools",
        "/api/tools?callable=true",
        "/api/tools?agent=Main",
        "/api/tools/search?q=covert",
        "/api/prompts",
        "/api/resources"
      ]
      const MANAGED = ["/api/mcp/servers", "/api/agents"]
      for (const path of [...LISTS, ...MANAGED]) {
        assert.notInclude((yield* bob.ask("GET", path)).text, "covert", `Bob ${path}`)
        assert.include((yield* dora.ask("GET", path)).text, "covert", `Dora ${path}`)
      }
      // An admin manages them all, and is offered what is for them.
      for (const path of LISTS) assert.notInclude((yield* ann.ask("GET", path)).text, "covert", `Ann ${path}`)
      for (const path of MANAGED) assert.include((yield* ann.ask("GET", path)).text, "covert", `Ann ${path}`)

      const call = { args: {} }
      const { body: chat } = yield* bob.ask("POST", "/api/chats", { model: "command" })
      const REQUESTS: ReadonlyArray<readonly [method: string, path: string, body?: object]> = [
        ["POST", "/api/tools/covert_look/call", call],
        ["POST", "/api/tools/covert_lok/call", call],
        ["GET", "/api/tools?agent=covert%20agent"],
        ["GET", "/api/prompts?server=covert"],
        ["POST", "/api/mcp/servers/covert/resources/read", { uri: "word:covert" }],
        ["POST", "/api/permissions/explain", { tool: "covert_look", args: {} }],
        ["POST", `/api/chats/${String(chat["id"])}/messages`, { text: "/covert_lok {}", model: "command" }],
        ["POST", `/api/chats/${String(chat["id"])}/messages`, { text: "/covert_look {}", model: "command" }],
        ["POST", `/api/chats/${String(chat["id"])}/messages`, { text: "/covert:ask {}", model: "command" }],
        ["POST", "/api/chats", { agent: "covert agent" }]
      ]
      for (const [method, path, body] of REQUESTS) {
        const { status, text } = yield* bob.ask(method, path, body)
        assert.include([400, 404, 422], status, `${path} ${text}`)
        assert.notMatch(
          text.replaceAll(/no (tool|server|agent) is called [^"]*"/g, ""),
          /"nearest":\[[^\]]*covert/,
          path
        )
        assert.notMatch(text, /did you mean covert/, path)
      }
      assert.include((yield* dora.ask("POST", "/api/tools/covert_look/call", call)).text, "\"covert\"")

      for (const method of ["tools/list", "prompts/list", "resources/list", "server/discover"]) {
        assert.notInclude((yield* bob.mcp(method)).text, "covert", method)
        assert.include((yield* dora.mcp(method)).text, "covert", method)
      }
      assert.include((yield* bob.mcp("tools/list")).text, "plain_look")
      assert.match((yield* bob.mcp("tools/call", { name: "covert_look", arguments: {} })).text, /Unknown tool/)
      assert.include((yield* dora.mcp("tools/call", { name: "covert_look", arguments: {} })).text, "\"covert\"")

      const heard = yield* RawRequest.listen(`${server.url}/api/events`, { cookie: bob.cookie })
      yield* ann.ask("POST", "/api/mcp/servers/covert/restart")
      yield* ann.ask("POST", "/api/mcp/servers/plain/restart")
      yield* ChatServer.until(Effect.sync(() => heard.state.text), (text) => text.split("\"plain\"").length > 4)
      assert.notInclude(heard.state.text, "covert")
    }))
})

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "a test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {}
}
