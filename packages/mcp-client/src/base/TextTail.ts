/** The last part of a text that never ends, such as standard error. */

export interface TextTail {
  readonly append: (text: string) => void
  /** The kept text, from a line's start once something was dropped. */
  readonly text: () => string
}

/** How much of standard error is kept, in characters. */
export const KEPT = 8 * 1024

/** Cuts complete lines off a text; a line that is longer than `KEPT` is cut there. Gives the rest, and the lines. */
const cutLines = (text: string): readonly [rest: string, lines: ReadonlyArray<string>] => {
  const complete = text.split("\n")
  const rest = complete.pop() ?? ""
  return rest.length > KEPT ? ["", [...complete, rest]] : [rest, complete]
}

/** Begins to keep. Holds at most twice `KEPT` characters. */
export const make = (): TextTail => {
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

export interface ErrorLines {
  /** Takes some bytes, and gives the lines that they completed. */
  readonly push: (bytes: Uint8Array) => ReadonlyArray<string>
  /** Nothing follows. Gives the last line, when there is one without an end. */
  readonly end: () => ReadonlyArray<string>
  /** The last part of all that came. */
  readonly last: () => string
}

/** Begins to take. Costs nothing while nothing comes. */
export const makeErrorLines = (): ErrorLines => {
  let decoder: InstanceType<typeof TextDecoder> | null = null
  let tail: TextTail | null = null
  let rest = ""
  const add = (text: string) => {
    tail ??= make()
    tail.append(text)
    const [open, lines] = cutLines(rest + text)
    rest = open
    return lines
  }
  return {
    push: (bytes) => {
      decoder ??= new TextDecoder()
      return add(decoder.decode(bytes, { stream: true }))
    },
    end: () => {
      // Half of a character is told as one that is none.
      const lines = decoder === null ? [] : add(decoder.decode())
      const last = rest
      rest = ""
      return last === "" ? lines : [...lines, last]
    },
    last: () => tail?.text() ?? ""
  }
}
