/** `boocode mcp serve` as MCP clients start it: the tools of all servers, once, whoever comes and goes. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Deadline from "./support/Deadline.ts"
import * as GatewayClients from "./support/GatewayClients.ts"

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

  it.live("starts one server for twenty clients that race, which leave its processes alone when all are killed", () =>
    Effect.gen(function*() {
      const shared = yield* GatewayClients.shared()
      const clients = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index),
        (index) =>
          GatewayClients.overStdio(shared, { name: `client-${index}`, era: index % 2 === 0 ? "legacy" : "modern" }),
        { concurrency: "unbounded" }
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
    }))
})
