import { assert, describe, it } from "@effect/vitest"
import { limitsOf, rowsOf } from "../../src/settings/LimitDraft.ts"
import { partsDraft, partsValue } from "../../src/settings/SettingEditing.ts"

describe("Limits while they are typed", () => {
  it("come back as they were, with none for no limit, and without rows for nobody", () => {
    const limits = { everyone: { money: "20 USD a month", turns: 3 }, "group:dev": { money: null }, Ann: {} }
    const rows = rowsOf(limits)
    assert.deepStrictEqual(rows[1], { who: "group:dev", money: "none", tokens: "", turns: "" })
    assert.deepStrictEqual(limitsOf([...rows, { who: " ", money: "1", tokens: "", turns: "" }]), limits)
    const odd = [{ who: " Bob ", money: "much", tokens: " None", turns: "3 or 4" }]
    assert.deepStrictEqual(limitsOf(odd), { Bob: { money: "much", tokens: null, turns: "3 or 4" } })
    assert.deepStrictEqual(rowsOf(null), [])
  })
})

describe("A setting of several values", () => {
  const parts = [{ key: "issuer", label: "Address" }, { key: "admins", label: "Admins", isList: true }]

  it("leaves out what is empty, and keeps keys that the page does not know", () => {
    const value = { issuer: "https://id.example", admins: ["a", "b"], later: true }
    const draft = partsDraft(parts, value)
    assert.deepStrictEqual(draft, { issuer: "https://id.example", admins: "a\nb" })
    assert.deepStrictEqual(partsValue(parts, value, draft), value)
    assert.deepStrictEqual(partsValue(parts, value, { ...draft, issuer: " " }), { admins: ["a", "b"], later: true })
    assert.deepStrictEqual(partsValue(parts, null, { issuer: "x", admins: " \n" }), { issuer: "x" })
  })
})
