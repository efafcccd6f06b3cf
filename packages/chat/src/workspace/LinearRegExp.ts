/**
 * Regular expressions whose search takes time linear in the text, whatever the pattern: one that a model writes must
 * not stop the server.
 */
import * as Result from "effect/Result"
import { RE2JS } from "re2js"

/** A compiled pattern. @category models */
export interface LinearRegExp {
  /** Whether the pattern matches anywhere in one line. */
  readonly test: (line: string) => boolean
}

const MAX_CHARACTERS = 1000

/**
 * Compiles the syntax of RE2: no back references and no look-around, as those have no linear search. Fails in words for
 * wrong syntax and for a pattern of more than 1,000 characters.
 *
 * @category constructors
 */
export const make = (pattern: string, ignoreCase: boolean): Result.Result<LinearRegExp, string> => {
  if (pattern.length > MAX_CHARACTERS) {
    return Result.fail(`the pattern is too large: at most ${MAX_CHARACTERS} characters`)
  }
  return Result.try({
    try: () => {
      const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
      return { test: (line: string) => compiled.matcher(line).find() }
    },
    catch: (error) => error instanceof Error ? error.message : String(error)
  })
}
