import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import type { Traffic } from "../../../../mcp-client/src/contract/Connection.ts"
import {
  AuthRejected,
  AuthRequired,
  ConnectionLost,
  HttpStatus,
  type McpErrorReason,
  RequestFailed
} from "../../../../mcp-client/src/errors/McpError.ts"
import * as Ping from "../../../../mcp-client/src/rpc/Ping.ts"
import { McpRegistry } from "../../../src/index.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"
import "../../../../mcp-client/src/oauth/SignIn.ts"

type Answer = Effect.Effect<void, McpErrorReason>

const now = TestClock.testClockWith((clock) => Effect.sync(() => clock.currentTimeMillisUnsafe()))

/** Pings a connection that answers each ping as the script says, the last answer for ever. */
const scripted = Effect.fnUntraced(function*(interval: Duration.Input, answers: ReadonlyArray<Answer>) {
  const pings: Array<number> = []
  const told: Array<number> = []
  const traffic: { -readonly [Key in keyof Traffic]: Traffic[Key] } = { heardAt: 0, waiting: 0 }
  const ping = Effect.suspend(() => answers[pings.length - 1] ?? answers.at(-1) ?? Effect.void)
  const fiber = yield* Effect.forkChild(
    Ping.run({
      connection: {
        ping: Effect.andThen(Effect.map(now, (millis) => void pings.push(millis / 1000)), ping),
        traffic: () => traffic
      },
      interval: Duration.fromInputUnsafe(interval),
      onMissed: (missed) => Effect.sync(() => void told.push(missed))
    }),
    { startImmediately: true }
  )
  return { fiber, pings, told, traffic }
})

const SILENCE: Answer = Effect.never
const alive = Effect.void

