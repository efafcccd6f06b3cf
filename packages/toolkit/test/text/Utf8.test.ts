import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { Utf8 } from "../../src/index.ts"

// One, two, three and four bytes, what JSON escapes, and halves of pairs.
const AnyText = Schema.Array(
  Schema.Literals(["a", "é", "€", "😀", "👩‍👩‍👧", "\ud83d", "\ude00", "\u0000", "\"", "\\", "\n"])
)
const Limit = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 }))
const replaced = (text: string) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text))
const bytes = (text: string) => new TextEncoder().encode(text).length

describe("Utf8", () => {
  it.prop("counts the bytes that encoding gives", { parts: AnyText }, ({ parts }) => {
    const text = parts.join("")
    return Utf8.byteLength(text) === bytes(text)
  })

  it.prop("counts a text of any length, whatever stands where it is cut into pieces", {
    part: Schema.Literals(["a", "é", "€", "😀", "\ud83d", "\ude00"]),
    before: Schema.Literals(["", "a", "ab"])
  }, ({ before, part }) => {
    const text = before + part.repeat(150_000)
    return Utf8.byteLength(text) === bytes(text)
  }, { arbitrary: { runs: 18 } })

  it.prop(
    "cuts to a start within the limit that is valid UTF-8 whenever the whole is (R36)",
    { parts: AnyText, limit: Limit },
    ({ limit, parts }) => {
      const text = parts.join("").toWellFormed()
      const cut = Utf8.prefix(text, limit)
      return text.startsWith(cut) && bytes(cut) <= limit && replaced(cut) === cut && cut.isWellFormed()
    }
  )

  it.prop("leaves out less than one character", { parts: AnyText, limit: Limit }, ({ limit, parts }) => {
    const text = parts.join("").toWellFormed()
    return bytes(text) <= limit
      ? Utf8.prefix(text, limit) === text && Utf8.suffix(text, limit) === text
      : bytes(Utf8.prefix(text, limit)) > limit - 4 && bytes(Utf8.suffix(text, limit)) > limit - 4
  })

  it.prop("cuts to an end within the limit", { parts: AnyText, limit: Limit }, ({ limit, parts }) => {
    const text = parts.join("").toWellFormed()
    const cut = Utf8.suffix(text, limit)
    return text.endsWith(cut) && bytes(cut) <= limit && cut.isWellFormed()
  })

  it("cuts 10 MB of emoji without a replacement character (R36)", () => {
    const cut = Utf8.prefix("😀".repeat(2_500_000), 5_000_001)
    assert.strictEqual(bytes(cut), 5_000_000)
    assert.isFalse(cut.includes("\ufffd"))
  })
})
