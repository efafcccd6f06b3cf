import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { isLike, SWITCH_KEYS } from "../../src/entry/EnabledSwitch.ts"
import * as NativeEntry from "../../src/entry/NativeEntry.ts"
import { COUNTERPARTS, NATIVE_KEYS } from "../../src/entry/NativeKeys.ts"
import * as JsonNode from "../../src/text/JsonNode.ts"
import { SAMPLES } from "../support/Samples.ts"

const state = (members: string) => {
  const root = JsonNode.parse(`{ "a": { "command": "x", ${members} } }`)
  const [entry] = Result.isSuccess(root) ? NativeEntry.decodeServers(root.success).entries : []
  if (entry === undefined) return assert.fail("no entry")
  if (Result.isFailure(entry.declaration)) return entry.declaration.failure[0].detail
  return entry.enabled ? "on" : "off"
}

describe("EnabledSwitch", () => {
  it("takes either switch, and off wins however often they are written", () => {
    assert.deepStrictEqual(
      [
        state("\"enabled\": true"),
        state("\"enabled\": false"),
        state("\"disabled\": true"),
        state("\"disabled\": false"),
        state("\"enabled\": true, \"disabled\": true"),
        state("\"disabled\": true, \"disabled\": false"),
        state("\"enabled\": false, \"enabled\": true")
      ],
      ["on", "off", "off", "on", "off", "off", "off"]
    )
  })

  it("does not start a server whose switch is neither true nor false", () => {
    for (const value of ["\"false\"", "0", "null", "[]", "{}", "\"\""]) {
      assert.include(state(`"enabled": ${value}`), "expected true or false")
      assert.include(state(`"disabled": ${value}, "disabled": false`), "expected true or false")
    }
  })

  it("does not start a server whose switch is mistyped, unless the mistyped one says on", () => {
    for (const key of ["disable", "Disabled", "disabeld", "disbled", "_disabled", "//disabled", "dis abled"]) {
      assert.include(state(`"${key}": true`), "did you mean disabled? The server does not start", key)
    }
    for (const key of ["disable", "Disabled", "disabeld"]) assert.strictEqual(state(`"${key}": false`), "on", key)
    // One slip from the one, three from the other, and they mean the opposite.
    assert.include(state("\"disbled\": false"), "did you mean disabled?")
    for (const key of ["enable", "ENABLED", "enabld", "enabeld"]) {
      assert.include(state(`"${key}": false`), "did you mean enabled?", key)
      assert.include(state(`"${key}": "yes"`), "did you mean enabled?", key)
      assert.strictEqual(state(`"${key}": true`), "on", key)
    }
  })

  it("takes no other application's key for a switch", () => {
    const known = SAMPLES.flatMap(({ text }) => Array.from(text.matchAll(/\w+/g), ([word]) => word))
    const others = new Set(
      [...NATIVE_KEYS, ...COUNTERPARTS.keys(), ...known].filter((key) => !SWITCH_KEYS.includes(key))
    )
    for (const key of [...others, "available", "description", "display"]) {
      assert.isFalse(isLike({ key, at: JsonNode.START, value: JsonNode.fromValue(false) }), key)
    }
  })
})