describe("Ping", () => {
  it.effect("pings after each interval without traffic, and not while there is some (R88)", () =>
    Effect.gen(function*() {
      const { fiber, pings, told, traffic } = yield* scripted("30 seconds", [alive])
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual(pings, [30, 60])
      yield* TestClock.adjust("20 seconds")
      traffic.heardAt = 80_000
      yield* TestClock.adjust("29 seconds")
      assert.deepStrictEqual(pings, [30, 60])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(pings, [30, 60, 110])
      yield* TestClock.adjust("1 day")
      assert.isUndefined(fiber.pollUnsafe())
      assert.deepStrictEqual(told, [])
    }))

  it.effect("tells the first miss when its limit is over, and gives up at the second in a row (R88)", () =>
    Effect.gen(function*() {
      const { fiber, pings, told } = yield* scripted("30 seconds", [SILENCE])
      yield* TestClock.adjust("39 seconds")
      assert.deepStrictEqual(told, [])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(told, [1])
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const lost = yield* Fiber.join(fiber)
      assert.deepStrictEqual(pings, [30, 60])
      assert.strictEqual(lost._tag, "ConnectionLost")
      assert.match(lost.message, /none of 2 pings, 30s apart/)
    }))

  it.effect("waits no longer for an answer than an interval lasts (R88)", () =>
    Effect.gen(function*() {
      const { fiber, pings } = yield* scripted("4 seconds", [SILENCE])
      yield* TestClock.adjust("11999 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(pings, [4, 8])
    }))

  it.effect("begins anew after an answer, and tells that all is well again (R88)", () =>
    Effect.gen(function*() {
      const { fiber, pings, told } = yield* scripted("30 seconds", [SILENCE, alive, SILENCE, alive])
      yield* TestClock.adjust("150 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      assert.deepStrictEqual(pings, [30, 60, 90, 120, 150])
      assert.deepStrictEqual(told, [1, 0, 1, 0])
    }))

  it.effect("takes an answer that comes too late for a sign of life", () =>
    Effect.gen(function*() {
      const { fiber, told, traffic } = yield* scripted("30 seconds", [SILENCE])
      for (let asked = 30; asked <= 300; asked += 55) {
        yield* TestClock.setTime((asked + 25) * 1000)
        traffic.heardAt = (asked + 25) * 1000
      }
      assert.isUndefined(fiber.pollUnsafe())
      assert.deepStrictEqual(told, [1])
    }))

  it.effect("leaves a server alone that works on a request, for as long as that lasts", () =>
    Effect.gen(function*() {
      const { pings, traffic } = yield* scripted("30 seconds", [SILENCE])
      traffic.waiting = 1
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(pings, [])
      traffic.waiting = 0
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(pings, [630])
    }))

  it.effect("takes an error of the server for an answer, and one of the way to it for none (R88)", () =>
    Effect.gen(function*() {
      const errors: ReadonlyArray<readonly [McpErrorReason, "answer" | "none"]> = [
        [new RequestFailed({ method: "ping", code: -32601, detail: "Method not found" }), "answer"],
        [new HttpStatus({ method: "ping", code: 404, detail: "" }), "answer"],
        [new HttpStatus({ method: "ping", code: 429, detail: "" }), "answer"],
        [new HttpStatus({ method: "ping", code: 502, detail: "bad gateway" }), "none"],
        [new AuthRejected({ code: 401 }), "none"],
        [new ConnectionLost({ detail: "fetch failed: ECONNREFUSED", unsent: true }), "none"]
      ]
      for (const [error, expected] of errors) {
        const { fiber } = yield* scripted("30 seconds", [Effect.fail(error)])
        yield* TestClock.adjust("5 minutes")
        assert.strictEqual(fiber.pollUnsafe() === undefined ? "answer" : "none", expected, error.message)
        yield* Fiber.interrupt(fiber)
      }
    }))

  it.effect("finds a server there that answers anything, and gone where nothing comes or the connection broke", () =>
    Effect.gen(function*() {
      const answers: ReadonlyArray<readonly [Answer, boolean]> = [
        [alive, true],
        [Effect.fail(new HttpStatus({ method: "ping", code: 503, detail: "" })), true],
        [Effect.fail(new AuthRequired({ code: 401 })), true],
        [Effect.fail(new AuthRejected({ code: 401 })), true],
        [Effect.fail(new ConnectionLost({ detail: "fetch failed: ECONNREFUSED" })), false],
        [SILENCE, false]
      ]
      for (const [ping, expected] of answers) {
        const fiber = yield* Effect.forkChild(Ping.isThere({ ping, traffic: () => ({ heardAt: 0, waiting: 0 }) }))
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(yield* Fiber.join(fiber), expected)
      }
    }))

  it.effect("counts an interval below a second as one", () =>
    Effect.gen(function*() {
      const { pings } = yield* scripted(0, [alive])
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(pings, [1, 2, 3])
    }))
})

const isPing = ({ method }: ScriptedWeb.Json) => method === "ping"

describe("Ping of a program", () => {
  /** A program that stops answering anything when it is told to. */
  const mute = () => {
    let isMute = false
    const script: ScriptedHost.Script = { answer: () => isMute ? null : undefined }
    const set = (next: boolean) => Effect.sync(() => void (isMute = next))
    return { script, set }
  }

  it.effect("shows a miss as a warning, gives the server up at the next, and ends it; restart says what follows (R88)", () =>
    Effect.gen(function*() {
      for (const [restart, state] of [["never", "failed"], ["on-failure", "ready"]] as const) {
        const { script, set } = mute()
        const host = yield* ScriptedHost.make({ server: script })
        yield* McpRegistry.use((registry) =>
          Effect.gen(function*() {
            yield* registry.settled
            yield* ScriptedHost.advance(60)
            assert.lengthOf(host.running[0]?.received.filter(isPing) ?? [], 2)
            assert.deepStrictEqual((yield* registry.server("s")).warnings, [])
            yield* set(true)
            yield* ScriptedHost.advance(40)
            const doubted = yield* registry.server("s")
            assert.strictEqual(doubted.state, "ready")
            assert.match(doubted.warnings.join(), /did not answer the last ping/)
            yield* ScriptedHost.advance(30)
            const lost = yield* registry.server("s")
            assert.strictEqual(lost.state, "failed")
            assert.strictEqual(lost.error?._tag, "ConnectionLost")
            assert.match(lost.error?.message ?? "", /none of 2 pings/)
            yield* set(false)
            yield* ScriptedHost.advance(10)
            const after = yield* registry.server("s")
            assert.strictEqual(after.state, state)
            assert.deepStrictEqual(after.warnings, [])
            assert.strictEqual(after.restarts, state === "ready" ? 1 : 0)
            assert.strictEqual(host.alive(), state === "ready" ? 1 : 0)
          })
        ).pipe(Effect.provide(host.layer({ s: { command: "server", ping: "30 seconds", restart } })))
      }
    }))

  it.effect("keeps a server that does not know ping, as 'method not found' is an answer (R88)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ server: {} })
      yield* McpRegistry.use((registry) =>
        Effect.gen(function*() {
          yield* registry.settled
          yield* ScriptedHost.advance(300)
          const { state, warnings } = yield* registry.server("s")
          assert.strictEqual(state, "ready")
          assert.deepStrictEqual(warnings, [])
          assert.lengthOf(host.running[0]?.received.filter(isPing) ?? [], 10)
        })
      ).pipe(Effect.provide(host.layer({ s: { command: "server", ping: "30 seconds" } })))
    }))

  it.effect("never pings without being asked to, and asks server/discover where there is no ping (R88)", () =>
    Effect.gen(function*() {
      const result = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }
      const modern: ScriptedHost.Script = {
        answer: ({ id, method }) =>
          id === undefined
            ? undefined
            : { jsonrpc: "2.0", id, result: method === "tools/list" ? { ...result, tools: [] } : result }
      }
      const host = yield* ScriptedHost.make({ server: {}, modern })
      yield* McpRegistry.use((registry) =>
        Effect.gen(function*() {
          yield* registry.settled
          yield* ScriptedHost.advance(60)
          const methods = (command: string) =>
            host.running.find((running) => running.command === command)?.received.map(({ method }) => method)
          assert.notInclude(methods("server") ?? [], "ping")
          assert.deepStrictEqual(methods("modern"), [
            "server/discover",
            "tools/list",
            "server/discover",
            "server/discover"
          ])
          assert.deepStrictEqual((yield* registry.server("modern")).warnings, [])
        })
      ).pipe(Effect.provide(host.layer({ quiet: { command: "server" }, modern: { command: "modern", ping: 30_000 } })))
    }))
})

