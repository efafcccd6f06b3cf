import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { McpRegistry } from "../../../src/index.ts"
import * as Reloading from "../../support/Reloading.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

const { advance, drain } = ScriptedHost

const withServer = <A, E>(
  entry: Reloading.Entries,
  body: (world: Reloading.World) => Effect.Effect<A, E>,
  script: ScriptedHost.Script = {}
) => Reloading.withWorld({ server: script }, { it: { command: "server", idleTtl: "1 minute", ...entry } }, body)

const starts = (host: ScriptedHost.Host) => host.events.filter((line) => line.endsWith("server starts")).length
const standing = (registry: McpRegistry["Service"]) =>
  Effect.map(
    Effect.orDie(registry.server("it")),
    ({ idle, pid, restarts, state, tools }) => ({ state, idle, pid, tools, restarts })
  )
const ASLEEP = { state: "ready", idle: true, pid: null, tools: 1, restarts: 0 } as const
const awake = (pid: number) => ({ state: "ready", idle: false, pid, tools: 1, restarts: 0 } as const)

/** Seconds. */
const Pauses = Schema.Array(Schema.Literals([0, 1, 30, 59, 60, 61, 65, 66, 67])).check(Schema.isMaxLength(12))

/** Leaves calls open until the test answers them. */
const open: ScriptedHost.Script = { answer: ({ method }) => method === "tools/call" ? null : undefined }
const answerAll = (server: ScriptedHost.Running | undefined) => {
  for (const { id, method } of server?.received ?? []) {
    if (method === "tools/call" && id !== undefined) server?.say({ jsonrpc: "2.0", id, result: { content: [] } })
  }
}

