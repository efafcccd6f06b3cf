/** `mcp tools`: what the servers offer, all of it or as an agent or patterns see it. */
import { Agents, WorkspaceTools } from "@boocode/chat"
import { toolDocument } from "@boocode/chat-server"
import { McpError, McpErrors, McpRegistry, type McpTool, type ServerStatus } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import { connected, settled } from "./Connected.ts"
import * as Explained from "./Explained.ts"
import type { Options } from "./Options.ts"
import { Output } from "./Output.ts"
import type { Paint } from "./Paint.ts"
import { oneLine, pad, plain } from "./PlainText.ts"
import { missingLines } from "./ServerLines.ts"

export interface ToolsQuery {
  readonly server: string | null
  readonly agent: string | null
  readonly match: ReadonlyArray<string>
}

export const tools = Effect.fnUntraced(function*(options: Options, query: ToolsQuery) {
  yield* connected(
    options,
    (backend, where) => backend.registry(where, options.serverLog),
    shown(options, query).pipe(Effect.catchTags({
      McpError: (error) => Explained.mcpError(error),
      UnknownAgent: Explained.unknownAgent
    }))
  )
})

const shown = Effect.fnUntraced(function*(options: Options, query: ToolsQuery) {
  const output = yield* Output
  const registry = yield* McpRegistry
  // Both are asked before anything is waited for: a name nobody has is told at once.
  const patterns = query.agent === null ? null : (yield* (yield* Agents).agent(query.agent)).tools
  if (query.server !== null) yield* registry.server(query.server)
  yield* settled
  const servers = query.server === null ? yield* registry.servers : [yield* registry.server(query.server)]
  const own = (yield* WorkspaceTools).tools.map(({ name }) => name)
  const agent = yield* registry.view(patterns ?? undefined, own)
  const match = yield* registry.view(query.match.length === 0 ? undefined : query.match)
  const found = both(agent.tools, match.tools).filter((tool) => query.server === null || tool.server === query.server)
  const warnings = [...agent.warnings, ...match.warnings]
  if (query.server !== null && found.length === 0) yield* Effect.forEach(servers, ready)
  yield* output.notes(missingLines(servers, output.notePaint))
  if (options.json) return yield* output.document({ tools: found.map(toolDocument), warnings })
  yield* output.notes(warnings.map((warning) => `${output.notePaint.careful("warning")}  ${plain(warning)}`))
  yield* output.lines(toolLines(found, output.paint))
})

const both = (some: ReadonlyArray<McpTool>, others: ReadonlyArray<McpTool>): ReadonlyArray<McpTool> => {
  const names = new Set(others.map((tool) => tool.name))
  return some.filter((tool) => names.has(tool.name))
}

/** Asked for one server by name, its being down is the answer. */
const ready = (server: ServerStatus): Effect.Effect<void, McpError> =>
  server.state === "ready"
    ? Effect.void
    : new McpError({
      server: server.name,
      reason: new McpErrors.NotReady({ state: server.state, why: server.error?.message ?? null })
    })

const toolLines = (tools: ReadonlyArray<McpTool>, paint: Paint): ReadonlyArray<string> => {
  if (tools.length === 0) return ["no tools"]
  const name = Math.max(...tools.map((tool) => tool.name.length))
  return tools.map((tool) =>
    `${paint.bold(pad(tool.name, name))}  ${oneLine(tool.title ?? tool.description ?? "", 100)}`.trimEnd()
  )
}
