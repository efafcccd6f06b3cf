import { assert, describe, it } from "@effect/vitest"
import { asSentence, asTyped, ownCommand } from "../../../src/ui/code/ShownCommand.ts"

describe("ShownCommand", () => {
  it("shows every command as it is typed on the machine of the server, and leaves other words alone", () => {
    ownCommand.value = "npx -y pnpm@12 boocode"
    assert.strictEqual(
      asTyped("save it with boocode setup, or run boocode backup; end boocode serve"),
      "save it with npx -y pnpm@12 boocode setup, or run npx -y pnpm@12 boocode backup; end npx -y pnpm@12 boocode serve"
    )
    const other = "a fault of boocode; the boocode-chat of boocode setups"
    assert.strictEqual(asTyped(other), other)
    ownCommand.value = "boocode"
  })

  it("shows a hint as a sentence, unless it begins with a command, a path or the id of a model", () => {
    assert.strictEqual(asSentence("check the address, then boocode serve"), "Check the address, then boocode serve")
    for (const hint of ["boocode mcp list shows it", "openai/gpt-5.4 is one", "mcp.json has it", "Look again"]) {
      assert.strictEqual(asSentence(hint), hint)
    }
  })
})
