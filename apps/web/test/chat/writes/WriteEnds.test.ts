import { assert, describe, it } from "@effect/vitest"
import { endOf, heldAt, untilOf } from "../../../src/chat/writes/WriteEnds.ts"

const NOON = new Date(2026, 10, 23, 12)

describe("The write mode of a chat", () => {
  it("ends when a person said so, and never before", () => {
    const write = { mode: "ask", until: untilOf("hour", NOON) } as const
    assert.strictEqual(heldAt(write, NOON.getTime()), write)
    assert.strictEqual(heldAt(write, NOON.getTime() + 3_599_999), write)
    assert.isNull(heldAt(write, NOON.getTime() + 3_600_000))
    assert.deepStrictEqual(heldAt({ mode: "rules", until: null }, Infinity), { mode: "rules", until: null })
  })

  it("is chosen for the chat, for an hour or until the end of the day here", () => {
    assert.isNull(untilOf("chat", NOON))
    assert.strictEqual(untilOf("midnight", NOON), new Date(2026, 10, 24).toISOString())
    for (const end of ["chat", "hour", "midnight"] as const) {
      assert.strictEqual(endOf({ mode: "ask", until: untilOf(end, NOON) }, NOON), end)
    }
  })
})
