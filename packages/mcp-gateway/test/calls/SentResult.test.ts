import { assert, describe, it } from "@effect/vitest"
import * as SentResult from "../../src/calls/SentResult.ts"

const text = (words: string) => ({ type: "text", text: words })
const result = (content: ReadonlyArray<Record<string, string>>, structuredContent: null | Record<string, number>) => ({
  isError: false,
  content,
  structuredContent,
  millis: 1
})

describe("A result that a client is sent", () => {
  it("has in its content what its structured content has", () => {
    const sent = SentResult.make(result([text("three")], { sum: 3 }), "both")
    assert.deepStrictEqual(sent, {
      content: [text("three"), text("{\"sum\":3}")],
      structuredContent: { sum: 3 },
      isError: false
    })
  })

  it("does not say it twice, however the server wrote it", () => {
    const said = [text("{ \"b\": 2,\n \"a\": 1 }")]
    const sent = SentResult.make(result(said, { a: 1, b: 2 }), "both")
    assert.deepStrictEqual(sent.content, said)
  })

  it("has no structured content that says less than the rest, for a client that shows nothing else", () => {
    const more = SentResult.make(result([text("three, and a hint")], { sum: 3 }), "structured")
    assert.notProperty(more, "structuredContent")
    assert.deepStrictEqual(more.content, [text("three, and a hint"), text("{\"sum\":3}")])
    const same = SentResult.make(result([text("{\"sum\":3}")], { sum: 3 }), "structured")
    assert.deepStrictEqual(same.structuredContent, { sum: 3 })
  })

  it("has text in place of a block that the protocol does not know", () => {
    const odd = [{ type: "number", value: "3" }, { type: "image", data: "no base64!", mimeType: "image/png" }]
    assert.deepStrictEqual(SentResult.make(result(odd, null), "both").content, [
      text("{\"type\":\"number\",\"value\":\"3\"}"),
      text("{\"type\":\"image\",\"data\":\"no base64!\",\"mimeType\":\"image/png\"}")
    ])
  })
})
