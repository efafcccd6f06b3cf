import { Environment, McpConfig } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import * as ServerState from "../../src/state/ServerState.ts"
import * as StateRef from "../../src/state/StateRef.ts"

const made = McpConfig.use(({ current }) => Effect.map(current, ({ servers }) => servers[0])).pipe(
  Effect.flatMap((entry) => entry === undefined ? Effect.die("no server") : Effect.succeed(StateRef.make(entry))),
  Effect.provide(
    Layer.provide(
      McpConfig.layerEntries({ s: { command: "server" } }),
      Layer.mergeAll(Environment.layer({}), FileSystem.layerNoop({}), Path.layer)
    )
  )
)

const STOPPED = { _tag: "Stopped" } as const
const LAUNCHED = { _tag: "Launched" } as const
const CLOSED = { _tag: "Closed" } as const

describe("The state of a server", () => {
  it.effect("is told in order to all, also when somebody who hears of it changes it at once", () =>
    Effect.gen(function*() {
      const ref = yield* made
      const heard: Array<string> = []
      const follow = (who: string) =>
        StateRef.follow(ref, (state) => void heard.push(`${who} ${ServerState.stateOf(state)}`))
      yield* follow("first")
      const relaunched = StateRef.until(ref, ({ phase }) => phase._tag === "Stopped").pipe(
        Effect.andThen(StateRef.send(ref, LAUNCHED))
      )
      const fiber = yield* Effect.forkChild(relaunched, { startImmediately: true })
      yield* follow("last")
      yield* StateRef.send(ref, STOPPED)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(heard, [
        "first connecting",
        "last connecting",
        "first stopped",
        "last stopped",
        "first connecting",
        "last connecting"
      ])
    }))

  it.effect("ends with that of a closed server, for who waits for another", () =>
    Effect.gen(function*() {
      const ref = yield* made
      const seen = yield* Effect.forkChild(Stream.runCollect(StateRef.changes(ref)), { startImmediately: true })
      const never = yield* Effect.forkChild(StateRef.until(ref, () => false), { startImmediately: true })
      yield* Effect.yieldNow
      yield* StateRef.send(ref, STOPPED)
      yield* StateRef.send(ref, CLOSED)
      assert.deepStrictEqual((yield* Fiber.join(seen)).map(({ phase }) => phase._tag), [
        "Connecting",
        "Stopped",
        "Closed"
      ])
      assert.strictEqual((yield* Fiber.join(never)).phase._tag, "Closed")
      assert.deepStrictEqual(ref.listeners, [])
    }))
})
