import { ProtocolMemory } from "@boocode/mcp-client/Host"
import { McpConfig } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Manifests, McpServer, nobody, ServerRequests } from "../../src/index.ts"
import { older } from "../support/NewsServers.ts"
import * as ScriptedHost from "../support/ScriptedHost.ts"

type Entry = Readonly<Record<string, unknown>>

/** A server of this entry, without a registry, in a scope that the test closes. */
const open = Effect.fnUntraced(function*(
  host: ScriptedHost.Host,
  entry: Entry = {},
  services: Layer.Layer<never> = Layer.empty
) {
  const entries = McpConfig.layerEntries({ s: { command: "server", ...entry } }).pipe(Layer.provide(host.platform))
  const { servers: [configured] } = yield* Effect.provide(McpConfig.use(({ current }) => current), entries)
  if (configured === undefined) return yield* Effect.die("no server")
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const layer = McpServer.layer(configured).pipe(Layer.provide([host.platform, services]))
  const server = Context.get(yield* Layer.buildWithScope(layer, scope), McpServer)
  return { server, close: Scope.close(scope, Exit.void) }
})

const KNOWN = { tools: [{ name: "echo" }], serverInfo: null, instructions: null, capabilities: null }

/** The tools of a lazy server are known from an earlier run. */
const recalling = (recall: Context.Service.Shape<typeof Manifests>["recall"]) =>
  Layer.succeed(Manifests, { recall, remember: () => Effect.void })

const asking = (current: Context.Service.Shape<typeof ServerRequests>["roots"]["current"]) =>
  Layer.succeed(ServerRequests, {
    elicitation: [],
    sampling: false,
    asker: nobody,
    roots: { current, changes: Stream.empty }
  })

const standing = ({ status }: McpServer["Service"]) =>
  Effect.map(status, ({ error, idle, pid, state }) => ({ state, idle, pid, error: error?.message ?? null }))

describe("The life of a server", () => {
  it.effect("is tried again where the host breaks when it is asked for its folders, and tells why", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ server: {} })
      let isBroken = true
      const { server } = yield* open(
        host,
        {},
        asking(Effect.suspend(() => isBroken ? Effect.die(new Error("no folders today")) : Effect.succeed([])))
      )
      yield* ScriptedHost.drain
      const { error, state } = yield* standing(server)
      assert.strictEqual(state, "failed")
      assert.include(error, "no folders today")
      isBroken = false
      yield* ScriptedHost.advance(1)
      assert.strictEqual((yield* standing(server)).state, "ready")
    }))

  it.effect("gives a first start that may download the program three minutes, unless the entry says how long", () =>
    Effect.gen(function*() {
      const limits = Effect.fnUntraced(function*(entry: Entry, services: Layer.Layer<never> = Layer.empty) {
        const host = yield* ScriptedHost.make({ npx: { answer: () => null }, server: { answer: () => null } })
        const { close, server } = yield* open(host, entry, services)
        const seen: Array<string> = []
        for (const seconds of [29, 2, 148, 2]) {
          yield* ScriptedHost.advance(seconds)
          const { downloadMillis, state } = yield* server.status
          seen.push(`${state} ${downloadMillis ?? "-"}`)
        }
        yield* close
        return seen
      })
      const usual = ["connecting -", "failed -", "failed -", "failed -"]
      // A further try may download as well.
      const long = ["connecting 180000", "connecting 180000", "connecting 180000", "failed 180000"]
      assert.deepStrictEqual(yield* limits({ command: "npx", args: ["-y", "x"] }), long)
      assert.deepStrictEqual(yield* limits({ command: "npx", args: ["-y", "x"], startupTimeout: "30 seconds" }), usual)
      assert.deepStrictEqual(yield* limits({}), usual)
      const known = { era: "legacy", reason: "", discover: null, at: yield* DateTime.now } as const
      const memory = Layer.succeed(ProtocolMemory, {
        recall: () => Effect.succeed(known),
        remember: () => Effect.void,
        forget: () => Effect.void
      })
      assert.deepStrictEqual(yield* limits({ command: "npx", args: ["-y", "x"] }, memory), usual)
    }))

  it.effect("asks the host for its folders anew for each connection", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ server: {} })
      let asked = 0
      const { server } = yield* open(host, { restart: "on-failure" }, asking(Effect.sync(() => (asked++, []))))
      yield* ScriptedHost.drain
      const before = asked
      host.running[0]?.exit(1)
      yield* ScriptedHost.advance(1)
      assert.strictEqual((yield* standing(server)).state, "ready")
      assert.isAbove(asked, before)
    }))

  it.effect.each(
    [
      { how: "breaks", ending: Effect.die(new Error("disk on fire")) },
      { how: "is interrupted", ending: Effect.interrupt }
    ]
  )("connects a lazy server where the look for its known tools $how", ({ ending }) =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ server: {} })
      const { server } = yield* open(host, { lazy: true }, recalling(() => ending))
      yield* ScriptedHost.drain
      assert.strictEqual((yield* standing(server)).state, "ready")
    }))

  it.effect("goes on where the pause before the next attempt breaks, and a call is not left waiting", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ server: { exitsAtOnce: { code: 1, stderr: "no key" } } })
      let drawn = 0
      const { server } = yield* open(
        host,
        {},
        Layer.succeed(Random.Random, {
          nextIntUnsafe: () => 0,
          nextDoubleUnsafe: () => {
            drawn += 1
            if (drawn === 1) throw new Error("no dice")
            return 0.5
          }
        })
      )
      yield* ScriptedHost.drain
      const { error, state } = yield* standing(server)
      assert.strictEqual(state, "failed")
      assert.include(error, "no dice")
      const call = yield* Effect.forkChild(Effect.flip(server.call("echo", {})))
      yield* ScriptedHost.advance(2)
      assert.strictEqual((yield* Fiber.join(call)).reason._tag, "NotReady")
      assert.isAbove(host.running.length, 1)
    }))

  it.effect("that breaks again while it looks for a way on ends with the reason, and its callers are told", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ server: { exitsAtOnce: { code: 1, stderr: "no key" } } })
      const { server } = yield* open(
        host,
        {},
        Layer.succeed(Random.Random, {
          nextIntUnsafe: () => 0,
          nextDoubleUnsafe: () => {
            throw new Error("no dice")
          }
        })
      )
      yield* ScriptedHost.drain
      const { reason } = yield* Effect.flip(server.call("echo", {}))
      assert.strictEqual(reason._tag, "NotReady")
      assert.include(reason.message, "no dice")
    }))
})

