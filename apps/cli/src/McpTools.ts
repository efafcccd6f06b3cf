/** `mcp tools`: what the servers offer, all of it or as an agent or patterns see it. */
import { type ServerStatus, toolView } from "@boocode/mcp-registry"
import type { SchemaDialect } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import { served } from "./Connected.ts"
import * as Explained from "./Explained.ts"
import type { Failed } from "./Failure.ts"
import type { Options } from "./Options.ts"
import { Output } from "./Output.ts"
import { plain } from "./PlainText.ts"
import { missingLines } from "./ServerLines.ts"
import { Servers, type ToolList } from "./Servers.ts"
import type { Target } from "./Target.ts"
import { inDialect, schemaLines, toolLines } from "./ToolLines.ts"

export interface ToolsQuery {
  readonly server: string | null
  readonly agent: string | null
  readonly match: ReadonlyArray<string>
  /** The dialect to show the schemas in; null shows none to people, and the declared ones in JSON. */
  readonly schema: SchemaDialect.SchemaDialect | null
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
  const spoken = query.schema === null ? null : inDialect(found, query.schema)
  if (options.json) return yield* output.document({ tools: spoken ?? found, warnings })
  yield* output.notes(warnings.map((warning) => `${output.notePaint.careful("warning")}  ${plain(warning)}`))
  yield* output.lines(spoken === null ? toolLines(found, output.paint) : schemaLines(spoken, output.paint))
})

type Tools = ToolList["tools"]

const both = (some: Tools, others: Tools): Tools => {
  const names = new Set(others.map((tool) => tool.name))
  return some.filter((tool) => names.has(tool.name))
}

const ready = (server: ServerStatus): Effect.Effect<void, Failed> =>
  server.state === "ready" ? Effect.void : Effect.fail(Explained.notReady(server))
