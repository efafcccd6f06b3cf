import { assert, describe, it } from "@effect/vitest"
import type { Part } from "../../../src/api/Types.ts"
import {
  add,
  draft,
  EMPTY,
  isJoined,
  openCall,
  plainText,
  replaceSummary,
  shownBlocks,
  unitsOf,
  waitingApprovals,
  waitingQuestions
} from "../../../src/chat/open/TurnModel.ts"

type Loose = { readonly type: Part["type"] } & Record<string, unknown>

/** Parts with their numbers. */
const numbered = (parts: ReadonlyArray<Loose>): ReadonlyArray<Part> =>
  parts.map((part, index) => Object.assign({ seq: index + 1, turn: 1 }, part) as unknown as Part)

const call = (id: string) => ({ type: "tool-call", id, name: `n_${id}`, server: "n", args: {} }) as const
const result = (id: string) =>
  ({ type: "tool-result", id, isError: false, text: id, content: [], truncated: null, millis: 1 }) as const
const asked = {
  type: "approval",
  id: "p",
  call: "a",
  name: "n_a",
  server: "n",
  tool: "a",
  isTrusted: false,
  args: {},
  annotations: {}
} as const
const finish = { type: "finish", reason: "stop", usage: { inputTokens: 1, outputTokens: 2 } } as const
const text = (words: string) => ({ type: "text-delta", text: words }) as const

const kinds = (parts: ReadonlyArray<Loose>) => add(EMPTY, numbered(parts)).blocks.map(({ kind }) => kind)

