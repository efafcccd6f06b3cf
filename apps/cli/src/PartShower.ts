/** Shows the parts of turns as they come, minding where the cursor stands and which call a result belongs to. */
import type { Part } from "@boocode/chat"
import * as Effect from "effect/Effect"
import { partLines, resultTitle } from "./ChatLines.ts"
import type { Options } from "./Options.ts"
import { Output } from "./Output.ts"

export type Show = (part: Part) => Effect.Effect<void>

export const make = Effect.fnUntraced(
  function*(options: Options, isCommandMode: boolean): Effect.fn.Return<Show, never, Output> {
    const output = yield* Output
    if (options.json) return (part) => output.documentLine(part)
    const names = new Map<string, string>()
    let isLineOpen = false
    const closeLine = Effect.suspend(() => {
      const wasOpen = isLineOpen
      isLineOpen = false
      return wasOpen ? output.text("\n") : Effect.void
    })
    return (part) => {
      if (part.type === "tool-call") names.set(part.id, part.name)
      if (part.type === "text-delta") {
        isLineOpen = part.text === "" ? isLineOpen : !part.text.endsWith("\n")
        return output.text(part.text)
      }
      if (part.type === "tool-result" && isCommandMode) {
        // Nobody will speak about this result: it is the answer.
        const title = resultTitle(part, names.get(part.id) ?? part.id, output.notePaint)
        return Effect.andThen(
          output.notes([title]),
          output.text(part.text.endsWith("\n") ? part.text : `${part.text}\n`)
        )
      }
      const lines = partLines(part, (id) => names.get(id) ?? id, output.notePaint)
      const isBreak = lines.length > 0 || part.type === "finish" || part.type === "approval" ||
        part.type === "question"
      return Effect.andThen(isBreak ? closeLine : Effect.void, output.notes(lines))
    }
  }
)
