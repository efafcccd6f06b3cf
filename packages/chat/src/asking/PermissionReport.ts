/** The rules of permissions for people: which there are, what becomes of a call and why, and whether the examples hold. */
import { Nearest } from "@boocode/mcp-config"
import { McpErrors, McpRegistry, ToolName } from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import {
  type AgentTool,
  type PermissionContent,
  PermissionExamples,
  PermissionRule,
  Permissions,
  PermissionTable,
  UnmatchedRules
} from "@boocode/toolkit"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type * as Schema from "effect/Schema"
import type { Agent } from "../agents/Agent.ts"
import { Agents } from "../agents/Agents.ts"
import { type Chat, type ChatOff, NOTHING_OFF } from "../model/Chat.ts"
import type { UnknownAgent } from "../model/ChatError.ts"
import * as CallRules from "../permissions/CallRules.ts"
import { PermissionFiles } from "../permissions/PermissionFiles.ts"
import * as ServerPaths from "../permissions/ServerPaths.ts"
import * as NamedTool from "../tools/NamedTool.ts"
import * as ToolsOff from "../tools/ToolsOff.ts"
import { WorkspaceTools } from "../tools/WorkspaceTools.ts"
import { CurrentUser } from "../users/CurrentUser.ts"
import type { Identified } from "./AllowedTools.ts"
import { ToolApprovals } from "./ToolApprovals.ts"

/** A rule, and why it is about no tool: null where it is about one, or where that cannot be told now. */
export interface ListedRule {
  readonly rule: PermissionRule.SourcedRule
  readonly problem: string | null
}

/** A call to explain. */
export interface Question {
  readonly tool: string
  readonly args: Schema.JsonObject
  /** Null for the agent of the chat; without a chat, for one that no rule names. */
  readonly agent: string | null
  /** The chat that it is made in; null for none. */
  readonly chat: Pick<Chat, "agent" | "off" | "turns" | "write"> | null
}

/** The outcome of the examples. */
export interface ExampleReport {
  readonly passed: number
  readonly failed: ReadonlyArray<
    PermissionExamples.FailedExample["example"] & {
      /** Null where the example could not be run, because nobody knows its tool. */
      readonly outcome: PermissionRule.Outcome | null
      readonly why: string
    }
  >
}

/** Every rule that holds: of the files, of the settings, of agents, and of entries. Answers at once. */
const rules: Effect.Effect<ReadonlyArray<ListedRule>, never, Agents | CurrentUser | McpRegistry | WorkspaceTools> =
  Effect.gen(
    function*() {
      const { ask } = yield* ToolApprovals
      const tools = yield* known
      const all = [
        ...Permissions.tableOf(yield* (yield* PermissionFiles).contents).rules,
        ...CallRules.asking(ask, CallRules.OF_SETTINGS),
        ...(yield* (yield* Agents).list).agents.flatMap((agent) =>
          CallRules.asking(agent.ask ?? [], CallRules.ofAgent(agent.name)).map((rule) => ({
            ...rule,
            agents: [agent.name]
          }))
        ),
        ...[...Map.groupBy(tools.filter(({ listed }) => listed?.isAsked === true), ({ server }) => server ?? "")]
          .flatMap(([server, asked]) => CallRules.asking(asked.map(({ name }) => name), CallRules.ofEntry(server)))
      ]
      const servers = yield* McpRegistry.use((registry) => registry.servers)
      const absent = servers.filter(({ state }) => state !== "ready").map(({ name }) => name)
      const unmatched = UnmatchedRules.find(all, tools, yield* Clock.currentTimeMillis)
      return all.map((rule) => ({
        rule,
        problem: mayBeOf(rule, absent) ? null : unmatched.find((one) => one.rule === rule)?.message ?? null
      }))
    }
  )

const explain = Effect.fnUntraced(function*(
  { agent: name, args, chat, tool }: Question
): Effect.fn.Return<
  PermissionTable.Explanation,
  McpErrors.McpError | UnknownAgent,
  Agents | CurrentUser | FileSystem.FileSystem | McpRegistry | Path.Path | WorkspaceTools
> {
  const agent = name === null && chat === null
    ? null
    : yield* Agents.use((agents) => agents.agent(name ?? chat?.agent ?? null))
  const tools = yield* known
  const found = tools.find((one) => one.name === tool)
  if (found === undefined) {
    const nearest = Nearest.nearest(tool, tools.map((one) => one.name))
    return yield* failure(null, new McpErrors.UnknownTool({ name: tool, nearest }))
  }
  if (found.rejected !== null) {
    return yield* failure(found.server, new McpErrors.RejectedByPolicy({ tool, why: found.rejected }))
  }
  const { ask, grantsOf } = yield* ToolApprovals
  const contents = yield* (yield* PermissionFiles).contents
  const sources = { contents, ask, caller: { agent, write: chat?.write ?? null } }
  const own = yield* (yield* WorkspaceTools).of((yield* CurrentUser).id)
  // Paths lead where the calls of this person would.
  const mine = [...own.tools, ...own.writers].find(({ name }) => found.server === null && name === tool)
  const real = yield* (yield* ServerPaths.make)({ ...found, real: mine?.real ?? found.real }, args)
  const granted = yield* grantsOf(found, chat?.turns.flatMap(({ parts }) => parts) ?? [])
  const now = yield* Clock.currentTimeMillis
  const asked = CallRules.of(sources, found, { args, real, now, ...granted })
  const explained = PermissionTable.explain(asked.table, asked.call)
  const withheld = whyWithheld(found, agent, chat?.off ?? NOTHING_OFF)
  return withheld === null ? explained : { ...explained, ...withheld, outcome: "deny", rule: null, grant: null }
})

