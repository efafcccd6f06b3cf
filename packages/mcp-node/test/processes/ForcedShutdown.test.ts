import { ProcessTree } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ForcedShutdown from "../../src/processes/ForcedShutdown.ts"

const one = { pid: 200, marker: "one" }
const other = { pid: 300, marker: "other" }

/** A tree in a hurry once `hurry` is run, over one that writes down what it is asked to send. */
const hurried = Effect.gen(function*() {
  const sent: Array<string> = []
  const gone = new Set<string>()
  const moment = yield* Deferred.make<void>()
  const under = Layer.succeed(ProcessTree, {
    mark: Effect.succeed("mark"),
    watch: () => Effect.void,
    note: () => Effect.void,
    alive: ({ marker }) => Effect.sync(() => gone.has(marker) ? 0 : 2),
    signal: ({ marker }, signal) => Effect.sync(() => void sent.push(`${signal} ${marker}`))
  })
  const context = yield* Layer.build(ForcedShutdown.layer(Deferred.await(moment)).pipe(Layer.provide(under)))
  const hurry = Effect.andThen(Deferred.succeed(moment, undefined), Effect.yieldNow)
  return { tree: Context.get(context, ProcessTree), sent, gone, hurry }
})

describe("ForcedShutdown", () => {
  it.effect("passes signals on as they are while nobody is in a hurry", () =>
    Effect.gen(function*() {
      const { sent, tree } = yield* hurried
      assert.strictEqual(yield* tree.alive(one), 2)
      yield* tree.signal(one, "SIGTERM")
      yield* tree.signal(one, "SIGKILL")
      assert.deepStrictEqual(sent, ["SIGTERM one", "SIGKILL one"])
    }))

  it.effect("sends SIGKILL at once to what was asked before, and to all that is asked later", () =>
    Effect.gen(function*() {
      const { hurry, sent, tree } = yield* hurried
      yield* tree.signal(one, "SIGTERM")
      yield* hurry
      yield* tree.signal(other, "SIGTERM")
      assert.deepStrictEqual(sent, ["SIGTERM one", "SIGKILL one", "SIGKILL other"])
    }))

  it.effect("forgets what is gone", () =>
    Effect.gen(function*() {
      const { gone, hurry, sent, tree } = yield* hurried
      yield* tree.signal(one, "SIGTERM")
      yield* tree.signal(other, "SIGTERM")
      gone.add("one")
      yield* tree.alive(one)
      yield* tree.alive(other)
      yield* hurry
      assert.deepStrictEqual(sent, ["SIGTERM one", "SIGTERM other", "SIGKILL other"])
    }))
})
