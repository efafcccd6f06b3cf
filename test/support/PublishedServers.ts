/** Published servers, each as its authors ship it, and a registry of them that leaves nothing behind. */
import { Environment, McpConfig } from "@boocode/mcp-config"
import { NodeMcp } from "@boocode/mcp-node"
import { McpRegistry } from "@boocode/mcp-registry"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"
import { fileURLToPath } from "node:url"
import * as Deadline from "./Deadline.ts"
import * as Processes from "./Processes.ts"

/** Marks the processes of these servers. */
export const MARK = "BOOCODE_PUBLISHED_TEST"
const BIN = ["../../node_modules/.bin", "../node_modules/.bin"].map((folder) =>
  fileURLToPath(new URL(folder, import.meta.url))
)

type Entry = Readonly<Record<string, unknown>>

/** Runs with a registry of these servers, and checks that nothing of them is left. */
export const withServers = <A, E>(
  entries: Readonly<Record<string, Entry>>,
  body: (registry: McpRegistry["Service"]) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const mark = randomUUID()
    const marked = Object.entries(entries).map(([name, entry]) =>
      "url" in entry ? [name, entry] : [name, { ...entry, env: { [MARK]: mark } }]
    )
    const layer = McpRegistry.layer({ searchAfterPath: BIN }).pipe(
      Layer.provide(McpConfig.layerEntries(Object.fromEntries(marked))),
      Layer.provide(NodeMcp.layer),
      Layer.provide(Environment.layer(process.env))
    )
    const result = yield* McpRegistry.use((registry) => Effect.andThen(registry.settled, body(registry))).pipe(
      Effect.provide(layer)
    )
    assert.deepStrictEqual(yield* Processes.leftAfter(MARK, mark, Deadline.LEFT_MILLIS), [])
    return result
  })

const freePort = Effect.promise(async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  return typeof address === "object" && address !== null ? address.port : assert.fail("no port")
})

/** The address of `server-everything` over streamable HTTP, until the scope closes. */
export const everythingOverHttp = Effect.gen(function*() {
  const port = yield* freePort
  yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(`${BIN[1]}/mcp-server-everything`, ["streamableHttp"], {
        env: { ...process.env, PORT: String(port) },
        stdio: ["ignore", "ignore", "pipe"]
      })
      await once(child.stderr, "data")
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  return `http://127.0.0.1:${port}/mcp`
})