describe("Ping over HTTP", () => {
  it.effect("makes a new connection whatever restart says, and no restart of it (R88, Decision 7)", () =>
    Effect.gen(function*() {
      let network: "up" | "silent" | "down" = "up"
      const down = () => new TypeError("fetch failed", { cause: Object.assign(new Error(), { code: "ECONNREFUSED" }) })
      const { fetch, of } = yield* ScriptedWeb.server(() =>
        network === "up" ? undefined : network === "silent" ? null : Promise.reject(down())
      )
      yield* ScriptedWeb.withRegistry(
        fetch,
        { ping: "30 seconds", restart: "never" },
        (registry) =>
          Effect.gen(function*() {
            yield* ScriptedHost.advance(30)
            assert.lengthOf(of("ping"), 1)
            network = "silent"
            yield* ScriptedHost.advance(40)
            const doubted = yield* registry.server("web")
            assert.strictEqual(doubted.state, "ready")
            assert.match(doubted.warnings.join(), /did not answer the last ping/)
            yield* ScriptedHost.advance(30)
            assert.match((yield* registry.server("web")).error?.message ?? "", /none of 2 pings/)
            network = "down"
            yield* ScriptedHost.advance(600)
            const tries = of("server/discover").length
            assert.isBelow(tries, 20)
            assert.strictEqual((yield* registry.server("web")).state, "failed")
            network = "up"
            // As without pings, a call need not wait for the next try.
            assert.isFalse((yield* registry.call("web_find", {})).isError)
            assert.lengthOf(of("server/discover"), tries + 1)
            const { restarts, state, warnings } = yield* registry.server("web")
            assert.deepStrictEqual({ restarts, state, warnings }, { restarts: 0, state: "ready", warnings: [] })
          })
      )
    }))

  it.effect("opens a new session when the ping finds the old one gone, so that no call has to (R88, R99)", () =>
    Effect.gen(function*() {
      let isGone = false
      const { fetch, of } = yield* ScriptedWeb.server(({ method }) => {
        if (method === "initialize") isGone = false
        return isGone && method === "ping" ? new Response(null, { status: 404 }) : undefined
      })
      yield* ScriptedWeb.withRegistry(fetch, { ping: "30 seconds" }, (registry) =>
        Effect.gen(function*() {
          isGone = true
          yield* ScriptedHost.advance(30)
          assert.lengthOf(of("initialize"), 2)
          const { state, warnings } = yield* registry.server("web")
          assert.deepStrictEqual({ state, warnings }, { state: "ready", warnings: [] })
        }))
    }))

  it.effect("asks for other credentials when a ping finds that they are refused by now (R81, R88)", () =>
    Effect.gen(function*() {
      let isRefused = false
      const { fetch } = yield* ScriptedWeb.server(() => isRefused ? new Response(null, { status: 401 }) : undefined)
      yield* ScriptedWeb.withRegistry(fetch, { ping: "30 seconds" }, (registry) =>
        Effect.gen(function*() {
          isRefused = true
          yield* ScriptedHost.advance(30)
          yield* ScriptedHost.until(Effect.map(registry.server("web"), ({ state }) => state !== "ready"))
          assert.strictEqual((yield* registry.server("web")).state, "needs-auth")
        }))
    }))
})

