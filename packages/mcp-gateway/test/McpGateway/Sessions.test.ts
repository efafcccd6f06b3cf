import { McpGateway } from "@boocode/mcp-gateway"
import { McpRegistry } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { call, connect, ERAS, names } from "../support/Clients.ts"

const started = { count: 0 }

const Slow = McpRegistry.layerTest({
  slow: {
    tools: {
      wait: () =>
        Effect.onInterrupt(Effect.andThen(Effect.sync(() => started.count++), Effect.never), () => Effect.void),
      now: () => Effect.succeed("noon")
    }
  }
})

/** Waits for something that promises of the SDK bring. */
const until = (holds: Effect.Effect<boolean>) =>
  Effect.andThen(Effect.promise(() => new Promise((resolve) => setImmediate(resolve))), holds).pipe(
    Effect.repeat({ until: (is) => is, schedule: Schedule.recurs(10_000) })
  )

const initialize = (protocolVersion = "2025-11-25") =>
  new Request("http://gateway/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion, capabilities: {}, clientInfo: { name: "raw", version: "1" } }
    })
  })

for (const era of ERAS) {
  describe(`A client of the ${era} era`, () => {
    it.effect("is among those that are connected, with what it did", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make()
        const client = yield* connect(gateway, era, { caller: { id: "one", label: "my editor" }, name: "editor" })
        yield* call(client, "slow_now")
        const [status] = yield* gateway.clients
        assert.deepInclude(status?.program, { name: "editor" })
        assert.strictEqual(status?.caller.label, "my editor")
        assert.deepInclude(status, { era, calls: 1, inFlight: 0, lastTools: ["slow_now"], exposure: "flat" })
        const told = yield* Stream.runHead(gateway.changes)
        assert.strictEqual(told._tag, "Some")
      }).pipe(Effect.provide(Slow)))

    it.effect("can be ended, with the calls that it has", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make()
        const client = yield* connect(gateway, era)
        const before = started.count
        const calling = yield* Effect.forkChild(
          Effect.exit(Effect.promise(() => client.callTool({ name: "slow_wait" }, { timeout: 2000 })))
        )
        yield* until(Effect.sync(() => started.count > before))
        const [status] = yield* gateway.clients
        assert.strictEqual(status?.inFlight, 1)
        assert.isTrue(yield* gateway.end(status?.id ?? ""))
        assert.deepStrictEqual(yield* gateway.clients, [])
        assert.isFalse(yield* gateway.end("nobody"))
        yield* Fiber.interrupt(calling)
      }).pipe(Effect.provide(Slow)))

    it.effect("that gives up a call gives it up at the server", () =>
      Effect.gen(function*() {
        const gateway = yield* McpGateway.make()
        const client = yield* connect(gateway, era)
        const before = started.count
        const abort = new AbortController()
        const given = client.callTool({ name: "slow_wait" }, { signal: abort.signal }).catch(() => "given up")
        yield* until(Effect.sync(() => started.count > before))
        abort.abort()
        assert.strictEqual(yield* Effect.promise(() => given), "given up")
        yield* until(Effect.map(gateway.clients, (clients) => clients[0]?.inFlight === 0))
      }).pipe(Effect.provide(Slow)))
  })
}

