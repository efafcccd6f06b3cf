import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { boocode, status, tool } from "../support/Scripted.ts"

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
        "files_read reads Does ",
        "files_silent Does ",
        "files_write destroys asks first Does "
      ])
    }))
})
