import { assert, describe, it } from "@effect/vitest"
import type { ChatTurn } from "../../src/model/Chat.ts"
import type { Part, TurnPart } from "../../src/model/Part.ts"
import * as FoundTools from "../../src/tools/FoundTools.ts"

const call = (id: string, name: string): TurnPart => ({ type: "tool-call", id, name, server: null, args: {} })

const result = (id: string, names: ReadonlyArray<string>, isError = false): TurnPart => ({
  type: "tool-result",
  id,
  isError,
  text: JSON.stringify({ tools: names.map((name) => ({ name })) }),
  content: [],
  truncated: null,
  origin: null,
  millis: 1
})

const turn = (...parts: ReadonlyArray<TurnPart>): ChatTurn => ({
  turn: 1,
  key: null,
  text: "",
  agent: "A",
  model: "x",
  createdAt: "2026-11-22T00:00:00.000Z",
  state: "ended",
  replacedBy: null,
  attachments: [],
  parts: parts.map((part, at): Part => ({ ...part, seq: at + 1, turn: 1 }))
})

/** One search that finds these. */
const finds = (id: string, ...names: ReadonlyArray<string>): ReadonlyArray<TurnPart> => [
  call(id, "tool_search"),
  result(id, names)
]

const many = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`)

const names = (turns: ReadonlyArray<ChatTurn>, changes: Partial<FoundTools.Limits> = {}) =>
  FoundTools.fromTurns(turns).names({
    tokensOf: (name) => name.startsWith("tool_") ? null : 100,
    count: Infinity,
    tokens: Infinity,
    ...changes
  })

describe("FoundTools", () => {
  it("are those that were found, described or called, in the order in which they came (R48)", () => {
    const turns = [
      turn(...finds("1", "b", "a"), call("2", "c")),
      turn(call("1", "tool_describe"), call("2", "a"), result("1", ["d", "b"]), result("2", ["e"]))
    ]
    assert.deepStrictEqual(names(turns), ["b", "a", "c", "d"], "what a tool of a server says is no search")
    assert.deepStrictEqual(names([turn(call("1", "tool_search"), result("1", ["a"], true))]), [])
    assert.deepStrictEqual(names(turns, { tokensOf: (name) => name === "a" ? 1 : null }), ["a"])
  })

  it("read part by part are the same as read from the chat that was kept (R51)", () => {
    const parts = [
      ...finds("1", "a"),
      call("2", "tool_search"),
      call("3", "z"),
      result("3", []),
      result("2", ["b", "c"])
    ]
    const running = FoundTools.fromTurns([turn(...finds("1", "y"))])
    parts.forEach(running.read)
    assert.deepStrictEqual(running.all(), FoundTools.fromTurns([turn(...finds("1", "y")), turn(...parts)]).all())
  })

  it("leave when they cost too much, the least recently used first, several at a time (R48)", () => {
    const before = [turn(...finds("1", ...many("a", 10))), turn(call("2", "a9"), call("3", "a0"))]
    assert.lengthOf(names(before, { tokens: 1000 }), 10)
    const after = [...before, turn(...finds("4", "b"))]
    assert.deepStrictEqual(
      names(after, { tokens: 1000 }),
      ["a0", "a1", "a2", "a3", "a4", "a9", "b"],
      "the best of a search stays longest"
    )
    assert.deepStrictEqual(names(after, { count: 10 }), names(after, { tokens: 1000 }))
    const later = [...after, turn(...finds("5", "c"))]
    assert.deepStrictEqual(names(later, { count: 10 }), [...names(after, { count: 10 }), "c"], "and then nothing moves")
  })

  it("are never more than there is room for, and one at least however much it costs (R49)", () => {
    assert.deepStrictEqual(names([turn(...finds("1", ...many("a", 20)))], { count: 3 }), ["a0", "a1", "a2"])
    assert.deepStrictEqual(names([turn(...finds("1", "a", "b"))], { tokens: 50 }), ["a"])
    assert.deepStrictEqual(names([turn(...finds("1", "a", "b"))], { count: 0 }), [])
  })

  it("come back when they are found again", () => {
    const turns = [turn(...finds("1", "a", "b")), turn(...finds("2", "c", "d", "e")), turn(...finds("3", "a"))]
    assert.deepStrictEqual(names(turns.slice(0, 2), { count: 4 }), ["c", "d", "e"])
    assert.deepStrictEqual(names(turns, { count: 4 }), ["c", "d", "e", "a"])
  })
})
