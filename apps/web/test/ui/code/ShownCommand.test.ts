import { assert, describe, it } from "@effect/vitest"
import { asTyped, ownCommand } from "../../../src/ui/code/ShownCommand.ts"

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
})
