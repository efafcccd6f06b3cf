import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as Mention from "../../src/agents/Mention.ts"

const AGENTS = ["Assistant", "Prompt", "Prompt Builder", "architect", "Architect"].map((name) => ({ name }))
const of = (text: string) => Mention.of(text, AGENTS)

describe("Mention", () => {
  it("names the agent at the start of a message, and leaves the rest for the model", () => {
    assert.deepStrictEqual(of("@Assistant how are you?"), { agent: "Assistant", text: "how are you?" })
    assert.deepStrictEqual(of("  @assistant\nhow?"), { agent: "Assistant", text: "how?" })
  })

  it("takes the longest name that fits, and upper or lower case only to tell two apart", () => {
    assert.deepStrictEqual(of("@prompt builder write"), { agent: "Prompt Builder", text: "write" })
    assert.deepStrictEqual(of("@Prompt build"), { agent: "Prompt", text: "build" })
    assert.strictEqual(of("@architect draw")?.agent, "architect")
    assert.strictEqual(of("@Architect draw")?.agent, "Architect")
  })

  it("is none where the longest name leaves nothing to say", () => {
    assert.isNull(of("@Prompt Builder"))
  })

  it("is none without a name that ends there, in the middle, or with nothing after it", () => {
    for (
      const text of [
        "hello @Assistant you",
        "@Assistants are many",
        "@Assistant, you",
        "@nobody hello",
        "@Assistant",
        "@Assistant  ",
        "@ Assistant x",
        "@",
        ""
      ]
    ) assert.isNull(of(text), text)
    assert.isNull(Mention.of("@ x", [{ name: "" }]))
  })

  // Few letters, so that names begin with one another and differ in case alone.
  const name = Arbitrary.schema(Schema.String.check(Schema.isPattern(/^[Ab]([Ab ]{0,4}[Ab])?$/)))
  const names = Arbitrary.array(name, { maxLength: 6 })
  const words = Arbitrary.schema(Schema.String.check(Schema.isPattern(/^[Ab @]{0,6}b$/)))

  it.prop(
    "finds an agent whose name is written out, or one with a longer name or the same in other letters",
    { name, names, words },
    ({ name, names, words }) => {
      const said = `${name} ${words}`
      const found = Mention.of(`@${said}`, [...names, name].map((name) => ({ name })))
      // A longer name that takes all of the words leaves nothing to say.
      if (names.some((other) => other.toLowerCase() === said.toLowerCase())) return assert.isNull(found)
      assert.isNotNull(found)
      if (found?.agent === name) return assert.strictEqual(found.text, words.trim())
      assert.isAbove(found?.agent.length ?? 0, name.length)
    }
  )

  const text = Arbitrary.schema(Schema.String.check(Schema.isPattern(/^@?[Ab @\n]{0,12}$/)))

  it.prop("takes nothing from a message but the mention at its start", { names, text }, ({ names, text }) => {
    const found = Mention.of(text, names.map((name) => ({ name })))
    if (found === null) return
    assert.include(names, found.agent)
    const start = text.trim().slice(1, 1 + found.agent.length)
    assert.strictEqual(start.toLowerCase(), found.agent.toLowerCase())
    assert.strictEqual(text.trim().slice(1 + start.length).trim(), found.text)
  })
})
