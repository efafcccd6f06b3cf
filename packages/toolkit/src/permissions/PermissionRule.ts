/** One rule of permissions: which calls it is about, and what becomes of them. */
import type { ToolClass } from "@boocode/mcp-config"
import { ToolGlob } from "@boocode/tool-glob"
import * as DateTime from "effect/DateTime"
import type * as Schema from "effect/Schema"
import * as Conditions from "./Conditions.ts"
import type { Where } from "./Conditions.ts"

/** The class of a tool. Writers are the tools that write or destroy. */
export type { ToolClass } from "@boocode/mcp-config"

/** The outcome for a call: it is made, a person is asked, or it is refused. */
export type Outcome = "allow" | "ask" | "deny"

/** Whether writers can be called: never; each call with a yes unless a rule allows it; only where a rule allows it. */
export type WriteMode = "off" | "ask" | "rules"

/** The classes, in the order of how much they may do. */
export { TOOL_CLASSES as CLASSES } from "@boocode/mcp-config"

/** The outcomes, the strictest first, which is their precedence too. */
export const OUTCOMES = ["deny", "ask", "allow"] as const satisfies ReadonlyArray<Outcome>

/** The write modes. */
export const MODES = ["off", "ask", "rules"] as const satisfies ReadonlyArray<WriteMode>

/** A rule. A key that is null or empty does not restrict it. */
export interface Rule {
  readonly outcome: Outcome
  /** The names of tools as models know them. */
  readonly tools: ToolGlob.ToolGlob
  readonly classes: ReadonlyArray<ToolClass> | null
  /** The names of servers. Built-in tools have none and match no list. */
  readonly servers: ToolGlob.ToolGlob | null
  /** The names of agents, in full. */
  readonly agents: ReadonlyArray<string> | null
  readonly where: Where
  /** When it ends, in milliseconds since 1970; null for never. */
  readonly until: number | null
  /** The writer's note on it; null for none. */
  readonly note: string | null
}

/** A rule and where it comes from. */
export interface SourcedRule extends Rule {
  /** The file and its line, or another place: `data/permissions.jsonc:12`, `entry files: ask`, `agent Writer: ask`. */
  readonly source: string
  /** True for a rule that cannot make a question of what would be denied without it: of a project, an entry, an agent. */
  readonly onlyTightens: boolean
}

/** A person's yes that holds for longer than one call. */
export interface Grant {
  /** The hash of the tool as it was then: server, declaring file, raw name, definition and class. */
  readonly print: string
  /** The tool's name for models when it was granted. */
  readonly name: string
  readonly where: Where
  /** When it ends, in milliseconds since 1970; null for never. */
  readonly until: number | null
  /** When it was given, as an ISO time. */
  readonly since: string
}

/** The call with which a rule is compared. */
export interface Subject {
  /** The tool's name for models. */
  readonly name: string
  /** Null for a built-in tool. */
  readonly server: string | null
  readonly class: ToolClass
  /** The agent that calls; null for a person or a program without one. */
  readonly agent: string | null
  /** Milliseconds since 1970. */
  readonly now: number
}

/** A rule that asks, made of patterns that stand elsewhere: `ask` of an entry, of an agent, of the settings. */
export const asking = (patterns: ReadonlyArray<string>, source: string): SourcedRule => ({
  outcome: "ask",
  tools: ToolGlob.compile(patterns),
  classes: null,
  servers: null,
  agents: null,
  where: {},
  until: null,
  note: null,
  source,
  onlyTightens: true
})

/**
 * Why a rule that names the tool does not apply to it, whatever the arguments, in words such as `it is for the agent
 * Writer`; null where it does.
 */
export const unfit = (rule: Rule, subject: Subject): string | null => {
  if (isOver(rule.until, subject.now)) return "it is over"
  if (rule.classes !== null && !rule.classes.includes(subject.class)) return `it is for ${listed(rule.classes)}`
  if (rule.servers !== null && (subject.server === null || !rule.servers.allows(subject.server))) {
    return `it is for ${listed(rule.servers.patterns)}`
  }
  if (rule.agents !== null && !rule.agents.some((agent) => isAgent(agent, subject.agent, rule.outcome))) {
    return `it is for the agent ${listed(rule.agents)}`
  }
  return null
}

/** Whether a time has come. */
export const isOver = (until: number | null, now: number): boolean => until !== null && until <= now

/** A rule that allows compares exactly; one that asks or denies leaves case aside. */
const isAgent = (agent: string, caller: string | null, outcome: Outcome): boolean =>
  outcome === "allow" ? agent === caller : agent.toLowerCase() === caller?.toLowerCase()

const listed = (names: ReadonlyArray<string>): string => names.join(", ")

/** A rule as a person reads it, such as `deny files_*, !files_read where path is secrets/*`. */
export const describe = (rule: Rule): string =>
  [
    `${rule.outcome} ${listed(rule.tools.patterns)}`,
    ...rule.classes === null ? [] : [`of class ${listed(rule.classes)}`],
    ...rule.servers === null ? [] : [`of server ${listed(rule.servers.patterns)}`],
    ...rule.agents === null ? [] : [`for agent ${listed(rule.agents)}`],
    ...Object.keys(rule.where).length === 0 ? [] : [`where ${Conditions.describe(rule.where)}`],
    ...rule.until === null ? [] : [`until ${isoOf(rule.until)}`]
  ].join(" ")

/** A rule as JSON, as HTTP and `--json` give it. */
export const toJson = (rule: SourcedRule) => ({
  outcome: rule.outcome,
  patterns: rule.tools.patterns,
  class: rule.classes,
  server: rule.servers?.patterns ?? null,
  agent: rule.agents,
  where: rule.where,
  until: rule.until === null ? null : isoOf(rule.until),
  note: rule.note,
  source: rule.source
} satisfies Schema.JsonObject)

const isoOf = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))