describe("A session", () => {
  it.effect("whose client vanishes without a word ends once nothing was heard of it for the limit", () =>
    Effect.gen(function*() {
      const gateway = yield* McpGateway.make()
      yield* gateway.handle(initialize(), { id: "raw" })
      assert.lengthOf(yield* gateway.clients, 1)
      yield* TestClock.adjust("20 minutes")
      assert.lengthOf(yield* gateway.clients, 1)
      yield* TestClock.adjust("20 minutes")
      assert.lengthOf(yield* gateway.clients, 0)
    }).pipe(Effect.provide(Slow)))

  it.effect("is there for its caller alone", () =>
    Effect.gen(function*() {
      const gateway = yield* McpGateway.make()
      const { headers } = yield* gateway.handle(initialize(), { id: "raw" })
      const session = headers.get("mcp-session-id") ?? ""
      const ping = () =>
        new Request("http://gateway/mcp", {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "mcp-session-id": session
          },
          body: JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" })
        })
      assert.strictEqual((yield* gateway.handle(ping(), { id: "other" })).status, 404)
      assert.strictEqual((yield* gateway.handle(ping(), { id: "raw" })).status, 200)
      const gone = new Request("http://gateway/mcp", { method: "DELETE", headers: { "mcp-session-id": session } })
      assert.strictEqual((yield* gateway.handle(gone, { id: "raw" })).status, 200)
      assert.lengthOf(yield* gateway.clients, 0)
      assert.strictEqual((yield* gateway.handle(ping(), { id: "raw" })).status, 404)
    }).pipe(Effect.provide(Slow)))

  it.effect("answers a request with JSON, and one that takes long with a stream that is kept alive until it ends", () =>
    Effect.gen(function*() {
      const gateway = yield* McpGateway.make()
      const { headers } = yield* gateway.handle(initialize(), { id: "raw" })
      const session = headers.get("mcp-session-id") ?? ""
      const post = (id: number | undefined, method: string, params: object) =>
        gateway.answer({
          method: "POST",
          url: "http://gateway/mcp",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "mcp-session-id": session
          },
          body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
          signal: () => new AbortController().signal
        }, { id: "raw" })
      const quick = yield* post(2, "ping", {})
      assert.strictEqual(quick.headers["content-type"], "application/json")
      assert.strictEqual(quick.body, JSON.stringify({ result: {}, jsonrpc: "2.0", id: 2 }))

      const before = started.count
      const slow = yield* Effect.forkChild(post(3, "tools/call", { name: "slow_wait" }))
      yield* until(Effect.sync(() => started.count > before))
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(slow.pollUnsafe())
      yield* TestClock.adjust("10 seconds")
      const { body, headers: told } = yield* Fiber.join(slow)
      assert.strictEqual(told["content-type"], "text/event-stream")
      const text = Effect.promise(() => new Response(body).text())
      const heard = yield* Effect.forkChild(text)
      // A request that the client gives up has no answer, and its stream ends.
      const given = yield* Effect.forkChild(post(4, "tools/call", { name: "slow_wait" }))
      yield* until(Effect.sync(() => started.count > before + 1))
      yield* post(undefined, "notifications/cancelled", { requestId: 4 })
      const { body: nothing } = yield* Fiber.join(given)
      assert.strictEqual(yield* Effect.promise(() => new Response(nothing).text()), "")
      // The end of the client is the end of its streams.
      const [status] = yield* gateway.clients
      assert.isTrue(yield* gateway.end(status?.id ?? ""))
      assert.match(yield* Fiber.join(heard), /^(: keepalive\n\n)+/)
    }).pipe(Effect.provide(Slow)))

  it.effect("says at once that it listens, before anything happens", () =>
    Effect.gen(function*() {
      const gateway = yield* McpGateway.make()
      const { headers } = yield* gateway.handle(initialize(), { id: "raw" })
      const listen = new Request("http://gateway/mcp", {
        headers: { accept: "text/event-stream", "mcp-session-id": headers.get("mcp-session-id") ?? "" }
      })
      const { body } = yield* gateway.handle(listen, { id: "raw" })
      const first = yield* Effect.promise(async () => body?.getReader().read())
      assert.strictEqual(new TextDecoder().decode(first?.value), ": listening\n\n")
    }).pipe(Effect.provide(Slow)))

  it.effect("that is not begun with initialize is refused", () =>
    Effect.gen(function*() {
      const gateway = yield* McpGateway.make()
      const list = new Request("http://gateway/mcp", {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" })
      })
      assert.strictEqual((yield* gateway.handle(list, { id: "raw" })).status, 400)
      const broken = new Request("http://gateway/mcp", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{"
      })
      assert.strictEqual((yield* gateway.handle(broken, { id: "raw" })).status, 400)
    }).pipe(Effect.provide(Slow)))
})

describe("A change of the tools", () => {
  for (const era of ERAS) {
    it.effect(`is told to a client of the ${era} era, which sees them when it lists again`, () =>
      Effect.gen(function*() {
        const registry = yield* McpRegistry
        const gateway = yield* McpGateway.make()
        const told = yield* Deferred.make<void>()
        const client = yield* connect(gateway, era, {
          options: {
            listChanged: { tools: { autoRefresh: false, onChanged: () => Deferred.doneUnsafe(told, Effect.void) } }
          }
        })
        assert.include(yield* names(client), "slow_now")
        yield* registry.stop("slow")
        yield* until(Effect.gen(function*() {
          yield* TestClock.adjust("100 millis")
          return yield* Deferred.isDone(told)
        }))
        assert.notInclude(yield* names(client), "slow_now")
      }).pipe(Effect.provide(Slow)))
  }
})
