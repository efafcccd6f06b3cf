import { assert, describe, it } from "@effect/vitest"
import type { Tool } from "../../../src/api/Types.ts"
import { answerWords, humanized, outcomeOf, subjectOf, titleOf } from "../../../src/chat/calls/CallWords.ts"
import type { CallBlock } from "../../../src/chat/open/TurnModel.ts"

const tool = (part: Partial<Tool>): Tool => ({
  name: "files_read",
  server: "files",
  tool: "read",
  title: null,
  description: null,
  inputSchema: {},
  annotations: {},
  class: "undeclared",
  openWorld: false,
  needsApproval: false,
  tokens: 1,
  ...part
})

/** A call with this result, and this answer of a person. */
const block = (text: string | null, isError = false, decision: "once" | "deny" | null = null): CallBlock => {
  const of = { seq: 1, turn: 1, usage: undefined }
  return Object.assign(
    {
      kind: "call" as const,
      key: 1,
      written: null,
      progress: null,
      approval: null,
      answer: null,
      result: null,
      questions: [],
      writes: []
    },
    { call: { ...of, type: "tool-call" as const, id: "a", name: "files_read", server: "files", args: {} } },
    text === null
      ? {}
      : {
        result: {
          ...of,
          type: "tool-result" as const,
          id: "a",
          isError,
          text,
          content: [],
          truncated: null,
          origin: null,
          millis: 1
        }
      },
    decision === null ? {} : { answer: { ...of, type: "approval-answer" as const, id: "p", decision, reason: null } }
  ) as unknown as CallBlock
}

describe("The words of a call", () => {
  it("are the tool's title, or its name made readable without its server's", () => {
    assert.strictEqual(titleOf("files_read", "files", tool({ title: "Read a file" })), "Read a file")
    assert.strictEqual(titleOf("files_read", "files", tool({ annotations: { title: "Reader" } })), "Reader")
    assert.strictEqual(titleOf("files_read_text-file", "files", undefined), "Read text file")
    assert.strictEqual(titleOf("list_dir", null, undefined), "List dir")
    assert.strictEqual(humanized("getTinyImage"), "Get Tiny Image")
    assert.strictEqual(humanized("__"), "__")
  })

  it("say what it is about by the most telling argument, in one line", () => {
    assert.strictEqual(subjectOf({ head: 3, encoding: "utf8", path: "notes.txt" }), "notes.txt")
    assert.strictEqual(subjectOf({ text: "a\n  b" }), "a b")
    assert.strictEqual(subjectOf({ count: 3 }), "{\"count\":3}")
    assert.strictEqual(subjectOf({}), "")
    assert.strictEqual(subjectOf("(not JSON)"), "(not JSON)")
    assert.strictEqual(subjectOf({ path: "x".repeat(500) }).length, 160)
  })

  it("tell a failure from what a person stopped or did not allow", () => {
    assert.strictEqual(outcomeOf(block(null), false, false), "running")
    assert.strictEqual(outcomeOf(block("fine"), true, true), "done")
    assert.strictEqual(outcomeOf(block("no such file", true), true, false), "failed")
    assert.strictEqual(outcomeOf(block("it may not", true, "deny"), true, false), "denied")
    assert.strictEqual(outcomeOf(block("it was cancelled: the turn was stopped", true), true, true), "stopped")
    assert.strictEqual(outcomeOf(block("no such file", true), true, true), "failed")
    assert.strictEqual(outcomeOf(block(null), true, false), "unfinished")
    assert.strictEqual(outcomeOf(block(null), true, true), "stopped")
  })

  it("says of an answer what it holds for, and whether other arguments were sent", () => {
    const answer = { type: "approval-answer", seq: 1, turn: 1, id: "a", decision: "hour", reason: null } as const
    assert.strictEqual(answerWords(answer), "Allowed for an hour.")
    assert.strictEqual(
      answerWords({ ...answer, where: { path: "notes/*" }, args: {} }),
      "Allowed for an hour, where path is notes/*, with other arguments."
    )
    assert.strictEqual(answerWords({ ...answer, decision: "deny", reason: "not today" }), "Denied: not today")
  })
})
