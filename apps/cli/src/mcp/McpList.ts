/** `mcp list`: the servers and their state. A server that failed, or a broken entry, is part of the answer. */
import { type ServerStatus, toolView } from "@boocode/mcp-registry"
import type { SchemaDialect } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import { served } from "../backend/Connected.ts"
import { Servers, type ToolList } from "../backend/Servers.ts"
import { missingLines, serverLines } from "../lines/ServerLines.ts"
import { inDialect, schemaLines, toolLines } from "../lines/ToolLines.ts"
import type { Options, Target } from "../options/Options.ts"
import * as ErrorHints from "../terminal/ErrorHints.ts"
import type { Failed } from "../terminal/Failure.ts"
import { oneLine, Output, plain } from "../terminal/Output.ts"

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

// `mcp search`: tools by what they do, the best first.

export interface Search {
  readonly query: string
  readonly limit: number
  readonly agent: string | null
}

export const search = Effect.fnUntraced(function*(options: Options, target: Target, asked: Search) {
  yield* served(options, target, shownSearch(options, asked))
})

const shownSearch = Effect.fnUntraced(function*(options: Options, { agent, ...query }: Search) {
  const output = yield* Output
  const servers = yield* Servers
  // Asked before anything is waited for: a name nobody has is told at once.
  if (agent !== null) yield* servers.agent(agent)
  yield* servers.settled(null)
  const found = yield* servers.search(agent, query)
  yield* output.notes(missingLines(yield* servers.all, output.notePaint))
  yield* options.json ? output.document(found) : output.lines(toolLines(found.tools, output.paint))
})

// `mcp tools`: what the servers offer, all of it or as an agent or patterns see it.

export interface ToolsQuery {
  readonly server: string | null
  readonly agent: string | null
  readonly match: ReadonlyArray<string>
  /** The dialect to show the schemas in; null shows none to people, and the declared ones in JSON. */
  readonly schema: SchemaDialect.SchemaDialect | null
}

export const tools = Effect.fnUntraced(function*(options: Options, target: Target, query: ToolsQuery) {
  yield* served(options, target, shownTools(options, query))
})

const shownTools = Effect.fnUntraced(function*(options: Options, query: ToolsQuery) {
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
  server.state === "ready" ? Effect.void : Effect.fail(ErrorHints.notReady(server))
