import { assert, describe, it } from "@effect/vitest"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { Admission, type McpTool } from "../../../src/index.ts"
import { withWorld } from "../../support/Reloading.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

const { advance, drain, tool } = ScriptedHost
const SILENT: ScriptedHost.Script = { answer: () => null }

/** Answers everything but calls, which its test answers. */
const patient: ScriptedHost.Script = { answer: ({ method }) => method === "tools/call" ? null : undefined }

const answerCall = (server: ScriptedHost.Running | undefined, text: string) => {
  const call = server?.received.findLast(({ method }) => method === "tools/call")
  server?.say({ jsonrpc: "2.0", id: call?.["id"] ?? null, result: { content: [{ type: "text", text }] } })
}

const textOf = (result: { readonly content: ReadonlyArray<object> }) => JSON.stringify(result.content)

/** What happened to processes, without the time of it. */
const happened = (host: ScriptedHost.Host) => host.events.map((event) => event.replace(/^\d+ /, ""))

describe("A configuration that changes (R68)", () => {
  it.effect("starts what is new, ends what is gone, and leaves the others their processes", () =>
    withWorld(
      { one: {}, two: {}, three: {} },
      { a: { command: "one" }, b: { command: "two" } },
      (world) =>
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* world.servers, ["a ready 1", "b ready 2"])
          yield* world.save({ c: { command: "three" }, b: { command: "two" } })
          assert.deepStrictEqual(yield* world.servers, ["b ready 2", "c ready 3"])
          assert.deepStrictEqual((yield* world.registry.tools).map(({ name }) => name), ["b_echo", "c_echo"])
          assert.strictEqual(world.host.alive(), 2)
          assert.strictEqual((yield* Effect.flip(world.registry.server("a"))).reason._tag, "UnknownServer")
        })
    ))

  it.effect("starts a changed server anew before the old one ends, and only that one", () =>
    withWorld(
      { old: {}, new: {}, other: {} },
      { a: { command: "old" }, b: { command: "other" } },
      (world) =>
        Effect.gen(function*() {
          yield* world.save({ a: { command: "new" }, b: { command: "other" } })
          assert.deepStrictEqual(yield* world.servers, ["a ready 3", "b ready 2"])
          const events = happened(world.host)
          assert.isBelow(events.indexOf("new starts"), events.indexOf("old end of input"))
          assert.strictEqual(world.host.alive(), 2)
        })
    ))

  it.effect("lets the old one serve until the new one is ready", () => {
    const slow: ScriptedHost.Script = { answer: ({ method }) => method === "initialize" ? null : undefined }
    return withWorld({ old: {}, slow }, { a: { command: "old" } }, (world) =>
      Effect.gen(function*() {
        yield* world.save({ a: { command: "slow", protocol: "legacy" } })
        assert.deepStrictEqual(yield* world.servers, ["a ready 1"])
        assert.match(yield* world.warnings("a"), /its entry changed: it runs as it was until the new one is ready/)
        assert.isFalse((yield* world.registry.call("a_echo", {})).isError)
        const slow = world.host.running[1]
        const initialize = slow?.received.find(({ method }) => method === "initialize")
        assert.isDefined(initialize)
        slow?.say({
          jsonrpc: "2.0",
          id: initialize["id"] ?? null,
          result: {
            protocolVersion: "2025-11-25",
            capabilities: { tools: {} },
            serverInfo: { name: "s", version: "1" }
          }
        })
        yield* drain
        assert.deepStrictEqual(yield* world.servers, ["a ready 2"])
        assert.strictEqual(yield* world.warnings("a"), "")
      }))
  })

  it.effect("keeps a server as it was while its changed entry does not work, says why, and mends itself", () =>
    withWorld({ good: {}, better: {} }, { a: { command: "good" } }, (world) =>
      Effect.gen(function*() {
        yield* world.save({ a: { command: "gone" } })
        assert.deepStrictEqual(yield* world.servers, ["a ready 1"])
        assert.match(
          yield* world.warnings("a"),
          /cannot be used, so it runs as it was: command not found: gone.*restart it/
        )
        assert.isFalse((yield* world.registry.call("a_echo", {})).isError)
        yield* world.save({ a: { command: "better" } })
        assert.deepStrictEqual(yield* world.servers, ["a ready 2"])
        assert.strictEqual(yield* world.warnings("a"), "")
        assert.strictEqual(world.host.alive(), 1)
      })))

  it.effect("gives a call that waits for a server to the one that takes its place", () => {
    let isStuck = false
    const dying: ScriptedHost.Script = { answer: ({ method }) => isStuck && method !== "ping" ? null : undefined }
    const entry = { restart: "on-failure", protocol: "legacy" }
    return withWorld({ dying, next: {} }, { a: { ...entry, command: "dying" } }, (world) =>
      Effect.gen(function*() {
        isStuck = true
        world.host.running[0]?.exit(9)
        yield* drain
        const waiting = yield* Effect.forkChild(world.registry.call("a_echo", {}))
        yield* advance(2)
        assert.isUndefined(waiting.pollUnsafe())
        yield* world.save({ a: { ...entry, command: "next" } })
        yield* advance(6)
        assert.isFalse((yield* Fiber.join(waiting)).isError)
        assert.deepStrictEqual(yield* world.servers, ["a ready 3"])
      }))
  })

  it.effect("changes over by itself when the changed entry works at last", () => {
    let isUp = false
    const flaky: ScriptedHost.Script = {
      answer: ({ id, method }) =>
        isUp || method !== "initialize"
          ? undefined
          : { jsonrpc: "2.0", id: id ?? null, error: { code: 1, message: "no" } }
    }
    return withWorld({ good: {}, flaky }, { a: { command: "good" } }, (world) =>
      Effect.gen(function*() {
        yield* world.save({ a: { command: "flaky", protocol: "legacy" } })
        assert.strictEqual(yield* world.pid("a"), 1)
        isUp = true
        yield* advance(2)
        assert.isAbove((yield* world.pid("a")) ?? 0, 1)
        assert.strictEqual(world.host.alive(), 1)
      }))
  })

  it.effect("keeps a running server whose entry was broken, with the place of the mistake (R66)", () =>
    withWorld({ good: {} }, { a: { command: "good" }, b: { command: "good" } }, (world) =>
      Effect.gen(function*() {
        yield* world.save({ a: { command: 7 }, b: { command: "good" } })
        assert.deepStrictEqual(yield* world.servers, ["a ready 1", "b ready 2"])
        assert.match(yield* world.warnings("a"), /runs as it was: code:1:1: mcpServers\.a\.command: expected a text/)
        yield* world.save({ a: { command: "good", env: { K: "${NOT_SET}" } }, b: { command: "good" } })
        assert.match(yield* world.warnings("a"), /needs the variable NOT_SET/)
        yield* world.save({ a: { command: "good" }, b: { command: "good" } })
        assert.deepStrictEqual(yield* world.servers, ["a ready 1", "b ready 2"], "taken back, so nothing happened")
        assert.strictEqual(yield* world.warnings("a"), "")
      })))

  it.effect("shows a broken entry as failed where nothing ran, and when what ran dies", () =>
    withWorld(
      { good: {}, mute: SILENT },
      { a: { command: "good" }, c: { command: "gone" } },
      (world) =>
        Effect.gen(function*() {
          yield* world.save({ a: { command: 7 }, c: { command: 7 }, d: { command: 7 } })
          assert.deepStrictEqual(yield* world.servers, ["a ready 1", "c failed null", "d failed null"])
          world.host.running[0]?.exit(1)
          yield* advance(1)
          const status = yield* world.registry.server("a")
          assert.strictEqual(`${status.state} ${status.error?._tag}`, "failed InvalidEntry")
        })
    ))

  it.effect("uses the changed entry when the server as it was dies", () =>
    withWorld({ good: {}, mute: SILENT }, { a: { command: "good" } }, (world) =>
      Effect.gen(function*() {
        yield* world.save({ a: { command: "mute" } })
        world.host.running[0]?.exit(1)
        yield* advance(1)
        assert.deepStrictEqual(yield* world.servers, ["a connecting null"])
      })))

  it.effect("starts a server at once in the place of one that is not ready", () =>
    withWorld(
      { mute: SILENT, good: {} },
      { a: { command: "mute" }, b: { command: "gone" } },
      (world) =>
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* world.servers, ["a connecting null", "b failed null"])
          yield* world.save({ a: { command: "good" }, b: { command: "good" } })
          assert.deepStrictEqual(
            (yield* world.servers).map((line) => line.replace(/\d+$/, "")),
            ["a ready ", "b ready "]
          )
          yield* advance(7)
          assert.strictEqual(world.host.alive(), 2)
        })
    ))

  it.effect("stops a server at once that is disabled, and starts one that is enabled", () =>
    withWorld({ calls: patient }, { a: { command: "calls" } }, (world) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(Effect.flip(world.registry.call("a_echo", {})))
        yield* drain
        yield* world.save({ a: { command: "calls", enabled: false } })
        assert.deepStrictEqual(yield* world.servers, ["a disabled null"])
        yield* advance(1)
        assert.strictEqual((yield* Fiber.join(call)).reason._tag, "OutcomeUnknown")
        assert.strictEqual(world.host.alive(), 0)
        yield* world.save({ a: { command: "calls" } })
        assert.deepStrictEqual(yield* world.servers, ["a ready 2"])
      })))

  it.effect("lets calls on their way finish on the old process before it ends", () =>
    withWorld({ old: patient, new: {} }, { a: { command: "old" } }, (world) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(world.registry.call("a_echo", {}))
        yield* drain
        yield* world.save({ a: { command: "new" } })
        assert.deepStrictEqual(yield* world.servers, ["a ready 2"])
        yield* advance(40)
        assert.strictEqual(world.host.alive(), 2)
        assert.isFalse((yield* world.registry.call("a_echo", {})).isError, "another call goes to the new one")
        answerCall(world.host.running[0], "from the old one")
        yield* drain
        assert.match(textOf(yield* Fiber.join(call)), /from the old one/)
        assert.strictEqual(world.host.alive(), 1)
      })))

  it.effect("ends an old process whose call never ends when `maxTotalTimeout` is over", () => {
    const chatty: ScriptedHost.Script = { answer: ({ method }) => method === "tools/call" ? null : undefined }
    const limits = { timeout: "1 hour", maxTotalTimeout: "20 seconds" }
    return withWorld({ old: chatty, new: {} }, { a: { command: "old", ...limits } }, (world) =>
      Effect.gen(function*() {
        yield* Effect.forkChild(Effect.ignore(world.registry.call("a_echo", {})))
        yield* drain
        yield* world.save({ a: { command: "new" } })
        yield* advance(19)
        assert.strictEqual(world.host.alive(), 2)
        yield* advance(2)
        assert.strictEqual(world.host.alive(), 1)
      }))
  })

  it.effect("ends an old process at once, calls and all, when the server is disabled", () =>
    withWorld({ old: patient, new: {} }, { a: { command: "old" } }, (world) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(Effect.flip(world.registry.call("a_echo", {})))
        yield* drain
        const held = yield* world.registry.tool("a_echo")
        yield* world.save({ a: { command: "new" } })
        assert.strictEqual(world.host.alive(), 2)
        yield* world.save({ a: { command: "new", enabled: false } })
        yield* advance(1)
        assert.strictEqual(world.host.alive(), 0)
        assert.strictEqual((yield* Fiber.join(call)).reason._tag, "OutcomeUnknown")
        yield* Effect.flip(world.registry.callTool(held, {}))
      })))

  it.effect("lets a turn call the tools it took, from whichever process still has them", () =>
    withWorld(
      { old: { tools: [tool("both"), tool("gone")], ...patient }, new: { tools: [tool("both"), tool("more")] } },
      { a: { command: "old" } },
      (world) =>
        Effect.gen(function*() {
          const [both, gone] = yield* world.registry.tools
          const held = yield* Effect.forkChild(world.registry.call("a_both", {}))
          yield* drain
          yield* world.save({ a: { command: "new" } })
          assert.isDefined(both)
          assert.isDefined(gone)
          assert.match(textOf(yield* world.registry.callTool(both, {})), /"name\\":\\"both/)
          const late = yield* Effect.forkChild(world.registry.callTool(gone, {}))
          yield* drain
          answerCall(world.host.running[0], "from the old one")
          yield* drain
          assert.match(textOf(yield* Fiber.join(late)), /from the old one/)
          yield* Fiber.interrupt(held)
          yield* advance(1)
          assert.strictEqual(world.host.alive(), 1)
          assert.strictEqual((yield* Effect.flip(world.registry.callTool(gone, {}))).reason._tag, "UnknownTool")
          yield* world.save({})
          assert.strictEqual((yield* Effect.flip(world.registry.callTool(both, {}))).reason._tag, "UnknownServer")
        })
    ))

  it.effect("names tools anew when servers come and go, without a restart, and a held tool stays what it was", () =>
    withWorld(
      { one: { tools: [tool("b_x")] }, two: { tools: [tool("x")] } },
      { a: { command: "one" } },
      (world) =>
        Effect.gen(function*() {
          const names = Effect.map(world.registry.tools, (all) => all.map(({ name, server }) => `${server}: ${name}`))
          const held = yield* world.registry.tool("a_b_x")
          yield* world.save({ a: { command: "one" }, a_b: { command: "two" } })
          const [first, second] = yield* names
          assert.match(first ?? "", /^a_b: a_b_x$|^a: a_b_x_[0-9a-f]{8}$/)
          assert.sameMembers([first, second].map((line) => line?.replace(/_[0-9a-f]{8}$/, "_…")), [
            "a_b: a_b_x",
            "a: a_b_x_…"
          ])
          assert.deepStrictEqual(yield* world.servers, ["a ready 1", "a_b ready 2"])
          assert.match(textOf(yield* world.registry.callTool(held, {})), /b_x/)
          assert.strictEqual((yield* world.registry.tool("a_b_x")).server, "a_b")
          yield* world.save({ a: { command: "one" } })
          assert.deepStrictEqual(yield* names, ["a: a_b_x"])
          assert.strictEqual(yield* world.pid("a"), 1)
        })
    ))

  it.effect("applies two saves in a row as the last of them, and leaves nothing of the first", () =>
    withWorld({ good: {}, mute: SILENT, last: {} }, { a: { command: "good" } }, (world) =>
      Effect.gen(function*() {
        yield* world.write({ a: { command: "mute" }, b: { command: "mute" } })
        yield* world.write({ a: { command: "last" }, c: { command: "last" } })
        yield* drain
        yield* advance(7)
        assert.deepStrictEqual(
          (yield* world.servers).map((line) => line.replace(/\d+$/, "")),
          ["a ready ", "c ready "]
        )
        assert.strictEqual(world.host.alive(), 2)
        yield* world.save({ a: { command: "mute" }, c: { command: "last" } })
        yield* world.save({ a: { command: "mute", args: ["2"] }, c: { command: "last" } })
        yield* world.save({ a: { command: "last" }, c: { command: "last" } })
        yield* advance(7)
        assert.strictEqual(world.host.alive(), 2, "taken back: neither of the two in between stays")
      })))

  it.effect("leaves a server stopped that a person stopped, until its entry changes", () =>
    withWorld({ good: {} }, { a: { command: "good" } }, (world) =>
      Effect.gen(function*() {
        yield* world.registry.stop("a")
        yield* world.save({ a: { command: "good" }, b: { command: "good" } })
        assert.deepStrictEqual(yield* world.servers, ["a stopped null", "b ready 2"])
        yield* world.save({ a: { command: "good", args: ["x"] } })
        assert.deepStrictEqual(yield* world.servers, ["a ready 3"])
      })))

  it.effect("restarts and stops by hand what the entry says now, and nothing of the old stays", () =>
    withWorld({ good: {} }, { a: { command: "good" } }, (world) =>
      Effect.gen(function*() {
        yield* world.save({ a: { command: "gone" } })
        assert.strictEqual((yield* Effect.flip(world.registry.restart("a"))).reason._tag, "CommandNotFound")
        assert.deepStrictEqual(yield* world.servers, ["a failed null"])
        assert.strictEqual(world.host.alive(), 0)
        yield* world.save({ a: { command: "good" } })
        yield* world.save({ a: { command: 7 } })
        assert.strictEqual((yield* world.registry.stop("a")).state, "failed")
        assert.strictEqual(world.host.alive(), 0)
      })))

  it.effect("makes a server anew when a secret or a variable it inherits is another, and not for its place", () =>
    withWorld(
      { good: {} },
      { a: { command: "good", env: { KEY: "one" }, inheritEnv: ["TOKEN"] } },
      (world) =>
        Effect.gen(function*() {
          yield* world.save({ a: { command: "good", env: { KEY: "one" }, inheritEnv: ["TOKEN"], surprise: 1 } })
          assert.strictEqual(yield* world.pid("a"), 1)
          assert.match(yield* world.warnings("a"), /surprise/)
          yield* world.save({ a: { command: "good", env: { KEY: "two" }, inheritEnv: ["TOKEN"] } })
          assert.strictEqual(yield* world.pid("a"), 2)
          world.host.variables["TOKEN"] = "t"
          assert.deepStrictEqual((yield* world.registry.apply).changed, ["a"])
          yield* drain
          assert.strictEqual(yield* world.pid("a"), 3)
        })
    ))

  it.effect("asks who may start whenever it is applied (Decision 14)", () => {
    const approved = new Set<string>()
    const admission = Layer.succeed(Admission, {
      admit: (entry) => Effect.sync(() => ({ ...entry, needsApproval: !approved.has(entry.name) }))
    })
    return withWorld(
      { good: {} },
      { a: { command: "good" }, b: { command: "good" } },
      (world) =>
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* world.servers, ["a needs-approval null", "b needs-approval null"])
          approved.add("a")
          assert.deepStrictEqual(yield* world.registry.apply, {
            added: [],
            removed: [],
            changed: ["a"],
            unchanged: ["b"]
          })
          yield* drain
          assert.deepStrictEqual(yield* world.servers, ["a ready 1", "b needs-approval null"])
          approved.clear()
          yield* world.registry.apply
          yield* drain
          assert.deepStrictEqual(yield* world.servers, ["a needs-approval null", "b needs-approval null"])
          assert.strictEqual(world.host.alive(), 0)
        }),
      admission
    )
  })

  it.effect("tells what was applied, and of servers that came later whatever happens to them", () =>
    withWorld({ good: {} }, { a: { command: "good" } }, (world) =>
      Effect.gen(function*() {
        const heard: Array<string> = []
        const note = (text: string) => Effect.sync(() => heard.push(text))
        yield* Effect.forkChild(
          Stream.runForEach(world.registry.events, ({ name, state }) => note(`${name} ${state}`)),
          { startImmediately: true }
        )
        yield* Effect.forkChild(
          Stream.runForEach(world.registry.applied, ({ added, changed, removed }) =>
            note(`+${added.join()} ~${changed.join()} -${removed.join()}`)),
          { startImmediately: true }
        )
        yield* world.save({ b: { command: "good" } })
        assert.sameMembers(heard, ["b connecting", "b ready", "+b ~ -a"])
        heard.length = 0
        yield* world.registry.reload
        yield* drain
        assert.deepStrictEqual(heard, [], "nothing new, nothing to tell")
        world.host.running[1]?.exit(1)
        yield* advance(1)
        assert.deepStrictEqual(heard, ["b failed"])
      })))

  it.effect("keeps no more than the last events for somebody who does not listen", () =>
    withWorld({}, {}, (world) =>
      Effect.gen(function*() {
        const gate = yield* Latch.make()
        const seen: Array<string> = []
        yield* Effect.forkChild(
          Stream.runForEach(world.registry.events, ({ name }) => Effect.map(gate.await, () => seen.push(name)))
        )
        yield* drain
        const many = Array.from({ length: 1500 }, (_, index) => [`s${index}`, { command: "x", enabled: false }])
        yield* world.save(Object.fromEntries(many))
        yield* Effect.repeat(drain, {
          until: () => Effect.map(world.registry.servers, (all) => all.length === 1500),
          times: 100
        })
        yield* gate.open
        yield* Effect.repeat(drain, { times: 10 })
        assert.isAtMost(seen.length, 1100)
        assert.strictEqual(seen.at(-1), (yield* world.registry.servers).at(-1)?.name)
      })))

  it.effect("lets who waits for a server wait for the one that took its place", () =>
    withWorld(
      { mute: SILENT, good: {} },
      { a: { command: "mute" }, b: { command: "mute" } },
      (world) =>
        Effect.gen(function*() {
          const all = yield* Effect.forkChild(world.registry.settled)
          const one = yield* Effect.forkChild(world.registry.settledServer("a"))
          yield* drain
          yield* world.save({ a: { command: "good" } })
          assert.strictEqual((yield* Fiber.join(one)).state, "ready")
          const { connected, failed } = yield* Fiber.join(all)
          assert.deepStrictEqual(connected.map(({ name }) => name), ["a"])
          assert.deepStrictEqual(failed, [])
        })
    ))

  it.effect("lists tools again when it is asked to", () => {
    const tools = [tool("one")]
    const script: ScriptedHost.Script = { tools }
    return withWorld(
      { good: script },
      { a: { command: "good" }, off: { command: "good", enabled: false } },
      (world) =>
        Effect.gen(function*() {
          tools.push(tool("two"))
          assert.strictEqual((yield* world.registry.refresh("a")).tools, 2)
          assert.deepStrictEqual((yield* world.registry.tools).map(({ name }) => name), ["a_one", "a_two"])
          assert.strictEqual((yield* Effect.flip(world.registry.refresh("off"))).reason._tag, "NotReady")
          assert.strictEqual((yield* Effect.flip(world.registry.refresh("b"))).reason._tag, "UnknownServer")
        })
    )
  })

  it.effect("says in time that tools cannot be listed again, and keeps the list", () => {
    let isMute = false
    const script: ScriptedHost.Script = { answer: ({ method }) => isMute && method === "tools/list" ? null : undefined }
    return withWorld(
      { good: script },
      { a: { command: "good", startupTimeout: "5 seconds" } },
      (world) =>
        Effect.gen(function*() {
          isMute = true
          const refresh = yield* Effect.forkChild(Effect.flip(world.registry.refresh("a")))
          yield* TestClock.adjust("5 seconds")
          assert.strictEqual((yield* Fiber.join(refresh)).reason._tag, "ListFailed")
          assert.strictEqual((yield* world.registry.tools).length, 1)
        })
    )
  })

  it.effect("leaves no process when the registry closes in the middle of it all", () =>
    Effect.gen(function*() {
      const scripts = { old: patient, mute: { ...SILENT, obeysEndOfInput: false }, new: {} }
      const entries = { a: { command: "old" }, b: { command: "old" }, c: { command: "old" } }
      const closed = yield* Effect.forkChild(withWorld(scripts, entries, (world) =>
        Effect.gen(function*() {
          yield* Effect.forkDetach(Effect.ignore(world.registry.call("a_echo", {})))
          yield* drain
          yield* world.save({ a: { command: "new" }, b: { command: "mute" } })
          assert.isAbove(world.host.alive(), 2)
          yield* world.write({ a: { command: "mute" }, b: { command: "new" }, d: { command: "new" } })
        })))
      yield* advance(7)
      const { host } = yield* Fiber.join(closed)
      assert.strictEqual(host.alive(), 0)
    }))

  it.effect("is applied the next time it changes, where it breaks who may start", () => {
    let isBroken = false
    const admit: Context.Service.Shape<typeof Admission>["admit"] = (entry) =>
      isBroken ? Effect.die(new Error("the approvals are broken")) : Effect.succeed(entry)
    return withWorld({ one: {}, two: {} }, { a: { command: "one" } }, (world) =>
      Effect.gen(function*() {
        isBroken = true
        yield* world.save({ a: { command: "one" }, b: { command: "two" } })
        assert.deepStrictEqual(yield* world.servers, ["a ready 1"])
        isBroken = false
        yield* world.save({ b: { command: "two" } })
        assert.deepStrictEqual(yield* world.servers, ["b ready 2"])
      }), Layer.succeed(Admission, { admit }))
  })

  it.effect("gives a tool of a removed server back to nobody", () =>
    withWorld(
      { one: { tools: [tool("b_x")] }, two: { tools: [tool("x")] } },
      { a: { command: "one" } },
      (world) =>
        Effect.gen(function*() {
          const held: McpTool = yield* world.registry.tool("a_b_x")
          yield* world.save({ a_b: { command: "two" } })
          assert.strictEqual((yield* world.registry.tool("a_b_x")).server, "a_b")
          assert.strictEqual((yield* Effect.flip(world.registry.callTool(held, {}))).reason._tag, "UnknownServer")
        })
    ))
})
