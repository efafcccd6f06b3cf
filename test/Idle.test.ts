/**
 * Connections that nobody used for a while, and whose other side is gone by now: the next call does not notice, or a ping
 * did before it.
 */
import { ProtocolMemory, type ServerStatus } from "@boocode/mcp-registry"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Deadline from "./support/Deadline.ts"
import * as HttpWays from "./support/HttpWays.ts"
import * as Zoo from "./support/Zoo.ts"

const echo = (registry: Zoo.Registry, text: string) => Zoo.textOf(registry, "it_echo", { text })

/** Waits until the server sees this many sockets at most. */
const untilSockets = (server: HttpWays.Server, most: number) =>
  Effect.repeat(server.counters, {
    until: ({ sockets }) => (sockets ?? 0) <= most,
    schedule: Schedule.spaced("50 millis")
  }).pipe(Effect.timeout(Deadline.WAIT_MILLIS))

/** The first status that is so. */
const until = (registry: Zoo.Registry, is: (status: ServerStatus) => boolean) =>
  registry.server("it").pipe(
    Effect.repeat({ until: is, schedule: Schedule.spaced("50 millis") }),
    Effect.timeout(Deadline.WAIT_MILLIS)
  )

describe("Idle over HTTP", Deadline.TEST, () => {
  it.live.each<HttpWays.Way>(["sessions", "uninitialized", "stateless", "modern", "sse"])(
    "a call does not notice that the whole server was restarted on its port since the last one, and runs once: %s (R99)",
    (way) =>
      Effect.gen(function*() {
        let server = yield* HttpWays.serve(way)
        yield* Zoo.withServer(HttpWays.entryOf(server), ({ registry }) =>
          Effect.scoped(Effect.gen(function*() {
            yield* Zoo.isReady(registry)
            // Without and with time for the listening stream to find out by itself.
            for (const pause of [0, 1500]) {
              assert.strictEqual(yield* echo(registry, "before"), "before")
              yield* server.kill
              yield* Effect.sleep("50 millis")
              // No server is there, so the call surely did not run, and the error says so (Decision 8).
              const { reason } = yield* Effect.flip(registry.call("it_echo", { text: "between" }))
              assert.strictEqual(reason._tag, way === "sse" ? "HttpStatus" : "ConnectionLost")
              server = yield* HttpWays.serve(way, server.port)
              yield* Effect.sleep(pause)
              const calls = Array.from({ length: 5 }, (_, index) => echo(registry, String(index)))
              assert.deepStrictEqual(yield* Effect.all(calls, { concurrency: 5 }), ["0", "1", "2", "3", "4"])
              const { initialize = 0, ran } = yield* server.counters
              assert.strictEqual(ran, 5)
              assert.isAtMost(initialize, 1)
            }
            const { restarts, state } = yield* registry.server("it")
            assert.deepStrictEqual({ restarts, state }, { restarts: 0, state: "ready" })
          })))
      })
  )

  it.live(
    "a call does not notice that its socket was closed, its session forgotten or its stream ended (R99)",
    () =>
      Effect.gen(function*() {
        const server = yield* HttpWays.serve("sessions")
        yield* Zoo.withServer(HttpWays.entryOf(server), ({ registry }) =>
          Effect.gen(function*() {
            assert.strictEqual(yield* echo(registry, "a"), "a")
            // Idle connections are closed after some seconds; the listening stream stays.
            yield* untilSockets(server, 1)
            assert.strictEqual(yield* echo(registry, "b"), "b")
            for (const what of ["forget", "drop", "forget"] as const) {
              yield* server.tell(what)
              assert.strictEqual(yield* echo(registry, what), what)
            }
            const { initialize, ran } = yield* server.counters
            assert.deepStrictEqual([initialize, ran], [4, 5])
          }))
        const old = yield* HttpWays.serve("sse")
        yield* Zoo.withServer(HttpWays.entryOf(old), ({ registry }) =>
          Effect.gen(function*() {
            for (const what of ["forget", "drop", "forget"] as const) {
              yield* old.tell(what)
              yield* Effect.sleep("100 millis")
              assert.strictEqual(yield* echo(registry, what), what)
            }
            const { GET, ran } = yield* old.counters
            assert.deepStrictEqual([GET, ran], [4, 3])
          }))
      })
  )
})

describe("Idle programs", Deadline.TEST, () => {
  it.live(
    "a call does not notice that the program died since the last one, where restart allows a new one (R99)",
    () =>
      Zoo.withServer({ ...Zoo.entry("OutOfOrder"), restart: "on-failure" }, ({ registry }) =>
        Effect.gen(function*() {
          for (let round = 1; round <= 3; round++) {
            const { pid } = yield* Zoo.isReady(registry)
            assert.strictEqual(yield* echo(registry, "a"), "a")
            process.kill(pid ?? assert.fail("it has no process"), "SIGKILL")
            yield* until(registry, (status) => status.pid !== pid)
            assert.strictEqual(yield* echo(registry, "b"), "b")
            assert.strictEqual((yield* registry.server("it")).restarts, round)
          }
        }))
  )
})

