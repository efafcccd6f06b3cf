import { assert, describe, it } from "@effect/vitest"
import type { Part } from "../../../src/api/Types.ts"
import { add, EMPTY, type ProgramUnit, unitsOf } from "../../../src/chat/open/TurnModel.ts"
import {
  askedTogether,
  codeOf,
  lineStates,
  listedCalls,
  programOutcome,
  reportOf,
  subjectOfCode
} from "../../../src/chat/programs/ProgramState.ts"

type Loose = { readonly type: Part["type"] } & Record<string, unknown>

const CODE = "// Reads all notes.\nfor (const path of paths) {\n  await files.read({ path })\n}\n"

/** The program of a turn with these parts after its own. */
const program = (...parts: ReadonlyArray<Loose>): ProgramUnit => {
  const first = { type: "tool-call", id: "p", name: "execute", server: null, args: { code: CODE } }
  const numbered = [first, ...parts].map((part, at) => Object.assign({ seq: at + 1, turn: 1 }, part) as unknown as Part)
  const unit = unitsOf(add(EMPTY, numbered).blocks).at(0)
  return unit?.kind === "program" ? unit : assert.fail("no program")
}

const call = (id: string, line: number) =>
  ({ type: "tool-call", id, name: "files_read", server: "files", args: {}, program: "p", line }) as const
const result = (id: string, text: string | null = null) =>
  ({
    type: "tool-result",
    id,
    isError: text !== null,
    text: text ?? "x",
    content: [],
    truncated: null,
    millis: 1
  }) as const
const asks = (of: string) => ({ type: "approval", id: `asks ${of}`, call: of, name: "files_read" }) as const

describe("ProgramState", () => {
  it("shows the program as it was written, and its first words as what it is about", () => {
    assert.strictEqual(codeOf(program()), CODE.trimEnd())
    assert.strictEqual(subjectOfCode(CODE), "Reads all notes.")
    assert.strictEqual(subjectOfCode("/**\n * All of it. */\nreturn 1"), "All of it.")
    assert.strictEqual(subjectOfCode("\n  return 1"), "return 1")
    assert.strictEqual(subjectOfCode(""), "")
  })

  it("marks the lines whose calls are under way, and those that wait before all others", () => {
    const unit = program(call("a", 2), call("b", 3), call("c", 3), result("a"), asks("b"))
    assert.deepStrictEqual([...lineStates(unit, false)], [[3, "waiting"]])
    assert.strictEqual(programOutcome(unit, false, false), "waiting")
    assert.deepStrictEqual([...lineStates(program(call("a", 2)), false)], [[2, "running"]])
    assert.deepStrictEqual([...lineStates(program(call("a", 2)), true)], [])
  })

  it("asks about calls together where several wait for a yes", () => {
    const ids = (unit: ProgramUnit, isOver = false) => askedTogether(unit, isOver).map(({ call }) => call.id)
    const both = [call("a", 1), call("b", 1), asks("a"), asks("b")]
    assert.deepStrictEqual(ids(program(...both)), ["a", "b"])
    assert.deepStrictEqual(ids(program(...both), true), [])
    assert.deepStrictEqual(ids(program(...both, result("b"))), [])
  })

  it("marks the line of the error once the program has failed, and none when it is done", () => {
    const failed = program(
      call("a", 3),
      result("p", "The program ended with an error at line 3 in a call of files_read: no such file\n  3 | await")
    )
    assert.deepStrictEqual([...lineStates(failed, false)], [[3, "failed"]])
    assert.strictEqual(programOutcome(failed, false, false), "failed")
    assert.deepStrictEqual([...lineStates(program(call("a", 3), result("p")), false)], [])
    const stopped = program(result("p", "The program was stopped before it ended."))
    assert.strictEqual(programOutcome(stopped, true, true), "stopped")
  })

  it("takes what the model was told of the end apart, without the calls, which stand above", () => {
    const calls = "Calls:\n1-3 files_read (line 2): done"
    const report = (...sections: ReadonlyArray<string>) => reportOf({ text: sections.join("\n\n") })
    assert.deepStrictEqual(report("Value:\n{\"a\":1}", "Console:\none\n\ntwo", calls, "[5 bytes left out]"), {
      ...{ said: "", value: "{\"a\":1}", console: "one\n\ntwo", notes: "[5 bytes left out]" }
    })
    assert.deepStrictEqual(report("The program ended with an error: no\n  3 | x", calls), {
      ...{ said: "The program ended with an error: no", value: null, console: null, notes: "" }
    })
    assert.strictEqual(report("The program returned nothing.").said, "The program returned nothing.")
  })

  it("lists what waits and the first that failed where it is folded", () => {
    const ids = Array.from({ length: 8 }, (_, at) => `f${at}`)
    const unit = program(
      ...ids.flatMap((id) => [call(id, 1), result(id, "no")]),
      call("ok", 2),
      result("ok"),
      call("w", 3),
      asks("w")
    )
    const { failed, more, shown } = listedCalls(unit, false, false)
    assert.deepStrictEqual(shown.map(({ call }) => call.id), ["f0", "f1", "f2", "f3", "f4", "w"])
    assert.deepStrictEqual([failed, more], [8, 3])
  })
})
