import { assert, describe, it } from "@effect/vitest"
import { withSplit } from "../../../src/servers/add/SplitArgument.ts"

describe("An argument that is two", () => {
  it("is made into two, and the others stay", () => {
    const entry = { command: "npx", args: ["-y some-package", "."] }
    assert.deepStrictEqual(withSplit(entry, "args[0]"), { command: "npx", args: ["-y", "some-package", "."] })
  })

  it("is left alone where it is one, or no argument", () => {
    const entry = { command: "npx", args: ["-y"] }
    assert.isNull(withSplit(entry, "args[0]"))
    assert.isNull(withSplit(entry, "args[7]"))
    assert.isNull(withSplit(entry, "command"))
  })
})
