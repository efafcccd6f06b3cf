import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type { Verdict } from "../../../../mcp-client/src/host/ProtocolMemory.ts"
import { McpRegistry, ProtocolMemory } from "../../../src/index.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

type Json = Schema.JsonObject

const DISCOVER = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }
const MODERN = { era: "modern", reason: "it answered server/discover", discover: DISCOVER } as const
const LEGACY = { era: "legacy", reason: "it said so", discover: null } as const

/** A memory of one server. */
const memory = (first: Omit<Verdict, "at"> | null = null) => {
  let kept = first
  const layer = Layer.succeed(ProtocolMemory, {
    recall: () => Effect.map(DateTime.now, (at) => kept === null ? null : { ...kept, at }),
    remember: (_, verdict) => Effect.sync(() => void (kept = verdict)),
    forget: () => Effect.sync(() => void (kept = null))
  })
  return { kept: () => kept, layer }
}

const tools = [ScriptedHost.tool("find")]

/** What a server of this era says to a request; undefined is what one of 2025-11-25 says. */
const speak = (era: "legacy" | "modern" | "both", { id, method }: Json): Json | undefined => {
  const result = (value: Json): Json => ({ jsonrpc: "2.0", id: id ?? null, result: value })
  if (era === "legacy" || id === undefined) return undefined
  if (method === "server/discover") return result(DISCOVER)
  if (method === "tools/list") return result({ resultType: "complete", tools })
  if (method === "tools/call") return result({ resultType: "complete", content: [] })
  return era === "both"
    ? undefined
    : { jsonrpc: "2.0", id, error: { code: -32022, message: "too old", data: { supported: ["2026-07-28"] } } }
}

/** How a server of the old way may take a question of the new one, as the specification says. */
const MISFITS = {
  "an error": ({ id }: Json): Json => ({ jsonrpc: "2.0", id: id ?? null, error: { code: -32002, message: "not yet" } }),
  "method not found": ({ id }: Json): Json => ({
    jsonrpc: "2.0",
    id: id ?? null,
    error: { code: -32601, message: "?" }
  }),
  "silence": (): Json | null => null,
  "an answer of its own revision": ({ id }: Json): Json => ({ jsonrpc: "2.0", id: id ?? null, result: { tools } })
}

