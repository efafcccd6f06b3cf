import { assert, describe, it } from "@effect/vitest"
import * as Commands from "../../src/model/Commands.ts"
import * as PromptText from "../../src/model/PromptText.ts"

const told = (text: string, place: "page" | "terminal" = "page") => {
  const asked = Commands.parse(text, place)
  switch (asked?._tag) {
    case undefined:
      return null
    case "Command":
      return [asked.command.name, asked.argument]
    case "Prompt":
      return [`${asked.server}:${asked.prompt}`, asked.args]
    case "Tool":
      return `tool ${asked.name}`
  }
}

describe("Commands", () => {
  it("are read from the start of a message, with what follows them", () => {
    assert.deepStrictEqual(told("/help"), ["help", null])
    assert.deepStrictEqual(told(" /model  openai/gpt-5 "), ["model", "openai/gpt-5"])
    assert.deepStrictEqual(told("/agent Prompt Builder"), ["agent", "Prompt Builder"])
    assert.deepStrictEqual(told("/export json"), ["export", "json"])
  })

  it("are those of the place; any other word after a slash could be a tool's name", () => {
    assert.strictEqual(told("/stop", "terminal"), "tool stop")
    assert.strictEqual(told("/helpers"), "tool helpers")
    assert.strictEqual(told("/files_read {}"), "tool files_read")
    assert.strictEqual(told(" /Straße-2\nand more"), "tool Straße-2")
    assert.strictEqual(told("/"), "tool ")
  })

  it("are not what begins with a path, a number or no word: those are messages", () => {
    for (
      const text of [
        "/usr/bin is full",
        "/usr/bin",
        "/tmp/",
        "/notes.txt",
        "/.env is missing",
        "/etc, for one",
        "/2 of it",
        "/todo: milk",
        "/(no)",
        "/ help",
        "//help",
        "/* no */",
        "help",
        "a /help",
        ""
      ]
    ) {
      assert.isNull(told(text), text)
    }
  })

  it("beside them, a prompt is named by its server, with arguments in braces", () => {
    assert.deepStrictEqual(told("/notes:summary"), ["notes:summary", null])
    assert.deepStrictEqual(told("/notes:summary {\"a\": \"b c\"}"), ["notes:summary", "{\"a\": \"b c\"}"])
    assert.deepStrictEqual(told("/notes:my own prompt\n{}"), ["notes:my own prompt", "{}"])
    assert.deepStrictEqual(told("/help:x"), ["help:x", null])
    assert.isNull(told("/notes: x"))
    assert.isNull(told("/notes:{}"))
  })

  it("each have a name of their own and a description", () => {
    const names = Commands.COMMANDS.map(({ name }) => name)
    assert.deepStrictEqual([...new Set(names)], names)
    assert.includeMembers(names, ["help", "new", "retry", "stop", "model", "agent", "tools", "export"])
  })
})

describe("The text of a prompt", () => {
  const text = (text: string) => ({ type: "text", text })

  it("is what a person would say, when nobody else speaks in it", () => {
    const messages = [
      { role: "user" as const, content: text("Look at this:") },
      { role: "user" as const, content: { type: "resource", resource: { uri: "memo://a", text: "Buy milk." } } },
      { role: "user" as const, content: text("  ") }
    ]
    const result = { description: null, messages, truncated: null }
    assert.strictEqual(PromptText.filled(result).text, "Look at this:\n\n[resource memo://a]\nBuy milk.")
  })

  it("tells who speaks when both do, and names what is no text", () => {
    const result = {
      description: null,
      messages: [
        { role: "user" as const, content: text("What is it?") },
        { role: "assistant" as const, content: { type: "image", data: "AAAA", mimeType: "image/png" } },
        { role: "user" as const, content: { type: "resource_link", uri: "memo://b" } },
        { role: "user" as const, content: { type: "resource", resource: { uri: "memo://c", blob: "AAAA" } } }
      ],
      truncated: { bytes: 10, shownBytes: 4 }
    }
    assert.strictEqual(
      PromptText.filled(result).text,
      [
        "User:\nWhat is it?",
        "Assistant:\n[image image/png, 3 bytes]",
        "User:\n[resource memo://b]",
        "User:\n[resource memo://c], 3 bytes",
        "[cut: 4 of 10 bytes]"
      ].join("\n\n")
    )
  })
})
