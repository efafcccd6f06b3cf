/** The rules of this person's files, over servers that this command starts. */
import { Agents } from "@boocode/chat/Agents"
import * as NamedTool from "@boocode/chat/NamedTool"
import { WorkspaceTools } from "@boocode/chat/WorkspaceTools"
import { Nearest } from "@boocode/mcp-config"
import { McpErrors, McpRegistry, type ServerStatus, ToolName } from "@boocode/mcp-registry"
import {
  PermissionExamples,
  PermissionRule,
  Permissions,
  PermissionTable,
  type PermissionText,
  UnmatchedRules
} from "@boocode/toolkit"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Backend } from "../backend/Backend.ts"
import * as LocalServers from "../backend/LocalServers.ts"
import { ownersOf, Servers } from "../backend/Servers.ts"
import { connected, place } from "../backend/VerbContext.ts"
import { missingLines } from "../lines/ServerLines.ts"
import type { Options } from "../options/Options.ts"
import * as ErrorHints from "../terminal/ErrorHints.ts"
import { failed } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"
import { type FileProblem, RuleSource } from "./RuleSource.ts"

type Contents = ReadonlyArray<PermissionText.PermissionContent>

/** Runs with the rules of the files. Starts the servers of these tools, all for null. */
export const provided = <A, E, R>(
  options: Options,
  toolsOf: (contents: Contents) => ReadonlyArray<string> | null,
  use: Effect.Effect<A, E, R>
) =>
  Effect.gen(function*() {
    const where = yield* place(options)
    const backend = yield* Backend
    const over = Effect.gen(function*() {
      const tools = toolsOf(yield* Permissions.use(({ contents }) => contents))
      const ruled = Effect.provide(use, Layer.provideMerge(layer, LocalServers.layer))
      return yield* connected(options, ruled, (names) => chosen(tools, names))
    })
    return yield* Effect.provide(over, backend.permissions(where))
  })

