/** `mcp search`: tools by what they do, the best first. */
import * as Effect from "effect/Effect"
import { served } from "./Connected.ts"
import type { Options } from "./Options.ts"
import { Output } from "./Output.ts"
import { missingLines } from "./ServerLines.ts"
import { Servers } from "./Servers.ts"
import type { Target } from "./Target.ts"
import { toolLines } from "./ToolLines.ts"

export interface Search {
  readonly query: string
  readonly limit: number
  readonly agent: string | null
}

export const search = Effect.fnUntraced(function*(options: Options, target: Target, asked: Search) {
  yield* served(options, target, shown(options, asked))
})

const shown = Effect.fnUntraced(function*(options: Options, { agent, ...query }: Search) {
  const output = yield* Output
  const servers = yield* Servers
  // Asked before anything is waited for: a name nobody has is told at once.
  if (agent !== null) yield* servers.agent(agent)
  yield* servers.settled(null)
  const found = yield* servers.search(agent, query)
  yield* output.notes(missingLines(yield* servers.all, output.notePaint))
  yield* options.json ? output.document(found) : output.lines(toolLines(found.tools, output.paint))
})
