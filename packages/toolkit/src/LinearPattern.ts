/**
 * The patterns of schemas, searched in time linear in the text: a server writes them, and none may stop ours.
 */
import * as Result from "effect/Result"
import { RE2JS } from "re2js"

/** A compiled pattern. @category models */
export interface LinearPattern {
  /** Whether it matches anywhere in the text. */
  readonly test: (text: string) => boolean
  /** What one character of text costs at most, in steps. */
  readonly steps: number
}

const MAX_CHARACTERS = 1000
const MAX_STEPS = 1000

/**
 * Compiles a pattern, if it has at most 1,000 characters, RE2 knows its syntax (no back references, no look-around) and
 * its program is small; else null.
 *
 * @category constructors
 */
export const make = (pattern: string): LinearPattern | null => {
  if (pattern.length > MAX_CHARACTERS) return null
  return Result.getOrElse(
    Result.try((): LinearPattern | null => {
      const compiled = RE2JS.compile(pattern)
      const steps = compiled.programSize()
      return steps > MAX_STEPS ? null : { test: (text) => compiled.matcher(text).find(), steps }
    }),
    () => null
  )
}
