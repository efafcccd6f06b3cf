import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { McpRegistry } from "../../src/index.ts"

const registry = McpRegistry.layerTest({
  files: {
    tools: {
      list: () => Effect.succeed("hello.txt"),
      read: ({ path }) => Effect.fail(`${String(path)} is not there`),
      write: () => Effect.succeed("written")
    },
    definitions: { list: { description: "Lists." }, write: { annotations: { readOnlyHint: false } } }
  },
  idle: {}
})

describe("McpRegistry.layerTest", () => {
  it.effect("is a registry over servers that a test says in a few lines", () =>
    Effect.gen(function*() {
      const { call, server, settled, tools } = yield* McpRegistry
      const { connected, failed } = yield* settled
      assert.deepStrictEqual([connected.map(({ name }) => name), failed], [["files", "idle"], []])
      assert.deepStrictEqual((yield* tools).map(({ description, name }) => [name, description]), [
        ["files_list", "Lists."],
        ["files_read", null]
      ])
      const listed = yield* call("files_list", {})
      assert.deepStrictEqual([listed.isError, listed.content], [false, [{ type: "text", text: "hello.txt" }]])
      const read = yield* call("files_read", { path: "a" })
      assert.deepStrictEqual([read.isError, read.content], [true, [{ type: "text", text: "a is not there" }]])
      assert.deepStrictEqual((yield* server("files")).rejected.map(({ tool }) => tool), ["write"])
      assert.strictEqual((yield* Effect.flip(call("files_lst", {}))).hint, "did you mean files_list?")
    }).pipe(Effect.provide(registry)))

  it.effect("answers for a tool that throws, or dies, with an error that has its words", () =>
    Effect.gen(function*() {
      const { call, settled } = yield* McpRegistry
      yield* settled
      for (const tool of ["throw", "die", "refuse"]) {
        const { content, isError } = yield* call(`broken_${tool}`, {})
        assert.deepStrictEqual([isError, content], [true, [{ type: "text", text: `no ${tool}` }]])
      }
    }).pipe(Effect.provide(McpRegistry.layerTest({
      broken: {
        tools: {
          throw: () => {
            throw new Error("no throw")
          },
          die: () => Effect.die(new Error("no die")),
          refuse: () => Effect.die("no refuse")
        }
      }
    }))))

  it.effect("stops its servers at once, and starts them again", () =>
    Effect.gen(function*() {
      const { call, start, stop } = yield* McpRegistry
      yield* stop("files")
      assert.strictEqual((yield* Effect.flip(call("files_list", {}))).reason._tag, "NotReady")
      yield* start("files")
      assert.isFalse((yield* call("files_list", {})).isError)
    }).pipe(Effect.provide(registry)))
})