describe("RememberedEra over HTTP", () => {
  const posts = (web: ScriptedWeb.Server) => web.seen.flatMap(({ method }) => method === null ? [] : [method])

  /** A start with this memory, as long as it takes. */
  const start = (web: ScriptedWeb.Server, layer: Layer.Layer<never>) =>
    Effect.gen(function*() {
      const run = ScriptedWeb.withRegistry(web.fetch, {}, (registry) =>
        Effect.andThen(registry.call("web_find", {}), registry.server("web")))
      const fiber = yield* Effect.forkChild(run)
      yield* ScriptedHost.advance(12)
      return yield* Fiber.join(fiber)
    }).pipe(Effect.provide(layer))

  const speaking = (era: "legacy" | "modern" | "both") =>
    ScriptedWeb.server((seen) => {
      if (era === "modern" && seen.verb !== "POST") return new Response(null, { status: 405 })
      const answer = speak(era, seen.message ?? {})
      return answer === undefined ? undefined : ScriptedWeb.json(answer)
    })

  it.effect("saves the question at the second start, in both eras (R91)", () =>
    Effect.gen(function*() {
      const before = { legacy: ["initialize", "notifications/initialized", "tools/list"], modern: ["tools/list"] }
      for (const era of ["legacy", "modern"] as const) {
        const { kept, layer } = memory()
        const first = yield* speaking(era)
        yield* start(first, layer)
        assert.deepStrictEqual(posts(first), ["server/discover", ...before[era], "tools/call"])
        assert.strictEqual(kept()?.era, era)
        const second = yield* speaking(era)
        yield* start(second, layer)
        assert.deepStrictEqual(posts(second), [...before[era], "tools/call"])
      }
    }))

  it.effect("asks within the same start when a server does not speak the revision any more that it did (R91)", () =>
    Effect.gen(function*() {
      const statuses = [400, 404, 405].map((status) => () => new Response("what session?", { status }))
      const answers = [
        ...Object.values(MISFITS).map((misfit) => ({ message }: ScriptedWeb.Seen) => {
          const answer = misfit(message ?? {})
          return answer === null ? null : ScriptedWeb.json(answer)
        }),
        ...statuses
      ]
      for (const answer of answers) {
        const { kept, layer } = memory(MODERN)
        const web = yield* ScriptedWeb.server((seen) =>
          seen.method === "tools/list" && !seen.headers.has("mcp-session-id") ? answer(seen) : undefined
        )
        const status = yield* start(web, layer)
        assert.strictEqual(status.protocolVersion, "2025-11-25", String(answer))
        assert.strictEqual(kept()?.era, "legacy")
        assert.deepStrictEqual(posts(web).filter((method) => method !== "notifications/cancelled"), [
          "tools/list",
          "server/discover",
          "initialize",
          "notifications/initialized",
          "tools/list",
          "tools/call"
        ])
      }
    }))

  it.effect("asks within the same start when a server refuses initialize that answered it once (R91)", () =>
    Effect.gen(function*() {
      for (const status of [200, 400]) {
        const { kept, layer } = memory(LEGACY)
        const web = yield* ScriptedWeb.server((seen) => {
          if (seen.verb !== "POST") return new Response(null, { status: 405 })
          const answer = JSON.stringify(speak("modern", seen.message ?? {}))
          return new Response(answer, {
            status: seen.method === "initialize" ? status : 200,
            headers: { "content-type": "application/json" }
          })
        })
        assert.strictEqual((yield* start(web, layer)).protocolVersion, "2026-07-28")
        assert.strictEqual(kept()?.era, "modern")
        assert.deepStrictEqual(posts(web), ["initialize", "server/discover", "tools/list", "tools/call"])
      }
    }))

  it.effect("goes on in the old way with an upgraded server that still knows it, until the verdict is too old (R91)", () =>
    Effect.gen(function*() {
      const web = yield* speaking("both")
      assert.strictEqual((yield* start(web, memory(LEGACY).layer)).protocolVersion, "2025-11-25")
      assert.notInclude(posts(web), "server/discover")
    }))

  it.effect("keeps nothing that may be otherwise the next time, nor what a broken file holds (R91)", () =>
    Effect.gen(function*() {
      const stumbling = memory()
      const web = yield* ScriptedWeb.server(({ method }) =>
        method === "server/discover" ? new Response("busy", { status: 503 }) : undefined
      )
      assert.strictEqual((yield* start(web, stumbling.layer)).state, "ready")
      assert.isNull(stumbling.kept())
      for (const discover of [null, {}, { ...DISCOVER, capabilities: {} }, { ...DISCOVER, supportedVersions: [] }]) {
        const { kept, layer } = memory({ ...MODERN, discover })
        const modern = yield* speaking("modern")
        assert.strictEqual((yield* start(modern, layer)).protocolVersion, "2026-07-28")
        assert.strictEqual(posts(modern)[0], "server/discover")
        assert.deepStrictEqual(kept()?.discover, DISCOVER)
      }
    }))

  it.effect("keeps a verdict that credentials or the network have nothing to do with, without asking anew (R91)", () =>
    Effect.gen(function*() {
      const web = yield* ScriptedWeb.server(() => new Response(null, { status: 401 }))
      const { layer } = memory(MODERN)
      yield* ScriptedWeb.withRegistry(web.fetch, {}, (registry) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* registry.server("web")).state, "needs-auth")
          assert.deepStrictEqual(posts(web), ["tools/list"])
        })).pipe(Effect.provide(layer))
    }))
})

