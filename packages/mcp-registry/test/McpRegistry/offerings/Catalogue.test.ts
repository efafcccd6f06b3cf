import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { McpRegistry } from "../../../src/index.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

const { tool } = ScriptedHost

type Json = Schema.JsonObject

const CHANGED: Json = { jsonrpc: "2.0", method: "notifications/tools/list_changed" }

const withEntries = <A, E>(
  scripts: Readonly<Record<string, ScriptedHost.Script>>,
  entries: Readonly<Record<string, unknown>>,
  body: (registry: McpRegistry["Service"], host: ScriptedHost.Host) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const host = yield* ScriptedHost.make(scripts)
    return yield* McpRegistry.use((registry) => body(registry, host)).pipe(Effect.provide(host.layer(entries)))
  })

const initialized = (id: Schema.Json): Json => ({
  jsonrpc: "2.0",
  id,
  result: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "scripted", version: "1" }
  }
})

const NAMES = ["files", "git", "web"] as const
const TOOLS = ["b", "a", "c.d", "c_d"]

/** What the registry offers when its servers become ready in this order, and list their tools as they please. */
const offered = (order: ReadonlyArray<string>, tools: ReadonlyArray<string>, again: string | null) =>
  Effect.gen(function*() {
    const waiting = new Map<string, () => void>()
    const script = (name: string): ScriptedHost.Script => ({
      tools: tools.map((each) => tool(each)),
      answer: ({ id, method }, server) => {
        if (method !== "initialize" || id === undefined) return undefined
        waiting.set(name, () => server.say(initialized(id)))
        return null
      }
    })
    const entries = NAMES.map((name) => [name, { command: name, restart: "on-failure" }])
    return yield* withEntries(
      Object.fromEntries(NAMES.map((name) => [name, script(name)])),
      Object.fromEntries(entries),
      (registry, host) =>
        Effect.gen(function*() {
          yield* ScriptedHost.drain
          for (const name of order) {
            waiting.get(name)?.()
            yield* ScriptedHost.drain
            assert.strictEqual((yield* registry.server(name)).state, "ready")
          }
          if (again !== null) {
            host.running.find(({ command }) => command === again)?.exit(1)
            yield* ScriptedHost.advance(1)
            waiting.get(again)?.()
            yield* ScriptedHost.drain
            assert.strictEqual((yield* registry.server(again)).restarts, 1)
          }
          return JSON.stringify(yield* registry.tools)
        })
    )
  })

describe("Catalogue", () => {
  it.effect("is the same to the byte, in whatever order servers connect, list, connect again or are started anew (R51)", () =>
    Effect.gen(function*() {
      const first = yield* offered(["files", "git", "web"], TOOLS, null)
      assert.include(first, "git_c_d")
      for (const order of [["web", "git", "files"], ["git", "web", "files"], ["web", "files", "git"]]) {
        assert.strictEqual(yield* offered(order, TOOLS.toReversed(), null), first)
      }
      assert.strictEqual(yield* offered(["files", "git", "web"], TOOLS, "git"), first)
      assert.strictEqual(yield* offered(["web", "git", "files"], TOOLS.toSorted(), "files"), first)
    }))

  it.effect("filters again what a server lists anew: a denied tool is neither offered nor callable (R50)", () => {
    const listed = [tool("read"), tool("secret_a")]
    return withEntries(
      { server: { tools: listed } },
      { it: { command: "server", tools: ["*", "!secret_*"] } },
      (registry, host) =>
        Effect.gen(function*() {
          yield* registry.settled
          assert.deepStrictEqual((yield* registry.tools).map(({ name }) => name), ["it_read"])
          listed.push(tool("secret_b"), tool("find"))
          host.running[0]?.say(CHANGED)
          yield* ScriptedHost.advance(2)
          assert.deepStrictEqual((yield* registry.tools).map(({ name }) => name), ["it_find", "it_read"])
          for (const name of ["it_secret_a", "it_secret_b"]) {
            assert.strictEqual((yield* Effect.flip(registry.call(name, {}))).reason._tag, "RejectedByPolicy")
          }
          assert.deepStrictEqual(host.running[0]?.received.filter(({ method }) => method === "tools/call"), [])
        })
    )
  })

  it.effect("offers a server nothing that it does not handle, and answers at once what a server asks all the same (R56)", () =>
    withEntries({ server: { answer: ({ method }) => method === undefined ? null : undefined } }, {
      it: { command: "server", protocol: "legacy" }
    }, (registry, host) =>
      Effect.gen(function*() {
        yield* registry.settled
        const [server] = host.running
        const hello = server?.received.find(({ method }) => method === "initialize")?.["params"]
        assert.deepInclude(hello, { capabilities: {} })
        const methods = ["sampling/createMessage", "elicitation/create", "roots/list", "nobody/knows", "ping"]
        methods.forEach((method, index) => server?.say({ jsonrpc: "2.0", id: `s${index}`, method, params: {} }))
        yield* TestClock.adjust(0)
        yield* ScriptedHost.drain
        const answers = server?.received.filter(({ id, method }) => method === undefined && String(id).startsWith("s"))
        assert.deepStrictEqual(
          answers?.map((
            { error, id, result }
          ) => [id, result === undefined ? Reflect.get(Object(error), "code") : "ok"]),
          [["s0", -32601], ["s1", -32601], ["s2", -32601], ["s3", -32601], ["s4", "ok"]]
        )
      })))

  it.effect("tells of each server whether models need a person's yes for its resources, as `ask` of the entry says", () =>
    Effect.gen(function*() {
      const asks = { none: [], all: ["*"], named: ["resources"], others: ["*", "!resources"], tools: ["res_*"] }
      const entries = Object.entries(asks).map(([name, ask]) => [name, { command: name, ask, enabled: false }])
      yield* withEntries({}, Object.fromEntries(entries), (registry) =>
        Effect.gen(function*() {
          const asking = (yield* registry.servers).filter(({ asksResources }) => asksResources)
          assert.deepStrictEqual(asking.map(({ name }) => name), ["all", "named"])
        }))
    }))
})
