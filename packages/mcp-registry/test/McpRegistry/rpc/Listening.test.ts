import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import type { Send } from "../../../../mcp-client/src/rpc/Requests.ts"
import * as Subscription from "../../../../mcp-client/src/rpc/Subscription.ts"
import { McpRegistry } from "../../../src/index.ts"
import { acknowledged, askedOf, modern, type News, paramsTo, told, updated } from "../../support/NewsServers.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

type Json = Schema.JsonObject

const NOTE = "memo://note"
const LISTS = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
const LISTEN = "subscriptions/listen"

/** Runs with a program of revision 2026-07-28, and lets everything happen that does so at once. */
const withNews = <A, E>(
  news: News,
  body: (registry: McpRegistry["Service"], server: () => ScriptedHost.Running) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const host = yield* ScriptedHost.make({ news: modern(news) })
    const server = () => host.running.at(-1) ?? assert.fail("it does not run")
    return yield* McpRegistry.use((registry) =>
      Effect.andThen(Effect.andThen(registry.settled, ScriptedHost.drain), body(registry, server))
    ).pipe(Effect.provide(host.layer({ it: { command: "news" } })))
  })

const filters = (server: ScriptedHost.Running) => paramsTo(server, LISTEN).map(({ notifications }) => notifications)

const watching = Effect.fnUntraced(function*(registry: McpRegistry["Service"], uri: string) {
  const heard: Array<string> = []
  const failed: Array<string> = []
  const fiber = yield* Effect.forkChild(
    Stream.runForEach(registry.watchResource("it", uri), (update) => Effect.sync(() => void heard.push(update.uri)))
      .pipe(Effect.catch(({ reason }) => Effect.sync(() => void failed.push(reason.message)))),
    { startImmediately: true }
  )
  yield* ScriptedHost.drain
  return { heard, failed, leave: Effect.andThen(Fiber.interrupt(fiber), ScriptedHost.drain) }
})

const say = (server: ScriptedHost.Running, message: Json) =>
  Effect.andThen(Effect.sync(() => server.say(message)), ScriptedHost.drain)

/** What ends a listening: an answer to its request. */
const over = (listen: Json | undefined): Json => ({
  jsonrpc: "2.0",
  id: listen?.["id"] ?? null,
  result: { resultType: "complete" }
})

