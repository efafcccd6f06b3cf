import { NO_USAGE, type Part } from "@boocode/chat"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
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
