import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { checkEntry, checkKeys } from "../../src/entries/EntryRules.ts"

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

  it("has keys of an entry only, and over the network none that is about this machine", () => {
    const wordsOf = (entry: object) =>
      Result.match(checkKeys("web", { url, ...entry }), {
        onSuccess: () => "fine",
        onFailure: ({ hint, message }) => `${message}: ${hint}`
      })
    assert.strictEqual(wordsOf({ timeout: "3 seconds", publicOnly: false, description: "mine", command: "x" }), "fine")
    assert.strictEqual(
      wordsOf({ timeuot: 3 }),
      "mcpServers.web: \"timeuot\" is no key of an entry: write \"timeout\" instead; nothing was written"
    )
    assert.include(wordsOf({ httpUrl: url }), "write \"url\" instead")
    assert.include(wordsOf({ "\u202e": 1 }), "leave it out")
    const fine = {
      url,
      type: "http",
      headers: {},
      oauth: {},
      tools: ["a"],
      ask: ["*"],
      lazy: true,
      description: "mine"
    }
    assert.isTrue(Result.isSuccess(checkEntry("web", fine)))
    for (const key of ["args", "cwd", "env", "envFile", "inheritEnv", "roots", "headersHelper", "command"]) {
      assert.isTrue(Result.isFailure(checkEntry("web", { url, [key]: "x" })), key)
    }
  })
})
