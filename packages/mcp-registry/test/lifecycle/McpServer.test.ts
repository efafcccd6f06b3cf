import { McpConfig } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { McpRegistry, McpServer } from "../../src/index.ts"
import * as ScriptedHost from "../support/ScriptedHost.ts"

const { tool } = ScriptedHost

const withServer = <A, E>(
  script: ScriptedHost.Script,
  entry: Readonly<Record<string, unknown>>,
  body: (registry: McpRegistry["Service"], host: ScriptedHost.Host) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const host = yield* ScriptedHost.make({ server: script })
    const layer = host.layer({ s: { command: "server", ...entry } })
    return yield* McpRegistry.use((registry) => body(registry, host)).pipe(Effect.provide(layer))
  })

const methods = (server: ScriptedHost.Running | undefined) => server?.received.map(({ method }) => method)

describe("McpServer", () => {
  it.effect("asks for the era and performs the handshake on one process (R91)", () =>
    withServer({}, {}, (registry, host) =>
      Effect.gen(function*() {
        yield* registry.settled
        assert.strictEqual(host.running.length, 1)
        assert.deepStrictEqual(methods(host.running[0]), [
          "server/discover",
          "initialize",
          "notifications/initialized",
          "tools/list"
        ])
        assert.strictEqual((yield* registry.server("s")).protocolVersion, "2025-11-25")
      })))

  it.effect("speaks 2026-07-28 with a server that does, without initialize (R91)", () =>
    withServer(
      {
        answer: ({ id, method }) => {
          if (id === undefined) return null
          const meta = { _meta: { "io.modelcontextprotocol/serverInfo": { name: "modern", version: "2" } } }
          if (method === "server/discover") {
            const result = {
              supportedVersions: ["2026-07-28"],
              capabilities: { tools: {} },
              resultType: "complete",
              ...meta
            }
            return { jsonrpc: "2.0", id, result }
          }
          return method === "tools/list"
            ? { jsonrpc: "2.0", id, result: { resultType: "complete", tools: [tool("now")] } }
            : undefined
        }
      },
      {},
      (registry, host) =>
        Effect.gen(function*() {
          yield* registry.settled
          const status = yield* registry.server("s")
          assert.strictEqual(status.state, "ready")
          assert.strictEqual(status.protocolVersion, "2026-07-28")
          assert.deepStrictEqual(status.serverInfo, { name: "modern", version: "2" })
          assert.deepStrictEqual(methods(host.running[0]), ["server/discover", "tools/list"])
        })
    ))

  it.effect("asks nothing of a server whose entry says legacy (R91)", () =>
    withServer({}, { protocol: "legacy" }, (registry, host) =>
      Effect.gen(function*() {
        yield* registry.settled
        assert.strictEqual(methods(host.running[0])?.[0], "initialize")
      })))

  it.effect("starts a server that dies of the question a second time, without it (R91)", () =>
    withServer(
      {
        answer: ({ method }, server) => {
          if (method !== "server/discover") return undefined
          server.exit(1)
          return null
        }
      },
      {},
      (registry, host) =>
        Effect.gen(function*() {
          yield* ScriptedHost.advance(1)
          assert.strictEqual((yield* registry.server("s")).state, "ready")
          assert.strictEqual(host.running.length, 2)
          assert.strictEqual(host.alive(), 1)
        })
    ))

  it.effect("recognises a program that only sends back what it gets (R40)", () =>
    withServer({ answer: (message) => message }, {}, (registry) =>
      Effect.gen(function*() {
        const { failed } = yield* registry.settled
        assert.strictEqual(ScriptedHost.errorOf(failed[0])?._tag, "HandshakeFailed")
        assert.match(ScriptedHost.errorOf(failed[0])?.message ?? "", /no MCP server/)
      })))

  it.effect("skips what is no message on standard output and tells it once (R39)", () =>
    withServer(
      {
        answer: ({ method }, server) => {
          if (method === "server/discover") server.write(`Welcome!\n\n{"hello":1}\n[]\n`)
          return undefined
        }
      },
      {},
      (registry) =>
        Effect.gen(function*() {
          yield* registry.settled
          const status = yield* registry.server("s")
          assert.strictEqual(status.state, "ready")
          assert.deepStrictEqual(status.warnings, [
            "skipped 3 lines on standard output that are no messages, first: Welcome!"
          ])
        })
    ))

  it.effect("costs only itself when one tool is malformed (R8)", () =>
    withServer(
      {
        tools: [tool("fine", { annotations: null, description: null, icons: "bad" }), { name: "bad", inputSchema: 7 }]
      },
      {},
      (registry) =>
        Effect.gen(function*() {
          yield* registry.settled
          const status = yield* registry.server("s")
          assert.strictEqual(status.tools, 1)
          assert.deepStrictEqual(status.rejected, [{
            tool: "bad",
            reason: "malformed: its inputSchema is not an object",
            class: "undeclared",
            openWorld: false,
            writer: false
          }])
        })
    ))

  it.effect("leaves a server that died failed, with its tools known, when restart is never (R45, Decision 7)", () =>
    withServer({}, {}, (registry, host) =>
      Effect.gen(function*() {
        yield* registry.settled
        host.running[0]?.exit(9)
        yield* ScriptedHost.advance(600)
        const status = yield* registry.server("s")
        assert.strictEqual(status.state, "failed")
        assert.strictEqual(status.tools, 1)
        assert.strictEqual(host.running.length, 1)
        const error = yield* Effect.flip(registry.call("s_echo", {}))
        assert.strictEqual(error.reason._tag, "NotReady")
      })))

  it.effect("starts a server that died again when restart is on-failure, and both calls after it succeed (R4, R5)", () =>
    withServer({}, { restart: "on-failure" }, (registry, host) =>
      Effect.gen(function*() {
        yield* registry.settled
        host.running[0]?.exit(9)
        yield* ScriptedHost.advance(2)
        const status = yield* registry.server("s")
        assert.strictEqual(status.state, "ready")
        assert.strictEqual(status.restarts, 1)
        yield* registry.call("s_echo", {})
        yield* registry.call("s_echo", {})
        assert.strictEqual(host.alive(), 1)
      })))

  it.effect("tries a server that keeps dying a few times a minute at most, and never stops trying (R20, R21)", () =>
    withServer(
      {
        answer: ({ method }, server) => {
          if (method === "notifications/initialized") server.exit(1)
          return undefined
        }
      },
      { restart: "on-failure", protocol: "legacy" },
      (registry, host) =>
        Effect.gen(function*() {
          yield* ScriptedHost.advance(60)
          const inFirstMinute = host.running.length
          assert.isAtMost(inFirstMinute, 8)
          yield* ScriptedHost.advance(600)
          assert.isAbove(host.running.length, inFirstMinute)
          assert.isAtMost(host.running.length, inFirstMinute + 15)
          assert.strictEqual((yield* registry.server("s")).error?._tag, "CrashLoop")
        })
    ))

  it.effect("uses a server that was down at start and came up later (R19)", () => {
    let isUp = false
    return withServer(
      {
        answer: ({ method }, server) => {
          if (!isUp && method === "initialize") server.exit(1)
          return undefined
        }
      },
      { protocol: "legacy" },
      (registry) =>
        Effect.gen(function*() {
          yield* ScriptedHost.drain
          assert.strictEqual((yield* registry.server("s")).state, "failed")
          isUp = true
          yield* ScriptedHost.advance(2)
          assert.strictEqual((yield* registry.server("s")).state, "ready")
        })
    )
  })

  it.effect("lists again at most twice for a burst of a hundred changes (R52)", () =>
    withServer({}, {}, (registry, host) =>
      Effect.gen(function*() {
        yield* registry.settled
        const server = host.running[0]
        for (let count = 0; count < 100; count++) {
          server?.say({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })
        }
        yield* ScriptedHost.advance(5)
        const listings = methods(server)?.filter((method) => method === "tools/list").length ?? 0
        assert.isAtLeast(listings, 2)
        assert.isAtMost(listings, 3)
      })))

  it.effect("costs only itself when one tool is nested thousands of levels deep (R8)", () => {
    // Written out by hand: what overflows the stack of the reader overflows that of a test as well.
    const nested = `${"{\"properties\":".repeat(20_000)}{}${"}".repeat(20_000)}`
    return withServer(
      {
        answer: ({ id, method }, server) => {
          if (method !== "tools/list") return undefined
          const fine = JSON.stringify(tool("fine"))
          const bad = `{"name":"bad","inputSchema":${nested}}`
          server.write(`{"jsonrpc":"2.0","id":${id},"result":{"tools":[${bad},${fine}]}}\n`)
          return null
        }
      },
      {},
      (registry) =>
        Effect.gen(function*() {
          yield* registry.settled
          const status = yield* registry.server("s")
          assert.strictEqual(status.state, "ready")
          assert.strictEqual(status.tools, 1)
          assert.deepStrictEqual(status.rejected.map(({ tool }) => tool), ["bad"])
        })
    )
  })

  it.effect("stays ready with an empty list when tools are declared and cannot be listed (R55)", () =>
    withServer(
      {
        answer: ({ id, method }) =>
          method === "tools/list" && id !== undefined
            ? { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }
            : undefined
      },
      {},
      (registry) =>
        Effect.gen(function*() {
          yield* registry.settled
          const status = yield* registry.server("s")
          assert.deepStrictEqual([status.state, status.tools], ["ready", 0])
          assert.match(status.warnings.join(), /cannot list them/)
        })
    ))

  it.effect("stops a server that is still connecting at once, although a caller waits for its start", () =>
    withServer({ answer: () => null }, { startupTimeout: "5 minutes" }, (registry, host) =>
      Effect.gen(function*() {
        yield* ScriptedHost.drain
        yield* registry.stop("s")
        const starting = yield* Effect.forkChild(registry.start("s"))
        yield* ScriptedHost.advance(10)
        assert.strictEqual((yield* Effect.flip(registry.start("s"))).reason._tag, "AlreadyRunning")
        const stopped = yield* registry.stop("s")
        assert.strictEqual(stopped.state, "stopped")
        assert.strictEqual(host.alive(), 0)
        yield* Fiber.join(starting)
      })))

  it.effect("finishes a restart although the caller went away", () =>
    withServer({ obeysEndOfInput: false, obeysTerm: false }, {}, (registry, host) =>
      Effect.gen(function*() {
        yield* registry.settled
        const restarting = yield* Effect.forkChild(registry.restart("s"))
        yield* ScriptedHost.drain
        const leaving = yield* Effect.forkChild(Fiber.interrupt(restarting))
        yield* ScriptedHost.advance(8)
        yield* Fiber.join(leaving)
        assert.strictEqual((yield* registry.server("s")).state, "ready")
        assert.strictEqual(host.alive(), 1)
        yield* Effect.forkChild(registry.stop("s"))
        yield* ScriptedHost.advance(7)
      })))

  it.effect("is revived by a call, once however many callers wait (R4, R47)", () =>
    withServer({}, { restart: "on-failure" }, (registry, host) =>
      Effect.gen(function*() {
        yield* registry.settled
        host.running[0]?.exit(9)
        yield* ScriptedHost.drain
        yield* TestClock.adjust("300 millis")
        const calls = yield* Effect.forkChild(
          Effect.all(Array.from({ length: 20 }, () => registry.call("s_echo", {})), { concurrency: "unbounded" })
        )
        yield* ScriptedHost.drain
        assert.lengthOf(yield* Fiber.join(calls), 20)
        assert.strictEqual(host.running.length, 2)
      })))

  it.effect("does not hold old failures against a server that was healthy for a minute (R21)", () => {
    let isUp = false
    return withServer(
      {
        answer: ({ method }, server) => {
          if (!isUp && method === "initialize") server.exit(1)
          return undefined
        }
      },
      { protocol: "legacy", restart: "on-failure" },
      (registry, host) =>
        Effect.gen(function*() {
          yield* ScriptedHost.advance(60)
          isUp = true
          yield* ScriptedHost.advance(120)
          assert.strictEqual((yield* registry.server("s")).state, "ready")
          yield* ScriptedHost.advance(120)
          host.running.at(-1)?.exit(1)
          yield* ScriptedHost.drain
          yield* TestClock.adjust("260 millis")
          assert.strictEqual((yield* registry.server("s")).error?._tag, "Exited")
          yield* ScriptedHost.advance(2)
          assert.strictEqual((yield* registry.server("s")).state, "ready")
        })
    )
  })

  it.effect("says what a server wrote in place of an answer (R39, R40)", () =>
    withServer(
      {
        answer: (_, server) => {
          server.write("Content-Length: 40\r\n\r\n")
          return null
        }
      },
      { startupTimeout: 6000 },
      (registry) =>
        Effect.gen(function*() {
          yield* ScriptedHost.advance(7)
          const status = yield* registry.server("s")
          assert.strictEqual(status.error?._tag, "HandshakeTimeout")
          assert.match(status.error?.message ?? "", /Content-Length, as language servers do/)
        })
    ))

  it.effect("says what a server wrote to standard error when it refuses the handshake (Decision 5)", () =>
    withServer(
      {
        answer: ({ id, method }, server) => {
          if (method !== "initialize" || id === undefined) return undefined
          server.complain("licence file missing\n")
          return { jsonrpc: "2.0", id, error: { code: -32603, message: "no" } }
        }
      },
      { protocol: "legacy" },
      (registry) =>
        Effect.gen(function*() {
          const { failed } = yield* registry.settled
          assert.match(ScriptedHost.errorOf(failed[0])?.stderr ?? "", /licence file missing/)
        })
    ))

  it.effect("keeps saying what is wrong with an entry when it is started or restarted in vain (R39)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({})
      yield* Effect.gen(function*() {
        const registry = yield* McpRegistry
        for (const attempt of [registry.restart("docs"), registry.start("docs")]) {
          assert.strictEqual((yield* Effect.flip(attempt)).reason._tag, "VariableUnset")
          const { error, state } = yield* registry.server("docs")
          assert.deepStrictEqual([state, error?._tag], ["failed", "VariableUnset"])
        }
      }).pipe(Effect.provide(host.layer({ docs: { command: "docs", args: ["${NOPE}"] } })))
    }))
})

