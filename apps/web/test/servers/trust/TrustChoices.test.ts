import { assert, describe, it } from "@effect/vitest"
import type { TrustDetails } from "../../../src/api/Types.ts"
import { bodyOf, choicesOf } from "../../../src/servers/trust/TrustChoices.ts"

describe("A decision about a project's server", () => {
  const details = (more: Partial<TrustDetails>): TrustDetails => ({
    server: "theirs",
    file: "/x/.mcp.json",
    decision: "pending",
    hash: null,
    by: null,
    entry: [],
    changes: null,
    problem: null,
    tools: null,
    seen: "hash",
    ...more
  })
  const words = (more: Partial<TrustDetails>) => choicesOf(details(more)).map((choice) => choice.words)

  it("can be made where there is one to make, with what was looked at", () => {
    assert.deepStrictEqual(words({}), ["Approve once", "Approve always", "Reject"])
    assert.deepStrictEqual(words({ decision: "rejected" }), ["Approve once", "Approve always", "Revoke"])
    assert.deepStrictEqual(words({ decision: "approved", by: "once" }), ["Approve always", "Revoke", "Reject"])
    assert.deepStrictEqual(words({ decision: "approved", by: "always" }), ["Revoke", "Reject"])
    assert.deepStrictEqual(words({ decision: "approved", by: "publisher" }), ["Reject"])
    assert.deepStrictEqual(words({ decision: "not-needed", seen: ".tools" }), ["Accept these tools"])
    assert.deepStrictEqual(words({ decision: "not-needed" }), [])
    const bodies = choicesOf(details({ decision: "rejected" })).map((choice) => bodyOf(choice, "hash"))
    assert.deepStrictEqual(bodies, [{ once: true, seen: "hash" }, { once: false, seen: "hash" }, undefined])
    const [accept] = choicesOf(details({ decision: "approved", by: "always", seen: "hash.tools" }))
    assert.deepStrictEqual(accept === undefined ? null : bodyOf(accept, "hash.tools"), { seen: "hash.tools" })
  })
})
