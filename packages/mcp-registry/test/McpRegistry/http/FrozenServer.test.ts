import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { McpRegistry } from "../../../src/index.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

type Registry = McpRegistry["Service"]

/** Makes so many calls at once, and waits until all of them have taken too long, 5 seconds. */
const timedOut = Effect.fnUntraced(function*(registry: Registry, tool: string, times = 1) {
  const calls = yield* Effect.forEach(
    Array.from({ length: times }),
    () => Effect.forkChild(Effect.flip(registry.call(tool, {})))
  )
  yield* ScriptedHost.advance(6)
  for (const call of calls) assert.strictEqual((yield* Fiber.join(call)).reason._tag, "CallTimeout")
})

const DISCOVERED = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }

/** A program that leaves calls unanswered, and pings too while it is frozen. */
const freezing = (isModern = false) => {
  let isFrozen = false
  const script: ScriptedHost.Script = {
    answer: ({ id, method }) => {
      if (isFrozen || method === "tools/call") return null
      if (!isModern || id === undefined) return undefined
      const result = method === "tools/list" ? { ...DISCOVERED, tools: [ScriptedHost.tool("echo")] } : DISCOVERED
      return { jsonrpc: "2.0", id, result }
    }
  }
  const freeze = (next: boolean) => Effect.sync(() => void (isFrozen = next))
  return { script, freeze }
}

const withProgram = <A, E>(
  script: ScriptedHost.Script,
  entry: Readonly<Record<string, unknown>>,
  body: (registry: Registry, host: ScriptedHost.Host) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const host = yield* ScriptedHost.make({ server: script })
    return yield* McpRegistry.use((registry) => Effect.andThen(registry.settled, body(registry, host))).pipe(
      Effect.provide(host.layer({ s: { command: "server", timeout: "5 seconds", ...entry } }))
    )
  })

const questions = ({ running: [first] }: ScriptedHost.Host, method = "ping") =>
  first?.received.filter((message) => message["method"] === method).length ?? 0

