import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as MemoryDisk from "../../../../mcp-client/test/support/MemoryDisk.ts"
import { Manifests, type McpErrorReason, type McpRegistry } from "../../../src/index.ts"
import type { WatchOptions } from "../../../src/servers/Offerings.ts"
import { type News, older, paramsTo, updated } from "../../support/NewsServers.ts"
import * as Reloading from "../../support/Reloading.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

const NOTE = "memo://note"
const ENTRY = { command: "news" }

const withNews = <A, E>(
  news: News,
  body: (world: Reloading.World) => Effect.Effect<A, E>,
  entry: Readonly<Record<string, unknown>> = {}
) => Reloading.withWorld({ news: older(news), other: older() }, { it: { ...ENTRY, ...entry } }, body)

/** Watches in the background: what it has heard, as `uri` a line, and what it failed with. */
const watching = Effect.fnUntraced(function*(registry: McpRegistry["Service"], uri = NOTE, options: WatchOptions = {}) {
  const heard: Array<string> = []
  const failed: Array<McpErrorReason> = []
  const fiber = yield* Effect.forkChild(
    registry.watchResource("it", uri, options).pipe(
      Stream.runForEach((update) => Effect.sync(() => void heard.push(update.uri))),
      Effect.catch(({ reason }) => Effect.sync(() => void failed.push(reason)))
    ),
    { startImmediately: true }
  )
  yield* ScriptedHost.drain
  return { heard, failed, leave: Effect.andThen(Fiber.interrupt(fiber), ScriptedHost.drain) }
})

const uris = (host: ScriptedHost.Host, method: string, at = 0) =>
  paramsTo(host.running[at], method).map(({ uri }) => uri)

const say = (host: ScriptedHost.Host, uri: string, at = 0) =>
  Effect.andThen(Effect.sync(() => host.running[at]?.say(updated(uri))), ScriptedHost.drain)

