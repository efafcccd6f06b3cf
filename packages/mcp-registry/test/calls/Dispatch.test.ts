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
import * as OfferingServers from "../support/OfferingServers.ts"
import * as Reloading from "../support/Reloading.ts"
import * as ScriptedHost from "../support/ScriptedHost.ts"

const MOVED = new ConnectionLost({ detail: "the server goes on elsewhere", isMoved: true })
const UNSENT = new ConnectionLost({ detail: "the server goes on elsewhere", isMoved: true, unsent: true })

/** Connections of which the first `moves` are lost at the first request of this kind, because their server moved. */
const moving = (what: "call" | "inquire" | "list", moves: number, reason = MOVED) => {
  const opened = { count: 0 }
  const source = Layer.succeed(
    ConnectionSource,
    (...options: Parameters<typeof Connect.open>) =>
      Effect.gen(function*() {
        const connection = yield* Connect.open(...options)
        return opened.count++ >= moves ? connection : yield* losing(connection, what, reason)
      })
  )
  const notes = platform({
    notes: { resources: { "note:1": "buy milk" }, tools: { read: () => Effect.succeed("buy milk") } }
  })
  return { opened, registry: Layer.provide(McpRegistry.layer(), Layer.provideMerge(source, notes)) }
}

/** A connection that is lost at the first request of this kind. */
const losing = Effect.fnUntraced(
  function*(connection: Connection, what: "call" | "inquire" | "list", reason: ConnectionLost) {
    const closed = yield* Deferred.make<ConnectionLost>()
    const lost = () => Effect.andThen(Deferred.succeed(closed, reason), Effect.fail(reason))
    return Object.create(connection, {
      pid: { value: null },
      closed: { value: Deferred.await(closed) },
      [what]: { value: lost }
    }) as Connection
  }
)

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

  it.effect("is made there, however often it moves: a call that was not sent", () =>
    Effect.gen(function*() {
      const { ended, opened } = yield* outcome(
        moving("call", 3, UNSENT),
        (registry) => registry.call("notes_read", {})
      )
      assert.include(ended, "buy milk")
      assert.strictEqual(opened, 4)
    }))

  it.effect("is made a second time and not a third", () =>
    Effect.gen(function*() {
      const { ended } = yield* outcome(moving("inquire", 9), (registry) => registry.readResource("notes", "note:1"))
      assert.strictEqual(ended, "ConnectionLost")
    }))
})

/**
 * A server that moves at its first request of this kind, to nodes that know a newer entry only. Those of the newer entry are
 * not sure of it for so many attempts.
 */
const renewed = (what: "call" | "inquire", unsure: number) => {
  let opened = 0
  const attempts = { newer: 0 }
  const source = Layer.succeed(
    ConnectionSource,
    (...options: Parameters<typeof Connect.open>) => {
      const [{ transport }] = options
      if (transport._tag === "stdio" && transport.command === "newer") {
        return attempts.newer++ < unsure ? Effect.fail(UNSENT) : Connect.open(...options)
      }
      return opened++ > 0
        ? Effect.fail(UNSENT)
        : Effect.flatMap(Connect.open(...options), (connection) => losing(connection, what, UNSENT))
    }
  )
  return { attempts, source }
}

const NOTES = OfferingServers.script({
  "tools/list": () => ({ tools: [ScriptedHost.tool("read")] }),
  "resources/list": () => ({ resources: [{ uri: "note:1", name: "note" }] }),
  "resources/read": () => ({ contents: [{ uri: "note:1", text: "buy milk" }] })
})

describe("A request that was not sent while its server moves and its entry changes", () => {
  const ended = (
    what: "call" | "inquire",
    unsure: number,
    request: (
      registry: McpRegistry["Service"]
    ) => Effect.Effect<unknown, { readonly reason: { readonly _tag: string } }>
  ) => {
    const { attempts, source } = renewed(what, unsure)
    return Reloading.withWorld(
      { server: NOTES, newer: NOTES },
      { notes: { command: "server" } },
      ({ registry, save }) =>
        Effect.gen(function*() {
          const asked = yield* Effect.forkChild(
            Effect.match(request(registry), { onSuccess: () => "answered", onFailure: ({ reason }) => reason._tag })
          )
          yield* ScriptedHost.advance(1)
          assert.isUndefined(asked.pollUnsafe(), "it waits for its server")
          yield* save({ notes: { command: "newer" } })
          yield* ScriptedHost.advance(20)
          assert.strictEqual(attempts.newer, unsure + 1)
          return yield* Fiber.join(asked)
        }),
      source
    ).pipe(Effect.map(({ result }) => result))
  }

  for (const unsure of [0, 3]) {
    const when = unsure === 0 ? "at once" : "when it is sure where it runs"
    it.effect(`is made by the server of the newer entry, ${when}: a call`, () =>
      Effect.gen(function*() {
        const call = (registry: McpRegistry["Service"]) => registry.call("notes_read", {})
        assert.strictEqual(yield* ended("call", unsure, call), "answered")
      }))

    it.effect(`is made by the server of the newer entry, ${when}: reading a resource`, () =>
      Effect.gen(function*() {
        const read = (registry: McpRegistry["Service"]) => registry.readResource("notes", "note:1")
        assert.strictEqual(yield* ended("inquire", unsure, read), "answered")
      }))
  }

  it.effect("has no more time than it had at first: a call", () =>
    Effect.gen(function*() {
      const limits = { maxTotalTimeout: "8 seconds" }
      const { source } = renewed("call", 0)
      yield* Reloading.withWorld(
        {
          server: NOTES,
          newer: {
            ...NOTES,
            answer: (message, server) => message["method"] === "tools/call" ? null : NOTES.answer?.(message, server)
          }
        },
        { notes: { command: "server", ...limits } },
        ({ registry, save }) =>
          Effect.gen(function*() {
            const call = yield* Effect.forkChild(Effect.flip(registry.call("notes_read", {})))
            yield* ScriptedHost.advance(5)
            yield* save({ notes: { command: "newer", ...limits } })
            yield* ScriptedHost.advance(4)
            assert.strictEqual(call.pollUnsafe()?._tag, "Success")
            assert.strictEqual((yield* Fiber.join(call)).reason._tag, "CallTimeout")
          }),
        source
      )
    }))
})
