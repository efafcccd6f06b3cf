import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { withWorld, type World } from "../../support/Reloading.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

const { tool } = ScriptedHost

const SCRIPT: ScriptedHost.Script = {
  tools: [
    tool("read", { annotations: { readOnlyHint: true } }),
    tool("write", { annotations: { readOnlyHint: false, openWorldHint: true } }),
    tool("erase", { annotations: { readOnlyHint: true, destructiveHint: true } }),
    tool("silent")
  ]
}

const entry = (more: object = {}) => ({ it: { command: "server", ...more } })

const withEntry = <A, E>(more: object, body: (world: World) => Effect.Effect<A, E>) =>
  withWorld({ server: SCRIPT }, entry(more), body)

const names = (tools: ReadonlyArray<{ readonly tool: string }>) => tools.map((one) => one.tool)

describe("Tools that write", () => {
  it.effect("are known under their names and refused, and called for who says that they write", () =>
    withEntry({}, ({ host, registry }) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(names(yield* registry.tools), ["read", "silent"])
        const writers = yield* registry.writers
        assert.deepStrictEqual(
          writers.map((one) => [one.name, one.class, one.isOpenWorld, one.needsApproval]),
          [["it_erase", "destroys", false, true], ["it_write", "writes", true, true]]
        )
        const [, write] = writers
        if (write === undefined) return assert.fail("no writer")
        const hint = "boocode mcp writes it ask offers it, each call with your yes"
        const refused = [
          yield* Effect.flip(registry.call("it_write", {})),
          yield* Effect.flip(registry.callTool(write, {})),
          yield* Effect.flip(registry.tool("it_write"))
        ]
        for (const error of refused) {
          assert.deepStrictEqual([error.reason._tag, error.hint], ["RejectedByPolicy", hint])
        }
        const sent = () => host.running[0]?.received.filter(({ method }) => method === "tools/call").length
        assert.strictEqual(sent(), 0)
        assert.isFalse((yield* registry.callTool(write, {}, { writes: true })).isError)
        assert.strictEqual(sent(), 1)
        const { classes, offer, writes } = yield* registry.server("it")
        assert.deepStrictEqual(classes, { reads: 1, undeclared: 1, writes: 1, destroys: 1 })
        assert.deepStrictEqual([offer, writes], [hint, null])
      })))

  it.effect("are not called by a caller who knows them as tools that do not write", () =>
    withEntry({ writes: "ask" }, ({ host, registry, save }) =>
      Effect.gen(function*() {
        const silent = yield* registry.tool("it_silent")
        assert.isFalse((yield* registry.callTool(silent, {})).isError)
        yield* save(entry({ writes: "ask", classes: { silent: "writes" } }))
        const { message, reason } = yield* Effect.flip(registry.callTool(silent, {}))
        assert.deepStrictEqual([reason._tag, message], [
          "ToolsChanged",
          "it: silent is blocked: it counts as a tool that writes since this call was decided about"
        ])
        assert.strictEqual(host.running[0]?.received.filter(({ method }) => method === "tools/call").length, 1)
        assert.isFalse((yield* registry.callTool(yield* registry.tool("it_silent"), {})).isError)
      })))

  it.effect("are offered by their entry, and taken back, while the server runs on", () =>
    withEntry({}, ({ host, registry, save }) =>
      Effect.gen(function*() {
        yield* save(entry({ writes: "ask" }))
        const { asks, offer, pid, writes } = yield* registry.server("it")
        assert.deepStrictEqual([asks, offer, pid, writes], [2, null, 1, "ask"])
        assert.deepStrictEqual((yield* registry.tools).map((one) => [one.tool, one.needsApproval]), [
          ["erase", true],
          ["read", false],
          ["silent", false],
          ["write", true]
        ])
        assert.deepStrictEqual([yield* registry.writers, yield* registry.rejected], [[], []])
        const [erase] = yield* registry.tools
        if (erase === undefined) return assert.fail("no tool")
        assert.isFalse((yield* registry.callTool(erase, {})).isError)
        yield* save(entry())
        assert.deepStrictEqual(names(yield* registry.tools), ["read", "silent"])
        assert.strictEqual((yield* Effect.flip(registry.callTool(erase, {}))).reason._tag, "RejectedByPolicy")
        yield* save(entry({ writes: "off" }))
        assert.deepStrictEqual([yield* registry.writers, names(yield* registry.rejected)], [[], ["write", "erase"]])
        assert.strictEqual(
          (yield* Effect.flip(registry.callTool(erase, {}, { writes: true }))).reason._tag,
          "RejectedByPolicy"
        )
        yield* save(entry({ trustAnnotations: false }))
        assert.deepStrictEqual(names(yield* registry.tools), [])
        yield* save(entry({ trustAnnotations: false, classes: { read: "reads", write: "undeclared" } }))
        assert.deepStrictEqual((yield* registry.tools).map((one) => [one.tool, one.class]), [
          ["read", "reads"],
          ["write", "undeclared"]
        ])
        assert.strictEqual(host.running.length, 1)
      })))

  it.effect("wake a server that sleeps, where they are called as writers, and are refused as before otherwise", () =>
    withEntry({ idleTtl: "1 second" }, ({ host, registry }) =>
      Effect.gen(function*() {
        const [erase] = yield* registry.writers
        if (erase === undefined) return assert.fail("no writer")
        yield* ScriptedHost.advance(10)
        assert.isTrue((yield* registry.server("it")).idle)
        assert.strictEqual((yield* Effect.flip(registry.callTool(erase, {}))).reason._tag, "RejectedByPolicy")
        assert.isTrue((yield* registry.server("it")).idle)
        const call = yield* Effect.forkChild(registry.callTool(erase, {}, { writes: true }))
        yield* ScriptedHost.advance(1)
        assert.isFalse((yield* Fiber.join(call)).isError)
        assert.strictEqual(host.running.length, 2)
      })))

  it.effect("are judged anew when they are listed again after a change of the entry", () =>
    withEntry({}, ({ registry, save }) =>
      Effect.gen(function*() {
        yield* save(entry({ writes: "ask" }))
        yield* registry.refresh("it")
        assert.deepStrictEqual(names(yield* registry.tools), ["erase", "read", "silent", "write"])
      })))
})
