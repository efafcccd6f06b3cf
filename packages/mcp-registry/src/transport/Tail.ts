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
