/** Which tool names a list of patterns allows. */

/** A list of patterns, compiled. */
export interface ToolGlob {
  /** The patterns as they were given. */
  readonly patterns: ReadonlyArray<string>
  /** True when the last pattern that matches the name allows it. No match denies. */
  readonly allows: (name: string) => boolean
}

/**
 * Compiles a list of patterns.
 *
 * `*` matches any run of characters, also none; no other character is special. A `!` in front makes a pattern deny what
 * the rest of it matches; elsewhere it is a character. The last pattern that matches decides. A list of denials alone
 * allows nothing: put `*` first.
 *
 * **Example** (All tools but those of one server)
 *
 * ```ts
 * import { ToolGlob } from "@boocode/tool-glob"
 *
 * const glob = ToolGlob.compile(["*", "!web_*"])
 * console.log(glob.allows("files_read_file")) // true
 * console.log(glob.allows("web_fetch")) // false
 * ```
 */
export const compile = (patterns: ReadonlyArray<string>): ToolGlob => {
  const rules = patterns.map((text) => ({ pattern: split(text), allows: !isDenial(text) }))
  return { patterns, allows: (name) => rules.findLast(({ pattern }) => fits(pattern, name))?.allows ?? false }
}

/**
 * Tells whether a list of patterns may allow a name that begins so. False is certain; true is not, for a later denial may
 * leave nothing.
 */
export const mayAllow = (patterns: ReadonlyArray<string>, beginning: string): boolean =>
  patterns.reduce((may, text) => {
    const { middle, prefix, suffix } = split(text)
    const isWhole = suffix !== null && beginning.startsWith(prefix)
    if (!isDenial(text)) return may || isWhole || prefix.startsWith(beginning)
    return may && !(isWhole && suffix === "" && middle.every((part) => part === ""))
  }, false)

/** Tells whether one pattern matches a name. A `!` in front is ignored. */
export const matches = (pattern: string, name: string): boolean => fits(split(pattern), name)

/** True for a pattern that names one tool: it has no `*` and does not deny. */
export const isExact = (pattern: string): boolean => !isDenial(pattern) && !pattern.includes("*")

/** True for a pattern that denies what it matches. */
export const isDenial = (pattern: string): boolean => pattern.startsWith("!")

interface Pattern {
  readonly prefix: string
  /** The texts between stars. */
  readonly middle: ReadonlyArray<string>
  /** Null when there is no star. */
  readonly suffix: string | null
}

/** @internal */
export const split = (text: string): Pattern => {
  const [prefix = "", ...middle] = (isDenial(text) ? text.slice(1) : text).split("*")
  return { prefix, suffix: middle.pop() ?? null, middle }
}

/**
 * Searches once for each text between stars, from where the one before it ended. The leftmost place is always good
 * enough, so nothing is tried twice. `name` is narrowed for tests that count the searches.
 *
 * @internal
 */
export const fits = (
  { middle, prefix, suffix }: Pattern,
  name: Pick<string, "length" | "startsWith" | "endsWith" | "indexOf">
): boolean => {
  const end = name.length - (suffix?.length ?? 0)
  if (suffix === null ? end !== prefix.length : end < prefix.length || !name.endsWith(suffix)) return false
  if (!name.startsWith(prefix)) return false
  let from = prefix.length
  for (const text of middle) {
    const at = name.indexOf(text, from)
    from = at + text.length
    if (at < 0 || from > end) return false
  }
  return true
}
