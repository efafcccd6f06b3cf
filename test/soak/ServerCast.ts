/** The servers of the chat server under load, and what each is asked. */
import * as FixtureServer from "../support/FixtureServer.ts"
import type { Dice } from "./Dice.ts"

interface Ask {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

const server = (name: string, ...args: ReadonlyArray<string>) => ({
  ...FixtureServer.program(name, ...args),
  restart: "on-failure"
})

/** Every second of them gives up a call after 10 s, the others after the 60 s that hold without words. */
const hasty = { timeout: 10_000 }

/** Those that are programs; a server over HTTP comes beside them. */
export const PROGRAMS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  one: server("Echo"),
  two: { ...server("Echo"), ...hasty },
  three: server("Echo"),
  four: { ...server("Echo"), ...hasty },
  five: server("Echo"),
  modern: { ...server("Modern"), ...hasty },
  nonjson: server("NonJson"),
  split: { ...server("SplitMessages", "7"), ...hasty },
  order: server("OutOfOrder"),
  slow: { ...server("Slow"), ...hasty },
  crashy: server("Exits", "call")
}

/** Over HTTP. */
export const REMOTE = "web"

const ECHOES = ["one", "two", "three", "four", "five"] as const
const TALKERS = [...ECHOES, ...ECHOES, "modern", "nonjson", "split", REMOTE] as const
const STEADY = ["one", "modern", "nonjson"] as const

/** Whether it is never frozen, so that turns go on while others are. */
export const isSteady = (name: string): boolean => STEADY.some((steady) => steady === name)

const words = (dice: Dice, most: number): string => "words of a person, 日本語 ".repeat(1 + dice.below(most))

/** A call of some server: mostly small; some with much to say, some with much to hear, a few that end it. */
export const ask = (dice: Dice): Ask => {
  const thrown = dice.next()
  const echo = dice.oneOf(ECHOES)
  if (thrown < 0.5) return { tool: `${dice.oneOf(TALKERS)}_echo`, args: { text: words(dice, 4) } }
  if (thrown < 0.7) return { tool: `${dice.oneOf(TALKERS)}_echo`, args: { text: words(dice, 2000) } }
  if (thrown < 0.75) return { tool: `${echo}_echo`, args: { text: words(dice, 40_000) } }
  if (thrown < 0.85) return { tool: `${echo}_big`, args: { bytes: dice.below(3_000_000) } }
  if (thrown < 0.93) return { tool: `${echo}_sleep`, args: { millis: dice.below(2000) } }
  if (thrown < 0.96) return { tool: "order_work", args: { millis: 200, rank: dice.below(20) } }
  if (thrown < 0.98) return { tool: "slow_slow", args: { millis: dice.below(4000), every: 100 } }
  return dice.chance(0.8) ? { tool: `${echo}_fail`, args: {} } : { tool: "crashy_crash", args: {} }
}

/** What a person writes, and the scripted model does: one to three calls, side by side. Few turns use what is frozen. */
export const message = (dice: Dice): string => {
  const talkers = dice.chance(0.8) ? STEADY : TALKERS
  const calls = Array.from({ length: 1 + dice.below(3) }, () =>
    dice.chance(0.85)
      ? `call ${dice.oneOf<string>(talkers)}_echo ${JSON.stringify({ text: words(dice, 100) })}`
      : `call one_big ${JSON.stringify({ bytes: dice.below(200_000) })}`)
  return [`Please look at this: ${words(dice, 10)}`, ...calls].join("\n")
}