describe("McpRegistry.watchResource", () => {
  it.effect("asks the server once however many watch, and tells it to leave off when the last one goes", () =>
    withNews({}, ({ host, registry }) =>
      Effect.gen(function*() {
        const one = yield* watching(registry)
        const two = yield* watching(registry)
        const other = yield* watching(registry, "memo://other")
        assert.deepStrictEqual(uris(host, "resources/subscribe"), [NOTE, "memo://other"])
        yield* say(host, NOTE)
        yield* one.leave
        yield* say(host, NOTE)
        assert.deepStrictEqual([one.heard, two.heard, other.heard], [[NOTE], [NOTE, NOTE], []])
        assert.deepStrictEqual(uris(host, "resources/unsubscribe"), [])
        yield* two.leave
        assert.deepStrictEqual(uris(host, "resources/unsubscribe"), [NOTE])
        yield* other.leave
        assert.deepStrictEqual(uris(host, "resources/unsubscribe"), [NOTE, "memo://other"])
      })))

  it.effect("gives server, URI and time, of what is below a watched folder too, and of nothing else", () =>
    withNews({}, ({ host, registry }) =>
      Effect.gen(function*() {
        yield* TestClock.adjust("5 seconds")
        const updates = yield* Effect.forkChild(
          Stream.runCollect(Stream.take(registry.watchResource("it", "file:///a"), 2)),
          { startImmediately: true }
        )
        yield* ScriptedHost.drain
        for (const uri of ["file:///ab", "file:///", "file:///a/b.md", "file:///a"]) yield* say(host, uri)
        assert.deepStrictEqual(yield* Fiber.join(updates), [
          { server: "it", uri: "file:///a/b.md", at: 5000 },
          { server: "it", uri: "file:///a", at: 5000 }
        ])
      })))

  it.effect("takes the watch up again of a server that was restarted, and tells everybody once for what was missed", () =>
    withNews({}, ({ host, registry }) =>
      Effect.gen(function*() {
        const first = yield* watching(registry)
        // Nothing had to be asked for on its account.
        const second = yield* watching(registry)
        yield* registry.restart("it")
        yield* ScriptedHost.drain
        assert.deepStrictEqual(uris(host, "resources/subscribe", 1), [NOTE])
        assert.deepStrictEqual([first.heard, second.heard], [[NOTE], [NOTE]])
        yield* say(host, NOTE, 1)
        assert.deepStrictEqual([first.heard, second.heard], [[NOTE, NOTE], [NOTE, NOTE]])
        assert.deepStrictEqual([first.failed, second.failed], [[], []])
      })))

  it.effect("tells as soon as the server does, where that is wanted, and not before", () => {
    let isDeaf = true
    return withNews(
      { answers: { "resources/subscribe": () => isDeaf ? null : { result: {} } } },
      ({ registry }) =>
        Effect.gen(function*() {
          const first = yield* watching(registry, NOTE, { atStart: true })
          yield* ScriptedHost.advance(5)
          assert.deepStrictEqual(first.heard, [])
          isDeaf = false
          yield* ScriptedHost.advance(10)
          const second = yield* watching(registry, NOTE, { atStart: true })
          assert.deepStrictEqual([first.heard, second.heard], [[NOTE], [NOTE]])
        }),
      { timeout: "1 second" }
    )
  })

  it.effect("waits while a server is away that was there, and goes on when somebody starts it", () =>
    withNews({}, ({ host, registry }) =>
      Effect.gen(function*() {
        const { failed, heard } = yield* watching(registry)
        yield* registry.stop("it")
        yield* ScriptedHost.advance(120)
        assert.deepStrictEqual([heard, failed], [[], []])
        yield* registry.start("it")
        yield* ScriptedHost.drain
        assert.deepStrictEqual([heard, failed], [[NOTE], []])
        assert.lengthOf(host.running, 2)
      })))

  it.effect("goes over to the server that a changed entry makes, tells once for what was missed, and lets the old one go", () =>
    withNews({}, ({ host, registry, save }) =>
      Effect.gen(function*() {
        const { heard } = yield* watching(registry)
        yield* save({ it: { ...ENTRY, timeout: "30 seconds" } })
        assert.deepStrictEqual(uris(host, "resources/subscribe", 1), [NOTE])
        assert.deepStrictEqual(heard, [NOTE])
        yield* say(host, NOTE, 1)
        assert.deepStrictEqual(heard, [NOTE, NOTE])
        yield* ScriptedHost.advance(1)
        assert.strictEqual(host.alive(), 1)
      })))

  it.effect("ends with UnknownServer when the server is removed", () =>
    withNews({}, ({ registry, save }) =>
      Effect.gen(function*() {
        const { failed } = yield* watching(registry)
        yield* save({ other: { command: "other" } })
        assert.deepStrictEqual(failed.map(({ _tag }) => _tag), ["UnknownServer"])
      })))

  it.effect("fails by name for a server that is not there, that does not run, and that refuses this one", () =>
    withNews({ refused: ["memo://secret"] }, ({ host, registry }) =>
      Effect.gen(function*() {
        const good = yield* watching(registry)
        const refused = yield* watching(registry, "memo://secret")
        assert.deepStrictEqual(refused.failed.map(({ message }) => message), [
          "resources/subscribe: no such resource (-32602)"
        ])
        yield* say(host, NOTE)
        assert.deepStrictEqual([good.heard, good.failed], [[NOTE], []])
        yield* good.leave
        const nobody = yield* Effect.flip(Stream.runDrain(registry.watchResource("IT", NOTE)))
        assert.deepInclude(nobody.reason, { _tag: "UnknownServer", nearest: ["it"] })
        yield* registry.stop("it")
        const stopped = yield* watching(registry)
        assert.deepStrictEqual(stopped.failed.map(({ _tag }) => _tag), ["NotReady"])
      })))

  it.effect("does not ask a server for what it does not offer", () =>
    withNews({ capabilities: { tools: {}, resources: {} } }, ({ host, registry }) =>
      Effect.gen(function*() {
        const { failed } = yield* watching(registry)
        assert.deepStrictEqual(failed.map(({ message }) => message), ["the server does not offer updates of resources"])
        assert.deepStrictEqual(uris(host, "resources/subscribe"), [])
      })))

  it.effect("wakes a server that sleeps, and keeps it awake while somebody watches", () =>
    withNews({}, ({ host, registry }) =>
      Effect.gen(function*() {
        yield* ScriptedHost.advance(5)
        assert.isTrue((yield* registry.server("it")).idle)
        const { leave } = yield* watching(registry)
        yield* ScriptedHost.advance(60)
        assert.isFalse((yield* registry.server("it")).idle)
        yield* leave
        yield* ScriptedHost.advance(5)
        assert.isTrue((yield* registry.server("it")).idle)
        assert.lengthOf(host.running, 2)
      }), { idleTtl: "2 seconds" }))

  it.effect("wakes the lazy server that a changed entry makes", () => {
    const kept = Manifests.layerFolder("/state").pipe(Layer.provide(MemoryDisk.make().layer))
    const entry = { ...ENTRY, lazy: true }
    return Reloading.withWorld({ news: older() }, { it: entry }, ({ host, registry, save }) =>
      Effect.gen(function*() {
        const { failed, heard } = yield* watching(registry)
        // How long it may take says nothing about what it lists, so it need not be started for that.
        yield* save({ it: { ...entry, timeout: "30 seconds" } })
        yield* ScriptedHost.advance(2)
        assert.deepStrictEqual([heard, failed, host.alive()], [[NOTE], [], 1])
        yield* say(host, NOTE, host.running.length - 1)
        assert.deepStrictEqual(heard, [NOTE, NOTE])
      }), kept)
  })

  it.effect("asks no more often where many came and went while the server did not answer", () =>
    withNews(
      { answers: { "resources/subscribe": () => null } },
      ({ host, registry }) =>
        Effect.gen(function*() {
          yield* watching(registry)
          for (let count = 0; count < 20; count++) {
            const { leave } = yield* watching(registry, `memo://${count}`)
            yield* ScriptedHost.advance(2)
            yield* leave
          }
          yield* ScriptedHost.advance(60)
          const before = uris(host, "resources/subscribe").length
          yield* ScriptedHost.advance(300)
          assert.isAtMost(uris(host, "resources/subscribe").length - before, 5)
        }),
      { timeout: "1 second" }
    ))

  it.effect("asks anew for what the server may have left off telling", () => {
    const answers = { "resources/unsubscribe": () => null }
    return withNews({ answers }, ({ host, registry }) =>
      Effect.gen(function*() {
        yield* watching(registry, "memo://other")
        const { leave } = yield* watching(registry)
        yield* leave
        // The server does not say that it leaves off, and is given up on.
        yield* TestClock.adjust("1500 millis")
        yield* ScriptedHost.drain
        const { heard } = yield* watching(registry)
        assert.deepStrictEqual(uris(host, "resources/subscribe"), ["memo://other", NOTE, NOTE])
        yield* say(host, NOTE)
        assert.deepStrictEqual(heard, [NOTE])
      }), { timeout: "1 second" })
  })

  it.effect("asks again, at a falling pace, where the server does not answer", () => {
    let isDeaf = true
    return withNews(
      { answers: { "resources/subscribe": () => isDeaf ? null : { result: {} } } },
      ({ host, registry }) =>
        Effect.gen(function*() {
          const { failed, heard } = yield* watching(registry)
          yield* ScriptedHost.advance(60)
          const asked = uris(host, "resources/subscribe").length
          assert.isAtLeast(asked, 2)
          assert.isAtMost(asked, 12)
          isDeaf = false
          yield* ScriptedHost.advance(90)
          yield* say(host, NOTE)
          assert.deepStrictEqual([heard, failed], [[NOTE], []])
        }),
      { timeout: "1 second" }
    )
  })

  it.effect("tells ten times a second of what a server tells ten thousand times, and leaves the last out of none", () =>
    withNews({}, ({ host, registry }) =>
      Effect.gen(function*() {
        const heard: Array<string> = []
        yield* Effect.forkChild(
          Stream.runForEach(
            registry.watchResource("it", "memo:///"),
            ({ at, uri }) => Effect.sync(() => heard.push(`${uri} ${at}`))
          ),
          { startImmediately: true }
        )
        yield* ScriptedHost.drain
        for (let hundredth = 0; hundredth < 100; hundredth++) {
          yield* TestClock.adjust("10 millis")
          const line = `${JSON.stringify(updated(`memo:///${hundredth % 2}`))}\n`
          host.running[0]?.write(line.repeat(100))
          yield* ScriptedHost.drain
        }
        yield* ScriptedHost.advance(1)
        assert.isAtMost(heard.length, 50)
        assert.includeMembers(heard, ["memo:///0 990", "memo:///1 1000"])
      })))

  it.effect("keeps the newest 64 updates for a slow watcher", () =>
    withNews({}, ({ host, registry }) =>
      Effect.gen(function*() {
        const heard: Array<string> = []
        yield* Effect.forkChild(
          Stream.runForEach(registry.watchResource("it", "memo:///"), ({ uri }) =>
            Effect.andThen(Effect.sleep("1 second"), Effect.sync(() => heard.push(uri)))),
          { startImmediately: true }
        )
        yield* ScriptedHost.drain
        for (let count = 0; count < 300; count++) {
          host.running[0]?.say(updated(`memo:///${count}`))
        }
        yield* ScriptedHost.advance(250)
        assert.isAtMost(heard.length, 200)
        assert.strictEqual(heard.at(-1), "memo:///299")
      })))
})
