import { assert, describe, it } from "@effect/vitest"
import * as Refusal from "../../src/rpc/Refusal.ts"

const SECRET = "hunter2hunter2"
const scrub = (text: string) => text.replaceAll(SECRET, "<redacted>")
const refusal = (error: Parameters<typeof Refusal.toReason>[1]) => Refusal.toReason("tools/call", error, scrub)

describe("Refusal", () => {
  it("keeps the data of an error and shows it behind the words, without secrets", () => {
    const data = { field: "path", [SECRET]: [SECRET, 7, null] }
    const reason = refusal({ code: -32602, message: "bad params", data })
    assert.deepStrictEqual(reason.data, { field: "path", "<redacted>": ["<redacted>", 7, null] })
    assert.strictEqual(
      reason.message,
      `tools/call: bad params; data: {"field":"path","<redacted>":["<redacted>",7,null]} (-32602)`
    )
    assert.strictEqual(
      refusal({ code: 1, message: "no", data: "see the log" }).message,
      "tools/call: no; data: see the log (1)"
    )
  })

  it("shows no data where there is none, or none that can be read", () => {
    for (const more of [{}, { data: null }, { data: "" }, { data: {} }, { data: [] }]) {
      assert.strictEqual(refusal({ code: 1, message: "no", ...more }).message, "tools/call: no (1)")
    }
    let deep: Parameters<typeof Refusal.toReason>[1] = {}
    for (let depth = 0; depth < 100_000; depth++) deep = { deep }
    assert.strictEqual(refusal({ code: 1, message: "no", data: deep }).message, "tools/call: no (1)")
  })

  it("cuts words and data at 4,000 characters and tells how many more there are, after secrets are hidden", () => {
    const message = `${"x".repeat(3995)}${SECRET}${"x".repeat(1_000_000)}`
    const reason = refusal({ code: -32000, message, data: { trace: "y".repeat(1_000_000) } })
    assert.include(reason.detail, `${"x".repeat(3995)}<reda… (1000005 more characters)`)
    assert.notInclude(reason.detail, "hunter")
    assert.match(reason.detail, /data: \{"trace":"y+… \(996012 more characters\)$/)
    assert.isBelow(reason.message.length, 8200)
    const handshake = Refusal.ofHandshake("initialize", { code: 1, message, data: "why" }, scrub)
    assert.isBelow(handshake.message.length, 8200)
    assert.include(handshake.message, "; data: why (1)")
  })

  it("does not repeat addresses to visit as data", () => {
    const visit = { elicitationId: "1", message: "Sign in", url: "https://a.example/" }
    const reason = refusal({ code: -32042, message: "visit first", data: { elicitations: [visit] } })
    assert.strictEqual(reason.message, "tools/call: visit first (-32042)")
    assert.include(reason.hint, visit.url)
  })
})
