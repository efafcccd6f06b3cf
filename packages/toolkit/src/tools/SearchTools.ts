/** The tools by which a model gets at tools whose definitions it was not sent. */
import { Nearest } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as ToolResult from "../results/ToolResult.ts"
import * as RejectedToolSearch from "../search/RejectedToolSearch.ts"
import * as ToolListing from "../search/ToolListing.ts"
import type { ToolSearch } from "../search/ToolSearch.ts"
import type { AgentTool } from "./AgentTool.ts"
import * as BuiltInTool from "./BuiltInTool.ts"
import * as IndirectCall from "./IndirectCall.ts"
import type { SchemaDialect, Unspeakable } from "./SchemaDialect.ts"

export const SEARCH = "tool_search"

export const DESCRIBE = "tool_describe"

/** Where the tools are; asked anew at each call. */
export interface Catalogue {
  /** Waits a bounded time for servers that still connect. */
  readonly settled: Effect.Effect<void>
  /** Everything that may be found and called, and nothing else. */
  readonly current: Effect.Effect<Available>
}

/** The tools and servers at one moment. */
export interface Available {
  /** Holds the tools that may be found. */
  readonly index: ToolSearch
  /** The names of tools that may be found. */
  readonly names: ReadonlySet<string>
  /** One of them, in the dialect of the model; null for any other name. */
  readonly tool: (name: string) => AgentTool | Unspeakable | null
  /** Tools that discovery left out, of those that could be found otherwise. */
  readonly rejected: ReadonlyArray<RejectedToolSearch.Rejected>
  /** Servers that still connect. */
  readonly waiting: ReadonlyArray<string>
  /** Servers that cannot be used, and why. */
  readonly failed: ReadonlyArray<{ readonly server: string; readonly why: string }>
}

/**
 * `tool_describe`, `tool_search` and `tool_call`. The first two answer with JSON. `deferred` are the tools that the model is told the
 * names of.
 */
export const make = (
  catalogue: Catalogue,
  deferred: ReadonlyArray<{ readonly name: string; readonly server: string | null }>,
  dialect: SchemaDialect
): ReadonlyArray<AgentTool> => [
  describing(catalogue),
  searching(catalogue, ToolListing.text(deferred), INDIRECT),
  IndirectCall.make(dialect)
]

/**
 * `tool_describe` and `tool_search` for a provider that has the definitions and shows them to the model where an answer names them.
 * The answers do not repeat the parameters, and the model calls what they name by its own name.
 */
export const native: typeof make = (catalogue, deferred) => [
  describing(catalogue, DIRECT),
  searching(catalogue, ToolListing.text(deferred), DIRECT)
]

/**
 * `tool_search`, or a tool of another name, for a model that calls tools in programs. The answers give the function of each tool in
 * TypeScript, as `signature` tells it.
 */
export const inPrograms = (
  catalogue: Catalogue,
  deferred: Parameters<typeof make>[1],
  signature: (tool: AgentTool) => string,
  search = SEARCH
): ReadonlyArray<AgentTool> => [searching(catalogue, ToolListing.text(deferred), { ...PROGRAMS, signature, search })]

/** The names of the tools that an answer of `tool_search` or `tool_describe` defines, in its order. */
export const namesIn = (text: string): ReadonlyArray<string> =>
  Option.match(decodeNames(text), { onNone: () => [], onSome: ({ tools }) => tools.map(({ name }) => name) })

const decodeNames = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ tools: Schema.Array(Schema.Struct({ name: Schema.String })) }))
)

/** How a model gets from an answer to a call. */
export interface Way {
  /** The name of the tool that searches. */
  readonly search: string
  /** The name of the tool that describes. */
  readonly describe: string
  readonly hasParameters: boolean
  /** A tool in one line, in place of its definition. */
  readonly signature?: (tool: AgentTool) => string
  readonly howTo: string
  readonly note: string
  /** The tool that calls one that was found; null where one calls all of them. */
  readonly callOf: ((tool: AgentTool) => string) | null
}