describe("The health of a server", () => {
  const health = (ping: Answer) => Effect.forkChild(Ping.once({ ping }), { startImmediately: true })

  it.effect("is how long an answer takes, an error of the server included", () =>
    Effect.gen(function*() {
      const slow = yield* health(Effect.sleep("1500 millis"))
      const refused = yield* health(Effect.fail(new RequestFailed({ method: "ping", code: -32601, detail: "no" })))
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual([yield* Fiber.join(slow), yield* Fiber.join(refused)], [1500, 0])
      const lost = yield* Effect.flip(Ping.once({ ping: Effect.fail(new ConnectionLost({ detail: "gone" })) }))
      assert.strictEqual(lost._tag, "ConnectionLost")
    }))

  it.effect("is Unresponsive after 10 s without an answer, and not before", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(Effect.flip(Ping.once({ ping: SILENCE })), { startImmediately: true })
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* Fiber.join(fiber), { _tag: "Unresponsive", limitMillis: 10_000 })
    }))

  it.effect("is asked for by name: of a server that runs, of a sleeping one by waking it, of a stopped one in vain", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ server: {} })
      yield* McpRegistry.use((registry) =>
        Effect.gen(function*() {
          yield* registry.settled
          assert.strictEqual(yield* registry.health("s"), 0)
          assert.lengthOf(host.running[0]?.received.filter(isPing) ?? [], 1)
          yield* ScriptedHost.advance(60)
          assert.isTrue((yield* registry.server("s")).idle)
          assert.strictEqual(yield* registry.health("s"), 0)
          assert.isFalse((yield* registry.server("s")).idle)
          yield* registry.stop("s")
          const stopped = yield* Effect.flip(registry.health("s"))
          assert.strictEqual(stopped.reason._tag, "NotReady")
          assert.strictEqual((yield* Effect.flip(registry.health("z"))).reason._tag, "UnknownServer")
        })
      ).pipe(Effect.provide(host.layer({ s: { command: "server", idleTtl: "30 seconds" } })))
    }))
})
