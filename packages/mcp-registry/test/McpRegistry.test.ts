import { type Configuration, InvalidFile } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { TestClock } from "effect/testing"
import { McpRegistry } from "../src/index.ts"
import * as ScriptedHost from "./support/ScriptedHost.ts"

const { tool } = ScriptedHost
const SILENT: ScriptedHost.Script = { answer: () => null }

/** Runs a program with the registry of these entries. */
const withRegistry = <A, E>(
  scripts: Readonly<Record<string, ScriptedHost.Script>>,
  entries: Readonly<Record<string, unknown>>,
  body: (registry: McpRegistry["Service"], host: ScriptedHost.Host) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const host = yield* ScriptedHost.make(scripts)
    return yield* McpRegistry.use((registry) => body(registry, host)).pipe(Effect.provide(host.layer(entries)))
  })

describe("McpRegistry", () => {
  it.effect("is ready at once and serves the others while one server never answers (R7, R16)", () =>
    withRegistry({ good: {}, mute: SILENT }, {
      good: { command: "good" },
      hanging: { command: "mute" },
      gone: { command: "nowhere" }
    }, (registry) =>
      Effect.gen(function*() {
        yield* ScriptedHost.drain
        assert.deepStrictEqual(
          (yield* registry.servers).map(({ name, state }) => `${name} ${state}`),
          ["gone failed", "good ready", "hanging connecting"]
        )
        const result = yield* registry.call("good_echo", { a: 1 })
        assert.isFalse(result.isError)
        const settled = yield* Effect.forkChild(registry.settled)
        yield* TestClock.adjust("30 seconds")
        const { connected, failed } = yield* Fiber.join(settled)
        assert.deepStrictEqual(connected.map(({ name }) => name), ["good"])
        assert.deepStrictEqual(failed.map(({ reason, server }) => `${server} ${reason._tag}`), [
          "gone CommandNotFound",
          "hanging HandshakeTimeout"
        ])
      })))

  it.effect("offers each name once, also when a server lists a raw name whose suffix is another server's (R15)", () => {
    // Their names end with the same eight digits; somebody searched for them.
    const [evil, good] = ["b_x涷溌臇莩", "x准扑荼郪"]
    return withRegistry(
      { a: { tools: [ScriptedHost.tool(evil)] }, b: { tools: [ScriptedHost.tool(good), ScriptedHost.tool("x____")] } },
      { a_b: { command: "b" }, a: { command: "a" } },
      (registry) =>
        Effect.gen(function*() {
          yield* registry.settled
          const tools = yield* registry.tools
          assert.deepStrictEqual(tools.map(({ name }) => name), ["a_b_x____", "a_b_x_____0b72e3b4"])
          const named = yield* registry.tool("a_b_x_____0b72e3b4")
          assert.deepStrictEqual([named.server, named.tool], ["a", evil])
          assert.strictEqual(tools[1]?.server, "a", "what is offered is what is called")
        })
    )
  })

  it.effect("names the configuration files that are missing or cannot be used where a tool is not known", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({})
      const error = new InvalidFile({ file: "mcp.json", line: 3, column: 5, detail: "this is not JSON" })
      const source = { file: "mcp.json", scope: "data", hidden: [] } as const
      const sources = [
        { ...source, state: "invalid", error },
        { ...source, file: "data.json", state: "absent", error: null },
        { ...source, file: "~/.mcprc", scope: "user", state: "absent", error: null }
      ] as const
      const configuration = yield* SubscriptionRef.make<Configuration>({ servers: [], sources, warnings: [] })
      const { reason } = yield* McpRegistry.use((registry) => Effect.flip(registry.call("files_read", {}))).pipe(
        Effect.provide(host.layerOf(configuration))
      )
      assert.strictEqual(reason._tag, "UnknownTool")
      assert.match(reason.hint, /^mcp\.json:3:5: this is not JSON; data\.json is not there; boocode mcp tools/)
    }))

  it.effect("says the command, the searched path and what to do when a command is not there (R69)", () =>
    withRegistry({}, { gone: { command: "nowhere" } }, (registry) =>
      Effect.gen(function*() {
        const { failed } = yield* registry.settled
        assert.match(ScriptedHost.errorOf(failed[0])?.message ?? "", /command not found: nowhere \(searched \/bin\)/)
        assert.match(ScriptedHost.errorOf(failed[0])?.hint ?? "", /install nowhere/)
      })))

  it.effect("says the exit code and the last words of a server that ends at once (R40)", () =>
    withRegistry(
      { boom: { exitsAtOnce: { code: 3, stderr: "boom\n" } } },
      { boom: { command: "boom" } },
      (registry) =>
        Effect.gen(function*() {
          const settled = yield* Effect.forkChild(registry.settled)
          yield* TestClock.adjust("2 seconds")
          const { failed } = yield* Fiber.join(settled)
          assert.strictEqual(ScriptedHost.errorOf(failed[0])?._tag, "Exited")
          assert.strictEqual(ScriptedHost.errorOf(failed[0])?.exitCode, 3)
          assert.match(ScriptedHost.errorOf(failed[0])?.stderr ?? "", /boom/)
        })
    ))

  it.effect("names two servers' tools of the same name apart and sorts them (R15, R51)", () =>
    withRegistry({ one: { tools: [tool("search"), tool("add")] }, two: { tools: [tool("search")] } }, {
      zeta: { command: "one" },
      alpha: { command: "two" }
    }, (registry) =>
      Effect.gen(function*() {
        yield* registry.settled
        assert.deepStrictEqual(
          (yield* registry.tools).map(({ name }) => name),
          ["alpha_search", "zeta_add", "zeta_search"]
        )
      })))

  it.effect("gives the same list of tools until a server's tools change, then another one", () =>
    withRegistry({ one: { tools: [tool("search")] }, two: { tools: [tool("search")] } }, {
      zeta: { command: "one" },
      alpha: { command: "two" }
    }, (registry) =>
      Effect.gen(function*() {
        yield* registry.settled
        const before = yield* registry.tools
        assert.strictEqual(yield* registry.tools, before)
        assert.strictEqual(yield* registry.view(["zeta_*"]), yield* registry.view(["zeta_*"]))
        yield* registry.stop("zeta")
        assert.deepStrictEqual((yield* registry.tools).map(({ name }) => name), ["alpha_search"])
        assert.deepStrictEqual((yield* registry.view(["*"])).tools.map(({ name }) => name), ["alpha_search"])
        yield* registry.start("zeta")
        assert.deepStrictEqual(yield* registry.tools, before)
      })))

  it.effect("sends the raw tool name on the wire (Decision 1)", () =>
    withRegistry(
      { dots: { tools: [tool("read.file/now")] } },
      { dots: { command: "dots" } },
      (registry) =>
        Effect.gen(function*() {
          yield* registry.settled
          const [only] = yield* registry.tools
          assert.strictEqual(only?.name, "dots_read_file_now")
          const { content } = yield* registry.call("dots_read_file_now", {})
          assert.match(JSON.stringify(content), /read\.file\/now/)
        })
    ))

  it.effect("rejects tools that declare themselves writers and says so when they are called (Decision 2)", () =>
    withRegistry(
      {
        files: { tools: [tool("read"), tool("write", { annotations: { readOnlyHint: false } })] }
      },
      { files: { command: "files" } },
      (registry) =>
        Effect.gen(function*() {
          yield* registry.settled
          assert.deepStrictEqual((yield* registry.server("files")).rejected, [
            {
              tool: "write",
              reason: "declares itself not read-only (readOnlyHint is false)",
              class: "writes",
              openWorld: false,
              writer: true
            }
          ])
          const error = yield* Effect.flip(registry.call("files_write", {}))
          assert.strictEqual(error.reason._tag, "RejectedByPolicy")
          assert.deepStrictEqual((yield* registry.rejected).map(({ name, server }) => [server, name]), [
            ["files", "files_write"]
          ])
        })
    ))

  it.effect("tells of the first 100 rejected tools, with short names, and how many more there are", () =>
    withRegistry(
      {
        many: {
          tools: Array.from({ length: 10_000 }, (_, at) =>
            tool(`${at}${"x".repeat(at === 0 ? 100_000 : 10)}`, { annotations: { readOnlyHint: false } }))
        }
      },
      { many: { command: "many" } },
      (registry) =>
        Effect.gen(function*() {
          yield* registry.settled
          const { rejected, rejectedMore } = yield* registry.server("many")
          assert.deepStrictEqual([rejected.length, rejectedMore], [100, 9900])
          assert.match(rejected[0]?.tool ?? "", /^0x{199}… \(99801 more characters\)$/)
          assert.isBelow(JSON.stringify(rejected).length, 15_000)
          // A call of any of them still says why.
          const last = yield* Effect.flip(registry.call("many_9999xxxxxxxxxx", {}))
          assert.strictEqual(last.reason._tag, "RejectedByPolicy")
        })
    ))

  it.effect("names the nearest for an unknown tool and an unknown server", () =>
    withRegistry({ good: {} }, { good: { command: "good" } }, (registry) =>
      Effect.gen(function*() {
        yield* registry.settled
        const unknownTool = yield* Effect.flip(registry.call("good_ecko", {}))
        assert.match(unknownTool.hint, /good_echo/)
        const unknownServer = yield* Effect.flip(registry.server("god"))
        assert.match(unknownServer.hint, /good/)
      })))

  it.effect("says the state and why when the server of a tool is not ready", () =>
    withRegistry(
      { mute: SILENT },
      { mute: { command: "mute" }, off: { command: "mute", enabled: false } },
      (registry) =>
        Effect.gen(function*() {
          const connecting = yield* Effect.flip(registry.call("mute_anything", {}))
          assert.strictEqual(connecting.reason._tag, "NotReady")
          assert.match(connecting.message, /connecting/)
          const disabled = yield* Effect.flip(registry.call("off_anything", {}))
          assert.match(disabled.message, /disabled/)
        })
    ))

  it.effect("has no tools and starts nothing when every server is disabled", () =>
    withRegistry(
      { good: {} },
      { good: { command: "good", enabled: false } },
      (registry, host) =>
        Effect.gen(function*() {
          yield* registry.settled
          assert.deepStrictEqual(yield* registry.tools, [])
          assert.deepStrictEqual(host.events, [])
          assert.strictEqual((yield* registry.server("good")).state, "disabled")
        })
    ))

  it.effect("takes missing, null and empty arguments as {}, and nothing but objects (R57)", () =>
    withRegistry({ good: {} }, { good: { command: "good" } }, (registry) =>
      Effect.gen(function*() {
        yield* registry.settled
        for (const args of [undefined, null, "", {}]) {
          const { content } = yield* registry.call("good_echo", args)
          assert.match(JSON.stringify(content), /\\"arguments\\":\{\}/)
        }
        const error = yield* Effect.flip(registry.call("good_echo", [1]))
        assert.strictEqual(error.reason._tag, "InvalidArguments")
      })))

  it.effect("starts, stops and restarts by name with typed errors", () =>
    withRegistry({ good: {} }, { good: { command: "good" } }, (registry, host) =>
      Effect.gen(function*() {
        yield* registry.settled
        assert.strictEqual((yield* Effect.flip(registry.start("good"))).reason._tag, "AlreadyRunning")
        assert.strictEqual((yield* registry.stop("good")).state, "stopped")
        assert.strictEqual(host.alive(), 0)
        assert.deepStrictEqual(yield* registry.tools, [])
        assert.strictEqual((yield* Effect.flip(registry.stop("good"))).reason._tag, "NotRunning")
        assert.strictEqual((yield* registry.start("good")).state, "ready")
        assert.strictEqual((yield* registry.restart("good")).state, "ready")
        assert.strictEqual(host.alive(), 1)
      })))

  it.effect("tells every change of state to who listens (R45)", () =>
    withRegistry({ good: {} }, { good: { command: "good" } }, (registry, host) =>
      Effect.gen(function*() {
        const events = yield* Effect.forkChild(
          registry.events.pipe(
            Stream.map(({ state }) => state),
            Stream.takeUntil((state) => state === "failed"),
            Stream.runCollect
          ),
          { startImmediately: true }
        )
        yield* registry.settled
        host.running[0]?.exit(1)
        yield* TestClock.adjust("1 second")
        const states = [...yield* Fiber.join(events)]
        assert.strictEqual(states.at(-1), "failed")
        const status = yield* registry.server("good")
        assert.strictEqual(status.error?._tag, "Exited")
        assert.strictEqual(status.error?.exitCode, 1)
      })))

  it.effect("selects by patterns and warns about names that nobody has (Decision 3)", () =>
    withRegistry(
      { good: { tools: [tool("read"), tool("find")] } },
      { good: { command: "good" } },
      (registry) =>
        Effect.gen(function*() {
          yield* registry.settled
          const view = yield* registry.view(["good_*", "!good_find", "good_raed", "grep"], ["grep"])
          assert.deepStrictEqual(view.tools.map(({ name }) => name), ["good_read"])
          assert.match(view.warnings.join(), /^no tool is called good_raed; did you mean good_read/)
        })
    ))
})
