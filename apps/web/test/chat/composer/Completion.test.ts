import { assert, describe, it } from "@effect/vitest"
import { offers, type Sources, triggerOf } from "../../../src/chat/composer/Completion.ts"

const resource = {
  server: "files",
  uri: "file:///notes.md",
  name: "notes.md",
  title: null,
  description: null,
  mimeType: null,
  size: null
}
const agent = (name: string) => ({
  name,
  description: null,
  model: null,
  tools: null,
  steps: 1,
  temperature: null,
  file: null,
  line: null,
  prompt: "",
  editable: true,
  why: null
})
const SOURCES: Sources = {
  commands: ["retry", "new"].map((name) => ({ name, description: "", argument: null, places: ["page"] })),
  prompts: [{ server: "git", name: "review", title: "Review", description: "Reads a change", arguments: [] }],
  tools: [],
  agents: [agent("Assistant"), agent("Reviewer")],
  resources: [resource]
}

const texts = (typed: string, caret = typed.length) => {
  const trigger = triggerOf(typed, caret)
  return trigger === null ? null : offers(trigger, SOURCES).map(({ text }) => text)
}

describe("Completion", () => {
  it("offers commands and prompts after a slash at the beginning, and nowhere else", () => {
    assert.deepStrictEqual(texts("/"), ["/retry", "/new", "/git:review"])
    assert.deepStrictEqual(texts("/re"), ["/retry", "/git:review"])
    assert.isNull(texts("see /re"))
    assert.isNull(texts("/retry now"))
  })

  it("offers agents after an @ at the beginning, resources after one anywhere", () => {
    assert.deepStrictEqual(texts("@"), ["@Assistant", "@Reviewer", "notes.md"])
    assert.deepStrictEqual(texts("@rev"), ["@Reviewer", "notes.md"])
    assert.deepStrictEqual(texts("look at @no"), ["notes.md"])
    assert.isNull(texts("a@b"))
  })

  it("looks at what stands before the caret", () => {
    assert.isNull(texts("@rev and more"))
    assert.deepStrictEqual(texts("@rev and more", 4), ["@Reviewer", "notes.md"])
    assert.strictEqual(triggerOf("see @no", 7)?.from, 4)
  })
})
