import { assert, describe, it } from "@effect/vitest"
import type { CallDraft, ToolCallPart } from "../../../src/api/Types.ts"
import { WrittenCalls } from "../../../src/chat/open/WrittenCalls.ts"

const piece = (at: number, text: string, changes: Partial<CallDraft> = {}): CallDraft => ({
  type: "tool-draft",
  turn: 1,
  id: "c",
  name: "files_write",
  server: "files",
  at,
  text,
  ...changes
})

describe("WrittenCalls", () => {
  it("joins the pieces of a call, also of one that begins again after a lost connection", () => {
    const calls = new WrittenCalls()
    assert.isNull(calls.take(piece(3, "missed")))
    const first = calls.take(piece(0, "{\"path\": \"no"))
    assert.deepStrictEqual(first?.call.args, { path: "no" })
    const again = calls.take(piece(0, "{\"path\": \"notes\", \"te"))
    assert.deepStrictEqual([again?.call.args, again?.written, again?.key], [{ path: "notes" }, 21, first?.key])
    assert.deepStrictEqual(calls.take(piece(21, "xt\": \"a"))?.call.args, { path: "notes", text: "a" })
    calls.end([{ type: "tool-call", id: "c" } as ToolCallPart])
    assert.isNull(calls.take(piece(28, "late")))
  })

  it("shows a tool that is called by way of another as itself", () => {
    const taken = new WrittenCalls().take(
      piece(0, "{\"name\":\"git_log\",\"arguments\":{\"since\":\"y", { name: "tool_call", server: null })
    )
    assert.deepInclude(taken?.call, { name: "git_log", args: { since: "y" }, through: "tool_call" })
  })

  it("reads a long text that comes in single characters a few times only", () => {
    const calls = new WrittenCalls()
    const text = `{"text":"${"x".repeat(100_000)}"}`
    let read = 0
    let last = 0
    for (let at = 0; at < text.length; at++) {
      const taken = calls.take(piece(at, text[at] ?? ""))
      if (taken === null) continue
      read += taken.written
      last = taken.written
    }
    // The first 1000 characters each time, which is half a million; then a few times the whole.
    assert.isAtMost(read, 500_000 + 10 * text.length)
    assert.isAtLeast(last, 0.88 * text.length)
  })
})
