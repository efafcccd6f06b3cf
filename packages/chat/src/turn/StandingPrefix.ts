/**
 * The beginning of the requests of a chat: the servers' instructions, and the tools. A provider reads it from its cache
 * for as long as it stays the same to the letter. So it stays while servers come, go and change, and the end of a
 * request tells of that.
 */
import type { McpTool } from "@boocode/mcp-registry"
import { type AgentTool, IndirectCall, SearchTools, ToolListing, ToolResult } from "@boocode/toolkit"
import { ExecuteTool } from "@boocode/toolkit/code"
import * as Effect from "effect/Effect"
import type * as ServerContext from "./ServerContext.ts"

/** How things stand. */
export interface Current {
  /** The choices of a person: agent, model, what is off. Another choice begins with another prefix. */
  readonly key: string
  /** The instructions of servers, as they would be told at the beginning. */
  readonly instructions: string
  readonly speakers: ReadonlyArray<ServerContext.Speaker>
  /** The tools that would be defined at the beginning. */
  readonly base: ReadonlyArray<AgentTool>
  /** The tools of servers that would be left to search. */
  readonly deferred: ReadonlyArray<McpTool>
  /** The names of tools that no call can be made of. */
  readonly denied: ReadonlySet<string>
}

export interface StandingPrefix extends Pick<Current, "key" | "instructions"> {
  /** Definitions alone: they are never run, and hold nothing of a turn. */
  readonly tools: ReadonlyArray<AgentTool>
  /** When it was last sent, in milliseconds. */
  readonly sentAt: number
  /** Every tool that the model knows of. Those of servers that were defined have what was listed, to see a change. */
  readonly known: ReadonlyMap<string, McpTool | null>
  /** Those that could not be called. */
  readonly denied: ReadonlySet<string>
  /** The instructions of each server. */
  readonly said: ReadonlyMap<string, string | null>
}

/** The changes since the beginning, told once. */
export interface News {
  /** For the model. The words of servers follow in frames of their own, see `speakers`. */
  readonly text: string
  /** Servers whose words the model has not read. */
  readonly speakers: ReadonlyArray<ServerContext.Speaker>
  /** For a person, in one line. */
  readonly message: string
}

/** How long providers keep the beginning of a request at most, in milliseconds. After that a new one costs nothing. */
export const KEPT_MILLIS = 3_600_000

/** The prefix to send now, and what has to be told at the end of the request. */
export const next = (
  prefix: StandingPrefix | null,
  current: Current,
  now: number
): { readonly prefix: StandingPrefix; readonly news: News | null } => {
  const fresh = () => ({ prefix: make(current, now), news: null })
  if (prefix === null || !isStanding(prefix, current, now)) return fresh()
  const news = changes(prefix, current)
  if (isNothing(news)) return { prefix: { ...prefix, sentAt: now }, news: null }
  if (!isTold(prefix)) return fresh()
  const after = make(current, now)
  return {
    prefix: { ...after, instructions: prefix.instructions, tools: prefix.tools },
    news: { text: textOf(news, prefix.tools), speakers: news.speakers, message: messageOf(news) }
  }
}

/** Whether changes can be told: without a search the model could not come by a tool that came. */
export const isTold = ({ tools }: StandingPrefix): boolean => tools.some(({ name }) => name === SearchTools.SEARCH)

/** Whether the model writes programs; null where changes cannot be told, so that it may begin to. */
export const hasPrograms = (prefix: StandingPrefix): boolean | null =>
  isTold(prefix) ? prefix.tools.some(({ name }) => name === ExecuteTool.EXECUTE) : null

const isStanding = (prefix: StandingPrefix, { denied, key, speakers }: Current, now: number): boolean =>
  prefix.key === key && now - prefix.sentAt < KEPT_MILLIS &&
  // A server that a person stopped says nothing any more.
  [...prefix.said.keys()].every((name) => speakers.some((speaker) => speaker.name === name)) &&
  [...prefix.known.keys()].every((name) => prefix.denied.has(name) === denied.has(name))

const make = ({ base, deferred, denied, instructions, key, speakers }: Current, now: number): StandingPrefix => ({
  key,
  instructions,
  tools: base.map(definition),
  sentAt: now,
  known: new Map([
    ...base.map((tool) => [tool.name, tool.listed ?? null] as const),
    ...deferred.map(({ name }) => [name, null] as const)
  ]),
  denied,
  said: new Map(speakers.map(({ instructions, name }) => [name, instructions]))
})

