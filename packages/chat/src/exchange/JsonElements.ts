/** The elements of a JSON list, one after the other, while its text comes: memory for one of them is enough. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ImportRefused } from "./ImportedChat.ts"

/** A longer element is refused. */
const LONGEST = 64_000_000

interface State {
  /** The number of open brackets; 1 is between the elements. */
  depth: number
  inText: boolean
  escaped: boolean
  /** The pieces of the element that came so far. */
  pieces: Array<string>
  length: number
}

/** The texts of the elements of the list. A text that is no list has none. Each is JSON if the whole is. */
export const elements = <E, R>(text: Stream.Stream<string, E, R>): Stream.Stream<string, E | ImportRefused, R> =>
  Stream.suspend(() => {
    const state: State = { depth: 0, inText: false, escaped: false, pieces: [], length: 0 }
    return Stream.concat(
      Stream.flatMap(
        Stream.mapEffect(text, (chunk) =>
          Effect.suspend(() => {
            const found = scan(state, chunk)
            return state.length > LONGEST
              ? new ImportRefused({ why: "one conversation in it is larger than 64 MB" })
              : Effect.succeed(found)
          })),
        Stream.fromIterable
      ),
      Stream.suspend(() =>
        state.depth > 0 ? Stream.fail(new ImportRefused({ why: "it ends in the middle" })) : Stream.empty
      )
    )
  })

/** The characters that matter inside a text, and outside of one. */
const IN_TEXT = /["\\]/g
const OUTSIDE = /["[\]{}]/g

/** Takes a chunk, and gives the elements that it ends. */
const scan = (state: State, chunk: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let start = 0
  const keep = (end: number) => {
    state.pieces.push(chunk.slice(start, end))
    state.length += end - start
  }
  let at = state.escaped ? 1 : 0
  state.escaped = false
  while (at < chunk.length) {
    const wanted = state.inText ? IN_TEXT : OUTSIDE
    wanted.lastIndex = at
    const character = wanted.exec(chunk)?.[0]
    if (character === undefined) break
    at = wanted.lastIndex
    if (character === "\"") state.inText = !state.inText
    else if (character === "\\") {
      state.escaped = at === chunk.length
      at += 1
    } else if (character === "[" || character === "{") {
      state.depth += 1
      if (state.depth === 2) start = at - 1
    } else {
      state.depth -= 1
      if (state.depth !== 1) continue
      keep(at)
      found.push(state.pieces.join(""))
      state.pieces = []
      state.length = 0
    }
  }
  if (state.depth > 1) keep(chunk.length)
  return found
}
