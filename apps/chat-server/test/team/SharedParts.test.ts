import { Part } from "@boocode/chat"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as SharedParts from "../../src/team/SharedParts.ts"

const decode = Schema.decodeUnknownSync(Part)

const about = { chat: "c", turn: 1 }

const approval = (seq: number, id: string) =>
  decode({
    ...{ ...about, seq, type: "approval", id, call: `call ${id}`, name: "files_write", server: "files" },
    ...{ tool: "write", isTrusted: false, args: { text: "secret" }, annotations: {}, before: "the old text" }
  })

const answered = (seq: number, id: string) =>
  decode({ ...about, seq, type: "approval-answer", id, decision: "once", reason: null })

describe("What readers of a shared chat see", () => {
  it("has no call that waits for the owner's yes, and has it when it was answered", () => {
    const waiting = [approval(1, "a"), answered(2, "a"), approval(3, "b")]
    assert.deepStrictEqual(SharedParts.shown(waiting).map(({ seq }) => seq), [1, 2])
    assert.deepStrictEqual(SharedParts.shown([...waiting, answered(4, "b")]).map(({ seq }) => seq), [1, 2, 3, 4])
    assert.deepStrictEqual(waiting.map((part) => SharedParts.isAsking(part)), [true, false, true])
  })
})
