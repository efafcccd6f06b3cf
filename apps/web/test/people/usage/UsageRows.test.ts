import { assert, describe, it } from "@effect/vitest"
import { csvOf, everyDay, type Overview, tableOf } from "../../../src/people/usage/UsageRows.ts"
import { axisEnd } from "../../../src/ui/data/Axis.ts"

const used = { requests: 2, inputTokens: 1200, outputTokens: 10, cost: 0.5 }
const called = { calls: 4, failed: 1, refused: 2, millis: 30 }

const OVERVIEW: Overview = {
  since: "2026-02-27",
  until: "2026-03-02",
  auditDays: 90,
  days: [{ name: "2026-02-28", ...used, ...called }],
  people: [{ id: "a", name: "", ...used, ...called }],
  models: [{ name: "m/a", ...used, cost: 2 }, { name: "", ...used }],
  agents: [],
  servers: [{ name: "", ...called }],
  tools: [{ name: "=1+1", ...called }]
}

describe("The usage over days", () => {
  it("has a bar for every day, also over the end of a month", () => {
    assert.deepStrictEqual(everyDay(OVERVIEW).map(({ cost, name }) => [name, cost]), [
      ["2026-02-27", 0],
      ["2026-02-28", 0.5],
      ["2026-03-01", 0],
      ["2026-03-02", 0]
    ])
  })

  it("has an axis that ends at a number people read with ease, not below the highest bar", () => {
    assert.deepStrictEqual([0, 0.013, 1, 2.6, 31, 950].map(axisEnd), [1, 0.02, 1, 4, 40, 1000])
  })

  it("is a table with a name in words for what has none, and bars beside the longest", () => {
    const models = tableOf("model", OVERVIEW)
    assert.deepStrictEqual([models.names, models.shares], [["m/a", "none"], [1, 0.25]])
    assert.deepStrictEqual(tableOf("server", OVERVIEW).names, ["built in"])
    assert.strictEqual(tableOf("tool", OVERVIEW).columns.at(-1)?.values[0], 15, "calls that were refused took no time")
    assert.deepStrictEqual(tableOf("agent", OVERVIEW), { ...tableOf("agent", OVERVIEW), names: [], shares: [] })
  })

  it("is CSV in which a name is no formula", () => {
    const [head, row] = csvOf("Tool", tableOf("tool", OVERVIEW)).split("\r\n")
    assert.strictEqual(head, "\"Tool\",\"Calls\",\"Failed\",\"Refused\",\"Average time\"")
    assert.strictEqual(row, "\"'=1+1\",4,1,2,15")
  })
})
