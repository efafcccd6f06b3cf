/** Flags that are a time with its unit. A number alone is refused: some would read seconds, others milliseconds. */
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { textFlag } from "./Options.ts"

export interface Time {
  readonly duration: Duration.Duration
  /** With the whole word of its unit, as an entry of a configuration has it: `30 seconds`. */
  readonly text: string
}

/** Its description goes on with examples. */
export const timeFlag = (name: string, description: string): Flag.Flag<Time> =>
  Flag.filterMap(
    textFlag(name, "DURATION", `${description}, with its unit: 2s, 500ms, "2 minutes"`),
    timeOf,
    complaint
  )

const UNITS = { ms: "millis", s: "seconds", m: "minutes", min: "minutes", h: "hours" } as const

const timeOf = (given: string): Option.Option<Time> => {
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/.exec(given.trim()) ?? []
  const text = `${number} ${isShort(unit) ? UNITS[unit] : unit}`
  const duration = isInput(text) ? Duration.fromInput(text) : Option.none()
  return Option.map(
    Option.filter(duration, Duration.isGreaterThan(Duration.zero)),
    (duration) => ({ duration, text })
  )
}

const isShort = (unit: string): unit is keyof typeof UNITS => Object.hasOwn(UNITS, unit)
const isInput = (text: string): text is Duration.Input & string => /^\d+(\.\d+)? [a-z]+$/.test(text)

const complaint = (text: string): string => {
  const number = text.trim()
  return /^\d*[1-9]\d*$/.test(number)
    ? `a unit: ${number}s for ${number} ${number === "1" ? "second" : "seconds"}, ${number}ms for ${number} ${
      number === "1" ? "millisecond" : "milliseconds"
    }`
    : "a time with its unit, such as 2s, 500ms or \"2 minutes\""
}
