import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as CleanText from "../../src/base/CleanText.ts"

/** One unit in three is drawn from where something hides, or next to it. */
const EDGES = [0x1f, 0x7f, 0x9f, 0xad, 0x34f, 0x61c, 0x1160, 0x17b5, 0x180f, 0x200b, 0x2029, 0x202e, 0x206f, 0x3164]
const BEYOND = [0xd800, 0xd82f, 0xd834, 0xdb40, 0xdc00, 0xe0041, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xfffb, 0xfffd]
const Near = Arbitrary.schema(Schema.Literals([...EDGES, ...BEYOND].flatMap((code) => [code - 1, code, code + 1])))
const Text = Arbitrary.map(
  Arbitrary.array(Arbitrary.all([Near, Arbitrary.schema(Schema.String)]), { maxLength: 12 }),
  (pieces) => pieces.map(([code, text]) => `${text}${String.fromCodePoint(code)}plain`).join("")
)

describe("CleanText.isClean", () => {
  it.prop("says of no text that hides something that there is nothing to remove (R100)", [Text], ([text]) => {
    for (const one of [text, ...text]) {
      if (!CleanText.isClean(one)) continue
      assert.isTrue(one.isWellFormed())
      assert.notMatch(one, /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB\u2028\u2029]/u)
      assert.notMatch(one.replaceAll(/[\t\n]/g, ""), /\p{Cc}/u)
    }
    return true
  }, { arbitrary: { runs: 300 } })
})
