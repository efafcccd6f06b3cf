import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as WriteMode from "../../src/permissions/WriteMode.ts"

const NOW = Option.getOrThrow(DateTime.makeZoned("2026-05-01T16:30:00Z", { timeZone: "Europe/Berlin" }))

const read = (text: string) => Result.getOrElse(WriteMode.read(text, NOW), ({ message }) => message)

describe("WriteMode", () => {
  it("is a mode, for as long as the chat is there or until a time of this machine's zone", () => {
    assert.deepStrictEqual(read("ask"), { mode: "ask", until: null })
    for (
      const [text, until] of [
        ["ask 1h", "2026-05-01T17:30:00.000Z"],
        ["ask for 30 minutes", "2026-05-01T17:00:00.000Z"],
        ["ask until 19:15", "2026-05-01T17:15:00.000Z"],
        ["ask 18:30", "2026-05-02T16:30:00.000Z"],
        ["ask midnight", "2026-05-01T22:00:00.000Z"],
        ["ask until 2026-06-01T00:00:00Z", "2026-06-01T00:00:00.000Z"]
      ] as const
    ) assert.deepStrictEqual(read(text), { mode: "ask", until }, text)
  })

  it("is left to permissions.jsonc by the word default", () => {
    assert.isNull(read("default"))
  })

  it("is not what cannot be understood, or is over", () => {
    assert.strictEqual(read("on"), "there is no write mode on")
    assert.strictEqual(read("default 1h"), "there is no write mode default")
    for (const end of ["soon", "5", "25:00", "12:99", "2026-04-30T00:00:00Z", "2026-13-01T00:00:00Z"]) {
      assert.strictEqual(read(`ask ${end}`), `${end} is no time to come`)
    }
  })
})
