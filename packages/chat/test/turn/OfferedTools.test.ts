import { McpRegistry, toolView } from "@boocode/mcp-registry"
import { PermissionText } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Agent } from "../../src/agents/Agent.ts"
import { ASSISTANT } from "../../src/agents/Agents.ts"
import { PermissionFiles } from "../../src/permissions/PermissionFiles.ts"
import { WorkspaceTools } from "../../src/tools/WorkspaceTools.ts"
import * as OfferedTools from "../../src/turn/OfferedTools.ts"
import { CurrentUser, FIRST } from "../../src/users/CurrentUser.ts"
import { mcpTool, status } from "../support/Scripted.ts"

/** `files` is ready and has a tool `read`, `late` still connects, `off` is disabled. */
const warningsOf = (...patterns: ReadonlyArray<string>) =>
  Effect.provide(
    OfferedTools.askWarnings(patterns, ["view_file", "grep"]),
    Layer.mock(McpRegistry, {
      servers: Effect.succeed([status("files", "ready"), status("late", "connecting"), status("off", "disabled")]),
      view: (patterns, own) => Effect.succeed(toolView([mcpTool("files", "read")], patterns, own ?? []))
    })
  )

/** What an agent is given of `read`, `write` (writes) and `wipe` (destroys). */
const given = (permissions: string, agent: Partial<Agent> = {}) => {
  const writer = (name: string, kind: "writes" | "destroys") => ({ ...mcpTool("files", name), class: kind })
  const writers = [writer("write", "writes"), writer("wipe", "destroys")]
  const content = PermissionText.read(permissions, "permissions.jsonc", "user")
  return Effect.map(
    Effect.provide(
      OfferedTools.ofAgent({ ...ASSISTANT, ...agent }),
      Layer.mergeAll(
        Layer.mock(McpRegistry, {
          servers: Effect.succeed([]),
          writers: Effect.succeed(writers),
          view: (patterns, own) => Effect.succeed(toolView([mcpTool("files", "read")], patterns, own ?? []))
        }),
        Layer.succeed(PermissionFiles, { contents: Effect.succeed([content]) }),
        Layer.succeed(CurrentUser, FIRST),
        WorkspaceTools.layerOf([])
      )
    ),
    ({ tools, warnings }) => [tools.map(({ tool }) => tool), warnings]
  )
}

describe("The tools that an agent is offered", () => {
  it.effect("are those that a call could be made of: writers as the write mode has them, none that a rule denies", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* given("{}"), [["read"], []])
      assert.deepStrictEqual(yield* given(`{ "write": "ask" }`), [["read", "wipe", "write"], []])
      const rules = (...rules: ReadonlyArray<object>) => JSON.stringify({ write: "rules", rules })
      const notes = { allow: "files_write", where: { path: "notes/*" } }
      assert.deepStrictEqual(yield* given(rules(notes, { deny: "files_read" })), [["write"], []])
      const writers = rules({ ...notes, agent: "Writer" })
      assert.deepStrictEqual(yield* given(writers), [["read"], []])
      assert.deepStrictEqual(yield* given(writers, { name: "Writer" }), [["read", "write"], []])
    }))

  it.effect("are no others than its patterns name, which may name writers", () =>
    Effect.gen(function*() {
      const ask = `{ "write": "ask" }`
      assert.deepStrictEqual(yield* given(ask, { tools: ["*", "!*_wipe"] }), [["read", "write"], []])
      assert.deepStrictEqual(yield* given(ask, { tools: ["files_write"] }), [["write"], []])
    }))
})

describe("Patterns that were meant to make calls ask", () => {
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
