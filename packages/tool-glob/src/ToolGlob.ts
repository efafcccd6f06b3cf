/**
 * Which tool names a list of patterns allows.
 */
import * as Pattern from "./Pattern.ts"

/**
 * A list of patterns, ready to be asked.
 *
 * @category models
 */
export interface ToolGlob {
  /** The patterns as they were given. */
  readonly patterns: ReadonlyArray<string>
  /** True when the last pattern that matches the name allows it. No match denies. Linear time in the name's length. */
  readonly allows: (name: string) => boolean
}

/**
 * Makes a list of patterns ready to be asked.
 *
 * **Details**
 *
 * `*` matches any run of characters, also none; nothing else is special. A `!` in front makes a pattern deny what the
 * rest of it matches; elsewhere it is a character. Patterns are tried in order and the last that matches decides.
 *
 * **Gotchas**
 *
 * A list of denials alone allows nothing: put `*` first.
 *
 * @category constructors
 */
export const compile = (patterns: ReadonlyArray<string>): ToolGlob => {
  const rules = rulesOf(patterns)
  return {
    patterns,
    allows: (name) => decide(rules, name.length, (index) => name.charCodeAt(index))
  }
}

/**
 * Tells whether one pattern matches a name. A `!` in front is left out of account: what matters is the rest.
 *
 * @category matching
 */
export const matches = (pattern: string, name: string): boolean =>
  Pattern.test(Pattern.make(withoutDenial(pattern)), name.length, (index) => name.charCodeAt(index))

/**
 * True for a pattern that names one tool: it has no `*` and does not deny.
 *
 * @category guards
 */
export const isExact = (pattern: string): boolean => !isDenial(pattern) && !pattern.includes("*")

/**
 * True for a pattern that denies what it matches.
 *
 * @category guards
 */
export const isDenial = (pattern: string): boolean => pattern.startsWith("!")

/**
 * A pattern and what it decides.
 *
 * @internal
 */
export interface Rule {
  readonly pattern: Pattern.Pattern
  readonly allows: boolean
}

/** @internal */
export const rulesOf = (patterns: ReadonlyArray<string>): ReadonlyArray<Rule> =>
  patterns.map((text) => ({ pattern: Pattern.make(withoutDenial(text)), allows: !isDenial(text) }))

/** @internal */
export const decide = (rules: ReadonlyArray<Rule>, length: number, read: Pattern.Read): boolean =>
  rules.findLast((rule) => Pattern.test(rule.pattern, length, read))?.allows ?? false

const withoutDenial = (pattern: string): string => isDenial(pattern) ? pattern.slice(1) : pattern
