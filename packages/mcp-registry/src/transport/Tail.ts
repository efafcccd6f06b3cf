/**
 * The last part of a text that never ends, such as standard error.
 */

/** Keeps the end of what is appended. @category models */
export interface Tail {
  readonly append: (text: string) => void
  /** What is kept, beginning at a line's start once something was dropped. */
  readonly text: () => string
}

/** How much of standard error is kept, in characters. @category constants */
export const KEPT = 8 * 1024

/**
 * Cuts complete lines off a text; a line that is longer than `KEPT` is cut there. Gives the rest, and the lines.
 *
 * @category decoding
 */
export const lines = (text: string): readonly [rest: string, lines: ReadonlyArray<string>] => {
  const complete = text.split("\n")
  const rest = complete.pop() ?? ""
  return rest.length > KEPT ? ["", [...complete, rest]] : [rest, complete]
}

/**
 * Begins to keep. Holds at most twice `KEPT` characters.
 *
 * @category constructors
 */
export const make = (): Tail => {
  let kept = ""
  let isCut = false
  return {
    append: (text) => {
      kept += text.slice(-KEPT)
      isCut ||= text.length > KEPT
      if (kept.length <= 2 * KEPT) return
      kept = kept.slice(-KEPT)
      isCut = true
    },
    text: () => {
      const end = kept.slice(-KEPT)
      const start = isCut || kept.length > KEPT ? end.indexOf("\n") + 1 : 0
      return end.slice(start)
    }
  }
}
