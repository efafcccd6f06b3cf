import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import * as MemoryDisk from "../../../../mcp-client/test/support/MemoryDisk.ts"
import { Manifests, type McpRegistry } from "../../../src/index.ts"
import { older } from "../../support/NewsServers.ts"
import * as Reloading from "../../support/Reloading.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

const { advance, drain, tool } = ScriptedHost

/** A folder of state that outlives a run, and runs that follow each other. */
const world = (entry: Reloading.Entries = { lazy: true }, script: ScriptedHost.Script = {}) => {
  const disk = MemoryDisk.make()
  const kept = Manifests.layerFolder("/state").pipe(Layer.provide(disk.layer))
  const run = <A, E>(body: (world: Reloading.World) => Effect.Effect<A, E>, more: Reloading.Entries = {}) =>
    Effect.map(
      Reloading.withWorld({ server: script, other: {} }, { it: { command: "server", ...entry, ...more } }, body, kept),
      ({ result }) => result
    )
  /** A run that lists the tools, and ends. */
  const before = run(() => drain)
  return { disk, run, before }
}

const starts = (host: ScriptedHost.Host) => host.events.filter((line) => line.endsWith("server starts")).length
const statusOf = (registry: McpRegistry["Service"]) => Effect.orDie(registry.server("it"))
const standing = (registry: McpRegistry["Service"]) =>
  Effect.map(statusOf(registry), ({ idle, pid, state, tools }) => ({ state, idle, pid, tools }))
const ASLEEP = { state: "ready", idle: true, pid: null, tools: 1 } as const
const awake = (pid: number) => ({ state: "ready", idle: false, pid, tools: 1 } as const)

