/** The rules for the calls of one agent in one chat: those of the files, of entries, agents and settings. */
import type { McpTool } from "@boocode/mcp-registry"
import { type AgentTool, type PermissionContent, PermissionRule, Permissions, PermissionTable } from "@boocode/toolkit"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type { ChatWrite } from "../model/Chat.ts"

/** A tool as rules see it. */
export interface Subject extends Pick<AgentTool, "name" | "server" | "class" | "needsApproval"> {
  /** The lists of its server's entry; without them, `needsApproval` counts as its `ask`. */
  readonly listed?: Pick<McpTool, "isAsked" | "isOffered"> | undefined
}

/** A tool of a server. */
export const ofServer = (tool: McpTool): Subject => ({ ...tool, listed: tool })

/** The caller, and where it calls from. */
export interface Caller {
  /** Null for a person or a program. */
  readonly agent: { readonly name?: string | undefined; readonly ask?: ReadonlyArray<string> | undefined } | null
  /** The write mode of the chat; null for none of its own. */
  readonly write: ChatWrite | null
}

/** All that decides besides the call itself. */
export interface RuleSources {
  readonly contents: ReadonlyArray<PermissionContent>
  /** `approvals.ask` of the settings. */
  readonly ask: ReadonlyArray<string>
  readonly caller: Caller
}

/** The arguments of a call, and what holds at its time. */
export interface Asked {
  readonly args: Schema.JsonObject
  readonly real?: Readonly<Record<string, string | null>> | undefined
  /** The hash of the tool, where a grant may be bound to it. */
  readonly print: string | null
  readonly grants: ReadonlyArray<PermissionRule.Grant>
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The class of a tool: a built-in one that says nothing reads. */
export const classOf = ({ class: kind, server }: Subject): PermissionRule.ToolClass =>
  kind ?? (server === null ? "reads" : "undeclared")

/** Whether calls of the tool can change something. */
export const isWriter = (tool: Subject): boolean => PermissionTable.isWriter(classOf(tool))

/** The table that decides about a tool, and the call as it reads it. */
export const of = ({ ask, caller, contents }: RuleSources, tool: Subject, { grants, ...asked }: Asked) => {
  const { agent, write } = caller
  const { listed, name, server } = tool
  const isAsked = listed?.isAsked ?? tool.needsApproval === true
  const rules = [
    ...asking(ask, OF_SETTINGS),
    ...asking(agent?.ask ?? [], ofAgent(agent?.name ?? "")),
    ...asking(isAsked ? [name] : [], ofEntry(server ?? ""))
  ]
  const table = Permissions.tableOf(contents, rules, grants)
  const writes = writesOf(tool)
  const mode = PermissionTable.modeOf({ entry: writes, chat: chatModeOf(write), file: table.write, now: asked.now })
  const call = { ...asked, name, server, class: classOf(tool), agent: agent?.name ?? null, mode, writes }
  return { table, call } satisfies { table: PermissionTable.Table; call: PermissionTable.Call }
}

/**
 * Why no call of a tool can be made as things stand, whatever its arguments are; null for one that can. `granted` are the
 * names of tools that a person allowed for longer than one call.
 */
export const denied = (
  sources: RuleSources,
  { granted, now }: {
    readonly granted: ReadonlyArray<Pick<PermissionRule.Grant, "name" | "since">>
    readonly now: number
  }
) =>
(tool: Subject): string | null => {
  const grants = granted.filter(({ name }) => name === tool.name)
    .map(({ name, since }) => ({ name, since, print: "", where: {}, until: null }))
  const { call, table } = of(sources, tool, { args: {}, print: "", grants, now })
  return PermissionTable.isOffered(table, call) ? null : whyDenied(PermissionTable.decide(table, call))
}

/** A model that is told what a person can do tells the person. */
export const whyDenied = ({ rule, why }: PermissionTable.Verdict): string =>
  `${why}${
    rule?.note === null || rule === null ? "" : ` (${rule.note})`
  }. Do not retry; go on without it, or tell the person`

/** `writes` of the entry of a tool's server. */
export const writesOf = ({ listed }: Subject): "ask" | null => listed?.isOffered === true ? "ask" : null

/** Where rules come from that stand in no file of permissions. */
export const OF_SETTINGS = "approvals.ask in settings.json"
export const ofAgent = (name: string): string => `agent ${name}: ask`
export const ofEntry = (server: string): string => `entry ${server}: ask`

/** The rule that a list of patterns is; none for an empty list. */
export const asking = (patterns: ReadonlyArray<string>, source: string): ReadonlyArray<PermissionRule.SourcedRule> =>
  patterns.length === 0 ? [] : [PermissionRule.asking(patterns, source)]

const chatModeOf = (write: ChatWrite | null): PermissionTable.Modes["chat"] =>
  write === null ? null : { mode: write.mode, until: write.until === null ? null : millisOf(write.until) }

/** A time that cannot be read is over. */
const millisOf = (text: string): number =>
  Option.match(DateTime.make(text), { onNone: () => 0, onSome: DateTime.toEpochMillis })

/**
 * Whether nothing at all is said about a tool that does not write: then its calls are made as they come, whatever their
 * arguments are.
 */
export const isFree = (sources: RuleSources, tool: Subject, now: number): boolean => {
  const { table } = of(sources, tool, { args: {}, print: null, grants: [], now })
  return !isWriter(tool) && table.fault === null && sources.contents.every(({ hooks }) => hooks.length === 0) &&
    !table.rules.some(({ tools }) => tools.allows(tool.name))
}
