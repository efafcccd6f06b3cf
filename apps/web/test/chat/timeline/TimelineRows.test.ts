import { assert, describe, it } from "@effect/vitest"
import { csv, rowsOf, sumsOf, svg, ticksOf, type Timeline } from "../../../src/chat/timeline/TimelineRows.ts"

const used = {
  inputTokens: 1200,
  outputTokens: 30,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
  cost: 0.5
}

const bar = (
  kind: Timeline["bars"][number]["kind"],
  from: number,
  until: number,
  more: Partial<Timeline["bars"][number]> = {}
) => ({
  kind,
  from,
  until,
  isOpen: false,
  isFailed: false,
  name: null,
  server: null,
  call: null,
  program: null,
  first: null,
  usage: null,
  ...more
})

const TIMELINE: Timeline = {
  chat: "c",
  turn: 1,
  agent: "A",
  model: "x/m",
  sentAt: "2026-11-24T10:00:00.000Z",
  millis: 10_000,
  isKnown: true,
  usage: used,
  bars: [
    bar("request", 0, 1000, { first: 400, usage: used }),
    bar("call", 1000, 3000, { name: "s_<a>", server: "s", call: "a" }),
    bar("call", 1000, 6000, { name: "s_b", server: "s", call: "b", isFailed: true }),
    bar("approval", 1000, 5000, { name: "s_b", server: "s", call: "b" }),
    bar("request", 6000, 10_000, { first: null })
  ]
}

describe("The timeline of a turn", () => {
  it("has a row for each request and call, and the wait of a call in the row of the call", () => {
    const rows = rowsOf(TIMELINE)
    assert.deepStrictEqual(rows.map(({ title }) => title), ["Model, request 1", "s_<a>", "s_b", "Model, request 2"])
    assert.deepStrictEqual(rows.map(({ pieces }) => pieces.map(({ from, size, tone }) => [tone, from, size])), [
      [["first", 0, 0.04], ["answer", 0.04, 0.06]],
      [["call", 0.1, 0.2]],
      [["failed", 0.1, 0.5], ["wait", 0.1, 0.4]],
      [["first", 0.6, 0.4]]
    ])
    assert.include(
      rows[0]?.about,
      "took 1.0 s · 0 ms to 1.0 s · first word after 400 ms · 1.2k tokens in, 30 out · $0.50"
    )
    assert.include(rows[2]?.about, "Waited for your yes: 4.0 s · failed")
  })

  it("counts what runs at once once, and no wait for a person as work of a tool", () => {
    assert.deepStrictEqual(sumsOf(TIMELINE).map(({ value }) => value), ["10.0 s", "5.0 s", "3.0 s", "4.0 s", "$0.50"])
  })

  it("has at most five numbers on its axis, which people read with ease", () => {
    assert.deepStrictEqual([4800, 90, 61_000].map(ticksOf), [
      [1000, 2000, 3000, 4000],
      [20, 40, 60, 80],
      [20_000, 40_000, 60_000]
    ])
  })

  it("is saved as a table with plain numbers, and as a picture in which names of tools are text", () => {
    assert.deepStrictEqual(csv(TIMELINE).split("\r\n").slice(0, 3), [
      "What,Begins,Ends,Takes,First word,Tokens in,Tokens out,Cost,Outcome",
      "\"Model, request 1\",0,1000,1000,400,1200,30,0.5,done",
      "s_<a>,1000,3000,2000,,,,,done"
    ])
    const picture = svg(TIMELINE)
    assert.include(picture, "s_&lt;a&gt;")
    assert.notInclude(picture, "<a>")
    assert.strictEqual(picture.match(/<rect /g)?.length, 1 + 6)
  })
})