describe("subscriptions/listen (2026-07-28)", () => {
  it.effect("asks once for all lists whose changes the server says it tells of, before it lists the tools", () =>
    withNews({}, (_, server) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(filters(server()), [LISTS])
        const order = server().received.map(({ method }) => method)
        assert.deepStrictEqual(order, ["server/discover", LISTEN, "tools/list"])
      })))

  it.effect("asks nothing of a server that tells of nothing, until somebody watches a resource", () =>
    withNews(
      { capabilities: { tools: {}, resources: { subscribe: true } } },
      (registry, server) =>
        Effect.gen(function*() {
          assert.deepStrictEqual(filters(server()), [])
          const { leave } = yield* watching(registry, NOTE)
          assert.deepStrictEqual(filters(server()), [{ resourceSubscriptions: [NOTE] }])
          yield* leave
          const cancelled = paramsTo(server(), "notifications/cancelled").map(({ requestId }) => requestId)
          assert.deepStrictEqual(cancelled, askedOf(server(), LISTEN).map(({ id }) => id))
        })
    ))

  it.effect("hears that the tools changed", () => {
    let tools: ReadonlyArray<Json> = [ScriptedHost.tool("a")]
    const answers = { "tools/list": () => ({ result: { resultType: "complete", tools } }) }
    return withNews({ answers }, (registry, server) =>
      Effect.gen(function*() {
        tools = [...tools, ScriptedHost.tool("b")]
        yield* say(server(), told("notifications/tools/list_changed"))
        yield* ScriptedHost.advance(1)
        assert.deepStrictEqual((yield* registry.tools).map(({ name }) => name), ["it_a", "it_b"])
      }))
  })

  it.effect("believes a list until it is told, where the server listens, and a minute where it refuses to", () => {
    const lasting = (refuses: boolean) => {
      let listed = 0
      return withNews({
        answers: {
          "prompts/list": () => {
            listed++
            return { result: { resultType: "complete", prompts: [] } }
          },
          ...(refuses ? { [LISTEN]: () => ({ error: { code: -32601, message: "no" } }) } : {})
        }
      }, (registry, server) =>
        Effect.gen(function*() {
          yield* registry.prompts("it")
          yield* ScriptedHost.advance(90)
          yield* registry.prompts("it")
          return [listed, askedOf(server(), LISTEN).length]
        }))
    }
    return Effect.gen(function*() {
      assert.deepStrictEqual(yield* lasting(false), [1, 1])
      // Nor is it asked again to listen: it knows no such request.
      assert.deepStrictEqual(yield* lasting(true), [2, 1])
    })
  })

  it.effect("has the new request acknowledged before it takes the old one back, and hears each update once", () =>
    withNews({}, (registry, server) =>
      Effect.gen(function*() {
        const one = yield* watching(registry, NOTE)
        const two = yield* watching(registry, "memo://two")
        const both = ["memo://note", "memo://two"]
        assert.deepStrictEqual(filters(server()), [
          LISTS,
          { ...LISTS, resourceSubscriptions: [NOTE] },
          { ...LISTS, resourceSubscriptions: both }
        ])
        const [first, second, third] = askedOf(server(), LISTEN)
        const cancelled = paramsTo(server(), "notifications/cancelled").map(({ requestId }) => requestId)
        assert.deepStrictEqual(cancelled, [first?.["id"], second?.["id"]])
        // A server may tell both requests, of which one is over.
        yield* say(server(), updated(NOTE, second))
        yield* say(server(), updated(NOTE, third))
        assert.deepStrictEqual([one.heard, two.heard], [[NOTE], []])
      })))

  it.effect("fails the watch of a resource that the server leaves out of what it acknowledges", () =>
    withNews({ refused: ["memo://secret"] }, (registry, server) =>
      Effect.gen(function*() {
        const good = yield* watching(registry, NOTE)
        const { failed } = yield* watching(registry, "memo://secret")
        assert.deepStrictEqual(failed, ["the server does not offer updates of memo://secret"])
        yield* say(server(), updated(NOTE, askedOf(server(), LISTEN).at(-1)))
        assert.deepStrictEqual([good.heard, good.failed], [[NOTE], []])
      })))

  it.effect("takes what comes in one breath with the acknowledgement of what is asked for next", () =>
    Effect.gen(function*() {
      const told: Array<boolean> = []
      let asked = 0
      const listening = Subscription.make({
        send: ({ onNotice }) =>
          Effect.suspend(() => {
            const params = { _meta: { "io.modelcontextprotocol/subscriptionId": asked++ }, notifications: {} }
            onNotice?.({ kind: "acknowledged", params })
            told.push(listening.isCurrent(params))
            return Effect.never
          }),
        lists: () => ["tools"],
        scope: yield* Effect.scope,
        onHeard: () => {}
      })
      yield* listening.begin
      yield* ScriptedHost.drain
      yield* listening.watch([NOTE])
      assert.deepStrictEqual(told, [true, true])
      const of = (id: number) => listening.isCurrent({ _meta: { "io.modelcontextprotocol/subscriptionId": id } })
      assert.deepStrictEqual([of(0), of(1)], [false, true])
    }))

  it.effect("begins in the end, at which step ever who began it first was interrupted", () =>
    Effect.gen(function*() {
      const scope = yield* Effect.scope
      for (const budget of [2, 3, 4, 5]) {
        for (let steps = 0; steps < 12; steps++) {
          let asked = 0
          const send: Send = () => Effect.andThen(Effect.sync(() => void asked++), Effect.never)
          const { begin } = Subscription.make({ send, lists: () => ["tools"], scope, onHeard: () => {} })
          const first = yield* Effect.forkChild(Effect.provideService(begin, Scheduler.MaxOpsBeforeYield, budget))
          for (let step = 0; step < steps; step++) yield* Effect.yieldNow
          yield* Fiber.interrupt(first)
          yield* begin
          for (let step = 0; step < 200; step++) yield* Effect.yieldNow
          assert.strictEqual(asked, 1, `with ${budget}, after ${steps} steps`)
        }
      }
    }))

  it.effect("goes on with the others where the server knows one of them no more", () => {
    let isThere = true
    const answers = {
      [LISTEN]: ({ notifications }: Json, server: ScriptedHost.Running) => {
        if (!isThere && JSON.stringify(notifications).includes("memo://gone")) {
          return { error: { code: -32602, message: "no such resource" } }
        }
        server.say(acknowledged(server.received.at(-1) ?? {}))
        return null
      }
    }
    return withNews({ answers }, (registry, server) =>
      Effect.gen(function*() {
        const gone = yield* watching(registry, "memo://gone")
        const note = yield* watching(registry, NOTE)
        isThere = false
        yield* registry.restart("it")
        yield* ScriptedHost.drain
        assert.deepStrictEqual(gone.failed, ["subscriptions/listen: no such resource (-32602)"])
        assert.deepStrictEqual([note.failed, note.heard], [[], [NOTE]])
        yield* say(server(), updated(NOTE, askedOf(server(), LISTEN).at(-1)))
        assert.deepStrictEqual(note.heard, [NOTE, NOTE])
      }))
  })

  it.effect("listens again after the end of it, less and less often, and tells what may have been missed", () =>
    withNews({}, (registry, server) =>
      Effect.gen(function*() {
        const { failed, heard } = yield* watching(registry, NOTE)
        const last = () => askedOf(server(), LISTEN).at(-1)
        const before = askedOf(server(), LISTEN).length
        const listed = askedOf(server(), "tools/list").length
        yield* say(server(), over(last()))
        yield* TestClock.adjust(600)
        assert.lengthOf(askedOf(server(), LISTEN), before)
        yield* ScriptedHost.advance(2)
        assert.deepStrictEqual(filters(server()).at(-1), { ...LISTS, resourceSubscriptions: [NOTE] })
        assert.deepStrictEqual([heard, failed], [[NOTE], []])
        assert.lengthOf(askedOf(server(), "tools/list"), listed + 1)
        yield* say(server(), updated(NOTE, last()))
        assert.deepStrictEqual(heard, [NOTE, NOTE])
        // One that always ends at once.
        const asked = askedOf(server(), LISTEN).length
        for (let second = 0; second < 300; second++) {
          server().say(over(last()))
          yield* ScriptedHost.advance(1)
        }
        assert.isAtMost(askedOf(server(), LISTEN).length - asked, 14)
        assert.isAtLeast(askedOf(server(), LISTEN).length - asked, 5)
      })))

  it.effect("listens again when the server gives the request up, or does not acknowledge it", () => {
    let isMute = false
    const answers = {
      [LISTEN]: (_: Json, server: ScriptedHost.Running) => {
        if (!isMute) server.say(acknowledged(server.received.at(-1) ?? {}))
        return null
      }
    }
    return withNews({ answers }, (_, server) =>
      Effect.gen(function*() {
        isMute = true
        const [first] = askedOf(server(), LISTEN)
        yield* say(server(), told("notifications/cancelled", { requestId: first?.["id"] ?? null }))
        yield* ScriptedHost.advance(8)
        assert.lengthOf(askedOf(server(), LISTEN), 2)
        yield* ScriptedHost.advance(8)
        // The silent one is taken back before the next is made.
        const cancelled = paramsTo(server(), "notifications/cancelled").map(({ requestId }) => requestId)
        const [, second, ...later] = askedOf(server(), LISTEN)
        assert.deepStrictEqual(cancelled, [first?.["id"], second?.["id"]])
        assert.lengthOf(later, 1)
      }))
  })

  it.effect("refuses to watch at a server that knows no such request, and asks it no more", () =>
    withNews(
      { answers: { [LISTEN]: () => ({ error: { code: -32601, message: "no" } }) } },
      (registry, server) =>
        Effect.gen(function*() {
          const { failed } = yield* watching(registry, NOTE)
          assert.deepStrictEqual(failed, ["subscriptions/listen: no (-32601)"])
          yield* ScriptedHost.advance(30)
          yield* registry.refresh("it")
          yield* ScriptedHost.advance(2)
          assert.lengthOf(askedOf(server(), LISTEN), 2)
          assert.strictEqual((yield* registry.server("it")).state, "ready")
        })
    ))

  it.effect("listens over HTTP on a response that stays open, and again when it ends", () =>
    Effect.gen(function*() {
      let streams = 0
      const { fetch, of } = yield* ScriptedWeb.server((seen) => {
        const complete = { resultType: "complete", ttlMs: 0, cacheScope: "public" }
        const id = seen.message?.["id"] ?? null
        const give = (value: Json) => ScriptedWeb.json({ jsonrpc: "2.0", id, result: { ...complete, ...value } })
        switch (seen.method) {
          case "server/discover":
            return give({
              supportedVersions: ["2026-07-28"],
              capabilities: { tools: { listChanged: true } },
              serverInfo: { name: "w", version: "1" }
            })
          case "tools/list":
            return give({ tools: [ScriptedHost.tool("find")] })
          case LISTEN:
            return ScriptedWeb.events(
              [`data: ${JSON.stringify(acknowledged(seen.message ?? {}))}`],
              streams++ > 0
            )
          default:
            return undefined
        }
      })
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          yield* ScriptedHost.advance(3)
          assert.lengthOf(of(LISTEN), 2)
          yield* ScriptedHost.advance(300)
          assert.lengthOf(of(LISTEN), 2)
          assert.strictEqual((yield* registry.server("web")).state, "ready")
          assert.isFalse(of(LISTEN)[1]?.signal?.aborted)
        }))
      assert.isTrue(of(LISTEN)[1]?.signal?.aborted)
      assert.deepStrictEqual(of(LISTEN).map(({ headers }) => headers.get("mcp-method")), [LISTEN, LISTEN])
    }))
})
