import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { McpRegistry } from "../../../src/index.ts"
import * as Freshness from "../../../src/tools/Freshness.ts"
import { askedOf, modern, told } from "../../support/NewsServers.ts"
import * as Reloading from "../../support/Reloading.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

type Json = Schema.JsonObject

/** A server whose lists hold for so many milliseconds, as far as it says so. */
const withLists = <A, E>(
  ttlMs: () => Json,
  body: (
    registry: McpRegistry["Service"],
    count: (method: string) => number,
    host: ScriptedHost.Host
  ) => Effect.Effect<A, E>,
  tools: () => Json | null = () => ({ tools: [ScriptedHost.tool("echo")] })
) =>
  Reloading.withWorld(
    {
      news: modern({
        answers: {
          "tools/list": () => {
            const listed = tools()
            return listed === null
              ? { error: { code: -32603, message: "not now" } }
              : { result: { resultType: "complete", ...listed, ...ttlMs() } }
          },
          "prompts/list": () => ({ result: { resultType: "complete", prompts: [], ...ttlMs() } })
        }
      })
    },
    { it: { command: "news" } },
    ({ host, registry }) => body(registry, (method) => askedOf(host.running[0], method).length, host)
  )

const use = (registry: McpRegistry["Service"]) => Effect.andThen(registry.view(undefined), ScriptedHost.drain)

describe("Lists that say for how long they hold (2026-07-28)", () => {
  it("are believed a second at least and a day at most, and a minute where they hold for no time at all", () => {
    const day = 24 * 60 * 60 * 1000
    assert.deepStrictEqual([-5, 0, 1, 999, 5000, day + 1].map(Freshness.believed), [
      60_000,
      60_000,
      1000,
      1000,
      5000,
      day
    ])
  })

  it.effect("are asked for again by the next caller once that is over, although the server tells of changes", () =>
    withLists(() => ({ ttlMs: 5000 }), (registry, count, host) =>
      Effect.gen(function*() {
        yield* registry.prompts("it")
        yield* ScriptedHost.advance(4)
        yield* registry.prompts("it")
        assert.strictEqual(count("prompts/list"), 1)
        yield* ScriptedHost.advance(60)
        assert.strictEqual(count("prompts/list"), 1)
        yield* registry.prompts("it")
        assert.strictEqual(count("prompts/list"), 2)
        host.running[0]?.say(told("notifications/prompts/list_changed"))
        yield* ScriptedHost.drain
        yield* registry.prompts("it")
        assert.strictEqual(count("prompts/list"), 3)
      })))

  it.effect("are believed until the server tells of a change, where it says nothing that can be used", () =>
    withLists(() => ({ ttlMs: "soon" }), (registry, count) =>
      Effect.gen(function*() {
        yield* registry.prompts("it")
        yield* ScriptedHost.advance(90)
        yield* registry.prompts("it")
        assert.strictEqual(count("prompts/list"), 1)
      })))

  it.effect("of tools are listed again in the background when they are next used, once, and never by themselves", () => {
    const names = ["one"]
    return withLists(
      () => ({ ttlMs: 10_000 }),
      (registry, count) =>
        Effect.gen(function*() {
          yield* use(registry)
          yield* ScriptedHost.advance(30)
          assert.strictEqual(count("tools/list"), 1)
          names.push("two")
          const { tools } = yield* registry.view(undefined)
          assert.deepStrictEqual(tools.map(({ tool }) => tool), ["one"])
          for (let times = 0; times < 10; times++) yield* use(registry)
          assert.strictEqual(count("tools/list"), 2)
          assert.deepStrictEqual((yield* registry.tools).map(({ tool }) => tool), ["one", "two"])
          yield* ScriptedHost.advance(9)
          yield* registry.call("it_one", {})
          assert.strictEqual(count("tools/list"), 2)
          yield* ScriptedHost.advance(2)
          yield* registry.call("it_one", {})
          yield* ScriptedHost.drain
          assert.strictEqual(count("tools/list"), 3)
        }),
      () => ({ tools: names.map((name) => ScriptedHost.tool(name)) })
    )
  })

  it.effect("of tools stay as they are when they cannot be listed again, and are left alone for a minute", () => {
    let isBroken = false
    return withLists(
      () => ({ ttlMs: 1000 }),
      (registry, count) =>
        Effect.gen(function*() {
          isBroken = true
          for (let second = 0; second < 59; second++) {
            yield* ScriptedHost.advance(1)
            yield* use(registry)
          }
          assert.strictEqual(count("tools/list"), 2)
          assert.deepStrictEqual((yield* registry.tools).map(({ tool }) => tool), ["echo"])
          yield* ScriptedHost.advance(5)
          yield* use(registry)
          assert.strictEqual(count("tools/list"), 3)
        }),
      () => isBroken ? null : { tools: [ScriptedHost.tool("echo")] }
    )
  })

  it.effect("that believe nothing at all have tools listed again once a minute while they are used", () =>
    withLists(() => ({ ttlMs: 0 }), (registry, count) =>
      Effect.gen(function*() {
        const before = count("tools/list")
        for (let second = 0; second < 150; second++) {
          yield* ScriptedHost.advance(1)
          yield* use(registry)
        }
        assert.strictEqual(count("tools/list"), before + 2)
      })))

  it.effect("of tools do not slow down what the server tells by itself", () =>
    withLists(() => ({ ttlMs: 1000 }), (registry, count, host) =>
      Effect.gen(function*() {
        for (let second = 0; second < 20; second++) {
          yield* ScriptedHost.advance(1)
          yield* use(registry)
        }
        const before = count("tools/list")
        assert.isAtLeast(before, 15)
        host.running[0]?.say(told("notifications/tools/list_changed"))
        yield* ScriptedHost.advance(1)
        assert.strictEqual(count("tools/list"), before + 1)
      })))
})
