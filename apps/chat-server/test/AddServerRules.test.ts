import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { checkEntry } from "../src/AddServerRules.ts"

const url = "https://mcp.example/mcp"

describe("An entry that comes over the network", () => {
  it("sends no variable of this machine away, in its address, its headers or what it signs in with", () => {
    for (
      const entry of [
        { url: "https://mcp.example/${HOME}" },
        { url, headers: { "X-Key": "${OPENAI_API_KEY}" } },
        { url, oauth: { clientId: "c", clientSecret: "${OPENAI_API_KEY:-none}" } },
        { url, oauth: { clientId: "c", scopes: ["a", "$OPENAI_API_KEY"] } }
      ]
    ) assert.isTrue(Result.isFailure(checkEntry("web", entry)), JSON.stringify(entry))
    const plain = { url, headers: { "X-Key": "a" }, oauth: { clientId: "c", clientSecret: "s", scopes: ["a"] } }
    assert.isTrue(Result.isSuccess(checkEntry("web", plain)))
  })
})
