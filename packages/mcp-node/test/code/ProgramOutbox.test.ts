import { LIMITS } from "@boocode/toolkit/code"
import { assert, describe, it } from "@effect/vitest"
import * as ProgramOutbox from "../../src/code/ProgramOutbox.ts"

const read = (given: unknown) => ProgramOutbox.read(typeof given === "string" ? given : JSON.stringify(given), LIMITS)

const asks = (...ask: ReadonlyArray<unknown>) => ({ asks: [ask], end: null, isOpen: true })

const ends = (value: unknown, error: unknown = null) => ({ asks: [], end: { value, error }, isOpen: false })

describe("ProgramOutbox", () => {
  it("takes what the script inside writes", () => {
    const error = { kind: "threw", message: "Error: x", line: 3, during: "files_read" }
    for (
      const given of [
        asks("call", 1, "files_read", 2, "{\"path\":\"a\"}"),
        asks("call", 200, "files_read", null, "{}"),
        asks("describe", -1, "files_read", 1, ""),
        asks("console", 0, "", null, "a line"),
        ends(null),
        ends("{\"a\":[1]}"),
        ends(null, error),
        ends(null, { ...error, line: null, during: null })
      ]
    ) assert.strictEqual(JSON.stringify(read(given)), JSON.stringify(given))
  })

  it("refuses everything else, so that a program which breaks out of its engine gets no more than calls", () => {
    const error = { kind: "threw", message: "Error: x", line: 3, during: null }
    for (
      const given of [
        "",
        "{",
        "null",
        "[]",
        { asks: [], end: null },
        { asks: {}, end: null, isOpen: true },
        asks("call", 1, "files_read", 2),
        asks("call", 0, "files_read", 2, "{}"),
        asks("call", 201, "files_read", 2, "{}"),
        asks("call", 1.5, "files_read", 2, "{}"),
        asks("call", 1, 7, 2, "{}"),
        asks("call", 1, "files_read", "2", "{}"),
        asks("call", 1, "files_read", 2, "[]"),
        asks("call", 1, "files_read", 2, "{"),
        asks("call", 1, "files_read", 2, `{"a":"${"x".repeat(1_000_000)}"}`),
        asks("call", 1, "files_read", 2, { path: "a" }),
        asks("describe", 1, "files_read", 2, ""),
        asks("describe", -201, "files_read", 2, ""),
        asks("console", 1, "", null, "a line"),
        asks("exit", 0, "", null, ""),
        ends(7),
        ends("{"),
        ends(null, "Error: x"),
        ends(null, { ...error, kind: "compute" }),
        ends(null, { ...error, message: 7 }),
        ends(null, { ...error, line: "3" }),
        ends(null, { ...error, during: 7 })
      ]
    ) assert.isNull(read(given), JSON.stringify(given).slice(0, 100))
  })
})