describe("TurnModel", () => {
  it("joins deltas of one kind that follow each other, in the order of the parts", () => {
    const parts = [text("a"), text("b"), { type: "reasoning-delta", text: "c" } as const, call("x"), text("d")]
    assert.deepStrictEqual(kinds(parts), ["text", "reasoning", "call", "text"])
    assert.strictEqual(plainText(add(EMPTY, numbered(parts))), "ab\n\nd")
  })

  it("shows a call that is being written after all else, until the call itself, a retry or the end takes its place", () => {
    const before = add(EMPTY, numbered([text("a")]))
    const one = { ...call("x"), seq: 0, turn: 1, args: { path: "no" } } as const
    const drafted = draft(before, { key: -1, written: 9, call: one })
    const later = add(drafted, [{ ...text("b"), seq: 2, turn: 1 }])
    assert.deepStrictEqual(shownBlocks(later).map(({ kind }) => kind), ["text", "call"])
    assert.strictEqual(openCall(later)?.written, 9)
    const made = add(later, [{ ...call("x"), seq: 3, turn: 1 }])
    const [, block] = made.blocks
    assert.deepStrictEqual([block?.key, block?.kind === "call" && block.written, made.drafts.length], [-1, null, 0])
    assert.strictEqual(draft(made, { key: -1, written: 12, call: one }), made)
    assert.deepStrictEqual(add(later, [{ ...finish, seq: 3, turn: 1 } as unknown as Part]).drafts, [])
  })

  it("puts progress and results to their calls, also when several run at once", () => {
    const { blocks } = add(EMPTY, numbered([call("a"), call("b"), result("b"), result("a")]))
    assert.deepStrictEqual(blocks.map((block) => block.kind === "call" ? block.result?.text : null), ["a", "b"])
  })

  it("does not take a part twice, so that a stream may begin again anywhere", () => {
    const parts = numbered([text("a"), call("x"), text("b"), result("x"), finish])
    const whole = add(EMPTY, parts)
    for (let from = 0; from <= parts.length; from++) {
      assert.deepStrictEqual(add(add(EMPTY, parts.slice(0, from)), parts.slice(Math.max(0, from - 2))), whole)
    }
    assert.strictEqual(add(whole, parts), whole)
  })

  it("keeps the blocks that did not change, so that they are not drawn anew", () => {
    const parts = numbered([text("a"), call("x"), text("b"), text("c")])
    const before = add(EMPTY, parts.slice(0, 3))
    const after = add(before, parts)
    assert.strictEqual(after.blocks[0], before.blocks[0])
    assert.strictEqual(after.blocks[1], before.blocks[1])
    assert.notStrictEqual(after.blocks[2], before.blocks[2])
  })

  it("takes back what was said since the last result when the provider is asked again", () => {
    const retry = { type: "retry", attempt: 1, limit: 4, delayMillis: 10, message: "529" } as const
    const model = add(EMPTY, numbered([text("kept"), call("x"), result("x"), text("half"), retry, text("whole")]))
    assert.deepStrictEqual(model.blocks.map(({ kind }) => kind), ["text", "call", "retry", "text"])
    assert.strictEqual(plainText(model), "kept\n\nwhole")
    const again = model.blocks[2]
    assert.deepStrictEqual(again?.kind === "retry" ? again.dropped.map((block) => block.text) : null, ["half"])
  })

  it("says which calls wait for a person, until one answered or the turn ended", () => {
    const waiting = numbered([call("a"), asked])
    assert.lengthOf(waitingApprovals(add(EMPTY, waiting)), 1)
    const answered = numbered([call("a"), asked, { type: "approval-answer", id: "p", decision: "once", reason: null }])
    assert.lengthOf(waitingApprovals(add(EMPTY, answered)), 0)
    assert.lengthOf(waitingApprovals(add(EMPTY, numbered([call("a"), asked, finish]))), 0)
  })

  it("goes past a part of a kind that it does not know", () => {
    const unknown = { type: "later" } as unknown as Loose
    assert.deepStrictEqual(kinds([text("a"), unknown, text("b")]), ["text"])
  })

  it("has the questions of a server at its call, those of no call by themselves, and waits for what is open", () => {
    const question = (id: string, of: string | null) => ({ type: "question", id, call: of, server: "n" }) as const
    const answer = (id: string) =>
      ({ type: "question-answer", id, action: "decline", content: null, reason: null }) as const
    const ids = (parts: ReadonlyArray<Loose>) =>
      waitingQuestions(add(EMPTY, numbered(parts))).map(({ question }) => question.id)
    const parts = [
      call("a"),
      call("b"),
      question("1", "a"),
      question("2", null),
      question("3", "b"),
      question("4", "a")
    ]
    assert.deepStrictEqual(kinds(parts), ["call", "call", "question"])
    assert.deepStrictEqual(ids(parts), ["1", "4", "3", "2"])
    assert.deepStrictEqual(ids([...parts, answer("1"), answer("2")]), ["4", "3"])
    assert.deepStrictEqual(ids([...parts, answer("1"), result("a")]), ["3", "2"])
    assert.deepStrictEqual(ids([...parts, finish]), [])
    const { blocks } = add(EMPTY, numbered([...parts, answer("4"), { type: "sampling-result", id: "4", text: "x" }]))
    const [first] = blocks
    assert.deepStrictEqual(
      first?.kind === "call" ? first.questions.map(({ answer, said }) => [answer?.action, said?.text]) : [],
      [[undefined, undefined], ["decline", "x"]]
    )
  })

  it("draws calls that follow each other as one, with the reasoning between them", () => {
    const thought = { type: "reasoning-delta", text: "hm" } as const
    const parts = [text("a"), call("a"), result("a"), thought, call("b"), thought, text("b"), call("c")]
    const units = unitsOf(add(EMPTY, numbered(parts)).blocks)
    assert.deepStrictEqual(units.map(({ kind }) => kind), ["text", "calls", "reasoning", "text", "calls"])
    assert.deepStrictEqual(
      units.map((unit) => unit.kind === "calls" ? unit.blocks.map(({ kind }) => kind) : []),
      [[], ["call", "reasoning", "call"], [], [], ["call"]]
    )
  })

  it("has the calls of a program at the program, which is over when it has its own result", () => {
    const program = (id: string) => ({ type: "tool-call", id, name: "execute", server: null, args: {} }) as const
    const made = (id: string, of: string) => ({ ...call(id), program: of })
    const parts = [call("a"), program("p"), made("b", "p"), program("q"), made("c", "q"), result("b"), made("d", "p")]
    const model = add(EMPTY, numbered([...parts, call("e"), result("e")]))
    assert.deepStrictEqual(
      unitsOf(model.blocks).map((unit) => {
        if (unit.kind === "program") return [unit.block.call.id, ...unit.calls.map(({ call }) => call.id)]
        return unit.kind
      }),
      ["calls", ["p", "b", "d"], ["q", "c"], "calls"]
    )
    assert.strictEqual(openCall(model)?.call.id, "q")
    assert.strictEqual(openCall(add(EMPTY, numbered([program("p"), made("b", "p"), result("p")]))), null)
  })

  it("tells of servers that are away once, where the first of them was told", () => {
    const warning = (message: string) => ({ type: "warning", message }) as const
    const units = unitsOf(
      add(
        EMPTY,
        numbered([
          warning("MCP server a failed: command not found: a (searched /bin:/usr/bin)"),
          text("Hello"),
          warning("MCP server b needs a login"),
          warning("MCP server a is still connecting; its tools can be used in a later message"),
          warning("the pattern nothing_* matches no tool")
        ])
      ).blocks
    )
    assert.deepStrictEqual(units.map(({ kind }) => kind), ["away", "text", "warning"])
    assert.deepStrictEqual(units.flatMap((unit) => unit.kind === "away" ? unit.servers : []), ["a", "b"])
  })

  it("tells of servers that are away as one block, apart from other warnings", () => {
    const servers = [{ name: "a", reason: "failed" }, { name: "b", reason: "needs-auth" }]
    const units = unitsOf(
      add(
        EMPTY,
        numbered([
          { type: "warning", message: "2 MCP servers are not available: a (failed), b (needs a login)", servers },
          text("Hello"),
          { type: "warning", message: "the pattern nothing_* matches no tool" }
        ])
      ).blocks
    )
    assert.deepStrictEqual(units.map(({ kind }) => kind), ["away", "text", "warning"])
    assert.deepStrictEqual(units.flatMap((unit) => unit.kind === "away" ? unit.servers : []), ["a", "b"])
  })

  it("has a message that the turn took between the calls around it", () => {
    const message = { type: "message", from: 2, text: "and this", attachments: [] } as const
    const units = unitsOf(add(EMPTY, numbered([call("a"), result("a"), message, call("b")])).blocks)
    assert.deepStrictEqual(units.map(({ kind }) => kind), ["calls", "message", "calls"])
    assert.isTrue(isJoined(add(EMPTY, numbered([{ ...finish, reason: "joined" }]))))
  })

  it("takes the text that a person gave to the note about older turns", () => {
    const summary = { type: "summary", id: "summary-2", text: "old", from: 1, to: 2, tokens: 3 } as const
    const model = add(EMPTY, numbered([summary, text("a")]))
    const [part] = model.blocks.flatMap((block) => block.kind === "summary" ? [block.part] : [])
    assert.strictEqual(part?.text, "old")
    if (part === undefined) return
    const edited = replaceSummary(model, { ...part, text: "new", edited: true })
    assert.deepStrictEqual(edited.blocks.map((block) => block.kind === "summary" ? block.part.text : block.kind), [
      "new",
      "text"
    ])
    assert.strictEqual(edited.blocks[1], model.blocks[1])
  })

  it("puts what was written to the call that wrote it, every time", () => {
    const write = (id: string, of: string) => ({ type: "write", id, call: of }) as const
    const { blocks } = add(
      EMPTY,
      numbered([call("a"), call("b"), write("1", "a"), write("2", "a"), write("3", "gone")])
    )
    assert.deepStrictEqual(
      blocks.map((block) => block.kind === "call" ? block.writes.map(({ id }) => id) : null),
      [["1", "2"], []]
    )
  })
})
