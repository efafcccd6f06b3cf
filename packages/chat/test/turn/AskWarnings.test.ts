import { McpRegistry, toolView } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AskWarnings from "../../src/turn/AskWarnings.ts"
import { mcpTool, status } from "../support/Scripted.ts"

/** `files` is ready and has a tool `read`, `late` still connects, `off` is disabled. */
const warningsOf = (...patterns: ReadonlyArray<string>) =>
  Effect.provide(
    AskWarnings.of(patterns, ["view_file", "grep"]),
    Layer.mock(McpRegistry, {
      servers: Effect.succeed([status("files", "ready"), status("late", "connecting"), status("off", "disabled")]),
      view: (patterns, own) => Effect.succeed(toolView([mcpTool("files", "read")], patterns, own ?? []))
    })
  )

describe("AskWarnings", () => {
  it.effect("tells of a name that nobody has, with the nearest, but not while its server may still bring it", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* warningsOf("files_raed", "files_read", "view_file"), [
        "no tool is called files_raed; did you mean files_read?"
      ])
      assert.deepStrictEqual(yield* warningsOf("late_write", "off_write"), [])
    }))

  it.effect("tells of a pattern that fits no tool of any server, whatever its tools are called", () =>
    Effect.gen(function*() {
      const words = "fits no tool of any server; names of tools begin with that of their server"
      assert.deepStrictEqual(yield* warningsOf("write_*", "filse_*"), [`write_* ${words}`, `filse_* ${words}`])
      assert.deepStrictEqual(yield* warningsOf("*", "*_write", "files_write_*", "late_*", "off_*", "view_*"), [])
    }))

  it.effect("tells nothing of exceptions, and of no patterns at all", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* warningsOf("*", "!files_gone", "!gone_*"), [])
      assert.deepStrictEqual(yield* warningsOf(), [])
    }))
})