describe("A server whose call timed out", () => {
  it.effect.each([["never", "failed"], ["on-failure", "ready"]] as const)(
    "is asked once whether it is there; where it says nothing for ten seconds it is ended (restart %s: %s)",
    ([restart, state]) => {
      const { freeze, script } = freezing()
      return withProgram(script, { restart }, (registry, host) =>
        Effect.gen(function*() {
          yield* freeze(true)
          yield* timedOut(registry, "s_echo", 3)
          assert.strictEqual(questions(host), 1)
          yield* ScriptedHost.advance(8)
          assert.strictEqual((yield* registry.server("s")).state, "ready")
          yield* ScriptedHost.advance(2)
          const lost = yield* registry.server("s")
          assert.strictEqual(lost.state, "failed")
          assert.strictEqual(
            lost.error?.message,
            "the connection was lost: a call took too long, and it did not answer within 10s whether it is there"
          )
          yield* freeze(false)
          yield* ScriptedHost.advance(10)
          assert.strictEqual((yield* registry.server("s")).state, state)
          assert.strictEqual(host.alive(), state === "ready" ? 1 : 0)
        }))
    }
  )

  it.effect("stays where it answers, and is asked again after the next one", () =>
    withProgram(freezing().script, {}, (registry, host) =>
      Effect.gen(function*() {
        for (const asked of [1, 2]) {
          yield* timedOut(registry, "s_echo")
          yield* ScriptedHost.advance(20)
          assert.strictEqual(questions(host), asked)
        }
        const { state, warnings } = yield* registry.server("s")
        assert.deepStrictEqual({ state, warnings }, { state: "ready", warnings: [] })
        assert.lengthOf(host.running, 1)
      })))

  it.effect("stays where it says anything else meanwhile, such as its late answer", () => {
    const { freeze, script } = freezing()
    return withProgram(script, {}, (registry, host) =>
      Effect.gen(function*() {
        yield* freeze(true)
        yield* timedOut(registry, "s_echo")
        const call = host.running[0]?.received.find(({ method }) => method === "tools/call")
        host.running[0]?.say({ jsonrpc: "2.0", id: call?.["id"] ?? null, result: { content: [] } })
        yield* ScriptedHost.advance(20)
        assert.strictEqual((yield* registry.server("s")).state, "ready")
      }))
  })

  it.effect("stays while another call waits within its own limit, and is ended once that took too long, too", () => {
    const { freeze, script } = freezing()
    return withProgram(script, {}, (registry, host) =>
      Effect.gen(function*() {
        yield* freeze(true)
        const long = yield* Effect.forkChild(
          Effect.flip(registry.call("s_echo", {}, { timeout: Duration.seconds(30) }))
        )
        yield* timedOut(registry, "s_echo")
        yield* ScriptedHost.advance(20)
        assert.strictEqual((yield* registry.server("s")).state, "ready")
        yield* ScriptedHost.advance(5)
        assert.strictEqual((yield* Fiber.join(long)).reason._tag, "CallTimeout")
        assert.strictEqual(questions(host), 2)
        yield* ScriptedHost.advance(10)
        assert.strictEqual((yield* registry.server("s")).error?._tag, "ConnectionLost")
      }))
  })

  it.effect("is ended at the second question that it does not answer, however many calls overlap", () => {
    const { freeze, script } = freezing()
    return withProgram(script, {}, (registry, host) =>
      Effect.gen(function*() {
        yield* freeze(true)
        const call = Effect.exit(registry.call("s_echo", {}, { timeout: Duration.seconds(15) }))
        for (let second = 0; second < 60; second++) {
          if (second % 5 === 0) yield* Effect.forkChild(call)
          yield* ScriptedHost.advance(1)
        }
        assert.isAtMost(questions(host), 2)
        assert.strictEqual((yield* registry.server("s")).error?._tag, "ConnectionLost")
      }))
  })

  it.effect("is asked server/discover where it speaks 2026-07-28", () => {
    const { freeze, script } = freezing(true)
    return withProgram(script, { protocol: "2026-07-28" }, (registry, host) =>
      Effect.gen(function*() {
        const before = questions(host, "server/discover")
        yield* freeze(true)
        yield* timedOut(registry, "s_echo")
        assert.strictEqual(questions(host, "server/discover"), before + 1)
        yield* ScriptedHost.advance(10)
        assert.strictEqual((yield* registry.server("s")).state, "failed")
      }))
  })

  it.effect("stays where a gateway answers for it that it is busy", () =>
    Effect.gen(function*() {
      let isFrozen = false
      const { fetch } = yield* ScriptedWeb.server(({ method }) => {
        if (!isFrozen) return undefined
        return method === "tools/call" ? null : new Response("busy", { status: 503 })
      })
      yield* ScriptedWeb.withRegistry(fetch, { timeout: "5 seconds", startupTimeout: "5 seconds" }, (registry) =>
        Effect.gen(function*() {
          isFrozen = true
          yield* timedOut(registry, "web_find")
          yield* ScriptedHost.advance(20)
          assert.strictEqual((yield* registry.server("web")).state, "ready")
        }))
    }))

  it.effect("is connected to anew over HTTP once it answers again", () =>
    Effect.gen(function*() {
      let isFrozen = false
      const { fetch, of } = yield* ScriptedWeb.server(() => isFrozen ? null : undefined)
      yield* ScriptedWeb.withRegistry(fetch, { timeout: "5 seconds", startupTimeout: "5 seconds" }, (registry) =>
        Effect.gen(function*() {
          isFrozen = true
          yield* timedOut(registry, "web_find", 3)
          assert.lengthOf(of("ping"), 1)
          yield* ScriptedHost.advance(10)
          assert.strictEqual((yield* registry.server("web")).error?._tag, "ConnectionLost")
          isFrozen = false
          yield* ScriptedHost.advance(30)
          assert.strictEqual((yield* registry.server("web")).state, "ready")
          assert.isFalse((yield* registry.call("web_find", {})).isError)
        }))
    }))

  it.effect("is asked where the call had gone on after an answer that was none yet (2026-07-28)", () => {
    const { freeze, script } = freezing(true)
    let isBegun = false
    const answer: ScriptedHost.Script["answer"] = (message, server) => {
      if (message["method"] !== "tools/call" || isBegun) return script.answer?.(message, server)
      isBegun = true
      return { jsonrpc: "2.0", id: message["id"] ?? 0, result: { resultType: "input_required", requestState: "busy" } }
    }
    return withProgram({ answer }, { protocol: "2026-07-28" }, (registry, host) =>
      Effect.gen(function*() {
        const before = questions(host, "server/discover")
        const call = yield* Effect.forkChild(Effect.flip(registry.call("s_echo", {})))
        yield* ScriptedHost.advance(1)
        yield* freeze(true)
        yield* ScriptedHost.advance(5)
        assert.strictEqual((yield* Fiber.join(call)).reason._tag, "CallTimeout")
        assert.strictEqual(questions(host, "tools/call"), 2)
        assert.strictEqual(questions(host, "server/discover"), before + 1)
        yield* ScriptedHost.advance(10)
        assert.strictEqual((yield* registry.server("s")).error?._tag, "ConnectionLost")
      }))
  })

  it.effect("is asked where the call had gone on in a new session", () =>
    Effect.gen(function*() {
      let calls = 0
      const { fetch, of } = yield* ScriptedWeb.server(({ method }) => {
        if (method === "tools/call" && ++calls === 1) return new Response(null, { status: 404 })
        return calls > 1 ? null : undefined
      })
      yield* ScriptedWeb.withRegistry(fetch, { timeout: "5 seconds", startupTimeout: "5 seconds" }, (registry) =>
        Effect.gen(function*() {
          yield* timedOut(registry, "web_find")
          assert.lengthOf(of("initialize"), 2)
          assert.strictEqual(calls, 2)
          assert.lengthOf(of("ping"), 1)
          yield* ScriptedHost.advance(10)
          assert.strictEqual((yield* registry.server("web")).error?._tag, "ConnectionLost")
        }))
    }))
})
