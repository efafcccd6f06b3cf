/** `mcp list`: the servers and their state. A server that failed, or a broken entry, is part of the answer. */
import * as Effect from "effect/Effect"
import { served } from "./Connected.ts"
import type { Options } from "./Options.ts"
import { Output } from "./Output.ts"
import { oneLine } from "./PlainText.ts"
import { serverLines } from "./ServerLines.ts"
import { Servers } from "./Servers.ts"
import type { Target } from "./Target.ts"

export const list = Effect.fnUntraced(function*(options: Options, target: Target) {
  yield* served(options, target, shown(options), true)
})

const shown = Effect.fnUntraced(function*(options: Options) {
  const output = yield* Output
  const servers = yield* Servers
  yield* servers.settled(null)
  const all = yield* servers.all
  const problems = yield* servers.problems
  yield* options.json ? output.document({ servers: all, problems }) : output.lines(serverLines(all, output.paint))
  yield* output.notes(
    problems.flatMap(({ hint, message }) => [
      `${output.notePaint.careful("warning")}  ${oneLine(message, 400)}`,
      `         ${oneLine(hint, 400)}`
    ])
  )
})
