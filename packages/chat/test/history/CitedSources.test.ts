import { assert, describe, it } from "@effect/vitest"
import * as Response from "effect/ai/Response"
import * as Schema from "effect/Schema"
import * as CitedSources from "../../src/history/CitedSources.ts"

const delta = (id: string, text: string) => Response.makePart("text-delta", { id, delta: text })
const decode = Schema.decodeUnknownSync(Response.UrlSourcePart)
const source = (url: string, title = "A page", citation?: Schema.JsonObject) =>
  decode({
    type: "source",
    sourceType: "url",
    id: url,
    url,
    title,
    metadata: citation === undefined ? {} : { citation }
  })

const taken = (...parts: ReadonlyArray<Response.AnyPart>) => {
  const sources = CitedSources.make()
  return parts.flatMap((part) => sources.take(part) ?? [])
}

describe("CitedSources", () => {
  it("places a page at the end that the provider says, else at the end of the text that it is cited in", () => {
    const page = { type: "source", address: "https://example.org/a", title: "A page" }
    assert.deepStrictEqual(
      taken(
        delta("t", "It rains. "),
        delta("t", "It snows."),
        source("https://example.org/a", "A\n page", { text: "t", end: 9 }),
        source("https://example.org/a", "A page", { text: "t", end: null }),
        delta("u", "More."),
        source("https://example.org/a", "A page", { text: "u", end: null }),
        source("https://example.org/a", "A page", { text: "u", end: 6 }),
        source("https://example.org/a")
      ),
      [{ ...page, back: 10 }, { ...page, back: 0 }, { ...page, back: 0 }, { ...page, back: null }]
    )
  })

  it("counts the bytes of a provider that counts those, in the whole answer", () => {
    const at = (bytes: number) => source("https://example.org/", "A", { bytes })
    const backs = (...parts: ReadonlyArray<Response.AnyPart>) => taken(...parts).map(({ back }) => back)
    assert.deepStrictEqual(backs(delta("t", "Ü 😀"), delta("u", ". b"), at(8), at(11), at(12)), [2, null])
  })

  it("names a page once for each place, and at most 200 times in an answer", () => {
    assert.lengthOf(taken(source("https://example.org/a"), source("https://example.org/a")), 1)
    const many = Array.from({ length: 300 }, (_, at) => source(`https://example.org/${at}`))
    assert.lengthOf(taken(...many), 200)
  })

  it("takes no scripts, no files, no passwords, no endless addresses, and no titles that hide something", () => {
    const bad = ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "https://a:b@example.org/"]
    assert.deepStrictEqual(taken(...bad.map((url) => source(url)), source(`https://e.org/${"a".repeat(2000)}`)), [])
    assert.deepInclude(taken(source("https://example.org/", "\u001B[31m\u202Ered"))[0], { title: "red" })
    assert.deepInclude(taken(source("https://example.org/", "\u200B"))[0], { title: "https://example.org/" })
  })
})
