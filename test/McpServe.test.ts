/** `boocode mcp serve` as MCP clients start it: the tools of all servers, once, whoever comes and goes. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as GatewayClients from "./support/GatewayClients.ts"
import { sized } from "./support/Size.ts"

/** They start a process each. */
const CLIENTS = sized(6, 100)

const names = (client: GatewayClients.Connected) =>
  Effect.map(Effect.promise(() => client.listTools()), ({ tools }) => tools.map(({ name }) => name))

describe("boocode mcp serve", Deadline.TEST, () => {
  for (const era of ["legacy", "modern"] as const) {
    it.live(`lists and calls the tools of all servers for a ${era} client, and starts the server that it needs`, () =>
      Effect.gen(function*() {
        const shared = yield* GatewayClients.shared()
        const { client } = yield* GatewayClients.overStdio(shared, { era })
        assert.includeMembers(yield* names(client), ["files_read_text_file", "echo_echo"])
        const result = yield* Effect.promise(() =>
          client.callTool({ name: "files_list_allowed_directories", arguments: {} })
        )
        assert.strictEqual(result.isError ?? false, false, JSON.stringify(result))
        assert.strictEqual(shared.onDemand().length, 1)
      }))
  }

  it.live(
    "starts one server for clients that race, which leave its processes alone when all are killed",
    () =>
      Effect.gen(function*() {
        const shared = yield* GatewayClients.shared()
        const clients = yield* Effect.forEach(
          Array.from({ length: CLIENTS }, (_, index) => index),
          (index) =>
            GatewayClients.overStdio(shared, { name: `client-${index}`, era: index % 2 === 0 ? "legacy" : "modern" }),
          { concurrency: sized(CLIENTS, 10) }
        )
        const lists = yield* Effect.forEach(clients, ({ client }) => names(client), { concurrency: "unbounded" })
        assert.isTrue(lists.every((list) => list.includes("echo_echo")))
        const [server, ...others] = shared.onDemand()
        assert.deepStrictEqual(others, [])
        const processes = yield* shared.servers
        for (const { pid } of clients) GatewayClients.kill(pid)
        yield* Effect.sleep("2 seconds")
        assert.strictEqual(yield* shared.servers, processes)
        GatewayClients.kill(server, "SIGTERM")
        assert.strictEqual(yield* shared.left, 0)
      }),
    sized(Deadline.TEST.timeout, 4 * Deadline.TEST.timeout)
  )

  it.live("goes on at the server that takes the place of one that was killed, and tells the client that its tools may have changed", () =>
    Effect.gen(function*() {
      const shared = yield* GatewayClients.shared()
      const { client } = yield* GatewayClients.overStdio(shared)
      yield* names(client)
      let news = 0
      client.setNotificationHandler("notifications/tools/list_changed", () => void news++)
      const [killed] = shared.onDemand()
      GatewayClients.kill(killed)
      assert.include(yield* names(client), "echo_echo")
      yield* ChatServer.until(Effect.sync(() => news), (count) => count > 0)
      assert.isAbove(news, 0)
      assert.deepStrictEqual(shared.onDemand().filter((pid) => pid !== killed).length, 1)
    }))

  it.live("moves to the server that a person starts, which runs the servers alone from then on", () =>
    Effect.gen(function*() {
      const shared = yield* GatewayClients.shared()
      const { client } = yield* GatewayClients.overStdio(shared)
      yield* names(client)
      const processes = yield* shared.servers
      const server = yield* AppServer.start(shared.data, { BOOCODE_STATE_DIR: shared.state })
      const connected = Effect.map(server.get("/api/clients"), ({ body }) => JSON.stringify(body["clients"]))
      const there = yield* ChatServer.until(connected, (clients) => clients.includes("test-client"))
      assert.include(there, "test-client")
      assert.include(yield* names(client), "echo_echo")
      assert.strictEqual(yield* ChatServer.until(shared.servers, (count) => count === processes), processes)
      assert.deepStrictEqual(shared.onDemand(), [])
    }))

  it.live("ends with its input and with SIGTERM, and its client is gone from the server", () =>
    Effect.gen(function*() {
      const shared = yield* GatewayClients.shared()
      const server = yield* AppServer.start(shared.data, { BOOCODE_STATE_DIR: shared.state })
      const connected = Effect.map(server.get("/api/clients"), ({ body }) => JSON.stringify(body["clients"]))
      for (const how of ["input", "SIGTERM", "SIGKILL"] as const) {
        const { client, pid } = yield* GatewayClients.overStdio(shared, { name: `ends-by-${how}` })
        yield* names(client)
        assert.include(yield* connected, `ends-by-${how}`)
        if (how === "input") yield* Effect.promise(() => client.close())
        else GatewayClients.kill(pid, how)
        assert.strictEqual(yield* ChatServer.until(connected, (clients) => clients === "[]"), "[]", how)
      }
      assert.deepStrictEqual(shared.onDemand(), [])
    }))

  it.live("says why to a client that waits for a server which cannot start, and ends with exit 1", () =>
    Effect.gen(function*() {
      const shared = yield* GatewayClients.shared({})
      const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } }
      const stdin = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize })}\n`
      const bridge = yield* Command.start(["mcp", "serve", "--data", shared.data], {
        env: { ...shared.env, DATABASE_URL: "mysql://nowhere" },
        stdin: null
      })
      bridge.child.stdin?.write(stdin)
      const ended = yield* Effect.promise(() => bridge.ended)
      assert.match(ended.stdout, /"id":1,"error":.*DATABASE_URL cannot be used/)
      assert.strictEqual(ended.code, 1, ended.stderr)
    }))
})

describe("boocode serve --end-idle", Deadline.TEST, () => {
  it.live("ends by itself when nobody used the server for so long, and leaves nothing", () =>
    Effect.gen(function*() {
      const shared = yield* GatewayClients.shared()
      const server = yield* Command.start(["serve", "--port", "0", "--end-idle", "1s", "--data", shared.data], {
        env: shared.env
      })
      const { code, stderr } = yield* Effect.promise(() => server.ended)
      assert.strictEqual(code, 0, stderr)
      assert.strictEqual(yield* shared.left, 0)
    }))
})