describe("A server that is woken", () => {
  const asleep = (script: ScriptedHost.Script) =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ server: script })
      const { server } = yield* open(host, { lazy: true }, recalling(() => Effect.succeed(KNOWN)))
      yield* ScriptedHost.drain
      return server
    })

  it.effect("is not idle any more while it connects, nor once it failed", () =>
    Effect.gen(function*() {
      const server = yield* asleep({ answer: () => null })
      assert.deepStrictEqual(yield* standing(server), { state: "ready", idle: true, pid: null, error: null })
      const call = yield* Effect.forkChild(Effect.exit(server.call("echo", {})))
      yield* ScriptedHost.drain
      assert.deepStrictEqual(yield* standing(server), { state: "ready", idle: false, pid: null, error: null })
      yield* ScriptedHost.advance(40)
      yield* Fiber.join(call)
      assert.deepInclude(yield* standing(server), { state: "failed", idle: false })
    }))

  it.effect("answers a call that comes while it connects, as a server does that connects for the first time", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ server: {} })
      const { server } = yield* open(host)
      assert.strictEqual((yield* server.status).state, "connecting")
      assert.isFalse((yield* server.call("echo", {})).isError)
    }))
})

describe("A server whose scope closes", () => {
  it.effect("ends the streams of its changes, after it told that it is stopped", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ server: {} })
      const { close, server } = yield* open(host)
      yield* server.settled
      const heard = yield* Effect.forkChild(Stream.runCollect(server.changes), { startImmediately: true })
      yield* close
      assert.strictEqual((yield* Fiber.join(heard)).at(-1)?.state, "stopped")
      assert.deepStrictEqual((yield* Stream.runCollect(server.changes)).map(({ state }) => state), ["stopped"])
    }))

  it.effect("ends the streams of those who watch its resources", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ server: older() })
      const { close, server } = yield* open(host)
      yield* server.settled
      const watch = yield* Effect.forkChild(Stream.runCollect(server.watches.updates("memo://note", false)), {
        startImmediately: true
      })
      yield* ScriptedHost.drain
      yield* close
      assert.deepStrictEqual(yield* Fiber.join(watch), [])
    }))

  it.effect("is followed until then, or until the scope of the follower closes", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ server: {} })
      const { close, server } = yield* open(host)
      yield* server.settled
      const heard: Array<string> = []
      const follow = (who: string) => server.follow(({ state }) => void heard.push(`${who} ${state}`))
      const left = yield* Scope.make()
      yield* Scope.provide(follow("left"), left)
      yield* follow("stays")
      yield* Scope.close(left, Exit.void)
      yield* close
      yield* ScriptedHost.drain
      assert.deepStrictEqual(heard, ["left ready", "stays ready", "stays stopped"])
    }))
})
