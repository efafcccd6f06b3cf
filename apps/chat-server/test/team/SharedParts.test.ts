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

  it("has a call without its arguments until it was answered or has its result", () => {
    const call = (seq: number, id: string) =>
      decode({
        ...about,
        seq,
        type: "tool-call",
        id: `call ${id}`,
        name: "files_write",
        server: "files",
        args: { a: "secret" }
      })
    const result = (seq: number, id: string) =>
      decode({
        ...{ ...about, seq, type: "tool-result", id: `call ${id}`, isError: false, text: "", content: [] },
        ...{ truncated: null, origin: null, millis: 1 }
      })
    const parts = [call(1, "a"), call(2, "b"), call(3, "c"), approval(4, "a"), approval(5, "b")]
    const seen = (...more: ReadonlyArray<Part>) =>
      SharedParts.shown([...parts, ...more]).flatMap((part) =>
        JSON.stringify(part).includes("secret") ? [part.seq] : []
      )
    assert.deepStrictEqual(seen(), [])
    assert.deepStrictEqual(seen(answered(6, "b"), result(7, "c")), [2, 3, 5])
    assert.deepStrictEqual(SharedParts.shown(parts).map(({ type }) => type), ["tool-call", "tool-call", "tool-call"])
    assert.notInclude(JSON.stringify(parts.map(SharedParts.arriving).slice(0, 3)), "secret")
  })
})
