import { assert, describe, it } from "@effect/vitest"
import * as ModelList from "../../src/models/ModelList.ts"

const chat = (
  model: string | null,
  agent: string | null,
  updatedAt: string,
  titledBy: ModelList.UsedChat["titledBy"] = "message"
): ModelList.UsedChat => ({ model, agent, updatedAt, titledBy })

describe("The last use of a model", () => {
  it("is that of the last chat which it answers: by the chat's choice, its agent's, or the program's", () => {
    const agents = (name: string | null) => name === "Coder" ? "openai/coder" : null
    const uses = ModelList.lastUses(
      [
        chat("openai/a", null, "2026-11-03"),
        chat("openai/a", "Coder", "2026-11-01"),
        chat(null, "Coder", "2026-11-02"),
        chat(null, null, "2026-11-04"),
        chat("openai/b", null, "2026-11-05", "none")
      ],
      agents,
      "local/standard"
    )
    assert.deepStrictEqual([...uses], [
      ["openai/a", "2026-11-03"],
      ["openai/coder", "2026-11-02"],
      ["local/standard", "2026-11-04"]
    ])
  })
})
