import { type Caller, type Gateway, McpGateway } from "@boocode/mcp-gateway"
import { McpRegistry } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

type Era = "legacy" | "modern"

const caller: Caller = { id: "one" }

const Servers = McpRegistry.layerTest({
  files: {
    tools: { list: () => Effect.succeed("hello.txt"), write: () => Effect.succeed("written") },
    definitions: { list: { annotations: { readOnlyHint: true } }, write: { annotations: { readOnlyHint: false } } }
  },
  clock: { tools: { now: () => Effect.succeed("noon") } }
})

const connected = (gateway: Gateway, era: Era, who: Caller = caller) =>
  Effect.acquireRelease(
    Effect.flatMap(Effect.context<never>(), (context) =>
      Effect.promise(async () => {
        const client = new Client({ name: "test", version: "1" }, {
          versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" }
        })
        const fetch = (url: string | URL, init?: RequestInit) =>
          Effect.runPromiseWith(context)(gateway.handle(new Request(url, init), who))
        await client.connect(new StreamableHTTPClientTransport(new URL("http://gateway/mcp"), { fetch }))
        return client
      })),
    (client) => Effect.promise(() => client.close())
  )

const withServers = <A, E>(test: Effect.Effect<A, E, McpRegistry | Scope.Scope>) =>
  Effect.provide(Effect.scoped(test), Servers)

for (const era of ["legacy", "modern"] as const) {
  describe(`a client of the ${era} era`, () => {
    it.effect("lists and calls the tools of all servers", () =>
      withServers(Effect.gen(function*() {
        const gateway = yield* McpGateway.make()
        const client = yield* connected(gateway, era)
        const { tools } = yield* Effect.promise(() => client.listTools())
        assert.includeMembers(tools.map(({ name }) => name), ["clock_now", "files_list", "files_write"])
        const { content } = yield* Effect.promise(() => client.callTool({ name: "files_list", arguments: {} }))
        assert.deepStrictEqual(content, [{ type: "text", text: "hello.txt" }])
      })))
  })
}
