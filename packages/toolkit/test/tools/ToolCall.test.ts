import type { CallResult, McpTool } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as Schema from "effect/Schema"
import { McpToolkit, ToolCall } from "../../src/index.ts"
import { MemoryFiles } from "../support/MemoryFiles.ts"
import { answer, layer, tool } from "../support/ScriptedRegistry.ts"

const world = (outcome: CallResult, sent: Array<unknown> = []) =>
  Layer.mergeAll(
    layer([], (_, args) => Effect.sync(() => (sent.push(args), outcome))),
    new MemoryFiles().layer
  )

const read = (inputSchema: Schema.JsonObject) => tool("files", "read", { inputSchema })
const PATHS = read({
  type: "object",
  properties: { path: { type: "string" }, limit: { type: "integer" } },
  required: ["path"]
})
const COUNT = tool("files", "count", {
  outputSchema: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] }
})

const logged = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    yield* Effect.provide(program, Logger.layer([logger]))
    return lines
  })

const runs = (declared: McpTool, outcome: CallResult) => ToolCall.run(declared, {}).pipe(Effect.provide(world(outcome)))

describe("ToolCall", () => {
  it.effect("sends nothing that the tool's own schema refuses, and says path, expected and found (Decision 12)", () =>
    Effect.gen(function*() {
      const sent: Array<unknown> = []
      const error = yield* ToolCall.run(PATHS, { limit: "ten" }).pipe(
        Effect.provide(world(answer(), sent)),
        Effect.flip
      )
      assert.strictEqual(error.reason._tag, "InvalidArguments")
      assert.strictEqual(
        error.reason.message,
        "bad arguments for files_read: missing path (a string); limit should be an integer, got \"ten\""
      )
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("tells the model as the fault of its call (R32)", () =>
    Effect.gen(function*() {
      const sent: Array<unknown> = []
      const result = yield* McpToolkit.agentTools([PATHS]).pipe(
        Effect.flatMap(([first]) => first?.run({ path: 1 }) ?? Effect.die("no tool")),
        Effect.provide(world(answer(), sent))
      )
      assert.strictEqual(result.fault, "call")
      assert.isTrue(result.isError)
      assert.include(result.text, "path should be a string, got 1")
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("checks what was repaired, and sends that (R57, R58, R59)", () =>
    Effect.gen(function*() {
      const sent: Array<unknown> = []
      yield* ToolCall.run(PATHS, "{\"path\":\"a\",\"limit\":null}").pipe(Effect.provide(world(answer(), sent)))
      assert.deepStrictEqual(sent, [{ path: "a" }])
    }))

  it.effect("sends arguments that cannot be checked, and logs that once", () =>
    Effect.gen(function*() {
      const many = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`p${at}`, { type: "string" }]))
      const declared = read({ properties: many })
      const sent: Array<unknown> = []
      const call = ToolCall.run(declared, { p1: 1 }).pipe(Effect.provide(world(answer(), sent)))
      const lines = yield* logged(Effect.andThen(call, call))
      assert.deepStrictEqual(sent, [{ p1: 1 }, { p1: 1 }])
      assert.deepStrictEqual(lines, ["files_read: the inputSchema is not checked: it is too large"])
    }))

  it.effect("takes arguments for an object, whatever type the root of a schema claims", () =>
    Effect.gen(function*() {
      const sent: Array<unknown> = []
      const declared = read({ type: "string", properties: { a: { type: "string" } } })
      yield* ToolCall.run(declared, { a: "x" }).pipe(Effect.provide(world(answer(), sent)))
      assert.deepStrictEqual(sent, [{ a: "x" }])
    }))

  it.effect("gives an answer unchanged that does not match its outputSchema, with a diagnostic (R62)", () =>
    Effect.gen(function*() {
      const structuredContent = { count: "three" }
      const outcome = answer({ structuredContent })
      const result = yield* runs(COUNT, outcome)
      assert.deepInclude(result, { isError: false, text: "done", structuredContent, fault: null })
      assert.deepStrictEqual(result.diagnostics, [
        "structuredContent does not match the outputSchema: count should be an integer, got \"three\""
      ])
      assert.lengthOf(yield* logged(Effect.andThen(runs(COUNT, outcome), runs(COUNT, outcome))), 0)
    }))

  it.effect("logs a mismatch once for each tool (R62)", () =>
    Effect.gen(function*() {
      const declared = { ...COUNT, outputSchema: { type: "object", required: ["x"] } }
      const call = runs(declared, answer({ structuredContent: {} }))
      assert.deepStrictEqual(yield* logged(Effect.andThen(call, call)), [
        "files_count: structuredContent does not match the outputSchema: missing x"
      ])
    }))

  it.effect("says when structured content was declared and none came (R62)", () =>
    Effect.gen(function*() {
      const result = yield* runs(COUNT, answer())
      assert.strictEqual(result.text, "done")
      assert.deepStrictEqual(result.diagnostics, [
        "the tool declares an outputSchema, but its answer has no structuredContent"
      ])
    }))

  it.effect("says nothing of an answer that matches, nor of an error (R62)", () =>
    Effect.gen(function*() {
      const sound = yield* runs(COUNT, answer({ structuredContent: { count: 3 } }))
      const failed = yield* runs(COUNT, answer({ isError: true, structuredContent: { count: "x" } }))
      const empty = yield* runs(COUNT, answer({ isError: true }))
      assert.deepStrictEqual([sound, failed, empty].map(({ diagnostics }) => diagnostics), [[], [], []])
    }))
})