const isDoubted = ({ warnings }: ServerStatus) => warnings.some((warning) => warning.includes("last ping"))
const isLost = ({ error }: ServerStatus) => error?.message.includes("none of 2 pings") ?? false

describe("Pings", Deadline.TEST, () => {
  it.live(
    "find a program that does nothing any more, end it, and start it again where restart says so (R88)",
    () =>
      Zoo.withServer(
        { ...Zoo.entry("OutOfOrder"), ping: "1 second", restart: "on-failure" },
        ({ registry }) =>
          Effect.gen(function*() {
            const { pid } = yield* Zoo.isReady(registry)
            process.kill(pid ?? assert.fail("it has no process"), "SIGSTOP")
            assert.strictEqual((yield* until(registry, isDoubted)).state, "ready")
            assert.strictEqual((yield* until(registry, isLost)).state, "failed")
            // A stopped process ends by SIGKILL alone, 5.5 s after its input did.
            yield* until(registry, ({ state }) => state === "ready")
            assert.strictEqual(yield* echo(registry, "again"), "again")
          })
      )
  )

  it.live.each<HttpWays.Way>(["sessions", "modern"])(
    "find an HTTP server that does not answer any more, and connect anew when it does, whatever restart says: %s (R88)",
    (way) =>
      Effect.gen(function*() {
        const server = yield* HttpWays.serve(way)
        const entry = HttpWays.entryOf(server, { ping: "1 second", restart: "never", startupTimeout: "10 seconds" })
        yield* Zoo.withServer(entry, ({ registry }) =>
          Effect.gen(function*() {
            yield* Zoo.isReady(registry)
            server.child.kill("SIGSTOP")
            assert.strictEqual((yield* until(registry, isDoubted)).state, "ready")
            yield* until(registry, isLost)
            server.child.kill("SIGCONT")
            yield* until(registry, ({ state }) => state === "ready")
            assert.strictEqual(yield* echo(registry, "again"), "again")
            assert.strictEqual((yield* registry.server("it")).restarts, 0)
          }))
      })
  )

  it.live(
    "leave a program alone that works on a call and does nothing beside it (R88)",
    () =>
      Zoo.withServer({ ...Zoo.entry("Busy"), ping: "1 second" }, ({ registry }) =>
        Effect.gen(function*() {
          const { pid } = yield* Zoo.isReady(registry)
          assert.strictEqual(yield* Zoo.textOf(registry, "it_work", { millis: 5000 }), "done")
          const after = yield* Zoo.isReady(registry)
          assert.deepStrictEqual({ pid: after.pid, warnings: after.warnings }, { pid, warnings: [] })
        }))
  )
})

describe("Remembered eras", Deadline.TEST, () => {
  it.live(
    "save the question at the second start, and are asked for anew when the server is another by then (R91)",
    () =>
      Effect.gen(function*() {
        const folder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "boocode-eras-"))),
          (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
        )
        const memory = ProtocolMemory.layerFile(join(folder, "protocols.json")).pipe(Layer.provide(NodeServices.layer))
        const start = (server: HttpWays.Server) =>
          Zoo.withServer(HttpWays.entryOf(server), ({ registry }) =>
            Effect.gen(function*() {
              const { protocolVersion } = yield* Zoo.isReady(registry)
              assert.strictEqual(yield* echo(registry, "a"), "a")
              return protocolVersion
            })).pipe(Effect.provide(memory))
        /** The revision, and how often the server was asked about it, greeted, and had to list its tools. */
        const asked = Effect.fnUntraced(function*(server: HttpWays.Server) {
          const before = yield* server.counters
          const revision = yield* start(server)
          const after = yield* server.counters
          const methods = ["server/discover", "initialize", "tools/list"]
          return [revision, ...methods.map((method) => (after[method] ?? 0) - (before[method] ?? 0))]
        })
        const old = yield* HttpWays.serve("sessions")
        assert.deepStrictEqual(yield* asked(old), ["2025-11-25", 1, 1, 1])
        assert.deepStrictEqual(yield* asked(old), ["2025-11-25", 0, 1, 1])
        yield* old.kill
        const upgraded = yield* HttpWays.serve("modern", old.port)
        assert.deepStrictEqual(yield* asked(upgraded), ["2026-07-28", 1, 1, 1])
        assert.deepStrictEqual(yield* asked(upgraded), ["2026-07-28", 0, 0, 1])
        yield* upgraded.kill
        const downgraded = yield* HttpWays.serve("stateless", old.port)
        assert.deepStrictEqual(yield* asked(downgraded), ["2025-11-25", 1, 1, 2])
        assert.deepStrictEqual(yield* asked(downgraded), ["2025-11-25", 0, 1, 1])
      })
  )
})
