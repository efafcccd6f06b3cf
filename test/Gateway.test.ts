/** A gateway in front of real servers, with clients of both versions of the official SDK over HTTP. */
import { assert, describe, it } from "@effect/vitest"
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { fileURLToPath } from "node:url"
import * as Compiled from "./support/Compiled.ts"
import { entry, NODE, program } from "./support/FixtureServer.ts"
import * as GatewayHost from "./support/GatewayHost.ts"
import * as Processes from "./support/Processes.ts"
import { sized } from "./support/Size.ts"

const LIMIT = 30_000

/** How many share a server. */
const CLIENTS = sized(12, 100)

/** What the tests use of a client, of either version. */
interface AnyClient {
  readonly callTool: (
    params: { name: string; arguments?: Record<string, unknown> },
    onprogress?: (progress: { progress: number }) => void
  ) => Promise<Readonly<Record<string, unknown>>>
  readonly listTools: () => Promise<{ tools: ReadonlyArray<{ name: string }> }>
  readonly close: () => Promise<unknown>
}

type Connect = (url: string) => Promise<AnyClient>

const capabilities = { elicitation: { form: {} } }
const accepted = { action: "accept" as const, content: { name: "Ada" } }

const version1: Connect = async (url) => {
  const client = new OldClient({ name: "v1", version: "1" }, { capabilities })
  client.setRequestHandler(ElicitRequestSchema, () => accepted)
  const transport = new OldTransport(new URL(url))
  // The types of version 1 were not written for exact optional properties.
  await client.connect(transport as unknown as Parameters<OldClient["connect"]>[0])
  return {
    callTool: (params, onprogress) =>
      client.callTool(params, undefined, onprogress === undefined ? {} : { onprogress }),
    listTools: () => client.listTools(),
    close: () => client.close()
  }
}

const version2 = (mode: "legacy" | { pin: string }): Connect => async (url) => {
  const client = new NewClient({ name: "v2", version: "1" }, { capabilities, versionNegotiation: { mode } })
  client.setRequestHandler("elicitation/create", () => accepted)
  await client.connect(new NewTransport(new URL(url)))
  return {
    callTool: (params, onprogress) => client.callTool(params, onprogress === undefined ? {} : { onprogress }),
    listTools: () => client.listTools(),
    close: () => client.close()
  }
}

const clients: Readonly<Record<string, Connect>> = {
  "version 1 of the SDK": version1,
  "version 2 of the SDK in the old era": version2("legacy"),
  "version 2 of the SDK in the new era": version2({ pin: "2026-07-28" })
}

const connected = (connect: Connect, url: string) =>
  Effect.acquireRelease(Effect.promise(() => connect(url)), (client) => Effect.promise(() => client.close()))

const textOf = (result: Readonly<Record<string, unknown>>): string => {
  const [block] = Array.isArray(result["content"]) ? result["content"] : []
  return block?.text ?? ""
}

const called = (client: AnyClient, name: string, args: Record<string, unknown> = {}) =>
  Effect.map(Effect.promise(() => client.callTool({ name, arguments: args })), textOf)

for (const [name, connect] of Object.entries(clients)) {
  for (const protocol of ["legacy", "auto"]) {
    describe(`A client of ${name} and a server of protocol "${protocol}"`, () => {
      it.live("list, call, report progress and ask", () =>
        Effect.gen(function*() {
          const { url } = yield* GatewayHost.serve()
          const client = yield* connected(connect, url)
          const { tools } = yield* Effect.promise(() => client.listTools())
          assert.include(tools.map(({ name }) => name), "it_test_simple_text")
          assert.include(yield* called(client, "it_test_simple_text"), "simple text")
          const steps: Array<number> = []
          yield* Effect.promise(() =>
            client.callTool({ name: "it_test_tool_with_progress" }, ({ progress }) => steps.push(progress))
          )
          assert.deepStrictEqual(steps, [0, 50, 100])
          assert.include(yield* called(client, "it_test_input_required_result_elicitation"), "Hello, Ada!")
        }).pipe(Effect.provide(GatewayHost.registry({ it: { ...program("Conforming"), protocol } }))), LIMIT)
    })
  }
}

