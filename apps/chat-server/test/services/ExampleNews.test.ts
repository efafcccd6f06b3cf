import { WorkspaceTools } from "@boocode/chat"
import { McpRegistries, McpRegistry } from "@boocode/mcp-registry"
import { Permissions, PermissionText } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { TestClock } from "effect/testing"
import * as ExampleNews from "../../src/services/ExampleNews.ts"

const FILE = "data/permissions.jsonc"

const content = (rules: ReadonlyArray<object>, tool = "grep") =>
  PermissionText.read(
    JSON.stringify({ rules, examples: [{ tool, expect: "deny" }] }),
    FILE,
    "user"
  )

const grep = {
  name: "grep",
  server: null,
  description: "",
  inputSchema: {},
  tokens: 1,
  isAlwaysLoaded: false,
  run: () => Effect.die("not used")
}

describe("ExampleNews", () => {
  it.effect("runs the examples after each change of a file, once servers settled, and tells what fails once", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const settled = yield* Deferred.make<void>()
      const ref = yield* SubscriptionRef.make([content([{ deny: "grep" }])])
      const world = Layer.mergeAll(
        WorkspaceTools.layerOf([grep]),
        Layer.provideMerge(
          McpRegistries.layerSame,
          Layer.mock(McpRegistry, {
            servers: Effect.succeed([]),
            tools: Effect.succeed([]),
            writers: Effect.succeed([]),
            rejected: Effect.succeed([]),
            settled: Effect.as(Deferred.await(settled), { connected: [], failed: [] })
          })
        ),
        Layer.succeed(
          Permissions,
          Permissions.of({
            contents: SubscriptionRef.get(ref),
            changes: SubscriptionRef.changes(ref),
            file: FILE,
            files: Effect.succeed([]),
            reload: Effect.void
          })
        ),
        Logger.layer([Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))])
      )
      yield* Layer.build(Layer.provide(ExampleNews.layer, world))
      const save = Effect.fnUntraced(function*(next: ReturnType<typeof content>) {
        yield* SubscriptionRef.set(ref, [next])
        yield* TestClock.adjust(0)
        return lines.splice(0)
      })
      const fails =
        `Warn ${FILE}:1: the example of grep expects deny and comes out as allow, because no rule is about it`
      assert.deepStrictEqual(yield* save(content([])), [])
      yield* Deferred.succeed(settled, undefined)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(lines.splice(0), [fails])
      assert.deepStrictEqual(yield* save(content([])), [])
      assert.deepStrictEqual(yield* save(content([{ deny: "grep" }])), [])
      assert.deepStrictEqual(yield* save(content([])), [fails])
      assert.deepStrictEqual(yield* save(content([], "nobody")), [
        `Warn ${FILE}:1: the example of nobody cannot be run: no tool is called nobody`
      ])
    }))
})
