/** The registry over real sockets against servers with bad habits, each of which the zoo keeps at a path of its own. */
import { Environment, McpConfig } from "@boocode/mcp-config"
import { NodeFetch, NodeMcp } from "@boocode/mcp-node"
import { McpFetch, McpRegistry } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import { getEventListeners, once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"

const ZOO = FixtureServer.program("HttpZoo")

interface Zoo {
  readonly port: number
  readonly child: ChildProcess
  readonly counters: Effect.Effect<Readonly<Record<string, number>>>
}

/** The zoo, until the scope closes. */
const zoo = (port = 0): Effect.Effect<Zoo, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async (): Promise<Zoo> => {
      const child = spawn(ZOO.command, [...ZOO.args, String(port)], { stdio: ["ignore", "pipe", "inherit"] })
      const [ports] = await once(child.stdout, "data")
      const own = Number(String(ports).split(" ")[0])
      const counters = Effect.promise(async () => read(await (await fetch(`http://127.0.0.1:${own}/counters`)).json()))
      return { port: own, child, counters }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

const read = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Number))

type Registry = McpRegistry["Service"]

const platform = NodeMcp.layer.pipe(Layer.provideMerge(Environment.layer({})))

/** A registry of one server called `zoo`; `web` is the fetch when it is not Node's own. */
const registryOf = (
  url: string,
  entry: Readonly<Record<string, unknown>> = {},
  web: Layer.Layer<McpFetch> | null = null
) =>
  McpRegistry.layer().pipe(
    Layer.provide(McpConfig.layerEntries({ zoo: { url, protocol: "legacy", ...entry } })),
    Layer.provide(web === null ? platform : Layer.provideMerge(web, platform))
  )

const withRegistry = <A, E, R>(
  url: string,
  entry: Readonly<Record<string, unknown>>,
  body: (registry: Registry) => Effect.Effect<A, E, R>
) =>
  McpRegistry.use((registry) => Effect.andThen(ready(registry), body(registry))).pipe(
    Effect.provide(registryOf(url, entry))
  )

const ready = (registry: Registry) =>
  Effect.andThen(registry.settled, registry.server("zoo")).pipe(
    Effect.tap(({ error, state }) => Effect.sync(() => assert.strictEqual(state, "ready", error?.message)))
  )

const echo = (registry: Registry, args: Readonly<Record<string, string | number>> = {}) =>
  registry.call("zoo_echo", args)

const textOf = (result: { readonly content: ReadonlyArray<unknown> }): unknown =>
  Reflect.get(Object(result.content[0]), "text")

const timed = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.suspend(() => {
    const started = performance.now()
    return Effect.map(effect, (value) => ({ value, millis: performance.now() - started }))
  })

/** Undici closes what is idle after 4 s. */
const untilNoSockets = (server: Zoo, within: Duration.Input = Deadline.WAIT_MILLIS) =>
  Effect.repeat(server.counters, {
    until: ({ sockets }) => sockets === 0,
    schedule: Schedule.spaced("50 millis")
  }).pipe(Effect.timeoutOption(within), Effect.map(({ _tag }) => _tag === "Some"))

/** A proxy that can forget its connections without a word, as a router does. */
const silentRouter = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const pairs: Array<readonly [Socket, Socket]> = []
      const server = createServer((near) => {
        const far = connect(port, "127.0.0.1")
        near.pipe(far).pipe(near)
        for (const socket of [near, far]) socket.on("error", () => {})
        pairs.push([near, far])
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      const address = server.address()
      return {
        port: typeof address === "object" && address !== null ? address.port : 0,
        forget: () => {
          for (const [near, far] of pairs.splice(0)) {
            near.unpipe(far)
            far.unpipe(near)
            far.destroy()
            near.resume()
          }
        },
        stop: () => server.close()
      }
    }),
    ({ forget, stop }) =>
      Effect.sync(() => {
        forget()
        stop()
      })
  )

const url = ({ port }: { readonly port: number }, habit: string) => `http://127.0.0.1:${port}/${habit}`

