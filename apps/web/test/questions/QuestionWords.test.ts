import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { Question, QuestionAnswerPart, SamplingResultPart } from "../../src/api/Types.ts"
import { openable, partsOf, warningsOf } from "../../src/questions/Addresses.ts"
import { answerWords } from "../../src/questions/AnswerWords.ts"

describe("An address that a server wants opened", () => {
  it.prop(
    "is shown whole, and its host is the one that a browser goes to",
    {
      host: Schema.Literals(["example.com", "bücher.example", "127.0.0.1:8080", "[::1]:1", "a.b.co.uk"]),
      person: Schema.Literals(["", "bank.com@", "bank.com:443@", "a%40b@", ":x@"]),
      rest: Schema.Literals(["", "/", "/p/a?q=1#f", "?u=https://example.com", "/example.com@other"])
    },
    ({ host, person, rest }) => {
      const url = `https://${person}${host}${rest}`
      const parts = partsOf(url)
      assert.strictEqual(parts.before + parts.host + parts.after, new URL(url).href)
      assert.strictEqual(parts.host, new URL(url).host)
      assert.strictEqual(warningsOf(url).some((words) => words.includes("@")), person !== "")
    }
  )

  it("is opened only when it is one of the web", () => {
    for (const url of ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "/api/chats", "ftp://x", ""]) {
      assert.isNull(openable(url), url)
      assert.lengthOf(warningsOf(url), 1, url)
      assert.strictEqual(
        partsOf(url).before + partsOf(url).host + partsOf(url).after,
        url === "ftp://x" ? "ftp://x/" : url
      )
    }
    assert.strictEqual(openable("HTTPS://Example.com"), "https://example.com/")
  })

  it("is said to deceive where its host has letters of another alphabet, and to be open to others without TLS", () => {
    assert.match(warningsOf("https://раypal.com/").join(), /another alphabet/)
    assert.match(warningsOf("http://example.com/").join(), /not encrypted/)
    assert.deepStrictEqual(warningsOf("http://127.0.0.1:4000/login"), [])
    assert.deepStrictEqual(warningsOf("http://app.localhost:4000/login"), [])
    assert.deepStrictEqual(warningsOf("https://example.com/login"), [])
  })
})

describe("What became of a question", () => {
  const question = (kind: Question["kind"]): Question => ({
    id: "q",
    call: null,
    server: "shop",
    isTrusted: true,
    kind,
    message: "",
    schema: null,
    url: "https://pay.example/x",
    sampling: null,
    expiresAt: ""
  })
  const words = (kind: Question["kind"], action: QuestionAnswerPart["action"], reason: string | null = null) =>
    answerWords(
      question(kind),
      { type: "question-answer", seq: 1, turn: 1, id: "q", action, content: null, reason },
      null
    )
  const said = (error: string | null): SamplingResultPart => ({
    type: "sampling-result",
    seq: 2,
    turn: 1,
    id: "q",
    text: "",
    stopReason: null,
    error,
    millis: 1200
  })

  it("is said in a sentence that names the server", () => {
    assert.strictEqual(words("form", "accept"), "You answered shop.")
    assert.strictEqual(words("url", "accept"), "You opened pay.example for shop.")
    assert.strictEqual(words("url", "decline"), "You declined to open the address of shop.")
    assert.strictEqual(words("form", "expired"), "Nobody answered shop in time.")
    assert.strictEqual(words("form", "cancel", "the turn was stopped"), "shop got no answer: the turn was stopped.")
    assert.strictEqual(answerWords(question("form"), null, null), "shop got no answer.")
  })

  it("tells of a model that was allowed whether it answered yet, and why it could not", () => {
    const accepted = {
      type: "question-answer",
      seq: 1,
      turn: 1,
      id: "q",
      action: "accept",
      content: null,
      reason: null
    } as const
    assert.strictEqual(answerWords(question("sampling"), accepted, null), "The model answers shop …")
    assert.strictEqual(answerWords(question("sampling"), accepted, said(null)), "The model answered shop, 1.2 s.")
    assert.strictEqual(
      answerWords(question("sampling"), accepted, said("no key")),
      "The model could not answer shop: no key"
    )
  })
})
