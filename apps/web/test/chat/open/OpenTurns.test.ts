import { assert, describe, it } from "@effect/vitest"
import type { CallDraft, ChatTurn, Part } from "../../../src/api/Types.ts"
import { OpenTurns } from "../../../src/chat/open/OpenTurns.ts"
import { plainText } from "../../../src/chat/open/TurnModel.ts"

const finish = { type: "finish", reason: "stop", usage: { inputTokens: 1, outputTokens: 2 } } as const

/** The parts of a turn that says these words. */
const saying = (turn: number, from: number, words: ReadonlyArray<string>): ReadonlyArray<Part> =>
  [...words.map((text) => ({ type: "text-delta", text })), finish].map((part, index) =>
    Object.assign({ seq: from + index, turn }, part) as unknown as Part
  )

const turnOf = (turn: number, parts: ReadonlyArray<Part>, state = "ended"): ChatTurn =>
  ({ turn, parts, state, text: "hello", agent: "Helper", model: "m", replacedBy: null, attachments: [] }) as never

const said = (turns: OpenTurns) => turns.list.value.map(({ model }) => plainText(model.value))

describe("OpenTurns", () => {
  it("has every part of a turn, wherever the answer that tells of it stands among the parts that come", () => {
    const parts = saying(1, 1, ["one ", "two ", "three ", "four"])
    for (let told = 0; told <= parts.length; told++) {
      for (let come = told; come <= parts.length; come++) {
        const turns = new OpenTurns()
        assert.strictEqual(turns.take(parts.slice(0, come)), come === 0 ? "known" : "stale")
        turns.place([turnOf(1, parts.slice(0, told), "running")])
        assert.strictEqual(turns.take(parts.slice(come)), "known")
        turns.place([turnOf(1, parts)])
        assert.deepStrictEqual(said(turns), ["one two three four"])
        assert.isNotNull(turns.list.value[0]?.model.value.finish)
      }
    }
  })

  it("goes on after the parts that wait for their turn, too", () => {
    const turns = new OpenTurns()
    turns.place([turnOf(1, saying(1, 1, ["one"]))])
    assert.strictEqual(turns.seq(), 2)
    turns.take(saying(2, 3, ["two"]))
    assert.strictEqual(turns.seq(), 4)
    turns.place([turnOf(1, saying(1, 1, ["one"])), turnOf(2, [])])
    assert.deepStrictEqual(said(turns), ["one", "two"])
  })

  it("shows what a model writes of a call also of a turn that it learns of later", () => {
    const turns = new OpenTurns()
    const piece = { type: "tool-draft", turn: 1, id: "c", name: "n", server: null, at: 0, text: "{\"a\":\"b" } as const
    assert.strictEqual(turns.take([piece]), "stale")
    turns.place([turnOf(1, [], "running")])
    const shown = () => turns.list.value[0]?.model.value.drafts.map(({ call }) => call.args)
    assert.deepStrictEqual(shown(), [{ a: "b" }])
    assert.strictEqual(turns.take([{ ...piece, at: 7, text: "c" }]), "known")
    assert.deepStrictEqual(shown(), [{ a: "bc" }])
    turns.take(saying(1, 1, []))
    assert.deepStrictEqual(shown(), [])
  })

  it("ends what was being written in the order in which it came, wherever the answer stands", () => {
    const piece = (id: string): CallDraft => ({
      type: "tool-draft",
      turn: 1,
      id,
      name: "n",
      server: null,
      at: 0,
      text: "{}"
    })
    const retry = { type: "retry", turn: 1, seq: 1 } as unknown as Part
    const events = [piece("a"), retry, piece("b"), piece("c"), { type: "tool-call", id: "b", turn: 1, seq: 2 } as Part]
    const parts = events.filter((event) => event.type !== "tool-draft")
    for (let told = 0; told <= parts.length; told++) {
      for (let come = 0; come <= events.length; come++) {
        const turns = new OpenTurns()
        turns.take(events.slice(0, come))
        turns.place([turnOf(1, parts.slice(0, told), "running")])
        turns.take(events.slice(come))
        assert.deepStrictEqual(turns.list.value[0]?.model.value.drafts.map(({ call }) => call.id), ["c"])
      }
    }
  })

  it("keeps what is being written in its place when events begin anew, and forgets what they do not tell of", () => {
    const turns = new OpenTurns()
    const piece = { type: "tool-draft", turn: 1, id: "c", name: "n", server: null, at: 0, text: "{\"a\":\"b" } as const
    turns.place([turnOf(1, [], "running")])
    turns.take([piece, { ...piece, turn: 2, id: "d" }])
    const drafts = () => turns.list.value.flatMap(({ model }) => model.value.drafts)
    const shown = () => drafts().map(({ call }) => call.args)
    const keys = () => drafts().map(({ key }) => key)
    const before = keys()
    turns.beginAnew()
    turns.place([turnOf(1, [], "running"), turnOf(2, [], "running")])
    turns.take([{ ...piece, at: 7, text: "c" }])
    assert.deepStrictEqual(shown(), [{ a: "b" }])
    turns.take([{ ...piece, text: "{\"a\":\"bc" }])
    turns.dropUntold()
    assert.deepStrictEqual([shown(), keys()], [[{ a: "bc" }], before])
    turns.beginAnew()
    turns.dropUntold()
    assert.deepStrictEqual(shown(), [])
  })

  it("is stale when a turn that waited begins, as only the chat says which agent answers", () => {
    const turns = new OpenTurns()
    turns.place([turnOf(1, [], "waiting")])
    assert.strictEqual(turns.take(saying(1, 1, ["one"])), "stale")
    assert.strictEqual(turns.list.value[0]?.about.value.state, "ended")
    assert.strictEqual(turns.take(saying(1, 3, ["two"])), "known")
  })
})
