/**
 * How everything here is measured: a measurement is a program in a fresh process that prints one line of JSON, names and
 * numbers. The sides of a row take turns, round by round, and each ratio is of two measurements of the same round.
 */
import { spawn } from "node:child_process"
import { type Ratios, ratios } from "./Samples.ts"

/** What one measurement found, by the name of the figure. */
export type Figures = Readonly<Record<string, number>>

/** One way of doing what a row measures. */
export interface Side {
  /** Stands in the table, for instance `raw`; the first side of a row is what the others are compared to. */
  readonly name: string
  /** Arguments of Node: flags, the program and what it takes. */
  readonly args: ReadonlyArray<string>
  /** Where it runs, if that matters. */
  readonly folder?: string
  readonly env?: Readonly<Record<string, string>>
  /** Why it cannot be measured on this machine, for instance "not installed". */
  readonly missing?: string
  /** Somebody else's, which is left out where nobody asks for it. */
  readonly isPeer?: boolean
  /** It takes part in the first so many rounds only. */
  readonly rounds?: number
}

/** One row of the table. */
export interface Row {
  /** For the command line: lower case and dashes. */
  readonly name: string
  readonly title: string
  readonly sides: ReadonlyArray<Side>
  readonly figures: ReadonlyArray<Figure>
  /** No measurement takes longer; one that does is ended with all it started, and its side says so. */
  readonly seconds: number
  /** What the first side is called in the head of the ratios, unless it is raw. */
  readonly compared?: string
  /** At most so many rounds, for a row that takes long. */
  readonly rounds?: number
  /** What has to be there before the first measurement; no side is measured when it fails. */
  readonly prepare?: () => Promise<void>
}

/** A number that each measurement of a row finds. */
export interface Figure {
  readonly name: string
  readonly unit: string
  /** What the table calls it where the name alone says too little. */
  readonly title?: string
  readonly target?: Target
}

/** What `ours` should be at most, all of it. */
export interface Target {
  /** Times the first side. */
  readonly ratio?: number
  /** As it is. */
  readonly value?: number
  /** Times each of other sides. */
  readonly of?: ReadonlyArray<{ readonly side: string; readonly ratio: number }>
}

/** What became of a side: its figures, round by round, or why there are none. */
export interface Measured {
  readonly side: string
  readonly rounds: ReadonlyArray<Figures>
  readonly failure: string | null
}

export interface Outcome {
  readonly row: Row
  readonly sides: ReadonlyArray<Measured>
}

/** One measurement; fails with the reason in words. */
export const measure = (side: Side, seconds: number): Promise<Figures> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, side.args, {
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, so that servers end with a client that has to be ended.
      detached: true,
      cwd: side.folder,
      env: { ...process.env, ...side.env }
    })
    let out = ""
    let err = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => out += text)
    child.stderr.setEncoding("utf8").on("data", (text: string) => err = (err + text).slice(-4000))
    const end = () => endGroup(child.pid)
    process.once("exit", end)
    const timer = setTimeout(() => {
      // A process that left the group may hold the pipes open, so wait for the exit and not for the pipes.
      child.on("exit", () => reject(new Error(`over ${seconds} s`)))
      end()
    }, seconds * 1000)
    child.on("error", reject)
    child.on("exit", () => {
      clearTimeout(timer)
      process.off("exit", end)
    })
    child.on("close", (code) => {
      const figures = code === 0 ? lastLine(out) : undefined
      if (figures === undefined) reject(new Error(reasonOf(err) ?? `ended with ${code} and no figures`))
      else resolve(figures)
    })
  })

const endGroup = (pid: number | undefined): void => {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch {
    // It ended at the same moment.
  }
}

const lastLine = (out: string): Figures | undefined => {
  const line = out.trimEnd().split("\n").at(-1) ?? ""
  return line.startsWith("{") && line.endsWith("}") ? JSON.parse(line) : undefined
}

/** The line of an error's message, rather than where it came from. */
const reasonOf = (err: string): string | undefined => {
  const lines = err.split("\n").map((line) => line.trim()).filter((line) => !/^(at |Node\.js v|[^\w]|$)/.test(line))
  return (lines.findLast((line) => /^(\w+ )?\w*(Error|Exception)\b/.test(line)) ?? lines.at(-1))?.slice(0, 200)
}

/** A row without those who are not of this house. */
export const withoutPeers = (row: Row): Row => ({ ...row, sides: row.sides.filter(({ isPeer }) => isPeer !== true) })

/** Measures all sides of a row, round by round; who goes first changes with the round. A side that fails is left out from then on. */
export const run = async (row: Row, rounds: number): Promise<Outcome> => {
  const unprepared = await row.prepare?.().then(() => null, ({ message }: Error) => message) ?? null
  const found = row.sides.map((side) => ({
    side,
    rounds: new Array<Figures>(),
    failure: side.missing ?? unprepared
  }))
  for (let round = 0; round < Math.min(rounds, row.rounds ?? rounds); round++) {
    const first = round % found.length
    for (const one of [...found.slice(first), ...found.slice(0, first)]) {
      if (one.failure !== null || round >= (one.side.rounds ?? rounds)) continue
      await measure(one.side, row.seconds).then(
        (figures) => one.rounds.push(figures),
        (error: Error) => one.failure = error.message
      )
    }
  }
  return { row, sides: found.map(({ failure, rounds, side }) => ({ side: side.name, rounds, failure })) }
}

/** One figure of one side: its median, and its ratios to another side, which is the first unless told. */
export const compared = (
  { sides }: Outcome,
  side: Measured,
  figure: string,
  other: Measured | undefined = sides[0]
): Ratios => ratios(valuesOf(side, figure), other === undefined ? [] : valuesOf(other, figure))

const valuesOf = ({ rounds }: Measured, figure: string): ReadonlyArray<number> =>
  rounds.map((round) => round[figure] ?? Number.NaN)

/**
 * Whether a side is within the target; null where there is none. A side without figures is not, but another side that
 * has none, and that it is to be compared to, is left out of account.
 */
export const isWithin = (outcome: Outcome, side: Measured, { name, target }: Figure): boolean | null => {
  if (target === undefined) return null
  const { of = [], ratio = Infinity, value = Infinity } = target
  const found = compared(outcome, side, name)
  const isBeyond = of.some((one) => {
    const other = byName(outcome, one.side)
    return other !== undefined && compared(outcome, side, name, other).ratio > one.ratio
  })
  return found.median <= value && (ratio === Infinity || found.ratio <= ratio) && !isBeyond
}

export const byName = ({ sides }: Outcome, name: string): Measured | undefined =>
  sides.find(({ side }) => side === name)
