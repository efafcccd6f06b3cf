import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { boocode, json, status, tool } from "../support/Scripted.ts"

describe("The classes of tools in mcp tools", () => {
  it.effect("shows what a tool does and whether it asks first, within 80 columns", () =>
    Effect.gen(function*() {
      const description = "Does something that takes many words to tell, so many that they do not fit into a line."
      const tools = [
        { ...tool("files", "read"), class: "reads" as const, description },
        { ...tool("files", "silent"), description },
        { ...tool("files", "write"), class: "destroys" as const, needsApproval: true, description }
      ]
      const { stdout } = yield* boocode(["mcp", "tools"], {
        servers: [status("files")],
        tools,
        isTerminal: true,
        columns: 80,
        variables: { NO_COLOR: "1" }
      })
      const lines = stdout.trimEnd().split("\n")
      for (const line of lines) assert.isAtMost(line.length, 80, line)
      assert.deepStrictEqual(lines.map((line) => line.replace(/ +/, " ").replace(/something.*/, "")), [
        "files_read reads · Does ",
        "files_silent Does ",
        "files_write destroys · asks first Does "
      ])
    }))
})

describe("mcp tools --schema", () => {
  it.effect("shows each schema as a provider gets it, what was lost, and what cannot be said (R8)", () =>
    Effect.gen(function*() {
      const inputSchema = { oneOf: [{ type: "object", properties: { "a b": { type: "string" } } }] }
      const keys = Array.from(
        { length: 2000 },
        (_, at) => [`key${at}`, { type: "string", description: "x".repeat(500) }]
      )
      const tools = [
        { ...tool("files", "list"), inputSchema },
        { ...tool("files", "huge"), inputSchema: { type: "object", properties: Object.fromEntries(keys) } }
      ]
      const shown = (...args: ReadonlyArray<string>) =>
        boocode(["mcp", "tools", ...args], { servers: [status("files")], tools })
      const [list, huge] = Object(json((yield* shown("--schema", "anthropic", "--json")).stdout)).tools
      assert.strictEqual(list.inputSchema.oneOf, undefined)
      assert.strictEqual(list.schema.dialect, "anthropic")
      assert.strictEqual(list.schema.losses[0].path, "oneOf")
      assert.match(huge.schema.reason, /bytes/)
      const { stdout } = yield* shown("--schema", "openai")
      assert.match(stdout, /^files_list( .*)?\n {2}\{\n[^]* {2}lost {2}oneOf: /)
      assert.match(stdout, /\n\nfiles_huge( .*)?\n {2}left out {2}its schema has/)
      const raw = Object(json((yield* shown("--schema", "raw", "--json")).stdout)).tools[0]
      assert.deepStrictEqual([raw.inputSchema, raw.schema.losses], [inputSchema, []])
      assert.strictEqual((yield* shown("--schema", "french")).code, 2)
    }))
})