const chosen = (tools: ReadonlyArray<string> | null, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  tools === null ? names : [...new Set(tools.flatMap((tool) => ownersOf(tool, names) ?? names))]

/** A tool as rules see it. */
interface Known extends PermissionExamples.ExampleTool {
  readonly needsApproval: boolean
  /** Why nobody can call it, whatever the rules; null for nothing. */
  readonly rejected: string | null
}

export const layer = Layer.effect(
  RuleSource,
  Effect.gen(function*() {
    const context = yield* Effect.context<
      Agents | McpRegistry | Output | Permissions | Servers | WorkspaceTools
    >()
    const permissions = yield* Permissions
    const servers = yield* Servers
    const settled = Effect.fnUntraced(function*(tools: ReadonlyArray<string>) {
      const names = (yield* servers.all).map(({ name }) => name)
      yield* servers.settled(chosen(tools, names))
    })

    const list = Effect.gen(function*() {
      const contents = yield* permissions.contents
      const { rules, write } = Permissions.tableOf(contents)
      if (rules.length > 0) yield* servers.settled(null)
      const tools = yield* known
      const unmatched = UnmatchedRules.find(rules, tools, yield* Clock.currentTimeMillis)
      const absent = (yield* servers.all).filter(({ state }) => state !== "ready")
      if (rules.length > 0) yield* Output.use(({ notePaint, notes }) => notes(missingLines(absent, notePaint)))
      return {
        file: contents.find(({ owner }) => owner === "user")?.file ?? permissions.file,
        write,
        rules: rules.map((rule) => {
          const problem = mayBeOf(rule, absent) ? null : unmatched.find((one) => one.rule === rule)?.message ?? null
          return { ...documentOf(rule), problem }
        }),
        grants: [],
        examples: contents.flatMap(({ examples }) => examples),
        problems: problemsOf(contents)
      }
    })

    const explain = Effect.fnUntraced(function*({ agent: name, args, tool }: Parameters<Explain>[0]) {
      const agent = name === null ? null : yield* Agents.use(({ agent }) => agent(name))
      yield* settled([tool])
      const tools = yield* known
      const found = tools.find((one) => one.name === tool)
      if (found === undefined) {
        const nearest = Nearest.nearest(tool, tools.map(({ name }) => name))
        return yield* failed(new McpErrors.UnknownTool({ name: tool, nearest }))
      }
      if (found.rejected !== null) {
        return yield* failed(new McpErrors.RejectedByPolicy({ tool, why: found.rejected }))
      }
      const asks = [
        ...(found.needsApproval ? [PermissionRule.asking([tool], `entry ${found.server ?? ""}: ask`)] : []),
        ...(agent?.ask === undefined ? [] : [PermissionRule.asking(agent.ask, `agent ${agent.name}: ask`)])
      ]
      const table = Permissions.tableOf(yield* permissions.contents, asks)
      const now = yield* Clock.currentTimeMillis
      const mode = PermissionTable.modeOf({ entry: found.writes ?? null, chat: null, file: table.write, now })
      const call = { ...found, args, agent: agent?.name ?? null, now, mode, print: null }
      const { applies, class: kind, others, outcome, rule, source, why } = PermissionTable.explain(table, call)
      return {
        outcome,
        rule: rule === null ? null : documentOf(rule),
        source,
        why,
        class: kind,
        mode,
        applies: applies.map(documentOf),
        others: others.map(({ because, rule }) => ({ rule: documentOf(rule), because }))
      }
    }, Effect.catchTag("UnknownAgent", ErrorHints.unknownAgent))

    const test = Effect.gen(function*() {
      const contents = yield* permissions.contents
      const examples = contents.flatMap((content) => content.examples)
      yield* settled(examples.map(({ tool }) => tool))
      const tools = yield* known
      const now = yield* Clock.currentTimeMillis
      const report = PermissionExamples.run(Permissions.tableOf(contents), examples, tools, now)
      return {
        passed: report.passed,
        failed: [
          ...report.failed.map(({ example, outcome, verdict }) => ({ ...example, outcome, why: verdict.why })),
          ...report.unknown.map((example) => ({
            ...example,
            outcome: null,
            why: unknownWords(example.tool, tools.map(({ name }) => name))
          }))
        ],
        problems: problemsOf(contents)
      }
    })

    return RuleSource.of({
      list: Effect.provideContext(list, context),
      explain: (asked) => Effect.provideContext(explain(asked), context),
      test: Effect.provideContext(test, context)
    })
  })
)

const documentOf = (rule: PermissionRule.SourcedRule) => ({
  ...PermissionRule.toJson(rule),
  text: PermissionRule.describe(rule)
})

type Explain = RuleSource["Service"]["explain"]

/** Every tool there is, those that discovery left out and the built-in ones as well. */
const known = Effect.gen(function*(): Effect.fn.Return<
  ReadonlyArray<Known>,
  never,
  McpRegistry | WorkspaceTools
> {
  const registry = yield* McpRegistry
  const own = yield* WorkspaceTools
  const tools = yield* registry.tools
  const writers = yield* registry.writers
  const offered = new Set([...tools, ...writers].map(({ name }) => name))
  const builtIn = [...own.tools, ...own.writers]
  const names = yield* NamedTool.builtIn
  return [
    ...tools.map((tool) => {
      const isWriter = PermissionTable.isWriter(tool.class)
      return {
        ...tool,
        writes: isWriter ? "ask" as const : null,
        needsApproval: tool.needsApproval && !isWriter,
        rejected: null
      }
    }),
    ...writers.map((tool) => ({ ...tool, writes: null, needsApproval: false, rejected: null })),
    ...(yield* registry.rejected).filter(({ name }) => !offered.has(name)).map((tool) => ({
      ...tool,
      writes: "off" as const,
      needsApproval: false,
      rejected: tool.isWriter ? null : tool.reason
    })),
    ...builtIn.map(({ class: kind, name }) => ({ ...BUILT_IN, name, class: kind ?? BUILT_IN.class })),
    ...names.filter((name) => !builtIn.some((tool) => tool.name === name)).map((name) => ({ ...BUILT_IN, name }))
  ]
})

const BUILT_IN = { server: null, class: "reads", writes: null, needsApproval: false, rejected: null } as const

/** Whether a rule may be about a tool of one of these servers, which are not there to say so. */
const mayBeOf = ({ tools }: PermissionRule.Rule, servers: ReadonlyArray<ServerStatus>): boolean =>
  servers.some(({ name }) => tools.patterns.some((pattern) => ToolName.owner(pattern, [name]) !== null))

const problemsOf = (contents: Contents): ReadonlyArray<FileProblem> =>
  contents.flatMap(({ problems }) => problems.map(({ hint, message }) => ({ message, hint })))

const unknownWords = (tool: string, names: ReadonlyArray<string>): string => {
  const near = Nearest.nearest(tool, names)
  return `no tool is called ${tool}${near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`}`
}