const INDIRECT: Way = {
  search: SEARCH,
  describe: DESCRIBE,
  callOf: null,
  hasParameters: true,
  howTo: "Call what it finds through tool_call.",
  note: "Call one of these through tool_call. tool_describe defines those under more."
}

const DIRECT: Way = {
  search: SEARCH,
  describe: DESCRIBE,
  callOf: null,
  hasParameters: false,
  howTo: "What it finds can be called from then on.",
  note: "These tools can be called from now on. tool_describe adds those under more."
}

const PROGRAMS: Way = {
  search: SEARCH,
  describe: DESCRIBE,
  callOf: null,
  hasParameters: false,
  howTo: "What it finds is a function in programs.",
  note: "These are functions in programs. boo.describe tells all of one, also of those under more."
}

const DEFAULT_LIMIT = 5
const MAX_LIMIT = 20
/** So many more are told by name and first words: a model that sees the right one there asks for it by its name. */
const MORE = 15

/** The search alone, with what stands in its description of the tools that it finds. */
export const searching = (
  catalogue: Catalogue,
  listing: string,
  way: Way,
  rejectedFor = RejectedToolSearch.make()
): AgentTool =>
  tool({
    name: way.search,
    description: `Finds tools of MCP servers that you were not given, by what they do or by name. ${way.howTo} ` +
      "Search before you say that something cannot be done.",
    properties: {
      query: {
        type: "string",
        pattern: "\\S",
        // Here and not in the tool's own description, of which OpenAI takes 1024 characters.
        description: `What the tool should do, in a few words, or its name.${listing === "" ? "" : ` ${listing}`}`
      },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: MAX_LIMIT,
        description: `How many tools at most. Default ${DEFAULT_LIMIT}.`
      }
    },
    required: ["query"],
    args: Schema.Struct({
      query: Schema.String.check(Schema.isPattern(/\S/)),
      limit: Schema.optionalKey(Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_LIMIT }))))
    }),
    run: Effect.fnUntraced(function*({ limit, query }) {
      yield* catalogue.settled
      const available = yield* catalogue.current
      const most = limit ?? DEFAULT_LIMIT
      const found = available.index
        .search(query, { limit: 2 * (most + MORE), allows: (name) => available.names.has(name) })
        .flatMap(({ name }) => usable(available.tool(name)))
      const rejected = yield* rejectedFor(query, available.rejected)
      const note = found.length === 0 ? NOTHING : way.note
      return {
        tools: definitions(found.slice(0, most), SHORT_DESCRIPTION, way),
        ...more(found.slice(most, most + MORE)),
        ...(rejected.length === 0 ? {} : { rejected }),
        ...troubles(available),
        note: rejected.length === 0 ? note : `${note} ${REJECTED}`
      }
    })
  })

/** `tool_describe` alone, for a model that was given every tool, but not the whole of each description. */
export const describing = (catalogue: Catalogue, way: Way = INDIRECT): AgentTool =>
  tool({
    name: way.describe,
    description: "Gives the whole definition of tools by their exact names, also what was cut of a description.",
    properties: {
      names: {
        type: "array",
        items: { type: "string" },
        minItems: 1,
        maxItems: MAX_LIMIT,
        description: `Exact names, ${MAX_LIMIT} at most`
      }
    },
    required: ["names"],
    args: Schema.Struct({
      names: Schema.Array(Schema.String).check(Schema.isMinLength(1), Schema.isMaxLength(MAX_LIMIT))
    }),
    run: Effect.fnUntraced(function*({ names }) {
      const before = yield* catalogue.current
      if (names.some((name) => before.tool(name) === null)) yield* catalogue.settled
      const available = yield* catalogue.current
      const distinct = [...new Set(names)]
      const found = distinct.flatMap((name) => usable(available.tool(name)))
      return {
        tools: definitions(found, WHOLE_DESCRIPTION, way),
        ...unusable(distinct, available),
        ...troubles(available)
      }
    })
  })

const NOTHING = "No tool fits. Try other words, such as the name of a server or of what the tool works on."
const REJECTED = "Those under rejected exist and cannot be called: if one of them is what is needed, say so and why."