describe("McpServer.layer", () => {
  const built = <A, E>(
    host: ScriptedHost.Host,
    entry: Readonly<Record<string, unknown>>,
    body: (server: McpServer["Service"]) => Effect.Effect<A, E>
  ) =>
    Effect.gen(function*() {
      const { servers } = yield* McpConfig.use(({ current }) => current)
      const [configured] = servers
      assert.isDefined(configured)
      if (configured === undefined) return yield* Effect.die("no server")
      return yield* McpServer.use(body).pipe(Effect.provide(McpServer.layer(configured)))
    }).pipe(
      Effect.provide(
        McpConfig.layerEntries({ s: { command: "server", ...entry } }).pipe(Layer.provideMerge(host.platform))
      )
    )

  it.effect("is one server without a registry: it calls a tool, and nothing is left when its scope closes (R1, R3)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ server: { tools: [tool("echo")] } })
      yield* built(host, {}, (server) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* server.settled).state, "ready")
          assert.deepStrictEqual(server.listed().tools.map(({ name }) => name), ["s_echo"])
          const { content, isError } = yield* server.call("echo", { text: "here" })
          assert.isFalse(isError)
          assert.include(JSON.stringify(content), "here")
          assert.strictEqual(host.alive(), 1)
        }))
      assert.strictEqual(host.alive(), 0)
      assert.deepStrictEqual(host.events.map((event) => event.split(" ").slice(2).join(" ")), [
        "starts",
        "end of input",
        "exits",
        "released"
      ])
    }))

  it.effect("fails with the reason, tries again by itself, and ends while it waits (R3, R45)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ server: { exitsAtOnce: { code: 3, stderr: "no key" } } })
      yield* built(host, {}, (server) =>
        Effect.gen(function*() {
          const { reason } = yield* Effect.flip(server.settled)
          assert.strictEqual(reason._tag, "Exited")
          yield* ScriptedHost.advance(2)
          assert.isAbove(host.running.length, 1)
        }))
      const { length } = host.running
      yield* ScriptedHost.advance(120)
      assert.strictEqual(host.running.length, length)
      assert.strictEqual(host.alive(), 0)
    }))
})
