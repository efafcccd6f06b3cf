import { assert, describe, it } from "@effect/vitest"
import type { Tool } from "../../src/api/Types.ts"
import { inOrder } from "../../src/tools/ToolOrder.ts"

describe("Tools that were searched", () => {
  const tool = (name: string, description: string): Tool => ({
    name,
    server: "s",
    tool: name,
    title: null,
    description,
    inputSchema: {},
    annotations: {},
    class: "undeclared",
    openWorld: false,
    needsApproval: false,
    tokens: 1
  })

  it("come by name first, then as the server ranked them, then by what they mention", () => {
    const all = [
      tool("a_mail", "sends letters"),
      tool("b_post", "sends mail"),
      tool("c_x", "mentions MAIL"),
      tool("d_y", "none")
    ]
    assert.deepStrictEqual(inOrder(all, "mail", ["b_post", "gone"]).map(({ name }) => name), [
      "a_mail",
      "b_post",
      "c_x"
    ])
    assert.deepStrictEqual(inOrder(all, "Mail letters", []).map(({ name }) => name), ["a_mail"])
  })
})
