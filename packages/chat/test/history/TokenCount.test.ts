import { assert, describe, it } from "@effect/vitest"
import * as Prompt from "effect/ai/Prompt"
import * as TokenCount from "../../src/history/TokenCount.ts"
import { tool } from "../support/Scripted.ts"

/** Texts with the tokens that OpenAI's o200k counts in them. */
const COUNTED: ReadonlyArray<readonly [string, string, number]> = [
  ["English", "The weather was fine, so we walked to the harbour and watched the ships come in until it was dark.", 22],
  [
    "German",
    "Die Überprüfung der Schätzung dauerte länger, als der Sachverständige ursprünglich angenommen hatte.",
    19
  ],
  ["Russian", "Сегодня хорошая погода, поэтому мы пошли гулять по городу.", 16],
  ["Chinese", "今天天气很好，所以我们去港口散步，看船进港直到天黑。", 19],
  ["Japanese", "今日は天気がいいから港まで散歩に行きましょう。", 16],
  [
    "source text",
    "const answer = yield* Effect.forEach(items, (item) => run(item, { retries: 3 }))\n    return answer.map(({ id }) => id)\n",
    33
  ],
  [
    "JSON",
    "{\"id\":42,\"name\":\"Widget\",\"tags\":[\"a\",\"b\"],\"price\":12.5,\"nested\":{\"ok\":true,\"none\":null}}",
    32
  ],
  ["Markdown", "| name | size |\n| ---- | ---- |\n| one  | 1200 |\n\n- **first** item\n- second `item`\n", 29]
]

describe("TokenCount", () => {
  it.each(COUNTED)("guesses %s on the high side, at most double", (_, text, tokens) => {
    assert.isAtLeast(TokenCount.ofText(text), tokens)
    assert.isAtMost(TokenCount.ofText(text), tokens * 2)
  })

  it("takes hashes and numbers for as many small pieces as they are", () => {
    assert.isAtLeast(TokenCount.ofText("3f9a1c0e-77b2-4d5e-9c1a-0b2f3e4d5c6b"), 22)
    assert.strictEqual(TokenCount.ofText("12345678"), 4)
  })

  it("counts nothing for nothing, and for the single spaces between words", () => {
    assert.strictEqual(TokenCount.ofText(""), 0)
    assert.strictEqual(TokenCount.ofText("One two three"), 3)
    assert.strictEqual(TokenCount.ofText("\n\n"), 1)
  })

  it("counts calls, results, images and the definitions of tools", () => {
    const call = Prompt.toolCallPart({
      id: "1",
      name: "f",
      params: { text: "word ".repeat(100) },
      providerExecuted: false
    })
    const result = { id: "1", name: "f", isFailure: false, providerExecuted: false, result: "word ".repeat(100) }
    const image = Prompt.filePart({ mediaType: "image/png", data: "AAAA" })
    assert.isAbove(TokenCount.ofPart(call), 100)
    assert.isAbove(TokenCount.ofPart(Prompt.toolResultPart(result)), 100)
    assert.isAbove(TokenCount.ofPart(Prompt.toolResultPart({ ...result, modelOutput: [image, image] })), 3000)
    assert.strictEqual(TokenCount.ofTools([]), 0)
    assert.isAbove(TokenCount.ofTools([tool("a_one"), tool("a_two")]), TokenCount.ofTools([tool("a_one")]))
  })
})
