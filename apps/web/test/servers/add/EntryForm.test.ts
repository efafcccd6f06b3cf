import { assert, describe, it } from "@effect/vitest"
import * as EntryForm from "../../../src/servers/add/EntryForm.ts"

describe("A new server", () => {
  const entry = { command: "npx", args: ["-y", "x"] }
  const named = (name: string) => ({ servers: [{ name, entry }], wrong: null })
  const paste = (document: unknown, name = "") => EntryForm.parse(JSON.stringify(document), name)

  it("is taken from every form in which documentation has it", () => {
    assert.deepStrictEqual(paste({ mcpServers: { a: entry } }), named("a"))
    assert.deepStrictEqual(paste({ servers: { a: entry } }), named("a"))
    assert.deepStrictEqual(paste({ a: entry }), named("a"))
    assert.deepStrictEqual(EntryForm.parse(`"a": ${JSON.stringify(entry)},`, ""), named("a"))
    assert.deepStrictEqual(paste(entry, "b"), named("b"))
    assert.deepStrictEqual(paste({ mcpServers: { a: entry } }, "b"), named("b"))
    assert.deepStrictEqual(
      paste({ mcpServers: { a: entry, c: { url: "https://x" } } }, "b").servers?.map(({ name }) => name),
      ["a", "c"]
    )
  })

  it("is refused in words when there is none to take", () => {
    assert.match(paste(entry).wrong ?? "", /give it a name/)
    assert.match(paste({ mcpServers: {} }).wrong ?? "", /no server/)
    assert.match(paste({ mcpServers: { a: { enabled: true } } }).wrong ?? "", /“a” has neither/)
    assert.match(paste([1]).wrong ?? "", /no object/)
    assert.match(EntryForm.parse("{ a: 1", "").wrong ?? "", /not JSON/)
  })

  it("has in its entry what was filled in, and nothing else", () => {
    assert.deepStrictEqual(EntryForm.ofCommand({ command: " npx ", args: "", env: [] }), { command: "npx" })
    assert.deepStrictEqual(
      EntryForm.ofCommand({ command: "npx", args: "-y\n\nwith space\r\n", env: [["A ", " b"], ["", "lost"]] }),
      { command: "npx", args: ["-y", "with space"], env: { A: " b" } }
    )
    assert.deepStrictEqual(
      EntryForm.ofUrl({ url: "https://x/mcp", type: "sse", headers: [["Authorization", "Bearer ${T}"]] }),
      { type: "sse", url: "https://x/mcp", headers: { Authorization: "Bearer ${T}" } }
    )
    assert.strictEqual(EntryForm.suggestedName({ url: "https://mcp.example.com/mcp" }), "example")
    assert.strictEqual(EntryForm.suggestedName({ command: "/usr/bin/mcp-server-git" }), "git")
  })
})
