import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { NotServed } from "../../src/bridge/NotServed.ts"
import * as ServerLink from "../../src/bridge/ServerLink.ts"

const target = (port: number, isOnDemand = false): ServerLink.Target => ({
  url: new URL(`http://127.0.0.1:${port}/mcp`),
  headers: {},
  isOnDemand
})

const scene = Effect.fnUntraced(function*(first: ServerLink.Target | null) {
  const at = { running: first, started: 0, over: Deferred.makeUnsafe<void>() }
  const link = yield* ServerLink.make({
    find: Effect.sync(() => at.running),
    start: Effect.sync(() => {
      at.started++
      return at.running = target(9000 + at.started, true)
    }),
    attend: () => Effect.suspend(() => Deferred.await(at.over))
  })
  const end = Effect.suspend(() => {
    const { over } = at
    at.running = null
    at.over = Deferred.makeUnsafe()
    return Deferred.succeed(over, undefined)
  }).pipe(Effect.delay("1 millis"), Effect.forkChild, Effect.andThen(TestClock.adjust("1 millis")))
  return { at, link, end, port: Effect.map(link.current, ({ url }) => url.port) }
})

describe("the way to the server", () => {
  it.effect("takes the server that runs, and starts one only where none does", () =>
    Effect.gen(function*() {
      const one = yield* scene(target(4266))
      assert.strictEqual(yield* one.port, "4266")
      assert.strictEqual(one.at.started, 0)
      const other = yield* scene(null)
      assert.strictEqual(yield* other.port, "9001")
      assert.strictEqual(other.at.started, 1)
    }))

  it.effect("gives a person ten seconds to start a server again, and starts none for a client that asks nothing", () =>
    Effect.gen(function*() {
      const { at, end, link, port } = yield* scene(target(4266))
      yield* port
      yield* end
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([at.started, link.running()], [0, null])
      at.running = target(4267)
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(link.running()?.url.port, "4267")
      yield* end
      const asking = yield* Effect.forkChild(port)
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual(at.started, 0)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* Fiber.join(asking), "9001")
    }))

  it.effect("starts a server anew at once where a bridge had started the one that ended", () =>
    Effect.gen(function*() {
      const { at, end, port } = yield* scene(null)
      yield* port
      yield* end
      const asking = yield* Effect.forkChild(port)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(asking), "9002")
      assert.strictEqual(at.started, 2)
    }))

  it.effect("fails with the reason where no server can be started", () =>
    Effect.gen(function*() {
      const why = new NotServed({ message: "it is broken", hint: "mend it" })
      const link = yield* ServerLink.make({
        find: Effect.succeed(null),
        start: Effect.fail(why),
        attend: () => Effect.never
      })
      assert.strictEqual(yield* Effect.flip(link.current), why)
    }))
})