describe("A lazy server", () => {
  it.effect("has no process until its first call, and lists what it listed last (R94)", () => {
    const { before, run } = world()
    return Effect.andThen(
      before,
      run(({ host, registry }) =>
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* standing(registry), ASLEEP)
          assert.deepStrictEqual((yield* registry.settled).connected.map(({ name }) => name), ["it"])
          assert.deepStrictEqual((yield* registry.tools).map(({ description, name }) => [name, description]), [
            ["it_echo", "The tool echo."]
          ])
          yield* advance(600)
          assert.strictEqual(starts(host), 0)
          assert.isFalse((yield* registry.call("it_echo", {})).isError)
          assert.deepStrictEqual(yield* standing(registry), awake(1))
          yield* advance(600)
          assert.strictEqual(host.alive(), 1)
        })
      )
    )
  })

  it.effect("that wakes with a tool which has come to write is not sent the call that woke it", () => {
    const script: ScriptedHost.Script = { tools: [tool("echo")] }
    const { before, run } = world({ lazy: true, writes: "ask" }, script)
    return Effect.andThen(
      before,
      run(({ host, registry }) =>
        Effect.gen(function*() {
          Object.assign(script, { tools: [tool("echo", { annotations: { readOnlyHint: false } })] })
          assert.strictEqual((yield* Effect.flip(registry.call("it_echo", {}))).reason._tag, "ToolsChanged")
          assert.isFalse(host.running[0]?.received.some(({ method }) => method === "tools/call"))
          assert.isFalse((yield* registry.call("it_echo", {})).isError)
        })
      )
    )
  })

  it.effect("starts one process for ten callers at once, and all are answered (R93, R94)", () => {
    const { before, run } = world()
    return Effect.andThen(
      before,
      run(({ host, registry }) =>
        Effect.gen(function*() {
          const calls = Effect.forEach(
            Array.from({ length: 10 }, (_, n) => n),
            (n) => registry.call("it_echo", { n }),
            { concurrency: "unbounded" }
          )
          const results = yield* calls
          assert.strictEqual(starts(host), 1)
          assert.deepStrictEqual(
            results.map(({ content }) => /"n":(\d)/.exec(String(content[0]?.["text"]))?.[1]),
            Array.from({ length: 10 }, (_, n) => String(n))
          )
        })
      )
    )
  })

  it.effect("that was never listed is started once to learn its tools, and closed again (R94)", () =>
    world().run(({ host, registry }) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* standing(registry), awake(1))
        yield* advance(4)
        assert.deepStrictEqual(yield* standing(registry), ASLEEP)
        assert.strictEqual(host.alive(), 0)
        yield* registry.call("it_echo", {})
        yield* advance(600)
        assert.deepStrictEqual(yield* standing(registry), awake(2))
      })
    ))

  it.effect("that is called while it is there to be listed stays, without a second process", () =>
    world().run(({ host, registry }) =>
      Effect.gen(function*() {
        yield* advance(2)
        yield* registry.call("it_echo", {})
        yield* advance(600)
        assert.deepStrictEqual(yield* standing(registry), awake(1))
        assert.strictEqual(starts(host), 1)
      })
    ))

  it.effect("is started once in every run where nothing is kept", () =>
    Effect.gen(function*() {
      const { host } = yield* Reloading.withWorld({ server: {} }, { it: { command: "server", lazy: true } }, () =>
        advance(4))
      assert.strictEqual(starts(host), 1)
      assert.strictEqual(host.alive(), 0)
    }))

  for (
    const [what, more] of Object.entries<Reloading.Entries>({
      "its arguments": { args: ["--more"] },
      "a variable": { env: { TOOLSETS: "all" } },
      "its folder": { cwd: "/elsewhere" },
      "a name to inherit": { inheritEnv: ["HTTPS_PROXY"] }
    })
  ) {
    it.effect(`is asked anew for its tools when ${what} changed`, () => {
      const { before, disk, run } = world()
      return Effect.andThen(
        before,
        run(({ host }) =>
          Effect.sync(() => {
            assert.strictEqual(starts(host), 1)
            assert.lengthOf([...disk.files.keys()], 1)
          }), more)
      )
    })
  }

  it.effect("keeps its manifest in a file that only its owner reads, without a configured value (R75)", () => {
    const canary = "canary-0123456789"
    const tools = [tool("echo", { description: `Runs with ${canary}, "${canary}".`, inputSchema: { [canary]: 1 } })]
    const { before, disk, run } = world({ lazy: true, env: { TOKEN: canary } }, { tools })
    return Effect.andThen(
      before,
      run(({ host, registry }) =>
        Effect.gen(function*() {
          assert.strictEqual(starts(host), 0)
          const [listed] = yield* registry.tools
          assert.strictEqual(listed?.description, `Runs with ${canary}, "${canary}".`)
          assert.deepStrictEqual(listed?.inputSchema, { [canary]: 1 })
          const [file, text] = [...disk.files][0] ?? assert.fail("nothing is kept")
          assert.notInclude(text, canary)
          assert.include(text, "echo")
          assert.strictEqual(disk.modes.get(file), 0o600)
        })
      )
    )
  })

  it.effect("has the instructions and abilities in its next run that it had in the last one, before it runs (R105)", () => {
    const { before, disk, run } = world(
      { lazy: true, env: { TOKEN: "canary-0123456789" } },
      older({ instructions: "Use canary-0123456789." })
    )
    return Effect.andThen(
      before,
      run(({ host, registry }) =>
        Effect.gen(function*() {
          const asleep = yield* statusOf(registry)
          assert.strictEqual(starts(host), 0)
          assert.deepStrictEqual([asleep.instructions, asleep.capabilities?.logging, asleep.logLevel], [
            "Use <redacted>.",
            true,
            "info"
          ])
          yield* registry.start("it")
          const awake = yield* statusOf(registry)
          assert.deepStrictEqual([awake.instructions, awake.capabilities], [asleep.instructions, asleep.capabilities])
          assert.notInclude([...disk.files.values()].join(), "canary")
        })
      )
    )
  })

  it.effect("is started to be listed where its manifest cannot be used, whatever stands in it", () =>
    Effect.gen(function*() {
      const { before, disk, run } = world()
      yield* before
      const [file, text] = [...disk.files][0] ?? assert.fail("nothing is kept")
      for (
        const damaged of ["", "{", "null", text.slice(0, -9), text.replace(/"key":"./, `"key":"x`), "[".repeat(9999)]
      ) {
        disk.files.set(file, damaged)
        yield* run(({ host, registry }) =>
          Effect.gen(function*() {
            assert.strictEqual(starts(host), 1)
            assert.deepStrictEqual(yield* standing(registry), awake(1))
          })
        )
        assert.strictEqual(disk.files.get(file), text)
      }
    }))

  it.effect("keeps a new list, and leaves the file alone while the list is the same", () =>
    Effect.gen(function*() {
      let tools: ReadonlyArray<Schema.JsonObject> = [tool("echo")]
      const { before, disk, run } = world({ lazy: true }, {
        answer: ({ id, method }) =>
          method === "tools/list" ? { jsonrpc: "2.0", id: id ?? null, result: { tools } } : undefined
      })
      yield* before
      const written = disk.writes.length
      yield* run(({ registry }) => registry.call("it_echo", {}))
      assert.lengthOf(disk.writes, written)
      yield* run(({ host, registry }) =>
        Effect.gen(function*() {
          yield* registry.call("it_echo", {})
          tools = [tool("echo"), tool("more")]
          host.running[0]?.say({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })
          yield* advance(1)
        })
      )
      yield* run(({ registry }) =>
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* standing(registry), { ...ASLEEP, tools: 2 })
          tools = [tool("third")]
          const status = yield* registry.refresh("it")
          assert.deepStrictEqual([status.pid, status.tools], [1, 1])
        })
      )
      yield* run(({ registry }) =>
        Effect.map(registry.tools, (listed) => assert.deepStrictEqual(listed.map(({ name }) => name), ["it_third"]))
      )
    }))

  it.effect("is failed when it cannot be woken, and tried again by the next call alone (Decision 7)", () =>
    Effect.gen(function*() {
      let isBroken = false
      const { before, run } = world({ lazy: true, restart: "on-failure" }, {
        answer: (message, server) => {
          if (isBroken) server.exit(3)
          return isBroken ? null : undefined
        }
      })
      yield* before
      isBroken = true
      yield* run(({ host, registry }) =>
        Effect.gen(function*() {
          const calls = yield* Effect.forkChild(
            Effect.forEach([1, 2, 3], () => Effect.flip(registry.call("it_echo", {})), { concurrency: "unbounded" })
          )
          yield* advance(1)
          for (const { reason } of yield* Fiber.join(calls)) {
            assert.strictEqual(reason._tag, "NotReady")
            assert.match(reason.message, /exited with code 3/)
          }
          const { error, idle, state, tools } = yield* statusOf(registry)
          assert.deepStrictEqual([state, idle, error?._tag, tools], ["failed", false, "Exited", 1])
          const tried = starts(host)
          yield* advance(600)
          assert.strictEqual(starts(host), tried)
          isBroken = false
          assert.isFalse((yield* registry.call("it_echo", {})).isError)
          assert.strictEqual(host.alive(), 1)
        })
      )
    }))

  it.effect("is started by a call that comes while a failed start is still being taken down", () =>
    Effect.gen(function*() {
      let isBroken = false
      let isStubborn = false
      const { before, run } = world({ lazy: true, startupTimeout: 2000 }, {
        get obeysEndOfInput() {
          return !isStubborn
        },
        get obeysTerm() {
          return !isStubborn
        },
        answer: () => isBroken ? null : undefined
      })
      yield* before
      isBroken = isStubborn = true
      yield* run(({ host, registry }) =>
        Effect.gen(function*() {
          const first = yield* Effect.forkChild(Effect.flip(registry.call("it_echo", {})))
          yield* advance(3)
          assert.strictEqual((yield* Fiber.join(first)).reason._tag, "NotReady")
          assert.strictEqual(host.alive(), 1)
          isBroken = false
          const second = yield* Effect.forkChild(registry.call("it_echo", {}))
          yield* advance(7)
          isStubborn = false
          assert.isFalse((yield* Fiber.join(second)).isError)
        })
      )
    }))

  it.effect("that a person starts and that cannot be started fails with why", () =>
    Effect.gen(function*() {
      let isBroken = false
      const { before, run } = world({ lazy: true }, {
        answer: (_, server) => {
          if (isBroken) server.exit(3)
          return isBroken ? null : undefined
        }
      })
      yield* before
      isBroken = true
      for (const verb of ["start", "refresh"] as const) {
        yield* run(({ registry }) =>
          Effect.gen(function*() {
            const asked = yield* Effect.forkChild(Effect.flip(registry[verb]("it")))
            yield* advance(1)
            assert.strictEqual((yield* Fiber.join(asked)).reason._tag, "Exited")
          })
        )
      }
    }))

  it.effect("is tried again as any server is while its tools are not known", () =>
    Effect.gen(function*() {
      let isBroken = true
      yield* world({ lazy: true }, {
        answer: ({ method }, server) => {
          if (isBroken && method === "tools/list") server.exit(3)
          return undefined
        }
      }).run(({ host, registry }) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* statusOf(registry)).state, "failed")
          isBroken = false
          yield* advance(2)
          assert.strictEqual((yield* statusOf(registry)).state, "ready")
          yield* advance(5)
          assert.deepStrictEqual(yield* standing(registry), ASLEEP)
          assert.strictEqual(host.alive(), 0)
        })
      )
    }))

  it.effect("obeys a person: start and restart start it, stop keeps calls from starting it", () => {
    const { before, run } = world()
    return Effect.andThen(
      before,
      run(({ host, registry }) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* registry.stop("it")).state, "stopped")
          assert.strictEqual(starts(host), 0)
          assert.strictEqual((yield* Effect.flip(registry.call("it_echo", {}))).reason._tag, "NotReady")
          assert.strictEqual((yield* registry.start("it")).pid, 1)
          assert.strictEqual((yield* Effect.flip(registry.start("it"))).reason._tag, "AlreadyRunning")
          yield* advance(60)
          assert.deepStrictEqual(yield* standing(registry), awake(1))
        })
      )
    ).pipe(
      Effect.andThen(run(({ registry }) =>
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* standing(registry), ASLEEP)
          assert.strictEqual((yield* registry.start("it")).pid, 1)
          assert.deepStrictEqual(yield* standing(registry), awake(1))
        })
      )),
      Effect.andThen(run(({ registry }) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* registry.restart("it")).pid, 1)
          yield* advance(60)
          assert.deepStrictEqual(yield* standing(registry), awake(1))
        })
      ))
    )
  })

  it.effect("lets its changed entry take its place without a start where that was listed before", () => {
    const { before, run } = world()
    return before.pipe(
      Effect.andThen(run(({ host, registry, save }) =>
        Effect.gen(function*() {
          yield* save({ it: { command: "server", lazy: true, timeout: 5000 }, other: { command: "other" } })
          assert.deepStrictEqual(yield* standing(registry), ASLEEP)
          assert.deepStrictEqual((yield* statusOf(registry)).warnings, [])
          assert.strictEqual(starts(host), 0)
          yield* save({ it: { command: "server" } })
          assert.deepStrictEqual(yield* standing(registry), { ...awake(2) })
        })
      ))
    )
  })

  it.effect("leaves nothing running when the registry ends while it is on its way", () =>
    Effect.gen(function*() {
      const { before, run } = world()
      yield* before
      const host = yield* run(({ host, registry }) =>
        Effect.as(Effect.forkChild(Effect.exit(registry.call("it_echo", {}))), host)
      )
      yield* drain
      assert.strictEqual(host.alive(), 0)
    }))
})