/** Why an agent does not get a tool, or not in this chat; null where it does. */
const whyWithheld = (tool: Known, agent: Agent | null, off: ChatOff) => {
  if (agent !== null && !ToolGlob.compile(agent.tools ?? ["*"]).allows(tool.name)) {
    return { source: `agent ${agent.name}: tools`, why: `the agent ${agent.name} does not get it` }
  }
  return ToolsOff.isOn(off)(tool) ? null : { source: "the chat", why: "a person turned it off for this chat" }
}

/** Runs the examples of files. */
export const examples = Effect.fnUntraced(function*(
  contents: ReadonlyArray<PermissionContent>
): Effect.fn.Return<ExampleReport, never, McpRegistry | WorkspaceTools> {
  const tools = yield* known
  const names = tools.map(({ name }) => name)
  const all = contents.flatMap((content) => content.examples)
  const now = yield* Clock.currentTimeMillis
  const subjects = tools.map((tool) => ({
    ...tool,
    class: CallRules.classOf(tool),
    writes: tool.rejected === null ? CallRules.writesOf(tool) : "off" as const
  }))
  const { failed, passed, unknown } = PermissionExamples.run(Permissions.tableOf(contents), all, subjects, now)
  return {
    passed,
    failed: [
      ...failed.map(({ example, outcome, verdict }) => ({ ...example, outcome, why: verdict.why })),
      ...unknown.map((example) => ({ ...example, outcome: null, why: unknownWords(example.tool, names) }))
    ]
  }
})

/** A rule as JSON, with its words for a person. */
const ruleDocument = (rule: PermissionRule.SourcedRule) => ({
  ...PermissionRule.toJson(rule),
  text: PermissionRule.describe(rule)
})

/** The problems of the files, as JSON. */
const problemDocuments = (contents: ReadonlyArray<PermissionContent>) =>
  contents.flatMap(({ problems }) =>
    problems.map(({ column, file, hint, key, line, message }) => ({ file, line, column, key, message, hint }))
  )

/** All that is known of the rules, as JSON. `file` is a person's own, for where it is not there yet. */
export const listDocument = Effect.fnUntraced(function*(contents: ReadonlyArray<PermissionContent>, file: string) {
  const listed = yield* rules
  return {
    file: contents.find(({ owner }) => owner === "user")?.file ?? file,
    write: Permissions.tableOf(contents).write,
    rules: listed.map(({ problem, rule }) => ({ ...ruleDocument(rule), problem })),
    grants: yield* (yield* ToolApprovals).granted,
    problems: problemDocuments(contents),
    examples: contents.flatMap((content) => content.examples)
  }
})

/**
 * The verdict about a call with its reasons, as JSON. Fails for a tool that nobody has or that discovery left out, and
 * for an unknown agent.
 */
export const explainDocument = (question: Question) =>
  Effect.map(explain(question), ({ applies, class: kind, mode, others, outcome, rule, source, why }) => ({
    outcome,
    rule: rule === null ? null : ruleDocument(rule),
    source,
    why,
    class: kind,
    mode,
    applies: applies.map(ruleDocument),
    others: others.map((other) => ({ rule: ruleDocument(other.rule), because: other.because }))
  }))

/** `examples`, and what is wrong in the files, as JSON. */
export const testDocument = (contents: ReadonlyArray<PermissionContent>) =>
  Effect.map(examples(contents), (report) => ({ ...report, problems: problemDocuments(contents) }))

/** A tool that a rule may name. */
interface Known extends Identified, Pick<AgentTool, "real"> {
  /** Why nobody can call it, whatever the rules say; null for nothing. */
  readonly rejected: string | null
  readonly class: PermissionRule.ToolClass
}

/** Every tool there is: those of servers, those that discovery left out, and the built-in ones. */
const known = Effect.gen(
  function*(): Effect.fn.Return<ReadonlyArray<Known>, never, McpRegistry | WorkspaceTools> {
    const registry = yield* McpRegistry
    const workspace = yield* WorkspaceTools
    const listed = [...yield* registry.tools, ...yield* registry.writers]
    const own = [...workspace.tools, ...workspace.writers]
    const taken = new Set([...listed, ...own].map(({ name }) => name))
    return [
      ...listed.map((tool) => ({ ...tool, description: tool.description ?? "", listed: tool, rejected: null })),
      ...own.map((tool) => ({ ...tool, class: CallRules.classOf(tool), rejected: null })),
      ...(yield* registry.rejected).filter(({ name }) => !taken.has(name)).map((tool) => ({
        ...BARE,
        name: tool.name,
        server: tool.server,
        class: tool.class,
        rejected: tool.reason
      })),
      ...(yield* NamedTool.builtIn).filter((name) => !taken.has(name)).map((name) => ({ ...BARE, name }))
    ]
  }
)

const BARE = { server: null, class: "reads", description: "", inputSchema: {}, rejected: null } as const

const failure = (server: string | null, reason: McpErrors.McpErrorReason) => new McpErrors.McpError({ server, reason })

/** Whether a rule may be about a tool of one of these servers, which are not there to say so. */
const mayBeOf = ({ tools }: PermissionRule.Rule, servers: ReadonlyArray<string>): boolean =>
  servers.some((name) => tools.patterns.some((pattern) => ToolName.owner(pattern, [name]) !== null))

const unknownWords = (tool: string, names: ReadonlyArray<string>): string => {
  const near = Nearest.nearest(tool, names)
  return `no tool is called ${tool}${near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`}`
}
