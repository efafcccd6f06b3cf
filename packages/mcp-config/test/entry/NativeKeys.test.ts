import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as NativeEntry from "../../src/entry/NativeEntry.ts"
import * as NativeKeys from "../../src/entry/NativeKeys.ts"
import * as JsonNode from "../../src/text/JsonNode.ts"

const entryOf = (members: string) => {
  const root = JsonNode.parse(`{ "a": { "command": "x", ${members} } }`)
  const [entry] = Result.isSuccess(root) ? NativeEntry.decodeServers(root.success).entries : []
  return entry ?? assert.fail("no entry")
}

describe("Keys that are nearly \"for\"", () => {
  it("keeps a server from everybody whose \"for\" is mistyped, and says what to write", () => {
    for (const key of ["fro", "For", "FOR", "fr", "fore", "four", "audience", "Audience", "audiences"]) {
      const { audience, declaration, remarks } = entryOf(`"${key}": ["admins"]`)
      assert.deepStrictEqual(audience, [], key)
      assert.deepStrictEqual(remarks, [], key)
      if (!Result.isFailure(declaration)) return assert.fail(`${key} is used`)
      assert.match(declaration.failure[0].detail, /did you mean for\? The server is for nobody/)
      assert.strictEqual(declaration.failure[0].key, `mcpServers.a.${key}`)
    }
  })

  it("refuses an entry with a mistyped one beside the right one", () => {
    const { audience, declaration } = entryOf("\"for\": [\"ann\"], \"fro\": [\"admins\"]")
    assert.deepStrictEqual(audience, ["ann"])
    assert.isTrue(Result.isFailure(declaration))
  })

  it("takes no other key for it", () => {
    for (
      const key of [
        ...NativeKeys.NATIVE_KEYS,
        ...NativeKeys.COUNTERPARTS.keys(),
        "format",
        "force",
        "x-note",
        "id",
        "info"
      ]
    ) {
      assert.isFalse(NativeKeys.isLikeAudience(key), key)
    }
    const { audience, declaration } = entryOf("\"format\": 1")
    assert.isUndefined(audience)
    assert.isTrue(Result.isSuccess(declaration))
  })
})
