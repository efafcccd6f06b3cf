/** The servers that take part: how each is configured this time, and what it can be asked. */
import * as FixtureServer from "../support/FixtureServer.ts"
import type { Dice } from "./Dice.ts"

/** A call, and whether its text is the answer to it. */
export interface Ask {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly fits: (text: string) => boolean
}

type MakeAsk = (dice: Dice, id: string) => Ask

export interface Role {
  readonly name: string
  /** How likely it is to take part. */
  readonly share: number
  readonly entry: (dice: Dice) => Readonly<Record<string, unknown>>
  readonly asks: ReadonlyArray<MakeAsk>
  /** Calls that end the server, or make it worse. */
  readonly harms?: ReadonlyArray<MakeAsk>
  /** Never becomes ready, and is not meant to. */
  readonly isHopeless?: boolean
}

/** Of each entry; the checks are derived from them. */
export const LIMITS = { startupMillis: 10_000, idleMillis: 2000, totalMillis: 4000, closeMillis: 6000 }

const server = FixtureServer.program

/** Behind a shell that waits for it, which signals and the end of input do not pass. */
const wrapped = (name: string) => {
  const { args, command } = server(name)
  return { command: "sh", args: ["-c", `exec 3<&0; "$0" "$@" <&3 & wait`, command, ...args] }
}

/** An entry whose options change from one configuration to the next. */
const varied = (entry: Readonly<Record<string, unknown>>) => (dice: Dice) => ({
  restart: dice.chance(0.6) ? "on-failure" : "never",
  ...dice.chance(0.2) ? { maxConcurrency: 1 + dice.below(4) } : {},
  ...dice.chance(0.2) ? { protocol: "legacy" } : {},
  ...dice.chance(0.1) ? { enabled: false } : {},
  ...entry
})

const echo: MakeAsk = (_dice, id) => ({ tool: "echo", args: { text: id }, fits: (text) => text === id })
const wide: MakeAsk = (dice, id) => {
  const text = `${id} 日本語 👋🏽 `.repeat(1 + dice.below(2000))
  return { tool: "echo", args: { text }, fits: (given) => given === text }
}
const any = (tool: string, args: Readonly<Record<string, unknown>> = {}): MakeAsk => () => ({
  tool,
  args,
  fits: () => true
})
const big = (most: number): MakeAsk => (dice) => {
  const bytes = dice.below(most)
  return { tool: "big", args: { bytes }, fits: ({ length }) => length === bytes }
}
const sleep: MakeAsk = (dice) => {
  const millis = dice.below(1500)
  return { tool: "sleep", args: { millis }, fits: (text) => text === `slept ${millis} ms` }
}
const slow: MakeAsk = (dice) => ({
  tool: "slow",
  args: { millis: dice.below(5000), every: dice.oneOf([50, 400, 2500]) },
  fits: (text) => text === "done at last"
})
const work: MakeAsk = (dice) => {
  const rank = dice.below(20)
  return { tool: "work", args: { millis: 200, rank }, fits: (text) => text === `rank ${rank}` }
}
const late: MakeAsk = (dice) => ({
  tool: "work",
  args: { millis: dice.below(2500) },
  fits: (text) => text.startsWith("late answer")
})

export const ROLES: ReadonlyArray<Role> = [
  {
    name: "echo",
    share: 1,
    entry: varied(server("Echo")),
    asks: [echo, wide, big(3_000_000), sleep, sleep, any("fail")],
    harms: [any("crash")]
  },
  {
    name: "second",
    share: 0.7,
    entry: varied({ ...server("Echo"), restart: "on-failure" }),
    asks: [echo, sleep],
    harms: [any("crash")]
  },
  { name: "modern", share: 0.5, entry: varied(server("Modern")), asks: [echo, any("add", { a: 1, b: 2 })] },
  { name: "nonjson", share: 0.5, entry: varied(server("NonJson")), asks: [echo] },
  {
    name: "replay",
    share: 0.4,
    entry: (dice) => varied(server("Replay", dice.oneOf(["npm-sentinel-mcp", "opgg-mcp", "trends-hub"])))(dice),
    asks: []
  },
  { name: "wrapped", share: 0.4, entry: varied(wrapped("Echo")), asks: [echo, sleep], harms: [any("crash")] },
  { name: "stubborn", share: 0.15, entry: varied(server("Stubborn")), asks: [any("pids")] },
  { name: "detached", share: 0.1, entry: varied(server("Stubborn", "--detach")), asks: [any("pids")] },
  { name: "escapee", share: 0.1, entry: varied(server("Escapee")), asks: [echo] },
  { name: "helper", share: 0.3, entry: varied(server("HelperHoldsOutput")), asks: [echo], harms: [any("leave")] },
  { name: "slow", share: 0.6, entry: varied(server("Slow")), asks: [slow, slow, echo] },
  { name: "order", share: 0.5, entry: varied({ ...server("OutOfOrder"), maxConcurrency: 4 }), asks: [work, echo] },
  { name: "lateanswer", share: 0.4, entry: varied(server("LateAnswer")), asks: [late, echo] },
  {
    name: "changing",
    share: 0.4,
    entry: varied(server("ListChangedBurst")),
    asks: [any("counters"), any("burst")],
    harms: [any("spoil")]
  },
  { name: "progress", share: 0.3, entry: varied(server("ProgressFlood")), asks: [echo], harms: [any("endless")] },
  { name: "split", share: 0.3, entry: varied(server("SplitMessages", "7")), asks: [echo] },
  { name: "twice", share: 0.2, entry: varied(server("AnswersTwice")), asks: [echo] },
  {
    name: "capped",
    share: 0.3,
    entry: varied({ ...server("BigMessage"), maxMessageBytes: 1_000_000 }),
    asks: [big(2_000_000), echo]
  },
  { name: "late", share: 0.4, entry: (dice) => varied(server("Late", String(dice.below(1500))))(dice), asks: [echo] },
  { name: "deaf", share: 0.2, entry: varied(server("Deaf")), asks: [echo], harms: [any("deafen")] },
  { name: "shutsout", share: 0.2, entry: varied(server("ClosesOutput")), asks: [echo], harms: [any("shut")] },
  { name: "shutsin", share: 0.2, entry: varied(server("ClosesInput")), asks: [echo], harms: [any("shut")] },
  { name: "crashy", share: 0.4, entry: varied(server("Exits", "call")), asks: [echo], harms: [any("crash")] },
  { name: "flood", share: 0.1, entry: varied(server("StderrFlood")), asks: [echo, any("work")] },
  { name: "boom", share: 0.2, entry: varied(server("Exits", "list")), asks: [], isHopeless: true },
  { name: "silent", share: 0.2, entry: varied(server("Silent")), asks: [], isHopeless: true },
  { name: "absent", share: 0.2, entry: varied({ command: "boocode-no-such-server" }), asks: [], isHopeless: true },
  { name: "garbage", share: 0.1, entry: varied(server("Garbage")), asks: [], isHopeless: true }
]

export const HTTP: Omit<Role, "entry"> = { name: "web", share: 0.7, asks: [echo, wide] }