describe("Many clients", () => {
  it.live("share one process of a server, also when they vanish without a word", () =>
    Effect.gen(function*() {
      const mark = randomUUID()
      const servers = GatewayHost.registry({ it: { ...entry("Echo"), env: { GATEWAY_TEST: mark } } })
      yield* Effect.gen(function*() {
        const { gateway, url } = yield* GatewayHost.serve()
        yield* Effect.forEach(Array.from({ length: CLIENTS }, (_, index) => index), (index) =>
          Effect.promise(async () => {
            const connect = index % 2 === 0 ? version2("legacy") : version2({ pin: "2026-07-28" })
            const client = await connect(`${url}?${index}`)
            assert.strictEqual(
              textOf(await client.callTool({ name: "it_echo", arguments: { text: `${index}` } })),
              `${index}`
            )
          }), { concurrency: 10 })
        assert.lengthOf(yield* gateway.clients, CLIENTS)
        assert.strictEqual(yield* Processes.count("GATEWAY_TEST", mark), 1)
        yield* Effect.forEach(yield* gateway.clients, ({ id }) =>
          gateway.end(id), { concurrency: 10 })
        assert.lengthOf(yield* gateway.clients, 0)
      }).pipe(Effect.scoped, Effect.provide(servers))
      assert.deepStrictEqual(yield* Processes.leftAfter("GATEWAY_TEST", mark, 7000), [])
    }), LIMIT)

  it.live("have a server each where the entry says so, which ends with its client", () =>
    Effect.gen(function*() {
      const mark = randomUUID()
      const servers = GatewayHost.registry({
        it: {
          ...program("Conforming"),
          env: { GATEWAY_TEST: mark },
          session: "client",
          lazy: true,
          idleTtl: "1 second"
        }
      })
      yield* Effect.gen(function*() {
        const { gateway, url } = yield* GatewayHost.serve({
          gate: { approve: () => Effect.succeed({ _tag: "Allowed" }) }
        })
        const one = yield* connected(version2("legacy"), `${url}?one`)
        const other = yield* connected(version2({ pin: "2026-07-28" }), `${url}?other`)
        // On a busy machine the first may sleep again before the other has started: then both are called once more.
        yield* Effect.repeat(
          Effect.gen(function*() {
            const both = [one, other].map((client) => called(client, "it_test_simple_text"))
            const texts = yield* Effect.all(both, { concurrency: "unbounded" })
            for (const text of texts) assert.include(text, "simple text")
            return yield* Processes.count("GATEWAY_TEST", mark)
          }),
          { until: (running) => running >= 2 }
        )
        const [first] = (yield* gateway.clients).filter(({ era }) => era === "legacy")
        yield* gateway.end(first?.id ?? "")
        const [left] = yield* gateway.clients
        assert.strictEqual(left?.era, "modern")
        // What nobody calls any more sleeps, the server of the client that is left as well.
        assert.deepStrictEqual(yield* Processes.leftAfter("GATEWAY_TEST", mark, 10_000), [])
        assert.include(yield* called(other, "it_test_simple_text"), "simple text")
      }).pipe(Effect.scoped, Effect.provide(servers))
      assert.deepStrictEqual(yield* Processes.leftAfter("GATEWAY_TEST", mark, 7000), [])
    }), LIMIT)
})

describe("A gateway on standard input and output", () => {
  for (const mode of ["legacy", { pin: "2026-07-28" }] as const) {
    it.live(
      `serves a client that speaks ${typeof mode === "string" ? "the old era" : mode.pin}, and ends with it`,
      () =>
        Effect.gen(function*() {
          const mark = randomUUID()
          const entries = JSON.stringify({ it: { ...program("Conforming"), env: { GATEWAY_TEST: mark } } })
          const transport = new StdioClientTransport({
            command: NODE,
            args: [...Compiled.FLAGS, fileURLToPath(new URL("support/GatewayStdio.ts", import.meta.url)), entries],
            stderr: "ignore"
          })
          const client = new NewClient({ name: "stdio", version: "1" }, { capabilities, versionNegotiation: { mode } })
          client.setRequestHandler("elicitation/create", () => accepted)
          yield* Effect.promise(() => client.connect(transport))
          const { tools } = yield* Effect.promise(() => client.listTools())
          assert.include(tools.map(({ name }) => name), "it_test_simple_text")
          const result = yield* Effect.promise(() =>
            client.callTool({ name: "it_test_input_required_result_elicitation" })
          )
          assert.include(textOf(result), "Hello, Ada!")
          yield* Effect.promise(() => client.close())
          assert.deepStrictEqual(yield* Processes.leftAfter("GATEWAY_TEST", mark, 7000), [])
        }),
      LIMIT
    )
  }
})

describe("A server that ends in a call", () => {
  it.live("costs that call, and is no news to its clients", () =>
    Effect.gen(function*() {
      const { url } = yield* GatewayHost.serve()
      const client = yield* connected(version2("legacy"), url)
      const other = yield* connected(version1, `${url}?other`)
      const lost = yield* Effect.promise(() => client.callTool({ name: "it_crash" }))
      assert.isTrue(lost["isError"])
      assert.strictEqual(yield* called(other, "it_echo", { text: "again" }), "again")
      assert.strictEqual(yield* called(client, "it_echo", { text: "again" }), "again")
    }).pipe(Effect.provide(GatewayHost.registry({ it: { ...entry("Echo"), restart: "on-failure" } }))), LIMIT)
})
