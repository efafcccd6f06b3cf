import { assert, describe, it } from "@effect/vitest"
import { mediaIn } from "../../../src/chat/media/KeptMedia.ts"
import { sourcesOf } from "../../../src/chat/media/Sources.ts"
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
