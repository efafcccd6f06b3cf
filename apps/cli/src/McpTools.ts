/** `mcp tools`: what the servers offer, all of it or as an agent or patterns see it. */
import { type ServerStatus, toolView } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import { served } from "./Connected.ts"
import * as Explained from "./Explained.ts"
import type { Failed } from "./Failure.ts"
import type { Options } from "./Options.ts"
import { Output } from "./Output.ts"
import type { Paint } from "./Paint.ts"
import { oneLine, pad, plain } from "./PlainText.ts"
import { missingLines } from "./ServerLines.ts"
import { Servers, type ToolList } from "./Servers.ts"
import type { Target } from "./Target.ts"

export interface ToolsQuery {
  readonly server: string | null
  readonly agent: string | null
  readonly match: ReadonlyArray<string>
}

export const tools = Effect.fnUntraced(function*(options: Options, target: Target, query: ToolsQuery) {
  yield* served(options, target, shown(options, query))
})

const shown = Effect.fnUntraced(function*(options: Options, query: ToolsQuery) {
  const output = yield* Output
  const servers = yield* Servers
  // Both are asked before anything is waited for: a name nobody has is told at once.
  if (query.agent !== null) yield* servers.agent(query.agent)
  if (query.server !== null) yield* servers.one(query.server)
  yield* servers.settled(null)
  const some = query.server === null ? yield* servers.all : [yield* servers.one(query.server)]
  const agent = yield* servers.tools(query.agent)
  const match = query.match.length === 0 ? agent : toolView((yield* servers.tools(null)).tools, query.match, [])
  const found = both(agent.tools, match.tools).filter((tool) => query.server === null || tool.server === query.server)
  const warnings = [...new Set([...agent.warnings, ...match.warnings])]
  if (query.server !== null && found.length === 0) yield* Effect.forEach(some, ready)
  yield* output.notes(missingLines(some, output.notePaint))
  if (options.json) return yield* output.document({ tools: found, warnings })
  yield* output.notes(warnings.map((warning) => `${output.notePaint.careful("warning")}  ${plain(warning)}`))
  yield* output.lines(toolLines(found, output.paint))
})

type Tools = ToolList["tools"]

const both = (some: Tools, others: Tools): Tools => {
  const names = new Set(others.map((tool) => tool.name))
  return some.filter((tool) => names.has(tool.name))
}

const ready = (server: ServerStatus): Effect.Effect<void, Failed> =>
  server.state === "ready" ? Effect.void : Effect.fail(Explained.notReady(server))

const toolLines = (tools: Tools, paint: Paint): ReadonlyArray<string> => {
  if (tools.length === 0) return ["no tools"]
  const name = Math.max(...tools.map((tool) => tool.name.length))
  return tools.map((tool) =>
    `${paint.bold(pad(tool.name, name))}  ${oneLine(tool.title ?? tool.description ?? "", 100)}`.trimEnd()
  )
}
