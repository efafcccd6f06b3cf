import * as Connect from "@boocode/mcp-client/Connect"
import type { Connection } from "@boocode/mcp-client/Connection"
import { ConnectionLost } from "@boocode/mcp-client/McpError"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { ConnectionSource, McpRegistry } from "../../src/index.ts"
import { platform } from "../../src/servers/ScriptedServers.ts"

const MOVED = new ConnectionLost({ detail: "the server goes on elsewhere", isMoved: true })

/** Connections of which the first `moves` are lost at the first request of this kind, because their server moved. */
const moving = (what: "inquire" | "list", moves: number) => {
  const opened = { count: 0 }
  const source = Layer.succeed(
    ConnectionSource,
    (...options: Parameters<typeof Connect.open>) =>
      Effect.gen(function*() {
        const connection = yield* Connect.open(...options)
        if (opened.count++ >= moves) return connection
        const closed = yield* Deferred.make<ConnectionLost>()
        const lost = () => Effect.andThen(Deferred.succeed(closed, MOVED), Effect.fail(MOVED))
        return Object.create(connection, {
          pid: { value: null },
          closed: { value: Deferred.await(closed) },
          [what]: { value: lost }
        }) as Connection
      })
  )
  const notes = platform({ notes: { resources: { "note:1": "buy milk" } } })
  return { opened, registry: Layer.provide(McpRegistry.layer(), Layer.provideMerge(source, notes)) }
}

const outcome = Effect.fnUntraced(function*<A>(
  { opened, registry }: ReturnType<typeof moving>,
  request: (registry: McpRegistry["Service"]) => Effect.Effect<A, { readonly reason: { readonly _tag: string } }>
) {
  const run = McpRegistry.use((registry) => Effect.andThen(registry.settled, request(registry))).pipe(
    Effect.match({ onSuccess: JSON.stringify, onFailure: ({ reason }) => reason._tag }),
    Effect.provide(registry)
  )
  const asked = yield* Effect.forkChild(run)
  yield* TestClock.adjust("10 seconds")
  return { ended: yield* Fiber.join(asked), opened: opened.count }
})

describe("A request whose server goes on elsewhere meanwhile", () => {
  it.effect("is made there: reading a resource", () =>
    Effect.gen(function*() {
      const { ended, opened } = yield* outcome(
        moving("inquire", 1),
        (registry) => registry.readResource("notes", "note:1")
      )
      assert.include(ended, "buy milk")
      assert.strictEqual(opened, 2)
    }))

  it.effect("is made there: a list", () =>
    Effect.gen(function*() {
      const { ended, opened } = yield* outcome(moving("list", 1), (registry) => registry.resources())
      assert.include(ended, "note:1")
      assert.strictEqual(opened, 2)
    }))

  it.effect("is made a second time and not a third", () =>
    Effect.gen(function*() {
      const { ended } = yield* outcome(moving("inquire", 9), (registry) => registry.readResource("notes", "note:1"))
      assert.strictEqual(ended, "ConnectionLost")
    }))
})
