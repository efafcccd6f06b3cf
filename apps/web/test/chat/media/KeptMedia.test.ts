import { assert, describe, it } from "@effect/vitest"
import { mediaIn } from "../../../src/chat/media/KeptMedia.ts"
import { hasMarks, sourcesOf, withMarks } from "../../../src/chat/media/Sources.ts"
import { add, EMPTY } from "../../../src/chat/open/TurnModel.ts"

const file = (mimeType: string) => ({ bytes: 5, mimeType, file: "result-1" })

const about = { turn: 1, millis: 1, structured: null, usage: [], truncated: null, origin: null, isError: false }

const blocksWith = (content: ReadonlyArray<Record<string, unknown>>) =>
  add(EMPTY, [
    { ...about, seq: 1, type: "tool-call", id: "c", name: "t", server: "s", args: {} },
    { ...about, seq: 2, type: "tool-result", id: "c", text: "", content }
  ] as never).blocks

describe("the files of a result", () => {
  it("are its sound and its resources in bytes, where the server kept them", () => {
    assert.deepStrictEqual(
      mediaIn([
        { type: "audio", data: file("audio/WAV") },
        { type: "resource", resource: { uri: "file:///docs/a.pdf?x", blob: file("application/pdf") } },
        { type: "resource", resource: { uri: "file:///a.txt", text: "hello" } },
        { type: "audio", data: { ...file("audio/wav"), file: null } },
        { type: "audio", data: "UklGRg==" }
      ]),
      [
        { handle: "result-1", type: "audio/wav", bytes: 5, name: null },
        { handle: "result-1", type: "application/pdf", bytes: 5, name: "a.pdf" }
      ]
    )
  })
})

describe("the sources of an answer", () => {
  it("are the pages that results name, each once, with the host that a click leads to", () => {
    const page = { type: "resource_link", uri: "https://example.org/a?b", name: "a", title: "The\n a" }
    const found = sourcesOf(blocksWith([page, page, {
      type: "resource",
      resource: { uri: "http://example.com/x", text: "" }
    }]))
    assert.deepStrictEqual(found, [
      { address: "https://example.org/a?b", host: "example.org", title: "The a" },
      { address: "http://example.com/x", host: "example.com", title: "/x" }
    ])
  })

  it("are no scripts, no files, no paths of this server and no hosts that look like others", () => {
    const uris = [
      "javascript:alert(1)",
      "file:///etc/passwd",
      "/api/chats",
      "data:text/html,x",
      "https://bank.example@evil.example/"
    ]
    assert.deepStrictEqual(sourcesOf(blocksWith(uris.map((uri) => ({ type: "resource_link", uri })))), [])
  })
})

const told = (...parts: ReadonlyArray<Record<string, unknown>>) =>
  add(EMPTY, parts.map((part, at) => ({ ...about, seq: at + 1, ...part })) as never).blocks

const textOf = (text: string) => ({ type: "text-delta", text })
const cited = (address: string, back: number | null) => ({ type: "source", address, title: address, back })

const marked = (blocks: ReturnType<typeof told>) =>
  blocks.map((block) =>
    block.kind === "text" ? withMarks(block.text, block.cited ?? [], sourcesOf(blocks)).replaceAll("\uE2C6", "^") : ""
  )

describe("the sources that a provider names", () => {
  it("have their numbers in the text where their places are known, in the order in which they came", () => {
    const blocks = told(
      textOf("It rains. It snows."),
      cited("https://b.example/", 10),
      cited("https://a.example/", 0),
      cited("https://b.example/", 0),
      cited("https://c.example/", null),
      textOf(" More.")
    )
    assert.deepStrictEqual(marked(blocks), ["It rains.^1^ It snows.^1^^2^ More."])
    assert.deepStrictEqual(sourcesOf(blocks).map(({ host }) => host), ["b.example", "a.example", "c.example"])
    assert.isTrue(hasMarks(blocks))
  })

  it("have none within code or an address, where a line ends a block, before the text, or for a page that is not listed", () => {
    const code = "```js\nlet a\n```\n`let b` c"
    const backs = [code.length, 16, 5, 0, code.length + 1]
    const blocks = told(textOf(code), ...backs.map((back) => cited("https://a.example/", back)))
    assert.deepStrictEqual(marked(blocks), ["```js\nlet a\n```\n`let b` c^1^"])
    for (const text of ["| a | b |", "a\n---", "[a](https://b", "```js", "```\na\n```"]) {
      assert.deepStrictEqual(marked(told(textOf(text), cited("https://a.example/", 0))), [text])
    }
    assert.deepStrictEqual(marked(told(textOf("a\n\n"), cited("https://a.example/", 0))), ["a^1^\n\n"])
    assert.deepStrictEqual(marked(told(textOf("a"), cited("javascript:alert(1)", 0))), ["a"])
    assert.isFalse(hasMarks(told(cited("https://a.example/", null), textOf("a"))))
  })

  it("go with a text that is taken back", () => {
    const retry = { type: "retry", attempt: 1, limit: 3, delayMillis: 1, message: "again" }
    assert.deepStrictEqual(sourcesOf(told(textOf("a"), cited("https://a.example/", 0), retry)), [])
  })
})
