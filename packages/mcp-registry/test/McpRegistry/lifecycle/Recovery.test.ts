import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { McpRegistry } from "../../../src/index.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

/** Builds the registry in a scope of its own, which the test closes. */
const open = Effect.fnUntraced(function*(host: ScriptedHost.Host, entries: Readonly<Record<string, unknown>>) {
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(host.layer(entries), scope)
  return { close: Scope.close(scope, Exit.void), registry: Context.get(context, McpRegistry) }
})

const withEntries = <A, E>(
  scripts: Readonly<Record<string, ScriptedHost.Script>>,
  entries: Readonly<Record<string, unknown>>,
  body: (registry: McpRegistry["Service"], host: ScriptedHost.Host) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const host = yield* ScriptedHost.make(scripts)
    return yield* McpRegistry.use((registry) => body(registry, host)).pipe(Effect.provide(host.layer(entries)))
  })

/** How often this happened to the processes of a command. */
const times = (host: ScriptedHost.Host, command: string, event: string) =>
  host.events.filter((line) => line.endsWith(` ${command} ${event}`)).length

/** When the processes of a command were started, in milliseconds. */
const startsOf = (host: ScriptedHost.Host, command: string) =>
  host.events.flatMap((line) => line.endsWith(` ${command} starts`) ? [Number.parseInt(line, 10)] : [])

const listFails: ScriptedHost.Script = {
  answer: ({ id, method }) =>
    method === "tools/list" && id !== undefined
      ? { jsonrpc: "2.0", id, error: { code: -32603, message: "no list today" } }
      : undefined
}

/** In seconds: about thirty starts. */
const LONG = 1800