describe("idleTtl", () => {
  it.effect("stops a server that was not called for so long; its tools stay, and the next call starts it (R93)", () =>
    withServer({}, ({ host, registry }) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* standing(registry), awake(1))
        yield* advance(50)
        yield* registry.call("it_echo", {})
        yield* advance(59)
        assert.deepStrictEqual(yield* standing(registry), awake(1))
        yield* advance(2)
        assert.deepStrictEqual(yield* standing(registry), ASLEEP)
        assert.strictEqual(host.alive(), 0)
        assert.lengthOf(yield* registry.tools, 1)
        assert.isFalse((yield* registry.call("it_echo", {})).isError)
        assert.deepStrictEqual(yield* standing(registry), awake(2))
        yield* advance(62)
        assert.deepStrictEqual(yield* standing(registry), ASLEEP)
        assert.strictEqual(starts(host), 2)
      })))

  it.effect("counts from the end of the last call, however long that took (R93)", () =>
    withServer({ timeout: "10 minutes" }, ({ host, registry }) =>
      Effect.gen(function*() {
        const calls = yield* Effect.forkChild(
          Effect.forEach([1, 2], () => registry.call("it_echo", {}), { concurrency: "unbounded" })
        )
        yield* advance(300)
        assert.strictEqual(host.alive(), 1)
        answerAll(host.running[0])
        yield* Fiber.join(calls)
        yield* advance(58)
        assert.strictEqual(host.alive(), 1)
        yield* advance(3)
        assert.strictEqual(host.alive(), 0)
        assert.deepStrictEqual(yield* standing(registry), ASLEEP)
      }), open))

  it.effect("lets ten callers at once start one process, call after call (R93)", () =>
    withServer({}, ({ host, registry }) =>
      Effect.gen(function*() {
        for (const round of [2, 3, 4]) {
          yield* advance(62)
          assert.strictEqual(host.alive(), 0)
          const callers = Array.from({ length: 10 }, () => registry.call("it_echo", {}))
          yield* Effect.all(callers, { concurrency: "unbounded" })
          assert.strictEqual(starts(host), round)
          assert.strictEqual(host.alive(), 1)
        }
      })))

  it.effect("never has two processes at once: a call waits for the end of the old one, 6 s at most", () =>
    withServer({}, ({ host, registry }) =>
      Effect.gen(function*() {
        yield* advance(61)
        assert.strictEqual(host.alive(), 1)
        assert.deepStrictEqual(yield* standing(registry), ASLEEP)
        const call = yield* Effect.forkChild(registry.call("it_echo", {}))
        yield* drain
        assert.strictEqual(starts(host), 1)
        yield* advance(6)
        yield* Fiber.join(call)
        assert.strictEqual(starts(host), 2)
        assert.strictEqual(host.alive(), 1)
        yield* Effect.forkChild(registry.stop("it"))
        yield* advance(7)
      }), { obeysEndOfInput: false, obeysTerm: false }))

  it.effect("is not undone by callers that came while the server was on its way", () => {
    const held: Array<() => void> = []
    const late: ScriptedHost.Script = {
      answer: ({ id, method }, server) => {
        if (method !== "server/discover" || server.pid === 1) return undefined
        held.push(() => server.say({ jsonrpc: "2.0", id: id ?? null, error: { code: -32601, message: "no" } }))
        return null
      }
    }
    return withServer({}, ({ host, registry }) =>
      Effect.gen(function*() {
        yield* advance(62)
        const early = yield* Effect.forkChild(registry.call("it_echo", {}))
        yield* drain
        const later = yield* Effect.forkChild(registry.call("it_echo", {}))
        yield* drain
        for (const answer of held) answer()
        yield* Fiber.join(early)
        yield* Fiber.join(later)
        yield* advance(200)
        assert.deepStrictEqual(yield* standing(registry), ASLEEP)
        assert.strictEqual(starts(host), 2)
      }), late)
  })

  it.effect("leaves a server that cannot be woken to the next call, also where `restart` is never (Decision 7)", () => {
    let isBroken = false
    const held: Array<() => void> = []
    const script: ScriptedHost.Script = {
      answer: (_, server) => {
        if (isBroken) held.push(() => server.exit(3))
        return isBroken ? null : undefined
      }
    }
    /** One that ends without a word when it is asked for its era is started once more, at the first attempt only. */
    const release = Effect.repeat(
      Effect.andThen(Effect.sync(() => held.splice(0).forEach((exit) => exit())), drain),
      { times: 2 }
    )
    return withServer({}, ({ host, registry }) =>
      Effect.gen(function*() {
        yield* advance(62)
        isBroken = true
        for (const attempt of [1, 2]) {
          const before = starts(host)
          const early = yield* Effect.forkChild(Effect.flip(registry.call("it_echo", {})))
          yield* drain
          const later = yield* Effect.forkChild(Effect.flip(registry.call("it_echo", {})))
          yield* drain
          yield* release
          yield* advance(1)
          for (const call of [early, later]) {
            assert.match((yield* Fiber.join(call)).message, /exited with code 3/, `attempt ${attempt}`)
          }
          yield* advance(300)
          assert.strictEqual(starts(host), before + (attempt === 1 ? 2 : 1))
        }
        isBroken = false
        assert.isFalse((yield* registry.call("it_echo", {})).isError)
      }), script)
  })

  it.effect.prop(
    "answers every call, with one process at a time, however calls fall on the moments of falling asleep",
    [Pauses],
    ([pauses]) =>
      withServer(
        { ...(pauses.length % 2 === 0 ? {} : { lazy: true }) },
        ({ host, registry }) =>
          Effect.gen(function*() {
            for (const pause of pauses) {
              const call = yield* Effect.forkChild(
                Effect.andThen(Effect.sleep(pause * 1000), registry.call("it_echo", {}))
              )
              yield* advance(pause + 1)
              assert.isFalse((yield* Fiber.join(call)).isError)
              assert.strictEqual(host.alive(), 1)
            }
            yield* advance(70)
            assert.strictEqual(host.alive(), 0)
          })
      ),
    { arbitrary: { runs: 10 } }
  )

  it.effect("does not keep pings from letting a server sleep, and none is sent to one that does", () =>
    withServer({ ping: "10 seconds" }, ({ host, registry }) =>
      Effect.gen(function*() {
        yield* advance(62)
        assert.deepStrictEqual(yield* standing(registry), ASLEEP)
        const heard = host.running[0]?.received.length
        yield* advance(120)
        assert.strictEqual(host.running[0]?.received.length, heard)
        assert.strictEqual(starts(host), 1)
      })))

  it.effect("tells everybody when a server goes to sleep and when it wakes", () =>
    withServer({}, ({ registry }) =>
      Effect.gen(function*() {
        const told: Array<string> = []
        yield* Effect.forkScoped(
          Stream.runForEach(registry.events, ({ idle, state }) => Effect.sync(() => told.push(`${state} ${idle}`))),
          { startImmediately: true }
        )
        yield* advance(62)
        yield* registry.call("it_echo", {})
        yield* drain
        assert.deepStrictEqual([...new Set(told)], ["ready true", "ready false"])
        const log = (yield* registry.log("it")).map(({ text }) => text).join("\n")
        assert.match(log, /asleep until it is called: no call for 1m/)
      }).pipe(Effect.scoped)))

  it.effect("does not start a server that a person stopped, whether it slept or not", () =>
    withServer({}, ({ host, registry }) =>
      Effect.gen(function*() {
        yield* advance(62)
        assert.strictEqual((yield* registry.stop("it")).state, "stopped")
        assert.strictEqual((yield* Effect.flip(registry.call("it_echo", {}))).reason._tag, "NotReady")
        assert.strictEqual((yield* registry.start("it")).state, "ready")
        yield* registry.stop("it")
        yield* advance(120)
        const { idle, state } = yield* standing(registry)
        assert.deepStrictEqual([state, idle], ["stopped", false])
        assert.strictEqual(starts(host), 2)
      })))

  it.effect("leaves a server that dies to `restart`, and lets the one that came of it sleep again", () =>
    withServer({ restart: "on-failure" }, ({ host, registry }) =>
      Effect.gen(function*() {
        yield* advance(30)
        host.running[0]?.exit(1)
        yield* advance(32)
        assert.deepStrictEqual(yield* standing(registry), { ...awake(2), restarts: 1 })
        yield* advance(62)
        assert.deepStrictEqual(yield* standing(registry), { ...ASLEEP, restarts: 1 })
      })))

  it.effect("is the limit of a lazy server too, from its first call on", () =>
    withServer({ lazy: true, idleTtl: "10 minutes" }, ({ host, registry }) =>
      Effect.gen(function*() {
        yield* advance(4)
        assert.deepStrictEqual(yield* standing(registry), ASLEEP)
        yield* registry.call("it_echo", {})
        yield* advance(590)
        assert.deepStrictEqual(yield* standing(registry), awake(2))
        yield* advance(12)
        assert.deepStrictEqual(yield* standing(registry), ASLEEP)
        assert.strictEqual(host.alive(), 0)
      })))

  it.effect("lets a call finish that wakes a server whose entry changes meanwhile, and one that a person stops end at once", () => {
    const held: Array<() => void> = []
    const late: ScriptedHost.Script = {
      answer: ({ id, method }, server) => {
        if (method !== "server/discover" || server.pid === 1) return undefined
        held.push(() => server.say({ jsonrpc: "2.0", id: id ?? null, error: { code: -32601, message: "no" } }))
        return null
      }
    }
    const release = Effect.andThen(Effect.sync(() => held.splice(0).forEach((answer) => answer())), drain)
    return withServer({}, ({ host, registry, save }) =>
      Effect.gen(function*() {
        yield* advance(62)
        const waking = yield* Effect.forkChild(registry.call("it_echo", {}))
        yield* drain
        yield* save({ it: { command: "server", idleTtl: "2 minutes" } })
        assert.strictEqual(host.alive(), 2)
        yield* release
        assert.isFalse((yield* Fiber.join(waking)).isError)
        yield* drain
        assert.deepStrictEqual(yield* standing(registry), awake(3))
        assert.strictEqual(host.alive(), 1)

        yield* advance(122)
        const stopped = yield* Effect.forkChild(Effect.flip(registry.call("it_echo", {})))
        yield* drain
        yield* registry.stop("it")
        assert.match((yield* Fiber.join(stopped)).message, /stopped/)
        assert.strictEqual(host.alive(), 0)
      }), late)
  })

  it.effect("takes a changed entry over while it sleeps, and the names of tools that other servers change", () =>
    withServer({}, ({ host, registry, save }) =>
      Effect.gen(function*() {
        yield* advance(62)
        yield* save({ it: { command: "server", idleTtl: "1 minute" }, it_echo: { command: "nobody", enabled: false } })
        assert.strictEqual(starts(host), 1)
        const [tool] = yield* registry.tools
        assert.match(tool?.name ?? "", /^it_echo_all_\w+$/)
        yield* save({ it: { command: "server", idleTtl: "2 minutes" } })
        assert.deepStrictEqual(yield* standing(registry), awake(2))
      }), { tools: [ScriptedHost.tool("echo_all")] }))

  it.effect("ends the session of a server over HTTP, and the next call opens another (R93)", () =>
    Effect.gen(function*() {
      const web = yield* ScriptedWeb.server()
      yield* ScriptedWeb.withRegistry(web.fetch, { idleTtl: "1 minute" }, (registry) =>
        Effect.gen(function*() {
          yield* advance(62)
          assert.strictEqual(web.of("DELETE").length, 1)
          const { idle, state } = yield* Effect.orDie(registry.server("web"))
          assert.deepStrictEqual([state, idle], ["ready", true])
          const calls = Effect.forEach([1, 2, 3], () => registry.call("web_find", {}), { concurrency: "unbounded" })
          assert.isTrue((yield* calls).every(({ isError }) => !isError))
          assert.strictEqual(web.of("initialize").length, 2)
          assert.strictEqual(web.of("tools/call").length, 3)
        }))
    }))
})