/** A tool that holds on to no turn. */
const definition = (tool: AgentTool): AgentTool => ({
  name: tool.name,
  server: tool.server,
  description: tool.description,
  inputSchema: tool.inputSchema,
  tokens: tool.tokens,
  isAlwaysLoaded: tool.isAlwaysLoaded,
  run: () => Effect.succeed(ToolResult.failure(`${tool.name} is gone`, { fault: "call" }))
})

interface Changes {
  readonly come: ReadonlyArray<{ readonly name: string; readonly server: string | null }>
  readonly gone: ReadonlyArray<string>
  readonly changed: ReadonlyArray<string>
  readonly speakers: ReadonlyArray<ServerContext.Speaker>
}

const changes = (prefix: StandingPrefix, { base, deferred, speakers }: Current): Changes => {
  const all = [...base.filter(isFound), ...deferred]
  const names = new Set([...base, ...deferred].map(({ name }) => name))
  return {
    come: all.filter(({ name }) => !prefix.known.has(name)),
    gone: [...prefix.known.keys()].filter((name) => !names.has(name) && !OWN.has(name)),
    changed: base.filter(({ listed, name }) => {
      const before = prefix.known.get(name) ?? null
      return before !== null && listed !== undefined && !isSame(before, listed)
    }).map(({ name }) => name),
    speakers: speakers.filter(({ instructions, name }) => prefix.said.get(name) !== instructions)
  }
}

/** The tools that find and call others come with the first tool that is left to search, and say nothing new. */
const OWN: ReadonlySet<string> = new Set([
  SearchTools.SEARCH,
  SearchTools.DESCRIBE,
  IndirectCall.CALL,
  ExecuteTool.EXECUTE
])

const isFound = ({ name }: AgentTool): boolean => !OWN.has(name)

const isSame = (one: McpTool, other: McpTool): boolean =>
  one === other ||
  (one.description === other.description && JSON.stringify(one.inputSchema) === JSON.stringify(other.inputSchema))

const isNothing = ({ changed, come, gone, speakers }: Changes): boolean =>
  changed.length + come.length + gone.length + speakers.length === 0

/** Beyond so many names, the number is told. */
const NAMES = 40

const listed = (names: ReadonlyArray<string>): string =>
  names.length <= NAMES
    ? names.join(", ")
    : `${names.slice(0, NAMES).join(", ")} and ${names.length - NAMES} more`

const textOf = ({ changed, come, gone }: Changes, tools: ReadonlyArray<AgentTool>): string =>
  [
    "(A note of the chat server, not the person's words.",
    ...come.length === 0
      ? []
      : [`${howTo(tools)} ${ToolListing.text(come)}.`],
    ...changed.length === 0 ? [] : [`These tools take other arguments now, see tool_describe: ${listed(changed)}.`],
    ...gone.length === 0 ? [] : [`These tools are gone: ${listed(gone)}.`],
    ...changed.length + come.length + gone.length === 0 ? ["A server says something new of its tools."] : []
  ].join(" ") + ")"

const howTo = (tools: ReadonlyArray<AgentTool>): string => {
  if (tools.some(({ name }) => name === ExecuteTool.EXECUTE)) return IN_PROGRAMS
  return tools.some(({ name }) => name === IndirectCall.CALL) ? INDIRECT : DIRECT
}

const IN_PROGRAMS = "New tools are functions in programs; tool_search tells their parameters."
const INDIRECT = "New tools can be called through tool_call; tool_describe defines them."
const DIRECT = "New tools can be called once tool_describe or tool_search named them."

const messageOf = ({ changed, come, gone, speakers }: Changes): string => {
  const servers = [...new Set(come.map(({ server }) => server ?? "this server"))]
  const words = [
    ...come.length === 0 ? [] : [`${counted(come.length, "tool")} came, of ${listed(servers)}`],
    ...changed.length === 0 ? [] : [`${listed(changed)} changed`],
    ...gone.length === 0 ? [] : [`${counted(gone.length, "tool")} left: ${listed(gone)}`]
  ]
  return words.length === 0
    ? `${listed(speakers.map(({ name }) => name))} changed what it says of its tools; the model was told`
    : `${words.join("; ")}; the model was told`
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`
