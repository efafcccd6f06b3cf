import { assert, describe, it } from "@effect/vitest"
import { Problem } from "../../../src/api/Client.ts"
import { attach, clear, draftOf, giveBack } from "../../../src/chat/composer/Draft.ts"

/** What the attachments say after this was the answer to a message with them. */
const refusals = (error: unknown) => {
  const draft = draftOf("c")
  clear(draft)
  for (const [name, bytes] of [["small.txt", 10], ["large.pdf", 900], ["mean.csv", 50]] as const) {
    const attachment = { kind: "file", name, mediaType: null, data: "" } as const
    attach(draft, { name, about: "", bytes, preview: null, attachment })
  }
  const [files, text] = [draft.files.value, "look"]
  clear(draft)
  const isTold = giveBack(draft, { files, text, prompt: [] }, error)
  assert.strictEqual(draft.text.value, text)
  return { isTold, told: draft.files.value.map(({ refused }) => refused) }
}

describe("A message that was not taken", () => {
  it("is told at the attachment that the server names", () => {
    const { isTold, told } = refusals(new Problem(415, { detail: "no" }, { attachment: 2 }))
    assert.deepStrictEqual([isTold, told], [true, [null, null, "no"]])
  })

  it("is told at the largest attachment where it is too large as a whole, also by a proxy", () => {
    const { isTold, told } = refusals(new Problem(413, {}))
    assert.isTrue(isTold)
    assert.deepStrictEqual(told.map((text) => text !== null), [false, true, false])
    assert.match(told[1] ?? "", /^large\.pdf was not sent: .*proxy/)
  })

  it("is told elsewhere where it is about no attachment", () => {
    assert.deepStrictEqual(refusals(new Problem(409, { detail: "busy" })), { isTold: false, told: [null, null, null] })
  })
})