describe("Recovery", () => {
  it.effect.each(
    [
      { how: "a stop", run: (registry) => registry.stop("it"), left: 0 },
      {
        how: "a stop and a start",
        run: (registry) => Effect.andThen(registry.stop("it"), registry.start("it")),
        left: 1
      },
      { how: "three restarts", run: (registry) => Effect.repeat(registry.restart("it"), { times: 2 }), left: 1 },
      { how: "the end of the registry", run: () => Effect.void, left: 1 }
    ] satisfies ReadonlyArray<{
      readonly how: string
      readonly run: (registry: McpRegistry["Service"]) => Effect.Effect<unknown, unknown>
      readonly left: number
    }>
  )(
    "releases each process once, and has as many as before, after $how (R3)",
    ({ left, run }) =>
      Effect.gen(function*() {
        const host = yield* ScriptedHost.make({ server: {} })
        const { close, registry } = yield* open(host, { it: { command: "server" } })
        yield* registry.settled
        yield* run(registry)
        assert.strictEqual(host.alive(), left)
        assert.strictEqual(times(host, "server", "released"), times(host, "server", "starts") - left)
        yield* close
        assert.strictEqual(host.alive(), 0)
        assert.strictEqual(times(host, "server", "released"), times(host, "server", "starts"))
        assert.strictEqual(times(host, "server", "end of input"), times(host, "server", "starts"))
      })
  )

  it.effect("releases each process once whose listing failed, however often it is tried (R3)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ server: listFails })
      const { close, registry } = yield* open(host, { it: { command: "server" } })
      yield* registry.settled
      yield* ScriptedHost.advance(30)
      assert.isAtLeast(times(host, "server", "starts"), 4)
      assert.strictEqual(host.alive(), 0)
      assert.strictEqual(times(host, "server", "released"), times(host, "server", "starts"))
      yield* close
      assert.strictEqual(times(host, "server", "released"), times(host, "server", "starts"))
    }))

  it.effect("has one process, the same tools and an answer to every call after a server was killed (R4, R5)", () =>
    withEntries({ server: { tools: [ScriptedHost.tool("a"), ScriptedHost.tool("b")] } }, {
      it: { command: "server", restart: "on-failure" }
    }, (registry, host) =>
      Effect.gen(function*() {
        yield* registry.settled
        for (let death = 1; death <= 3; death++) {
          host.running.at(-1)?.exit(null)
          yield* ScriptedHost.drain
          assert.strictEqual((yield* registry.server("it")).error?.signal, "SIGKILL")
          const call = yield* Effect.forkChild(registry.call("it_b", {}))
          yield* ScriptedHost.drain
          assert.isFalse((yield* Fiber.join(call)).isError)
          assert.isFalse((yield* registry.call("it_b", {})).isError)
          assert.deepStrictEqual((yield* registry.tools).map(({ name }) => name), ["it_a", "it_b"])
          assert.strictEqual(host.alive(), 1)
          assert.strictEqual(host.running.length, death + 1)
        }
      })))

  it.effect("fails every call that waits within a second of a server's death, whatever its limits are (R6)", () =>
    withEntries({ server: { answer: ({ method }) => method === "tools/call" ? null : undefined } }, {
      it: { command: "server", timeout: "1 day", maxTotalTimeout: "1 day" }
    }, (registry, host) =>
      Effect.gen(function*() {
        yield* registry.settled
        const calls = yield* Effect.forkChild(
          Effect.all(Array.from({ length: 25 }, () => Effect.flip(registry.call("it_echo", {}))), {
            concurrency: "unbounded"
          })
        )
        yield* ScriptedHost.drain
        assert.isUndefined(calls.pollUnsafe())
        host.running[0]?.exit(null)
        yield* TestClock.adjust(999)
        const errors = yield* Fiber.join(calls)
        assert.deepStrictEqual([...new Set(errors.map(({ reason }) => reason._tag))], ["OutcomeUnknown"])
        assert.strictEqual(errors.length, 25)
      })))

  it.effect("uses a server that was down for its first two seconds, without anybody's doing (R19)", () => {
    let isUp = false
    return withEntries(
      {
        server: {
          answer: ({ method }, server) => {
            if (!isUp && method === "initialize") server.exit(1)
            return undefined
          }
        }
      },
      { it: { command: "server", protocol: "legacy" } },
      (registry) =>
        Effect.gen(function*() {
          yield* ScriptedHost.advance(2)
          assert.strictEqual((yield* registry.server("it")).state, "failed")
          isUp = true
          yield* ScriptedHost.advance(5)
          assert.isFalse((yield* registry.call("it_echo", {})).isError)
        })
    )
  })

  it.effect.each([
    { protocol: "legacy", stderr: "", first: 1 },
    // It says of what it died.
    { protocol: "auto", stderr: "Error: API_KEY is not set", first: 1 },
    // It may have died of the question for its era, so the first attempt takes a second process.
    { protocol: "auto", stderr: "", first: 2 },
    { protocol: "auto", stderr: "Error: expected initialize", first: 2 }
  ])(
    "starts a server that ends at once seven times in a minute at most, and harms no other: $protocol, '$stderr' (R20)",
    ({ first, protocol, stderr }) =>
      withEntries({ boom: { exitsAtOnce: { code: 1, stderr } }, good: {} }, {
        bad: { command: "boom", restart: "on-failure", protocol },
        good: { command: "good" }
      }, (registry, host) =>
        Effect.gen(function*() {
          for (let second = 0; second < 60; second++) {
            yield* ScriptedHost.advance(1)
            assert.isFalse((yield* registry.call("good_echo", {})).isError)
          }
          const starts = startsOf(host, "boom").slice(first - 1)
          assert.isAtLeast(starts.length, 4)
          assert.isAtMost(starts.length, 7)
          for (const [index, doubled] of [500, 1000, 2000, 4000].entries()) {
            const gap = (starts[index + 1] ?? 0) - (starts[index] ?? 0)
            // The clock of this test goes in seconds, so an attempt may be up to one late.
            assert.isAtLeast(gap, doubled * 0.75 - 1000)
            assert.isAtMost(gap, doubled * 1.25 + 1000)
          }
          assert.deepStrictEqual(host.events.filter((line) => line.includes(" good ")), ["0 good starts"])
          assert.strictEqual((yield* registry.server("good")).restarts, 0)
        }))
  )

  it.effect("waits a different time each, so that servers which died together do not return together (R20)", () => {
    const names = ["a", "b", "c", "d", "e", "f", "g", "h"]
    const boom = { exitsAtOnce: { code: 1, stderr: "" } }
    const entries = Object.fromEntries(names.map((name) => [name, { command: name, protocol: "legacy" }]))
    return withEntries(
      Object.fromEntries(names.map((name) => [name, boom])),
      entries,
      (_, host) =>
        Effect.gen(function*() {
          yield* ScriptedHost.drain
          for (let step = 0; step < 70; step++) yield* Effect.andThen(TestClock.adjust(10), ScriptedHost.drain)
          const seconds = names.map((name) => startsOf(host, name)[1] ?? 0)
          assert.isAtLeast(Math.min(...seconds), 375)
          assert.isAtLeast(new Set(seconds).size, 3)
        })
    )
  })

  it.effect(
    "goes on trying a server that keeps dying, at intervals of 75 s at most (R21)",
    () =>
      withEntries({ boom: { exitsAtOnce: { code: 1, stderr: "boom" } } }, {
        bad: { command: "boom", restart: "on-failure", protocol: "legacy" }
      }, (_, host) =>
        Effect.gen(function*() {
          yield* ScriptedHost.advance(LONG)
          const starts = [...startsOf(host, "boom"), LONG * 1000]
          const gaps = starts.slice(1).map((start, index) => start - (starts[index] ?? 0))
          assert.isAtMost(Math.max(...gaps), 76_000)
          assert.isAtLeast(Math.min(...gaps.slice(6, -1)), 44_000)
        })),
    60_000
  )

  it.effect("neither starts a process nor sends again for a tool's own error or a JSON-RPC error (R24)", () =>
    withEntries(
      {
        server: {
          answer: ({ id, method, params }) => {
            if (method !== "tools/call" || id === undefined) return undefined
            return JSON.stringify(params).includes("own")
              ? {
                jsonrpc: "2.0",
                id,
                result: { isError: true, content: [{ type: "text", text: "connection closed" }] }
              }
              : { jsonrpc: "2.0", id, error: { code: -32602, message: "invalid params" } }
          }
        }
      },
      { it: { command: "server", restart: "on-failure" } },
      (registry, host) =>
        Effect.gen(function*() {
          yield* registry.settled
          for (const kind of ["own", "rpc", "own", "rpc"]) {
            assert.isTrue((yield* registry.call("it_echo", { kind })).isError)
          }
          yield* ScriptedHost.advance(5)
          assert.strictEqual(host.running.length, 1)
          const received = host.running[0]?.received ?? []
          assert.strictEqual(received.filter(({ method }) => method === "tools/call").length, 4)
          assert.strictEqual(received.filter(({ method }) => method === "initialize").length, 1)
          assert.strictEqual((yield* registry.server("it")).state, "ready")
        })
    ))
})
