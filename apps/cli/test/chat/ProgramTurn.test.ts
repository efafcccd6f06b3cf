import { NO_USAGE, type Part } from "@boocode/chat"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { boocode } from "../support/Scripted.ts"

const CODE = `// Counts the notes.
const { entries } = await files.list_directory({ path: "notes" })
for (const path of entries) {
\tawait files.read_text_file({ path })
}
return entries.length`

const of = { turn: 1, content: [], truncated: null, origin: null }

const made = (seq: number, id: string, path: string): Part => ({
  ...{ type: "tool-call", seq, turn: 1, id, name: "files_read_text_file", server: "files" },
  ...{ args: { path }, program: "p", line: 4 }
})

const result = (seq: number, id: string, text: string, isError = false): Part => ({
  ...{ type: "tool-result", seq, id, isError, text, millis: 12 },
  ...of
})

const program = (code: string): Part => ({
  ...{ type: "tool-call", seq: 1, turn: 1, id: "p", name: "execute", server: null, args: { code } }
})

const finish: Part = { type: "finish", seq: 99, turn: 1, reason: "stop", usage: NO_USAGE }

const PARTS: ReadonlyArray<Part> = [
  program(CODE),
  made(2, "p_1", "a.md"),
  made(3, "p_2", "b.md"),
  result(4, "p_2", "no such file", true),
  result(5, "p_1", "first\nsecond"),
  result(6, "p", "Value:\n2\n\nCalls:\n1 files_read_text_file (line 4): done"),
  finish
]

const asks = (seq: number, call: string): Part => ({
  ...{ type: "approval", seq, turn: 1, id: `asks ${call}`, call, name: "files_write", server: "files", tool: "write" },
  ...{ isTrusted: true, args: { path: call }, annotations: {}, class: "writes" }
})

const answered = (seq: number, call: string): Part => ({
  ...{ type: "approval-answer", seq, turn: 1, id: `asks ${call}`, decision: "once", reason: null }
})

const TERMINAL = {
  isTerminal: true,
  columns: 80,
  variables: { BOOCODE_MODEL: "openai/some-model", NO_COLOR: "1" }
}

describe("a program of the model in boocode chat", () => {
  it.effect("stands at a terminal with its lines, its calls to the right below them, and its value", () =>
    Effect.gen(function*() {
      const { statuses, stderr } = yield* boocode(["chat", "count"], { ...TERMINAL, parts: PARTS })
      assert.deepStrictEqual(stderr.split("\n"), [
        "",
        "  ● Program",
        "    1  // Counts the notes.",
        "    2  const { entries } = await files.list_directory({ path: \"notes\" })",
        "    3  for (const path of entries) {",
        "    4    await files.read_text_file({ path })",
        "    5  }",
        "    6  return entries.length",
        "    ● Read text file  a.md  12 ms",
        "    ✗ Read text file  b.md  no such file",
        "  ● Program done  12 ms",
        "    Value:",
        "    2",
        ""
      ])
      assert.isTrue(statuses.some((rows) => /⠋ Program, Read text file/.test(rows)), statuses.join("\n"))
    }))

  it.effect("shows the beginning of a long program, folds many calls, and says why it failed", () =>
    Effect.gen(function*() {
      const ids = Array.from({ length: 6 }, (_, at) => `p_${at}`)
      const parts = [
        program(Array.from({ length: 40 }, (_, at) => `step(${at})`).join("\n")),
        ...ids.map((id, at) => made(2 + at, id, "a")),
        ...ids.map((id, at) => result(20 + at, id, "x")),
        result(60, "p", "The program ended with an error at line 7: no", true),
        finish
      ]
      const { stderr } = yield* boocode(["chat", "count"], { ...TERMINAL, parts })
      assert.include(stderr, "    12  step(11)\n        … 28 more lines\n    ▸ 6 tools\n")
      assert.include(stderr, "  ✗ Program failed  The program ended with an error at line 7: no")
      assert.notInclude(stderr, "step(12)")
    }))

  it.effect("asks once about calls that wait at the same moment, or about each where a person wants that", () =>
    Effect.gen(function*() {
      const ids = ["p_1", "p_2", "p_3"]
      const parts = [
        program(CODE),
        ...ids.flatMap((id, at) => [made(2 + 2 * at, id, id), asks(3 + 2 * at, id)]),
        ...ids.map((id, at) => answered(20 + at, id)),
        finish
      ]
      const answering = Effect.fnUntraced(function*(typed: ReadonlyArray<string>) {
        // The command loads its parts in real time.
        const passing = Effect.andThen(TestClock.adjust("50 millis"), TestClock.withLive(Effect.sleep("5 millis")))
        const { log, stderr } = yield* Effect.raceFirst(
          boocode(["chat", "write"], { ...TERMINAL, parts, typed }),
          Effect.forever(passing)
        )
        return { answers: log.filter((line) => line.startsWith("answer")), stderr }
      })
      const all = yield* answering(["perhaps", "y"])
      assert.include(
        all.stderr,
        "  ? 3 calls of the program ask for your yes\n    files_write {\"path\":\"p_1\"} (writes)\n"
      )
      assert.deepStrictEqual(all.answers, [
        "answer asks p_1 {\"decision\":\"once\",\"also\":[\"asks p_2\",\"asks p_3\"]}"
      ])
      const none = yield* answering(["n", "not now"])
      assert.deepStrictEqual(none.answers, [
        "answer asks p_1 {\"decision\":\"deny\",\"reason\":\"not now\",\"also\":[\"asks p_2\",\"asks p_3\"]}"
      ])
      const each = yield* answering(["e", "y", "c", "n", ""])
      assert.deepStrictEqual(each.answers, [
        "answer asks p_1 {\"decision\":\"once\"}",
        "answer asks p_2 {\"decision\":\"chat\"}",
        "answer asks p_3 {\"decision\":\"deny\",\"reason\":null}"
      ])
    }))

  it.effect("has its calls a step to the right where there is no terminal, without what the program took of them", () =>
    Effect.gen(function*() {
      const { stderr } = yield* boocode(["chat", "count"], { parts: PARTS, variables: TERMINAL.variables })
      const lines = stderr.split("\n")
      assert.deepStrictEqual([lines[0], lines[1]], ["→ execute", "  1  // Counts the notes."])
      assert.deepStrictEqual(lines.slice(7, 13), [
        "  → files_read_text_file {\"path\":\"a.md\"}",
        "  → files_read_text_file {\"path\":\"b.md\"}",
        "  ✗ files_read_text_file 12 ms",
        "  ← files_read_text_file 12 ms",
        "← execute 12 ms",
        "  Value:"
      ])
    }))
})
