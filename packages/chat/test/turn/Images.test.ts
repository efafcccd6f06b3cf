import { assert, describe, it } from "@effect/vitest"
import * as Prompt from "effect/ai/Prompt"
import * as Images from "../../src/turn/Images.ts"

const result = (id: string, ...images: ReadonlyArray<string>) =>
  Prompt.toolResultPart({
    id,
    name: "shot",
    isFailure: false,
    result: id,
    providerExecuted: false,
    modelOutput: [
      Prompt.textPart({ text: id }),
      ...images.map((data) => Prompt.filePart({ mediaType: "image/png", data }))
    ]
  })
const step = (...parts: ReadonlyArray<Prompt.ToolResultPart>) => Prompt.toolMessage({ content: parts })
const steps = (count: number) => Array.from({ length: count }, (_, index) => step(result(`s${index}`, `i${index}`)))

const shown = (messages: ReadonlyArray<Prompt.Message>) =>
  messages.flatMap((message) =>
    message.role === "tool"
      ? message.content.flatMap((part) => part.type === "tool-result" ? part.modelOutput ?? [] : [])
      : []
  )
const images = (messages: ReadonlyArray<Prompt.Message>) =>
  shown(messages).flatMap((item) => item.type === "file" ? [item.data] : [])
const notes = (messages: ReadonlyArray<Prompt.Message>) =>
  shown(messages).filter((item) => item.type === "text" && item.text.includes("left out")).length

describe("RecentImages.keep", () => {
  it("leaves a turn with few images as it is (R63)", () => {
    const messages = [Prompt.userMessage({ content: [Prompt.textPart({ text: "hi" })] }), ...steps(6)]
    assert.strictEqual(Images.keepRecent(messages), messages)
  })

  it("keeps 3 to 6 of the newest, however many there are, and a line for each other (R63)", () => {
    for (let count = 7; count < 60; count++) {
      const kept = Images.keepRecent(steps(count))
      const all = images(steps(count))
      assert.isAtLeast(images(kept).length, 3)
      assert.isAtMost(images(kept).length, 6)
      assert.deepStrictEqual(images(kept), all.slice(-images(kept).length))
      assert.strictEqual(notes(kept), count - images(kept).length)
      assert.deepStrictEqual(images(Images.keepRecent(kept)), images(kept))
    }
  })

  it("leaves the beginning of a request unchanged for 4 images in a row, for caches of providers (R63)", () => {
    const beginnings = [7, 8, 9, 10].map((count) => JSON.stringify(Images.keepRecent(steps(count)).slice(0, 7)))
    assert.strictEqual(new Set(beginnings).size, 1)
    assert.notStrictEqual(beginnings[0], JSON.stringify(Images.keepRecent(steps(11)).slice(0, 7)))
  })

  it("counts the images of one result one by one, and keeps its text (R63)", () => {
    const kept = Images.keepRecent([step(result("a", "1", "2", "3"), result("b", "4", "5", "6", "7"))])
    assert.deepStrictEqual(images(kept), ["5", "6", "7"])
    assert.deepStrictEqual(
      shown(kept).flatMap((item) => item.type === "text" && item.text.length === 1 ? [item.text] : []),
      ["a", "b"]
    )
  })
})
