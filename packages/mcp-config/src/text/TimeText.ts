/** Times as people write them on a command line: a number with its unit. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

/** A time longer than nothing. */
export interface Time {
  readonly duration: Duration.Duration
  /** With the whole word of its unit, as an entry of a configuration has it: `30 seconds`. */
  readonly text: string
}

const UNITS = { ms: "millis", s: "seconds", m: "minutes", min: "minutes", h: "hours" } as const

/**
 * Reads `2s`, `500ms` or `2 minutes`. Fails with what is wanted instead. A number alone is refused: some would read
 * seconds, others milliseconds.
 */
export const read = (given: string): Result.Result<Time, string> => {
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/.exec(given.trim()) ?? []
  const text = `${number} ${isShort(unit) ? UNITS[unit] : unit}`
  const duration = isInput(text) ? Duration.fromInput(text) : Option.none()
  return Option.isSome(duration) && Duration.isGreaterThan(duration.value, Duration.zero)
    ? Result.succeed({ duration: duration.value, text })
    : Result.fail(wanted(given.trim()))
}

const isShort = (unit: string): unit is keyof typeof UNITS => Object.hasOwn(UNITS, unit)
const isInput = (text: string): text is Duration.Input & string => /^\d+(\.\d+)? [a-z]+$/.test(text)

const wanted = (number: string): string =>
  /^\d*[1-9]\d*$/.test(number)
    ? `a unit: ${number}s for ${number} ${number === "1" ? "second" : "seconds"}, ${number}ms for ${number} ${
      number === "1" ? "millisecond" : "milliseconds"
    }`
    : "a time with its unit, such as 2s, 500ms or \"2 minutes\""
