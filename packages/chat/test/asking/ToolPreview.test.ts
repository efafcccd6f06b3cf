import { McpError, McpErrors, McpRegistry } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ToolApprovals } from "../../src/asking/ToolApprovals.ts"
import * as ToolPreview from "../../src/asking/ToolPreview.ts"
import { WorkspaceTools } from "../../src/tools/WorkspaceTools.ts"
import { files, mcpTool, status, tool } from "../support/Scripted.ts"

/** `files` and `web` are ready, `late` still connects, the settings ask about `web_post`. */
const preview = (tools: ReadonlyArray<string> | null, ask: ReadonlyArray<string> | null = null) =>
  Effect.provide(
    ToolPreview.of({ tools, ask }),
    Layer.mergeAll(
      Layer.mock(McpRegistry, {
        servers: Effect.succeed([status("files", "ready"), status("late", "connecting"), status("web", "ready")]),
        tools: Effect.succeed([
          mcpTool("files", "read"),
          { ...mcpTool("files", "write"), needsApproval: true },
          mcpTool("web", "get"),
          mcpTool("web", "post")
        ]),
        tool: (name) =>
          Effect.fail(
            name.startsWith("late_")
              ? new McpError({ server: "late", reason: new McpErrors.NotReady({ state: "connecting", why: null }) })
              : new McpError({ server: null, reason: new McpErrors.UnknownTool({ name, nearest: [] }) })
          )
      }),
      files(),
      WorkspaceTools.layerOf([{ ...tool("grep"), server: null }]),
      Layer.succeed(ToolApprovals, { ...ToolApprovals.defaultValue(), ask: ["web_post"] })
    )
  )

/** Each tool in short: `+` is allowed and `?` asks, with the pattern that decided. */
const brief = ({ tools }: ToolPreview.Preview) =>
  tools.map(({ allowed, asks, name, pattern }) => `${allowed ? "+" : "-"}${asks ? "?" : ""}${name} ${pattern}`).join(
    ", "
  )

describe("A preview of patterns", () => {
  for (
    const [patterns, ask, tools, tokens] of [
      [null, null, "+grep null, +files_read null, +?files_write null, +web_get null, +?web_post null", 14],
      [[], null, "-grep null, -files_read null, -files_write null, -web_get null, -web_post null", 0],
      [["*", "!web_*"], null, "+grep *, +files_read *, +?files_write *, -web_get !web_*, -web_post !web_*", 12],
      [
        ["files_*", "!*_write", "grep"],
        ["*"],
        "+?grep grep, +?files_read files_*, -files_write !*_write, -web_get null, -web_post null",
        11
      ],
      [
        ["!files_*", "*"],
        ["*", "!files_read"],
        "+?grep *, +files_read *, +?files_write *, +?web_get *, +?web_post *",
        14
      ],
      [["!web_*"], null, "-grep null, -files_read null, -files_write null, -web_get !web_*, -web_post !web_*", 0]
    ] as const
  ) {
    it.effect(`of ${JSON.stringify(patterns)} and ${JSON.stringify(ask)} tells which decided, and what asks`, () =>
      Effect.gen(function*() {
        const found = yield* preview(patterns, ask)
        assert.strictEqual(brief(found), tools)
        assert.strictEqual(found.tokens, tokens)
        assert.deepStrictEqual(found.unmatched, [])
        assert.deepStrictEqual(found.tools.map(({ server }) => server), [null, "files", "files", "web", "web"])
      }))
  }

  it.effect("names the patterns that match nothing, with the nearest names and the server that may bring them", () =>
    Effect.gen(function*() {
      const { unmatched } = yield* preview(
        ["files_raed", "!web_pots*", "late_find", "late_*", "tool_search", "resources_read", "files_resources"],
        ["grpe", "*"]
      )
      assert.deepStrictEqual(unmatched, [
        { key: "tools", pattern: "files_raed", nearest: ["files_read"], waiting: null },
        { key: "tools", pattern: "!web_pots*", nearest: ["web_post"], waiting: null },
        { key: "tools", pattern: "late_find", nearest: [], waiting: "late" },
        { key: "ask", pattern: "grpe", nearest: ["grep"], waiting: null }
      ])
    }))

  it.effect("refuses patterns that a file of agents would not take, and names their key", () =>
    Effect.gen(function*() {
      assert.deepInclude(yield* Effect.flip(preview(["files read"])), { _tag: "AgentRefused", key: "tools" })
      assert.deepInclude(yield* Effect.flip(preview(null, ["!files_*"])), { _tag: "AgentRefused", key: "ask" })
    }))
})