describe("HttpFaults", Deadline.TEST, () => {
  it.live(
    "goes on with a server that was restarted and has forgotten its sessions (R22)",
    () =>
      Effect.gen(function*() {
        const first = yield* zoo()
        yield* withRegistry(url(first, "none"), {}, (registry) =>
          Effect.gen(function*() {
            assert.strictEqual(textOf(yield* echo(registry, { text: "a" })), "a")
            first.child.kill("SIGKILL")
            yield* Effect.promise(() => once(first.child, "exit"))
            const unreachable = yield* Effect.flip(echo(registry))
            assert.include(["ConnectionLost", "OutcomeUnknown"], unreachable.reason._tag)
            const second = yield* zoo(first.port)
            const calls = Array.from({ length: 10 }, (_, index) => echo(registry, { text: String(index) }))
            const results = yield* Effect.all(calls, { concurrency: "unbounded" })
            assert.deepStrictEqual(results.map(textOf), results.map((_, index) => String(index)))
            const { calls: seen, initialize } = yield* second.counters
            assert.deepStrictEqual([initialize, seen], [1, 10])
            assert.strictEqual((yield* registry.server("zoo")).restarts, 0)
            // Once for the new session, some time after it began.
            yield* Effect.repeat(second.counters, {
              until: ({ lists = 0 }) => lists > 0,
              schedule: Schedule.spaced("50 millis")
            }).pipe(Effect.timeout(Deadline.WAIT_MILLIS))
            yield* Effect.sleep("200 millis")
            assert.strictEqual((yield* second.counters)["lists"], 1)
          }))
      })
  )

  it.live(
    "waits for late headers and late bytes beyond the limits of the HTTP stack (R27)",
    () =>
      Effect.gen(function*() {
        const server = yield* zoo()
        const limits = { headersTimeout: 500, bodyTimeout: 500 }
        const web = Layer.effect(McpFetch, NodeFetch.make({}, limits))
        const late = (habit: string) =>
          McpRegistry.use((registry) => Effect.andThen(ready(registry), echo(registry))).pipe(
            Effect.provide(registryOf(url(server, habit), {}, web))
          )
        const results = yield* Effect.all(["late-headers", "late-bytes"].map(late), { concurrency: 2 })
        assert.deepStrictEqual(results.map(textOf), ["late", "late"])
      })
  )

  it.live(
    "fails a call within 100 ms when its stream ends or its connection breaks, and sends it once (R23, R28)",
    () =>
      Effect.gen(function*() {
        const server = yield* zoo()
        for (const habit of ["ends-early", "hangs-up"]) {
          const before = (yield* server.counters)["calls"] ?? 0
          yield* withRegistry(url(server, habit), {}, (registry) =>
            Effect.gen(function*() {
              const failed = timed(Effect.flip(echo(registry)))
              const runs = [yield* failed, yield* failed, yield* failed]
              assert.isTrue(runs.every(({ value }) => value.reason._tag === "OutcomeUnknown"))
              assert.isBelow(Math.min(...runs.map(({ millis }) => millis)), Deadline.late(100))
            }))
          assert.strictEqual((yield* server.counters)["calls"], before + 3)
        }
        assert.strictEqual((yield* server.counters)["initialize"], 2)
      })
  )

  it.live("resumes a call whose connection broke behind an event id (R86, R108)", () =>
    Effect.gen(function*() {
      const server = yield* zoo()
      yield* withRegistry(url(server, "breaks-off"), {}, (registry) =>
        Effect.gen(function*() {
          assert.strictEqual(textOf(yield* echo(registry)), "resumed")
        }))
      const { calls } = yield* server.counters
      assert.strictEqual(calls, 1)
    }))

  it.live(
    "fails only the call above the cap, whatever its size, and holds a small part of it (R37, Decision 11)",
    () =>
      Effect.gen(function*() {
        const server = yield* zoo()
        for (const [habit, megabytes] of [["huge-json", 128], ["huge-event", 128], ["endless-json", 0]] as const) {
          yield* withRegistry(url(server, habit), {}, (registry) =>
            Effect.gen(function*() {
              global.gc?.()
              const before = process.memoryUsage.rss()
              let peak = before
              const watch = yield* Effect.forkChild(
                Effect.forever(Effect.delay(
                  Effect.sync(() => peak = Math.max(peak, process.memoryUsage.rss())),
                  "10 millis"
                ))
              )
              const { reason } = yield* Effect.flip(echo(registry, { megabytes }))
              yield* Fiber.interrupt(watch)
              assert.strictEqual(reason._tag, "MessageTooLarge")
              assert.isBelow((peak - before) / 1024 / 1024, 10 * 16)
              if (habit !== "endless-json") assert.isFalse((yield* echo(registry, { megabytes: 1 })).isError)
              assert.strictEqual((yield* registry.server("zoo")).state, "ready")
            }))
        }
        assert.strictEqual((yield* server.counters)["initialize"], 3)
      })
  )

  it.live(
    "asks a server that keeps closing its listening stream a few times, and not more for hundreds of calls (R85)",
    () =>
      Effect.gen(function*() {
        const server = yield* zoo()
        const uses = new Map<AbortSignal, number>()
        const web = Layer.effect(
          McpFetch,
          Effect.map(NodeFetch.make({}), ({ fetch }) => {
            const counting: typeof globalThis.fetch = (input, init) => {
              if (init?.signal !== null && init?.signal !== undefined) {
                uses.set(init.signal, (uses.get(init.signal) ?? 0) + 1)
              }
              return fetch(input, init)
            }
            return McpFetch.of({ fetch: counting })
          })
        )
        yield* McpRegistry.use((registry) =>
          Effect.gen(function*() {
            yield* ready(registry)
            for (let round = 0; round < 5; round++) {
              yield* Effect.all(Array.from({ length: 100 }, () => echo(registry)), { concurrency: 20 })
            }
            const shared = [...uses].filter(([, count]) => count > 1)
            assert.isBelow(shared.length, 3)
            for (const [signal] of shared) assert.isBelow(getEventListeners(signal, "abort").length, 20)
            yield* Effect.sleep("2 seconds")
          })
        ).pipe(Effect.provide(registryOf(url(server, "closes-listening"), {}, web)))
        const { calls, gets } = yield* server.counters
        assert.strictEqual(calls, 500)
        assert.isAtMost(gets ?? Infinity, 6)
      })
  )

  it.live("leaves no socket and no handle behind after 20 connections (R87)", () =>
    Effect.gen(function*() {
      const server = yield* zoo()
      const cycle = withRegistry(url(server, "none"), {}, echo)
      const handles = () => process.getActiveResourcesInfo().filter((name) => name !== "Immediate").length
      yield* cycle
      assert.isTrue(yield* untilNoSockets(server))
      const before = handles()
      for (let count = 0; count < 20; count++) yield* cycle
      assert.isTrue(yield* untilNoSockets(server))
      assert.isAtMost(handles(), before)
      const { deletes, sessions } = yield* server.counters
      assert.deepStrictEqual([deletes, sessions], [21, 0])
    }))

  it.live(
    "would count sockets that stay open: the SDK alone, not closed, leaves them (control of R87)",
    () =>
      Effect.gen(function*() {
        const server = yield* zoo()
        const clients = yield* Effect.promise(() =>
          Promise.all(Array.from({ length: 5 }, async () => {
            const client = new Client({ name: "control", version: "1" })
            await client.connect(new StreamableHTTPClientTransport(new URL(url(server, "none"))))
            return client
          }))
        )
        assert.isFalse(yield* untilNoSockets(server, "5 seconds"))
        yield* Effect.promise(() => Promise.all(clients.map((client) => client.close())))
      })
  )

  it.live("closes in little more than a second when DELETE is never answered (R44)", () =>
    Effect.gen(function*() {
      const server = yield* zoo()
      const { millis } = yield* timed(withRegistry(url(server, "never-ends"), {}, () => Effect.void))
      assert.isBelow(millis, Deadline.late(2000))
      const { deletes } = yield* server.counters
      assert.strictEqual(deletes, 1)
      assert.isTrue(yield* untilNoSockets(server))
    }))

  it.live(
    "serves on after calls that were never answered, and keeps no socket for them (R28, R29, R107)",
    () =>
      Effect.gen(function*() {
        const server = yield* zoo()
        yield* withRegistry(url(server, "never-answers"), { timeout: "300 millis" }, (registry) =>
          Effect.gen(function*() {
            const calls = Array.from({ length: 20 }, () =>
              Effect.flip(echo(registry)))
            const errors = yield* Effect.all(calls, { concurrency: "unbounded" })
            assert.isTrue(errors.every(({ reason }) =>
              reason._tag === "CallTimeout"
            ))
            const counted = (name: string, count: number) =>
              Effect.repeat(server.counters, {
                until: (counters) => (counters[name] ?? 0) >= count,
                schedule: Schedule.spaced("20 millis")
              }).pipe(Effect.timeout(Deadline.WAIT_MILLIS))
            const { calls: before = 0 } = yield* server.counters
            const call = yield* Effect.forkChild(registry.call("zoo_echo", {}, { timeout: Duration.hours(1) }))
            yield* counted("calls", before + 1)
            assert.isBelow((yield* timed(Fiber.interrupt(call))).millis, Deadline.late(200))
            const { cancelled, initialize, sockets } = yield* counted("cancelled", 21)
            assert.deepStrictEqual([cancelled, initialize], [21, 1])
            assert.isBelow(sockets ?? Infinity, 25)
          }))
        assert.isTrue(yield* untilNoSockets(server))
      })
  )

  it.live("follows no redirect to another origin (R76)", () =>
    Effect.gen(function*() {
      const server = yield* zoo()
      const entry = { headers: { Authorization: "Bearer canary-token" } }
      yield* withRegistry(url(server, "moves"), entry, (registry) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* Effect.flip(echo(registry))).reason._tag, "HttpStatus")
        }))
      assert.strictEqual((yield* server.counters)["strangers"], 0)
    }))

  it.live(
    "fails a call in its timeout when the network has silently forgotten its connections, and serves the next (R88)",
    () =>
      Effect.gen(function*() {
        const server = yield* zoo()
        const router = yield* silentRouter(server.port)
        yield* withRegistry(url(router, "none"), { timeout: "3 seconds" }, (registry) =>
          Effect.gen(function*() {
            yield* Effect.all(Array.from({ length: 5 }, () => echo(registry)), { concurrency: 5 })
            router.forget()
            const { millis, value } = yield* timed(Effect.result(echo(registry)))
            assert.isBelow(millis, Deadline.late(1500))
            if (value._tag === "Failure") assert.strictEqual(value.failure.reason._tag, "CallTimeout")
            const tries = Effect.retry(echo(registry, { text: "again" }), { times: 5 })
            assert.strictEqual(textOf(yield* tries), "again")
          }))
      })
  )
})
