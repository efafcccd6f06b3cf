import { Profile } from "@boocode/mcp-gateway"
import { assert, describe, it } from "@effect/vitest"
import * as ProfileText from "../../src/clients/ProfileText.ts"

const read = (text: string) => ProfileText.read(text, "gateway.jsonc")

describe("gateway.jsonc", () => {
  it("has profiles by name, and what a profile leaves out is as in the standard one", () => {
    const { broken, problems, profiles } = read(`{
      // for work
      "profiles": {
        "work": { "tools": ["files_*", "!files_write"], "exposure": "search", "write": "off", "maxResultBytes": 1000 },
        "bare": { "names": "bare" }
      }
    }`)
    assert.deepStrictEqual([problems, broken], [[], []])
    assert.deepStrictEqual(profiles.get("bare"), { ...Profile.standard, names: "bare" })
    assert.deepStrictEqual(profiles.get("work"), {
      tools: ["files_*", "!files_write"],
      exposure: "search",
      names: "prefixed",
      write: "off",
      maxResultBytes: 1000
    })
  })

  it("says where a mistake is, and drops the profile that has it: a typing error must not let a client write", () => {
    const { broken, problems, profiles } = read(`{
  "profiles": {
    "work": { "write": "of" },
    "home": { "tolls": [] },
    "a b": {},
    "good": {}
  }
}`)
    assert.deepStrictEqual([...profiles.keys()], ["good"])
    assert.deepStrictEqual(broken, ["work", "home", "a b"])
    assert.deepStrictEqual(problems.map(({ key, line }) => [line, key]), [
      [3, "profiles.work.write"],
      [4, "profiles.home.tolls"],
      [5, "profiles.a b"]
    ])
    assert.match(problems[1]?.hint ?? "", /did you mean "tools"/)
  })

  it("drops a profile that is there twice, and opens nothing where a key is misspelt", () => {
    const twice = read(`{"profiles":{"default":{"write":"off"},"good":{},"default":{}}}`)
    assert.deepStrictEqual([[...twice.profiles.keys()], twice.broken], [["good"], ["default"]])
    assert.match(twice.problems[0]?.message ?? "", /1:50: profiles\.default: is written more than once/)
    for (const text of [`{"profile":{"default":{"write":"off"}}}`, `{"profiles":{},"profiles":{"a":{}}}`]) {
      const { broken, problems } = read(text)
      assert.isNull(broken, text)
      assert.lengthOf(problems, 1, text)
    }
  })

  it("has no profile at all where the text cannot be read", () => {
    for (const text of ["{", "[]", `{"profiles": []}`]) assert.isNull(read(text).broken, text)
  })
})
