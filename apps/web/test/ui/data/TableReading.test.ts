import { assert, describe, it } from "@effect/vitest"
import { plotted } from "../../../src/ui/data/PlotColumns.ts"
import { tableOf } from "../../../src/ui/data/TableReading.ts"

describe("TableReading", () => {
  it("reads a list of objects, alone or as the one list of an object, with all their columns", () => {
    const table = { header: ["name", "size", "tags"], rows: [["a", "1", ""], ["b", "", "[\"x\"]"]] }
    const list = [{ name: "a", size: 1 }, { name: "b", tags: ["x"] }]
    assert.deepStrictEqual(tableOf(JSON.stringify(list)), table)
    assert.deepStrictEqual(tableOf(JSON.stringify({ total: 2, items: list })), table)
  })

  it("reads CSV and TSV with a header, all rows as wide", () => {
    assert.deepStrictEqual(tableOf("day,sold\n1,\"2,5\"\n2,3"), {
      header: ["day", "sold"],
      rows: [["1", "2,5"], ["2", "3"]]
    })
    assert.deepStrictEqual(tableOf("a\tb\n1\t2\n3\t4")?.rows.length, 2)
  })

  it("takes prose, code and single rows for no table", () => {
    for (
      const text of [
        "Well, yes\nand no, too, thanks\nx",
        "[1, 2]",
        "{\"a\": 1}",
        "[{\"a\": 1}]",
        "a,b\n1,2",
        "f(a, b)\ng(c)"
      ]
    ) {
      assert.isNull(tableOf(text), text)
    }
  })
})

describe("PlotColumns", () => {
  it("draws the columns of numbers over times that rise, else over rows", () => {
    const over = plotted({ header: ["day", "sold"], rows: [["2026-01-01", "1"], ["2026-01-02", "3"]] })
    assert.deepStrictEqual([over?.along.kind, over?.columns], ["time", [{ name: "sold", values: [1, 3] }]])
    const rows = plotted({ header: ["city", "people"], rows: [["Bern", "5"], ["Aarau", ""]] })
    assert.deepStrictEqual([rows?.along.kind, rows?.along.labels, rows?.columns[0]?.values], [
      "row",
      ["Bern", "Aarau"],
      [5, null]
    ])
  })

  it("draws nothing where nothing is a number", () => {
    assert.isNull(plotted({ header: ["a", "b"], rows: [["x", "y"], ["z", "w"]] }))
  })
})
