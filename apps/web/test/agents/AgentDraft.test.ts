import { assert, describe, it } from "@effect/vitest"
import * as AgentDraft from "../../src/agents/AgentDraft.ts"
import type { Agent } from "../../src/api/Types.ts"

const AGENT: Agent = {
  name: "Reader",
  description: null,
  model: null,
  tools: ["files_*", "!files_write_*"],
  ask: ["files_move"],
  steps: 25,
  temperature: 0.5,
  file: "AGENTS.md",
  line: 8,
  prompt: "Read.\n",
  editable: true,
  why: null
}

describe("An agent while it is written", () => {
  it("is sent as it was read where nothing changed", () => {
    assert.deepStrictEqual(AgentDraft.toAgent(AgentDraft.ofAgent(AGENT)), {
      name: "Reader",
      description: null,
      prompt: "Read.\n",
      tools: ["files_*", "!files_write_*"],
      ask: ["files_move"],
      code: null,
      for: null,
      model: null,
      steps: null,
      temperature: 0.5
    })
  })

  it("has every tool, none, or one pattern a line", () => {
    const tools = (text: string | null) => AgentDraft.toAgent({ ...AgentDraft.EMPTY, tools: text }).tools
    assert.isNull(tools(null))
    assert.deepStrictEqual(tools(" \n"), [])
    assert.deepStrictEqual(tools(" a_*\n\n!a_b "), ["a_*", "!a_b"])
  })

  it("gets a pattern for a tool that is let in or taken away, and loses it again", () => {
    const away = AgentDraft.toggled(null, { name: "a_b", allowed: true })
    assert.strictEqual(away, "*\n!a_b")
    assert.strictEqual(AgentDraft.toggled(away, { name: "a_b", allowed: false }), "*")
    assert.strictEqual(AgentDraft.toggled("a_*", { name: "b.c", allowed: false }), "a_*\nb.c")
    assert.strictEqual(AgentDraft.toggled("a_*\nb.c", { name: "b.c", allowed: true }), "a_*")
  })

  it("takes the name that was meant in place of a pattern", () => {
    assert.strictEqual(AgentDraft.replaced("a\n nothing_* \nb", "nothing_*", "files_*"), "a\n files_* \nb")
  })

  it("shows tools by server, the built-in ones last", () => {
    const tool = (server: string | null) => ({ name: "x", server, allowed: true, pattern: null, asks: false })
    assert.deepStrictEqual(AgentDraft.byServer([tool(null), tool("b"), tool("a")]).map(([server]) => server), [
      "a",
      "b",
      null
    ])
  })
})