describe("RememberedEra of a program", () => {
  const received = (host: ScriptedHost.Host) =>
    host.running.map(({ received }) => received.map(({ method }) => String(method)))

  const start = (host: ScriptedHost.Host, layer: Layer.Layer<never>) =>
    Effect.gen(function*() {
      const run = McpRegistry.use((registry) => Effect.andThen(registry.settled, registry.server("s")))
      const fiber = yield* Effect.forkChild(run.pipe(Effect.provide(host.layer({ s: { command: "server" } }))))
      yield* ScriptedHost.advance(12)
      return yield* Fiber.join(fiber)
    }).pipe(Effect.provide(layer))

  it.effect("asks on the same process when a program does not speak the revision any more that it did (R91)", () =>
    Effect.gen(function*() {
      for (const [how, misfit] of Object.entries(MISFITS)) {
        const { kept, layer } = memory(MODERN)
        let isGreeted = false
        const host = yield* ScriptedHost.make({
          server: {
            answer: (message) => {
              isGreeted ||= message["method"] === "initialize"
              return message["method"] === "tools/list" && !isGreeted ? misfit(message) : undefined
            }
          }
        })
        assert.strictEqual((yield* start(host, layer)).protocolVersion, "2025-11-25", how)
        assert.strictEqual(kept()?.era, "legacy")
        assert.lengthOf(host.running, 1)
        assert.deepStrictEqual(received(host)[0]?.filter((method) => method !== "notifications/cancelled"), [
          "tools/list",
          "server/discover",
          "initialize",
          "notifications/initialized",
          "tools/list"
        ])
      }
    }))

  it.effect("starts a program anew that ends at a question of the revision it once spoke (R91)", () =>
    Effect.gen(function*() {
      const { kept, layer } = memory(MODERN)
      const host = yield* ScriptedHost.make({
        server: {
          answer: ({ method }, server) => {
            const isEarly = !server.received.some((message) => message["method"] === "initialize")
            if (!isEarly || method === "initialize") return undefined
            server.exit(1)
            return null
          }
        }
      })
      assert.strictEqual((yield* start(host, layer)).protocolVersion, "2025-11-25")
      assert.strictEqual(kept()?.reason, "it ended when it was asked server/discover")
      assert.deepStrictEqual(received(host).map(([first]) => first), ["tools/list", "server/discover", "initialize"])
      assert.strictEqual(host.alive(), 0)
    }))

  it.effect("greets a program at its next try that said something else when it ended at the question (R91)", () =>
    Effect.gen(function*() {
      const { kept, layer } = memory()
      const host = yield* ScriptedHost.make({
        server: {
          answer: ({ method }, server) => {
            if (server.received.some((message) => message["method"] === "initialize")) return undefined
            if (method === "initialize") return undefined
            server.complain("Error: set API_KEY\n")
            server.exit(1)
            return null
          }
        }
      })
      const run = McpRegistry.use((registry) => Effect.andThen(ScriptedHost.advance(3), registry.server("s")))
      const status = yield* Effect.provide(run, Layer.provide(host.layer({ s: { command: "server" } }), layer))
      assert.strictEqual(status.protocolVersion, "2025-11-25")
      assert.deepStrictEqual(received(host).map(([first]) => first), ["server/discover", "initialize"])
      // Why it ended is not known, so the next program asks again.
      assert.isNull(kept())
    }))

  it.effect("starts a program again at once that printed a banner and ended at the question (R91)", () =>
    Effect.gen(function*() {
      const { kept, layer } = memory()
      const host = yield* ScriptedHost.make({
        server: {
          answer: ({ method }, server) => {
            if (method !== "server/discover") return undefined
            server.complain("server running on stdio\n")
            server.exit(1)
            return null
          }
        }
      })
      const run = McpRegistry.use((registry) => Effect.andThen(registry.settled, registry.server("s")))
      const fiber = yield* Effect.forkChild(
        Effect.provide(run, Layer.provide(host.layer({ s: { command: "server" } }), layer))
      )
      yield* ScriptedHost.advance(3)
      assert.strictEqual((yield* Fiber.join(fiber)).state, "ready")
      assert.strictEqual(kept()?.reason, "it ended when it was asked server/discover")
    }))

  it.effect("asks a program again for its revision that answered once and then ended (R91)", () =>
    Effect.gen(function*() {
      let ends = 1
      const host = yield* ScriptedHost.make({
        server: {
          answer: (message, server) => {
            if (message["method"] !== "tools/list" || ends-- <= 0) return speak("modern", message)
            server.complain("Error: connect ECONNREFUSED\n")
            server.exit(1)
            return null
          }
        }
      })
      const run = McpRegistry.use((registry) => Effect.andThen(ScriptedHost.advance(3), registry.server("s")))
      const status = yield* Effect.provide(run, Layer.provide(host.layer({ s: { command: "server" } }), memory().layer))
      assert.strictEqual(status.protocolVersion, "2026-07-28")
    }))

  it.effect("takes no late answer to what it asked at first for one to what it asked after that (R91)", () =>
    Effect.gen(function*() {
      const early: Array<Json> = []
      let isUp = false
      const host = yield* ScriptedHost.make({
        server: {
          answer: (message) => {
            if (isUp) return speak("modern", message)
            early.push(message)
            return null
          }
        }
      })
      const run = McpRegistry.use((registry) => Effect.andThen(registry.settled, registry.server("s")))
      const layer = host.layer({ s: { command: "server", startupTimeout: "30 seconds" } })
      const fiber = yield* Effect.forkChild(Effect.provide(run, Layer.provide(layer, memory(MODERN).layer)))
      yield* ScriptedHost.advance(12)
      assert.include(received(host).flat(), "initialize")
      // It was only slow, and answers now all that it was asked, in order.
      isUp = true
      for (const answer of early.map((message) => speak("modern", message))) if (answer) host.running[0]?.say(answer)
      yield* ScriptedHost.advance(20)
      const { error, protocolVersion } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([error?.message, protocolVersion], [undefined, "2026-07-28"])
    }))

  it.effect("lists the tools once when what is remembered fits (R91)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ server: { answer: (message) => speak("modern", message) } })
      const status = yield* start(host, memory(MODERN).layer)
      assert.deepStrictEqual([status.tools, status.protocolVersion], [1, "2026-07-28"])
      assert.deepStrictEqual(received(host), [["tools/list"]])
    }))
})