const isUsable = (tool: AgentTool | Unspeakable | null): tool is AgentTool => tool !== null && "run" in tool

const usable = (tool: AgentTool | Unspeakable | null): ReadonlyArray<AgentTool> => isUsable(tool) ? [tool] : []

const SHORT_DESCRIPTION = 400
/** In characters: no model reads more of what a server wrote. */
const WHOLE_DESCRIPTION = 10_000

/** All definitions together; an answer that is longer than a model is shown would be cut. */
const DEFINITION_CHARACTERS = 50_000

const definitions = (
  tools: ReadonlyArray<AgentTool>,
  characters: number,
  { callOf, hasParameters, signature }: Way
): ReadonlyArray<Schema.JsonObject> => {
  let left = DEFINITION_CHARACTERS
  return tools.map((tool) => {
    const { description, inputSchema, listed, name, server } = tool
    if (signature !== undefined) return { name, function: signature(tool) }
    const whole = listed?.description ?? description
    // The definition that follows says it.
    if (!hasParameters && whole === description) return { name, server }
    // The first may not take what the names and first words of the others need.
    const words = shortened(whole, left > SHORT_DESCRIPTION ? Math.min(characters, left) : SHORT_DESCRIPTION)
    left -= words.length
    const about = { name, server, ...(callOf === null ? {} : { callBy: callOf(tool) }), description: words }
    if (!hasParameters) return about
    const length = JSON.stringify(inputSchema).length
    if (length > left) return { ...about, parameters: TOO_LONG }
    left -= length
    return { ...about, parameters: inputSchema }
  })
}

const TOO_LONG = "too long to be shown here: describe this tool alone, or call it and read what is wrong"

const more = (tools: ReadonlyArray<AgentTool>): Schema.JsonObject =>
  tools.length === 0
    ? {}
    : { more: tools.map(({ description, name }) => ({ name, description: shortened(description, FIRST_WORDS) })) }

const FIRST_WORDS = 160

const shortened = (text: string, characters: number): string => {
  if (text.length <= characters) return text
  return `${[...text.slice(0, 2 * characters)].slice(0, characters).join("")}…`
}

const unusable = (names: ReadonlyArray<string>, available: Available): Schema.JsonObject => {
  const missing = names.flatMap((name): ReadonlyArray<Schema.JsonObject> => {
    const tool = available.tool(name)
    const left = tool === null ? available.rejected.find((rejected) => rejected.name === name) : undefined
    if (left !== undefined) return [{ name, why: `it exists and cannot be called: ${RejectedToolSearch.why(left)}` }]
    if (tool === null) return [{ name, why: "no tool has this name", nearest: Nearest.nearest(name, available.names) }]
    return isUsable(tool) ? [] : [{ name, why: `this model cannot be given it: ${tool.reason}` }]
  })
  return missing.length === 0 ? {} : { unusable: missing }
}

const MAX_WHY = 300
/** Per kind of trouble. */
const MAX_SERVERS = 50

/** Left out where there is nothing to tell. */
const troubles = ({ failed, waiting }: Available): Schema.JsonObject => ({
  ...(waiting.length === 0 ? {} : { waiting: waiting.slice(0, MAX_SERVERS), hint: STILL_CONNECTING }),
  ...(failed.length === 0
    ? {}
    : { failed: failed.slice(0, MAX_SERVERS).map(({ server, why }) => ({ server, why: shortened(why, MAX_WHY) })) })
})

const STILL_CONNECTING = "the tools of servers that still connect may come; search again"

type Definition<Args> = Omit<BuiltInTool.Definition<Args>, "run" | "refuse"> & {
  readonly run: (args: Args) => Effect.Effect<Schema.JsonObject>
}

const tool = <Args>({ run, ...definition }: Definition<Args>): AgentTool =>
  BuiltInTool.make({
    ...definition,
    run: (args) => Effect.map(run(args), (answer) => ToolResult.success(JSON.stringify(answer))),
    refuse: (why) =>
      ToolResult.failure(`${definition.name}: wrong arguments: ${shortened(why, MAX_WHY)}`, { fault: "call" })
  })
