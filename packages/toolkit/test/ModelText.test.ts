import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ModelText, ToolResult } from "../src/index.ts"
import { MemoryFiles } from "./support/MemoryFiles.ts"
import { tool } from "./support/ScriptedRegistry.ts"

const bytes = (text: string) => new TextEncoder().encode(text).length

describe("ModelText", () => {
  it.effect("leaves a result alone that is short enough", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const text = "a".repeat(ModelText.DEFAULT_MAX_BYTES)
      const shown = yield* ModelText.fromResult(ToolResult.success(text)).pipe(Effect.provide(disk.layer))
      assert.strictEqual(shown, text)
      assert.strictEqual(disk.files.size, 0)
    }))

  it.effect("keeps head and tail of a long one, with a notice and the handle between them (R35, R36)", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const text = `HEAD${"😀".repeat(100_000)}TAIL`
      const shown = yield* ModelText.fromResult(ToolResult.success(text)).pipe(Effect.provide(disk.layer))
      const [, left, all, handle] = /\[(\d+) of (\d+) bytes left out here; read the whole with view_file (\S+)\]/.exec(
        shown
      ) ?? []
      assert.isAtMost(bytes(shown), 100_000)
      assert.isAbove(bytes(shown), 99_900)
      assert.isTrue(shown.startsWith("HEAD😀") && shown.endsWith("😀TAIL"))
      assert.isFalse(shown.includes("\ufffd"))
      assert.isTrue(shown.isWellFormed())
      assert.strictEqual(Number(all), 400_008)
      assert.isAbove(Number(left), 300_000)
      assert.isTrue(disk.files.has(`/state/results/${handle}`))
      assert.deepStrictEqual(disk.texts, [text])
    }))

  it.effect("gives the handle of a result that was cut before, and keeps nothing twice", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const truncated = {
        bytes: 9_000_000,
        shownBytes: 5_000_000,
        file: "result-x",
        text: { bytes: 9_000_000, file: "result-x" }
      }
      const result = { ...ToolResult.success("a".repeat(2000)), truncated }
      const shown = yield* ModelText.fromResult(result, { maxBytes: 500 }).pipe(Effect.provide(disk.layer))
      assert.include(shown, "of 9000000 bytes left out here; read the whole with view_file result-x")
      assert.isAtMost(bytes(shown), 500)
      assert.strictEqual(disk.files.size, 0)
    }))

  it.effect("gives the handle of the text, not of an image that was cut beside it (R35)", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const text = "a".repeat(200_000)
      const image = { type: "image", data: "A".repeat(6_000_000), mimeType: "image/png" }
      const result = yield* ToolResult.fromCall(
        tool("files", "read"),
        { isError: false, content: [{ type: "text", text }, image], structuredContent: null, millis: 1 }
      ).pipe(Effect.provide(disk.layer))
      const shown = yield* ModelText.fromResult(result).pipe(Effect.provide(disk.layer))
      const [, all, handle] = /of (\d+) bytes left out here; read the whole with view_file (\S+)\]/.exec(shown) ?? []
      assert.strictEqual(Number(all), bytes(result.text))
      assert.notStrictEqual(handle, result.truncated?.file)
      assert.strictEqual(disk.text(handle ?? ""), result.text)
    }))

  it.effect("keeps text once, whose blocks alone were cut, and counts its bytes (R35, R51)", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      const text = "\n\"".repeat(2_000_000)
      const result = yield* ToolResult.fromCall(
        tool("files", "read"),
        { isError: false, content: [{ type: "text", text }], structuredContent: null, millis: 1 }
      ).pipe(Effect.flatMap(ModelText.keepWhole), Effect.provide(disk.layer))
      const first = yield* ModelText.fromResult(result).pipe(Effect.provide(disk.layer))
      const second = yield* ModelText.fromResult(result).pipe(Effect.provide(disk.layer))
      assert.strictEqual(first, second)
      assert.include(first, "of 4000000 bytes left out here")
      assert.deepStrictEqual(disk.texts, [text])
    }))

  it.effect("does not try again to keep what could not be kept", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      disk.full = true
      const result = yield* ModelText.keepWhole(ToolResult.success("a".repeat(200_000))).pipe(
        Effect.provide(disk.layer)
      )
      disk.full = false
      const shown = yield* ModelText.fromResult(result).pipe(Effect.provide(disk.layer))
      assert.include(shown, "the whole could not be kept")
      assert.strictEqual(disk.files.size, 0)
    }))

  it.effect("never exceeds even a limit that is smaller than the notice", () =>
    Effect.gen(function*() {
      const disk = new MemoryFiles()
      for (const maxBytes of [1, 10, 100]) {
        const shown = yield* ModelText.fromResult(ToolResult.success("é".repeat(500)), { maxBytes }).pipe(
          Effect.provide(disk.layer)
        )
        assert.isAtMost(bytes(shown), maxBytes)
        assert.notStrictEqual(shown, "")
      }
    }))
})
