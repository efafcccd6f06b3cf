import { assert, describe, it } from "@effect/vitest"
import type { ServerStatus } from "../../../src/api/Types.ts"
import { missingVariable, neededToken, withoutPlace, wrongKey } from "../../../src/servers/entry/Obstacle.ts"

const told = (_tag: string, message: string): Pick<ServerStatus, "error" | "name"> => ({
  name: "git.hub",
  error: {
    _tag,
    message,
    hint: "",
    exitCode: null,
    signal: null,
    stderr: null,
    code: null,
    method: null,
    limitMillis: null
  }
})

describe("What keeps a server from starting", () => {
  it("is a value that the person has not given", () => {
    assert.strictEqual(neededToken(told("TokenNeeded", "it needs your token GITHUB_TOKEN")), "GITHUB_TOKEN")
    assert.isNull(neededToken(told("AuthRequired", "it needs your token GITHUB_TOKEN")))
  })

  it("is a variable that nothing sets, and the key that needs it", () => {
    const status = told(
      "VariableUnset",
      "data/mcp.json:24:7: mcpServers.git.hub.headers.Authorization needs the variable GITHUB_TOKEN, which is not set"
    )
    assert.strictEqual(missingVariable(status), "GITHUB_TOKEN")
    assert.strictEqual(wrongKey(status), "headers.Authorization")
  })

  it("is a key that is wrong", () => {
    const status = told("InvalidEntry", "mcp.json:3:9: mcpServers.git.hub.args[1]: a text is expected")
    assert.isNull(missingVariable(status))
    assert.strictEqual(wrongKey(status), "args[1]")
  })

  it("is told without its file and key, which stand beside it", () => {
    assert.strictEqual(
      withoutPlace("mcp.json:3:9: mcpServers.git.hub.args[1]: a text is expected"),
      "a text is expected"
    )
    assert.strictEqual(withoutPlace("it ended with code 3"), "it ended with code 3")
  })

  it("is no key where the program failed or nothing is wrong", () => {
    assert.isNull(wrongKey(told("ExitedEarly", "it ended: mcpServers.git.hub.args[1]: x")))
    assert.isNull(wrongKey({ name: "a", error: null }))
    assert.isNull(missingVariable({ name: "a", error: null }))
  })
})
