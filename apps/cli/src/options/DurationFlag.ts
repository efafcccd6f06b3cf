/** A flag that takes a time with its unit. */
import type * as Flag from "effect/cli/Flag"
import { filterMap } from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

/** A number without a unit is refused: some read seconds, others milliseconds. */
export const duration = (flag: Flag.Flag<string>): Flag.Flag<Duration.Duration> => filterMap(flag, read, complaint)

const UNITS = { ms: "millis", s: "seconds", m: "minutes", min: "minutes", h: "hours" } as const

const read = (text: string): Option.Option<Duration.Duration> => {
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/.exec(text.trim()) ?? []
  const spelt = `${number} ${isShort(unit) ? UNITS[unit] : unit}`
  const value = isInput(spelt) ? Duration.fromInput(spelt) : Option.none()
  return Option.filter(value, Duration.isGreaterThan(Duration.zero))
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
