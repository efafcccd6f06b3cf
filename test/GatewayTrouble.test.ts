/** Clients of a gateway that call without a pause while its servers are killed, restarted and given other entries. */
import { McpConfig } from "@boocode/mcp-config"
import { McpRegistry } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { until } from "./support/ChatServer.ts"
import { entry } from "./support/FixtureServer.ts"
import { kill } from "./support/GatewayClients.ts"
import * as GatewayHost from "./support/GatewayHost.ts"
import * as Processes from "./support/Processes.ts"
import { sized } from "./support/Size.ts"

const MARK = "BOOCODE_TROUBLE_TEST"
const SERVERS = ["one", "two", "three"]
const CLIENTS = 20
/** How often each server has each trouble. */
const ROUNDS = sized(1, 25)
/** An answer that takes longer counts as none. */
const LIMIT_MILLIS = 30_000

/** The words about a call whose server ended before it answered. */
const LOST = /: (the connection was lost|outcome unknown)/

/** Three servers whose entries a test may change, and what is left of them. */
const world = Effect.fnUntraced(function*() {
  const mark = randomUUID()
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "boocode-trouble-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const file = join(folder, "mcp.json")
  const save = (changes: number) => {
    const server = { ...entry("Echo"), restart: "on-failure", env: { [MARK]: mark, CHANGES: String(changes) } }
    writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(SERVERS.map((name) => [name, server])) }))
  }
  save(0)
  return { mark, save, servers: GatewayHost.registryOf(McpConfig.layerFile(file)) }
})

const connected = (url: string, index: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const mode = index % 2 === 0 ? "legacy" as const : { pin: "2026-07-28" }
      const client = new Client({ name: `client-${index}`, version: "1" }, { versionNegotiation: { mode } })
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}?${index}`)))
      return client
    }),
    (client) => Effect.promise(() => client.close())
  )

/** One call: its text, or why there is none. */
const called = (client: Client, name: string, args: Readonly<Record<string, unknown>>) =>
  Effect.promise(async () => {
    try {
      const { content } = await client.callTool({ name, arguments: args }, { timeout: LIMIT_MILLIS })
      const [block] = content
      return block?.type === "text" ? block.text : "no text"
    } catch (error) {
      return error instanceof Error ? `error: ${error.message}` : "error"
    }
  })

describe("Servers that are killed, restarted and given other entries under the calls of twenty clients", () => {
  it.live("answer each call or say why not, answer all afterwards, and are as many as before", () =>
    Effect.gen(function*() {
      const { mark, save, servers } = yield* world()
      yield* Effect.gen(function*() {
        const registry = yield* McpRegistry
        const { url } = yield* GatewayHost.serve()
        yield* registry.settled
        const clients = yield* Effect.forEach(
          Array.from({ length: CLIENTS }, (_, index) => index),
          (index) => connected(url, index),
          { concurrency: "unbounded" }
        )
        const said = new Map<string, number>()
        const calling = (client: Client, index: number) =>
          Effect.gen(function*() {
            for (let count = 0;; count++) {
              const name = SERVERS[(index + count) % SERVERS.length]
              const text = count % 3 === 0
                ? yield* called(client, `${name}_sleep`, { millis: 40 })
                : yield* called(client, `${name}_echo`, { text: `${index}.${count}` })
              const key = text === `${index}.${count}` || text === "slept 40 ms" ? "answer" : text
              said.set(key, (said.get(key) ?? 0) + 1)
            }
          })
        const load = yield* Effect.forkChild(
          Effect.forEach(clients, calling, { concurrency: "unbounded", discard: true })
        )
        for (let round = 1; round <= ROUNDS; round++) {
          for (const name of SERVERS) {
            kill((yield* registry.server(name)).pid)
            yield* Effect.sleep("100 millis")
          }
          for (const name of SERVERS) yield* Effect.ignore(registry.restart(name))
          yield* Effect.sync(() => save(round))
          yield* registry.reload
          yield* registry.settled
        }
        yield* Fiber.interrupt(load)
        // A call that was on its way is lost, and says so. Nobody is told that a tool or its server is not there.
        assert.isAbove(said.get("answer") ?? 0, CLIENTS)
        const told = [...said.keys()].filter((text) => text !== "answer" && !LOST.test(text))
        assert.deepStrictEqual(told, [])
        const answers = yield* Effect.forEach(
          clients,
          (client) => Effect.forEach(SERVERS, (name) => called(client, `${name}_echo`, { text: name })),
          { concurrency: "unbounded" }
        )
        for (const answer of answers) assert.deepStrictEqual(answer, SERVERS)
        // Servers of the last entries but one finish their calls before they end.
        const left = yield* until(Processes.count(MARK, mark), (count) => count === SERVERS.length)
        assert.strictEqual(left, SERVERS.length)
      }).pipe(Effect.scoped, Effect.provide(servers))
      assert.deepStrictEqual(yield* Processes.leftAfter(MARK, mark, 7000), [])
    }))
})
