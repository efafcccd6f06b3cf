/**
 * What a program writes to standard error, line by line, because a secret that came in two pieces is found in neither.
 */
import * as Tail from "./Tail.ts"

/** The standard error of one process. @category models */
export interface ErrorLines {
  /** Takes some bytes, and gives the lines that they completed. */
  readonly push: (bytes: Uint8Array) => ReadonlyArray<string>
  /** Nothing follows. Gives the last line, when there is one without an end. */
  readonly end: () => ReadonlyArray<string>
  /** The last part of all that came. */
  readonly last: () => string
}

/** Begins to take. Costs nothing while nothing comes. @category constructors */
export const make = (): ErrorLines => {
  let decoder: InstanceType<typeof TextDecoder> | null = null
  let tail: Tail.Tail | null = null
  let rest = ""
  const add = (text: string) => {
    tail ??= Tail.make()
    tail.append(text)
    const [open, lines] = Tail.lines(rest + text)
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
