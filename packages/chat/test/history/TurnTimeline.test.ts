import { assert, describe, it } from "@effect/vitest"
import * as TurnTimeline from "../../src/history/TurnTimeline.ts"
import { NO_USAGE, type TurnPart } from "../../src/model/Part.ts"

const SENT = 1_000_000

const turn = { turn: 2, agent: "A", model: "x/m", createdAt: new Date(SENT).toISOString() }

type Timed = readonly [at: number, part: TurnPart]

const of = (parts: ReadonlyArray<Timed>, { before = null, now = 0, model = "x/m" } = {} as Partial<{
  readonly before: number | null
  readonly now: number
  readonly model: string
}>) =>
  TurnTimeline.of(
    "c",
    { ...turn, model },
    {
      before: before === null ? null : SENT + before,
      parts: parts.map(([at, part], index) => ({ part: { ...part, turn: 2, seq: index + 1 }, at: SENT + at }))
    },
    SENT + now
  )

const said = (text: string): TurnPart => ({ type: "text-delta", text })

const call = (id: string, more: { readonly program?: string } = {}): TurnPart => ({
  type: "tool-call",
  id,
  name: `s_${id}`,
  server: "s",
  args: {},
  ...more
})

const used = (inputTokens: number, outputTokens: number, cost: number) => ({
  ...NO_USAGE,
  inputTokens,
  outputTokens,
  cost
})

const result = (
  id: string,
  millis: number,
  more: { readonly usage?: typeof NO_USAGE; readonly isError?: boolean } = {}
): TurnPart => ({
  type: "tool-result",
  id,
  isError: false,
  text: "",
  content: [],
  truncated: null,
  origin: null,
  millis,
  ...more
})

const finish = (usage = NO_USAGE, reason: "stop" | "stopped" = "stop"): TurnPart => ({ type: "finish", reason, usage })

const brief = ({ bars }: TurnTimeline.TurnTimeline) =>
  bars.map(({ call, from, kind, until }) => [call === null ? kind : `${kind} ${call}`, from, until])

describe("TurnTimeline", () => {
  it("tells requests, their first word and what each used, and calls that ran at once", () => {
    const timeline = of([
      [400, said("I look")],
      [500, call("a")],
      [520, call("b")],
      // The answer ended at 550, when both calls began.
      [850, result("a", 300, { usage: used(100, 20, 0.5) })],
      [1550, result("b", 1000, { usage: used(100, 20, 0.5), isError: true })],
      [2000, said("Done")],
      [2600, finish(used(250, 50, 1.5))]
    ])
    assert.deepStrictEqual(brief(timeline), [
      ["request", 0, 550],
      ["call a", 550, 850],
      ["call b", 550, 1550],
      ["request", 1550, 2600]
    ])
    assert.deepStrictEqual(timeline.bars.map(({ first }) => first), [400, null, null, 2000])
    assert.deepStrictEqual(timeline.bars.map(({ isFailed }) => isFailed), [false, false, true, false])
    assert.deepStrictEqual(timeline.bars.map(({ usage }) => usage), [
      used(100, 20, 0.5),
      null,
      null,
      used(150, 30, 1)
    ])
    assert.deepInclude(timeline, { millis: 2600, isKnown: true, usage: used(250, 50, 1.5), sentAt: turn.createdAt })
  })

  it("tells how long a message waited for the turn before, and how long a person was waited for", () => {
    const timeline = of([
      [1100, call("a")],
      [1200, {
        type: "approval",
        id: "p",
        call: "a",
        name: "s_a",
        server: "s",
        tool: "a",
        isTrusted: true,
        args: {},
        annotations: {}
      }],
      [5200, { type: "approval-answer", id: "p", decision: "once", reason: null }],
      [5300, result("a", 90)],
      [5900, finish()]
    ], { before: 1000 })
    assert.deepStrictEqual(brief(timeline), [
      ["queue", 0, 1000],
      ["request", 1000, 1200],
      ["call a", 1200, 5300],
      ["approval a", 1200, 5200],
      ["request", 5300, 5900]
    ])
  })

  it("tells requests that broke off and the wait before the next one, and one that was stopped before its first word", () => {
    const timeline = of([
      [300, said("Half")],
      [700, { type: "retry", attempt: 2, limit: 4, delayMillis: 1000, message: "overloaded" }],
      [2700, finish(NO_USAGE, "stopped")]
    ])
    assert.deepStrictEqual(brief(timeline), [["request", 0, 700], ["pause", 700, 1700], ["request", 1700, 2700]])
    assert.deepStrictEqual(timeline.bars.map(({ first, isFailed }) => [first, isFailed]), [
      [300, true],
      [null, false],
      [null, false]
    ])
  })

  it("puts the calls of a program into the time of that program", () => {
    const timeline = of([
      [100, call("p")],
      [300, call("p-1", { program: "p" })],
      [500, result("p-1", 150)],
      [900, result("p", 600)],
      [1500, finish()]
    ])
    assert.deepStrictEqual(brief(timeline), [
      ["request", 0, 300],
      ["call p", 300, 900],
      ["call p-1", 300, 500],
      ["request", 900, 1500]
    ])
    assert.deepStrictEqual(timeline.bars.map(({ program }) => program), [null, null, "p", null])
  })

  it("goes on to now while the turn runs", () => {
    assert.deepStrictEqual(of([], { now: 800 }).bars.map(({ isOpen, kind, until }) => [kind, until, isOpen]), [
      ["request", 800, true]
    ])
    const calling = of([[100, call("a")], [200, {
      type: "tool-progress",
      id: "a",
      progress: 1,
      total: null,
      message: null
    }]], {
      now: 900
    })
    assert.deepStrictEqual(calling.bars.map(({ isOpen, kind, until }) => [kind, until, isOpen]), [
      ["request", 200, false],
      ["call", 900, true]
    ])
  })

  it("tells calls alone where no model was asked", () => {
    assert.deepStrictEqual(
      brief(of([[5, call("a")], [800, result("a", 795)], [801, finish()]], { model: "command" })),
      [
        ["call a", 5, 800]
      ]
    )
  })

  it("tells that the times of an imported turn are not known", () => {
    const { bars, isKnown } = TurnTimeline.of("c", turn, {
      before: null,
      parts: [{ part: { ...finish(), turn: 2, seq: 1 }, at: null }]
    }, SENT)
    assert.deepStrictEqual([bars, isKnown], [[], false])
  })
})
