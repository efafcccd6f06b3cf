/** The tools by which a client finds tools that it is not listed, and calls them. */
import { McpRegistry, type ToolClass } from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import { type AgentTool, SearchTools, ToolListing, ToolResult, type ToolSearch } from "@boocode/toolkit"
import { ExecuteTool, ProgramNames, Signatures } from "@boocode/toolkit/code"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Profile } from "../model/Profile.ts"
import * as ToolDefinition from "./ToolDefinition.ts"
import type { Named } from "./ToolNames.ts"

export const SEARCH = "search_tools"
export const DESCRIBE = "describe_tool"
/** Calls tools that read, and no others, so that a rule of the client for one of the two is none for the other. */
export const CALL = "call_tool"
/** Calls every other tool. */
export const CALL_WRITING = "call_writing_tool"

/** Whether a tool is called by `call_tool`. One that says nothing of what it does is not. */
export const isReading = ({ class: toolClass }: { readonly class?: ToolClass.ToolClass | undefined }): boolean =>
  toolClass === "reads"

const WAY: SearchTools.Way = {
  search: SEARCH,
  describe: DESCRIBE,
  hasParameters: true,
  howTo: `Call what it finds through ${CALL} or ${CALL_WRITING}, as callBy of each says.`,
  note: `Call one of these through the tool that callBy names. ${DESCRIBE} defines those under more.`,
  callOf: (tool) => isReading(tool) ? CALL : CALL_WRITING
}

export interface Options {
  readonly profile: Profile
  readonly index: ToolSearch.ToolSearch
  /** Those that may be found now. */
  readonly named: Effect.Effect<ReadonlyArray<Named>, never, McpRegistry>
  /** Waits a bounded time for servers that connect. */
  readonly settled: Effect.Effect<unknown>
}

/** `search_tools` and `describe_tool`; `listed` are the tools whose names the description tells. */
export const make = (
  options: Options,
  listed: ReadonlyArray<Named>
): Effect.Effect<ReadonlyArray<AgentTool>, never, McpRegistry> =>
  Effect.map(cataloguing(options), (catalogue) => [
    SearchTools.searching(catalogue, ToolListing.text(listed.map(placed)), WAY),
    SearchTools.describing(catalogue, WAY)
  ])

/** `search_tools` that answers with functions, and `execute`, which runs a program of them. */
export const inPrograms = (
  options: Options,
  named: ReadonlyArray<Named>
): Effect.Effect<ReadonlyArray<AgentTool>, never, McpRegistry> =>
  Effect.map(cataloguing(options), (catalogue) => {
    const tools = named.map(described)
    const functions = new Map(ProgramNames.functions(tools).map((of) => [of.name, of]))
    const signature = (tool: AgentTool): string => {
      const of = functions.get(tool.name)
      return of === undefined ? tool.name : Signatures.line(of, tool)
    }
    return [
      ...SearchTools.inPrograms(catalogue, named.map(placed), signature, SEARCH),
      ExecuteTool.make(tools)
    ]
  })

/** A tool as a signature tells it. */
export const described = ({ name, tool }: Named): Signatures.Described => ({
  ...tool,
  name,
  origin: { tool: tool.tool },
  listed: tool
})

const placed = ({ name, tool: { server } }: Named) => ({ name, server })

const cataloguing = (options: Options): Effect.Effect<SearchTools.Catalogue, never, McpRegistry> =>
  Effect.map(Effect.context<McpRegistry>(), (context) => ({
    settled: Effect.asVoid(options.settled),
    current: Effect.provideContext(available(options), context)
  }))

const available = Effect.fnUntraced(function*({ index, named, profile: { tools } }: Options) {
  const registry = yield* McpRegistry
  const now = yield* named
  yield* index.updateInSteps(now.map(({ name, tool }) => ({ ...tool, name })))
  const byName = new Map(now.map((one) => [one.name, one]))
  const glob = ToolGlob.compile(tools)
  const statuses = yield* registry.servers
  const offered = new Set(now.map(({ tool: { name } }) => name))
  return {
    index,
    names: new Set(byName.keys()),
    tool: (name: string) => agentTool(byName.get(name)),
    rejected: (yield* registry.rejected).filter(({ name }) => glob.allows(name) && !offered.has(name)),
    waiting: statuses.flatMap(({ name, state }) => state === "connecting" ? [name] : []),
    failed: statuses.flatMap(({ error, name, state }) =>
      (state === "failed" || state === "needs-auth") && error !== null ? [{ server: name, why: error.message }] : []
    )
  } satisfies SearchTools.Available
})

/** As the search shows it; the gateway calls the tool itself. */
const agentTool = (found: Named | undefined): AgentTool | null => {
  if (found === undefined) return null
  const { name, tool } = found
  const { class: toolClass, description, inputSchema, isAlwaysLoaded, server, tokens } = tool
  const run = () => Effect.succeed(ToolResult.failure(`${name} is called through ${CALL} or ${CALL_WRITING}`))
  return {
    name,
    server,
    description: description ?? "",
    listed: tool,
    inputSchema,
    class: toolClass,
    tokens,
    isAlwaysLoaded,
    run
  }
}

const caller = (name: string, description: string, annotations: Schema.JsonObject): Schema.JsonObject => ({
  name,
  description,
  inputSchema: {
    type: "object",
    properties: {
      name: { type: "string", description: "The exact name of the tool" },
      arguments: { type: "object", description: "What its parameters say", additionalProperties: true }
    },
    required: ["name"]
  },
  annotations
})

/** The definitions of `call_tool` and `call_writing_tool`. */
export const callers: ReadonlyArray<Schema.JsonObject> = [
  caller(CALL, `Calls a tool that only reads, which ${SEARCH} found.`, { readOnlyHint: true, openWorldHint: true }),
  caller(CALL_WRITING, `Calls a tool that may write, which ${SEARCH} found.`, ToolDefinition.WRITES)
]
