import { assert, describe, it } from "@effect/vitest"
import { csvOf } from "../../../src/ui/data/Csv.ts"
import { numberOf, ordered } from "../../../src/ui/data/RowOrder.ts"

const rows = (...texts: ReadonlyArray<string>) => texts.map((text) => [{ text }])
const sorted = (direction: "ascending" | "descending", ...texts: ReadonlyArray<string>) =>
  ordered(rows(...texts), { column: 0, direction }).map(([cell]) => cell?.text)

describe("RowOrder", () => {
  it("reads numbers with their unit, and takes nothing else for one", () => {
    assert.deepStrictEqual(["1,234.5", "$12", "-3 %", "7 ms", "1e3"].map(numberOf), [1234.5, 12, -3, 7, 1000])
    assert.deepStrictEqual(["", "v1.2.3", "2026-11-24", "12 of 30"].map(numberOf), [null, null, null, null])
  })

  it("sorts numbers by their value and names as people do, and puts empty cells last in both directions", () => {
    assert.deepStrictEqual(sorted("ascending", "10", "9", "", "1,000"), ["9", "10", "1,000", ""])
    assert.deepStrictEqual(sorted("descending", "10", "", "9"), ["10", "9", ""])
    assert.deepStrictEqual(sorted("ascending", "file10", "File2"), ["File2", "file10"])
  })
})

describe("Csv", () => {
  it("quotes what would break a row, and lets no spreadsheet compute", () => {
    assert.strictEqual(csvOf([["a", "b,c"], ["say \"x\"", "-5"]]), "a,\"b,c\"\r\n\"say \"\"x\"\"\",-5")
    assert.strictEqual(csvOf([["=1+1", "@x", "+cmd"]]), "'=1+1,'@x,'+cmd")
  })
})
