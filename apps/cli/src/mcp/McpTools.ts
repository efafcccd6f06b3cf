/** `mcp tools` and `mcp search`: the tools of the servers, as an agent or a provider gets them. */
import type { ToolQuery } from "@boocode/chat-server/ToolsApi"
import { type ServerStatus, toolView } from "@boocode/mcp-registry"
import type { SchemaDialect } from "@boocode/toolkit"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { one, Servers, type ToolList } from "../backend/Servers.ts"
import { served } from "../backend/VerbContext.ts"
import { missingLines } from "../lines/ServerLines.ts"
import { toolLines } from "../lines/ToolLines.ts"
import { agent, optional, optionalArgument, type Options, targetFlags, textFlag, verb } from "../options/Options.ts"
import * as ErrorHints from "../terminal/ErrorHints.ts"
import { indented, oneLine, Output, type Paint, plain } from "../terminal/Output.ts"

// Written out: what converts schemas is loaded when it is asked for.
const DIALECTS = ["raw", "openai", "openai-strict", "anthropic", "gemini"] as const satisfies typeof SchemaDialect.names

export const tools = Command.make(
  "tools",
  {
    server: optionalArgument(
      Argument.String("SERVER").pipe(Argument.withDescription("Only the tools of this server"))
    ),
    agent: agent("Only the tools that this agent may use"),
    match: Flag.atLeast(
      textFlag(
        "match",
        "PATTERN",
        "Only tools that the patterns allow: * is any run of characters, ! denies, the last match decides"
      ),
      0
    ),
    schema: Flag.Literals("schema", DIALECTS).pipe(
      Flag.withDescription("Show each schema as models of this provider get it, and what it could not express"),
      optional
    ),
    ...targetFlags
  },
  ({ isLocal, url, ...query }) =>
    verb((options) => served(options, { isLocal, url }, Effect.suspend(() => shown(options, query))))
).pipe(Command.withDescription("Show the tools that the servers offer"))

interface ToolsQuery {
  readonly server: string | null
  readonly agent: string | null
  readonly match: ReadonlyArray<string>
  readonly schema: SchemaDialect.SchemaDialect | null
}

const shown = Effect.fnUntraced(function*(options: Options, query: ToolsQuery) {
  const output = yield* Output
  const servers = yield* Servers
  // An unknown name fails before the command waits for anything.
  if (query.agent !== null) yield* servers.tools(query.agent)
  if (query.server !== null) yield* one(query.server)
  yield* servers.settled(null)
  const some = query.server === null ? yield* servers.all : [yield* one(query.server)]
  const ofAgent = yield* servers.tools(query.agent)
  const match = query.match.length === 0 ? ofAgent : toolView((yield* servers.tools(null)).tools, query.match, [])
  const names = new Set(match.tools.map(({ name }) => name))
  const found = ofAgent.tools.filter(({ name, server }) =>
    names.has(name) && (query.server === null || server === query.server)
  )
  const warnings = [...new Set([...ofAgent.warnings, ...match.warnings])]
  if (query.server !== null && found.length === 0) yield* Effect.forEach(some, ready)
  yield* output.notes(missingLines(some, output.notePaint))
  const converted = query.schema === null ? null : yield* inDialect(found, query.schema)
  if (options.json) return yield* output.document({ tools: converted ?? found, warnings })
  yield* output.notes(warnings.map((warning) => `${output.notePaint.careful("warning")}  ${plain(warning)}`))
  const columns = yield* output.columns
  yield* output.lines(
    converted === null ? toolLines(found, output.paint, columns) : schemaLines(converted, output.paint, columns)
  )
})

const ready = (server: ServerStatus) =>
  server.state === "ready" ? Effect.void : Effect.fail(ErrorHints.notReady(server))

/** Each tool with its schema in a dialect and what the dialect lost, or with the reason why it has no place there. */
const inDialect = Effect.fnUntraced(function*(tools: ToolList["tools"], wanted: SchemaDialect.SchemaDialect) {
  const { SchemaDialect } = yield* Effect.promise(() => import("@boocode/toolkit"))
  return tools.map((tool) =>
    Result.match(SchemaDialect.convert(wanted, tool.inputSchema), {
      onFailure: (reason: string) => ({ ...tool, schema: { dialect: wanted, losses: [], reason } }),
      onSuccess: ({ dialect, losses, schema }) => ({
        ...tool,
        inputSchema: schema,
        // `openai` where `openai-strict` has no place for the schema.
        schema: { dialect, losses: losses.map(({ detail, path }) => ({ path, detail })), reason: null }
      })
    })
  )
})

type ConvertedTool = Effect.Success<ReturnType<typeof inDialect>>[number]

const schemaLines = (tools: ReadonlyArray<ConvertedTool>, paint: Paint, columns: number): ReadonlyArray<string> =>
  tools.length === 0 ? ["no tools"] : tools.flatMap((tool, at) => [
    ...(at === 0 ? [] : [""]),
    ...toolLines([tool], paint, columns),
    ...(tool.schema.reason === null
      ? indented(JSON.stringify(tool.inputSchema, null, 2), "  ")
      : [`  ${paint.bad("left out")}  ${oneLine(tool.schema.reason, 400)}`]),
    ...tool.schema.losses.map(({ detail, path }) =>
      `  ${paint.careful("lost")}  ${path === "" ? "" : `${oneLine(path, 200)}: `}${oneLine(detail, 400)}`
    )
  ])

const FOUND = 10
const MOST_FOUND = 100

export const search = Command.make(
  "search",
  {
    query: Argument.String("QUERY").pipe(
      Argument.withDescription("What a tool should do, in a few words, or its name"),
      Argument.filter((words) => words.trim() !== "", () => "a few words, or the name of a tool")
    ),
    limit: Flag.Int("limit").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription(`The number of tools, from 1 to ${MOST_FOUND}; ${FOUND} by default`),
      Flag.filter((count) => count >= 1 && count <= MOST_FOUND, () => `a number from 1 to ${MOST_FOUND}`),
      Flag.withDefault(FOUND)
    ),
    agent: agent("Only the tools that this agent may use"),
    ...targetFlags
  },
  ({ agent, limit, query, ...target }) =>
    verb((options) => served(options, target, Effect.suspend(() => found(options, agent, { query, limit }))))
).pipe(
  Command.withDescription("Find tools by what they do, the best first"),
  Command.withExamples([
    { command: "boocode mcp search \"weather forecast\" --limit 3", description: "The three that fit best" }
  ])
)

const found = Effect.fnUntraced(function*(options: Options, agent: string | null, query: ToolQuery) {
  const output = yield* Output
  const servers = yield* Servers
  // An unknown agent fails before the command waits for anything.
  if (agent !== null) yield* servers.tools(agent)
  yield* servers.settled(null)
  const found = yield* servers.search(agent, query)
  yield* output.notes(missingLines(yield* servers.all, output.notePaint))
  const columns = yield* output.columns
  yield* options.json ? output.document(found) : output.lines(toolLines(found.tools, output.paint, columns))
})
