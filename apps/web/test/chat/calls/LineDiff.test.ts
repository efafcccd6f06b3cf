import { assert, describe, it } from "@effect/vitest"
import { type DiffLine, hunksOf, lineDiff } from "../../../src/chat/calls/LineDiff.ts"

const SIGNS = { same: " ", removed: "-", added: "+" } as const

const shown = (lines: ReadonlyArray<DiffLine>) => lines.map(({ kind, text }) => `${SIGNS[kind]}${text}`)
const diff = (before: string, after: string) => shown(lineDiff(before, after))
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`)

describe("The difference of two texts", () => {
  it("keeps what both have in common, and shows what goes before what comes in its place", () => {
    assert.deepStrictEqual(diff("a\nb\nc\nd", "a\nB\nc\nd"), [" a", "-b", "+B", " c", " d"])
    assert.deepStrictEqual(diff("a\nb\nc\nd\ne", "a\nc\nx\ne"), [" a", "-b", " c", "-d", "+x", " e"])
  })

  it("is all new where nothing was, and all gone where nothing stays", () => {
    assert.deepStrictEqual(diff("", "one\ntwo"), ["+one", "+two"])
    assert.deepStrictEqual(diff("one", ""), ["-one"])
    assert.deepStrictEqual(diff("same", "same"), [" same"])
  })

  it("tells lines apart that differ in the way they end", () => {
    assert.deepStrictEqual(diff("a\r\nb", "a\nb"), ["-a␍", "+a", " b"])
  })

  it("brings back either text, also of thousands of lines that have nothing in common", () => {
    const old = numbered(3000)
    const next = numbered(3000).map((line) => `${line}!`)
    const lines = lineDiff(old.join("\n"), next.join("\n"))
    const side = (kind: DiffLine["kind"]) =>
      lines.filter((line) => line.kind === "same" || line.kind === kind).map(({ text }) => text)
    assert.deepStrictEqual(side("removed"), old)
    assert.deepStrictEqual(side("added"), next)
  })

  it("leaves out what stays but for three lines on either side of a change", () => {
    const old = numbered(20)
    const hunks = hunksOf(lineDiff(old.join("\n"), old.with(10, "changed").join("\n")))
    assert.deepStrictEqual(
      hunks.map((hunk) => "omitted" in hunk ? hunk.omitted : shown(hunk.lines)),
      [
        7,
        [" line 7", " line 8", " line 9", "-line 10", "+changed", " line 11", " line 12", " line 13"],
        6
      ]
    )
    assert.deepStrictEqual(hunksOf(lineDiff("a\nb", "a\nb")), [{ omitted: 2 }])
  })
})
