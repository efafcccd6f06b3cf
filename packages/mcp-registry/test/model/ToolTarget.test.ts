import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { config, http, stdio } from "../../../mcp-client/test/support/ServerConfigs.ts"
import * as ToolTarget from "../../src/model/ToolTarget.ts"

const TARGET = { path: "path", read: "read_text_file", write: "write_file", content: "content", file: true }

describe("ToolTarget", () => {
  it("knows the writing tools of the published filesystem server, however it is started", () => {
    for (
      const [command, ...args] of [
        ["mcp-server-filesystem", "workspace"],
        ["/repo/node_modules/.bin/mcp-server-filesystem", "."],
        ["C:\\bin\\mcp-server-filesystem.cmd", "."],
        ["npx", "-y", "@modelcontextprotocol/server-filesystem", "."],
        ["npx", "-y", "@modelcontextprotocol/server-filesystem@2026.1.14", "."],
        ["node", "/repo/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", "."],
        ["node", "C:\\node_modules\\@modelcontextprotocol\\server-filesystem\\dist\\index.js", "."]
      ]
    ) {
      const transport = { ...stdio({}, args), command: command ?? "" }
      const { folders, ...target } = ToolTarget.of(config({ transport }))("write_file") ?? assert.fail(command)
      assert.deepStrictEqual(target, TARGET, command)
      assert.strictEqual(folders?.map(Redacted.value).at(-1), args.at(-1))
      assert.isNull(ToolTarget.of(config({ transport }))("move_file"))
      assert.isNull(ToolTarget.of(config({ transport }))("constructor"))
    }
  })

  it("knows no tool of another server", () => {
    const others = [stdio(), { ...stdio(), command: "my-server-filesystem-proxy" }, http("https://server-filesystem/x")]
    for (const transport of others) assert.isNull(ToolTarget.of(config({ transport }))("write_file"))
    const args = ["data/server-filesystem/x"].map((text) => Redacted.make(text))
    assert.isNull(ToolTarget.of(config({ transport: { ...stdio(), args } }))("write_file"))
  })

  it("takes what the entry says first", () => {
    const targets = { write_file: { path: "file", read: "cat" }, put: { path: "at", read: "get" } }
    const transport = { ...stdio(), command: "mcp-server-filesystem" }
    const of = ToolTarget.of(config({ transport, targets }))
    const folders = [Redacted.make(transport.cwd)]
    assert.deepStrictEqual(
      [of("write_file"), of("put")],
      [{ ...targets.write_file, folders }, { ...targets.put, folders }]
    )
  })

  it("tells where a server on this machine is at home, and nothing of one elsewhere", () => {
    const targets = { put: { path: "at", read: "get" } }
    const transport = stdio({}, ["--allow", "docs"])
    const at = ToolTarget.of(config({ transport, targets, roots: ["/roots"] }))("put")
    assert.deepStrictEqual(at?.folders?.map(Redacted.value), [transport.cwd, "docs", "/roots"])
    assert.deepStrictEqual(ToolTarget.of(config({ transport: http("https://x"), targets }))("put"), targets.put)
  })
})
