import type { McpTool } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as ClientTable from "../../src/clients/ClientTable.ts"
import * as ToolNames from "../../src/offer/ToolNames.ts"

const tool = (server: string, raw: string): McpTool => ({
  name: `${server}_${raw}`,
  server,
  tool: raw,
  title: null,
  description: null,
  inputSchema: { type: "object" },
  outputSchema: null,
  annotations: {},
  class: "reads",
  isOpenWorld: false,
  target: null,
  tokens: 10,
  maxResultBytes: 1000,
  isAlwaysLoaded: false,
  needsApproval: false,
  isTrusted: true
})

const assigned = (tools: ReadonlyArray<McpTool>, names: "prefixed" | "bare", room = 64) =>
  ToolNames.assign(tools, names, room, new Set(["call_tool"])).map(({ name }) => name)

const LONG = "a_name_that_goes_on_and_on_and_on_and_on_until_it_is_long"

describe("The name of a tool", () => {
  it("has the room that each client leaves it", () => {
    const room = (client: string) => ClientTable.roomForNames(ClientTable.traitsOf(client), "boocode")
    assert.deepStrictEqual(
      ["claude-code", "claude-ai", "cursor-vscode", "Visual Studio Code", "codex-mcp-client", "gemini-cli", "other"]
        .map(
          (client) => assigned([tool("files", LONG)], "prefixed", room(client))[0]
        ),
      [
        "files_a_name_that_goes_on_and_on_and_on_a_7fbeb30e",
        "files_a_name_that_goes_on_and_on_and_on_and_on_until_it_is_long",
        "files_a_name_that_goes_on_and_on_and_on_and_7fbeb30e",
        "files_a_name_that_goes_on_and_on_and_on_and_7fbeb30e",
        "files_a_name_that_goes_on_and_on_and_on_a_7fbeb30e",
        "files_a_name_that_goes_on_and_on_and_on_and_o_7fbeb30e",
        "files_a_name_that_goes_on_and_on_and_on_and_on_until_it_is_long"
      ]
    )
  })

  it("is the server's own where that is wanted, and the long one where two share it, or it is taken or not legal", () => {
    const tools = [tool("a", "list"), tool("b", "list"), tool("a", "read"), tool("a", "call_tool"), tool("a", "x y")]
    assert.deepStrictEqual(assigned(tools, "bare"), ["a_list", "b_list", "read", "a_call_tool", "a_x y"])
  })

  const Name = Schema.String.check(Schema.isPattern(/^[a-z_]{1,80}$/))
  it.prop("fits, differs from every other, and does not depend on what else there is", {
    names: Schema.Array(Name),
    other: Name
  }, ({ names, other }) => {
    const tools = [...new Set(names)].map((name) => tool("server", name))
    const fitted = assigned(tools, "prefixed", 40)
    assert.strictEqual(new Set(fitted).size, fitted.length)
    assert.isTrue(fitted.every((name) => name.length <= 40))
    assert.deepStrictEqual(assigned([tool("another", other), ...tools], "prefixed", 40).slice(1), fitted)
    return true
  })
})
