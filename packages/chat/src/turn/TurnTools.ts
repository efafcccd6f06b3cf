/** The tools that an agent may use in one turn, and those that the model is given. */
import { McpRegistry, type McpTool } from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import {
  type AgentTool,
  Deferral,
  McpToolkit,
  type ResultFiles,
  SchemaDialect,
  SearchTools,
  type ToolSearch
} from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import type { Agent } from "../agents/Agent.ts"
import { type GuardedTurn, ToolApprovals } from "../asking/ToolApprovals.ts"
import * as NamedTool from "../tools/NamedTool.ts"
import * as ResourceTools from "../tools/ResourceTools.ts"
import { WorkspaceTools } from "../tools/WorkspaceTools.ts"
import * as AskWarnings from "./AskWarnings.ts"
import * as DialectTools from "./DialectTools.ts"
import type * as FoundTools from "./FoundTools.ts"
import * as ServerContext from "./ServerContext.ts"

/** The tools of one turn; they grow while it runs. */
export interface TurnTools {
  /**
   * The tools for the next request: those of the request before, in the same order, then those that were found since.
   * The least recently used of the found tools leave when they are too many. Gives the very same list when nothing
   * changed.
   */
  readonly next: Effect.Effect<ReadonlyArray<AgentTool>>
  /** A tool that the agent may use, whether the model was given it or not. */
  readonly get: (name: string) => AgentTool | undefined
  /** The names of all tools that the agent may use. */
  readonly keys: () => Iterable<string>
  /** A text that is another after each start of a server; null while it is not ready. */
  readonly life: (server: string) => Effect.Effect<string | null>
}

/** Tools that stay as they are. */
export const of = (tools: ReadonlyArray<AgentTool>): TurnTools => {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  return {
    next: Effect.succeed(tools),
    get: (name) => byName.get(name),
    keys: () => byName.keys(),
    life: () => Effect.succeed(null)
  }
}

/** The choice of tools depends on these. */
export interface TurnToolsOptions {
  readonly dialect: SchemaDialect.SchemaDialect
  readonly policy: Deferral.Policy
  /** The index of the program; any tools may be in it. */
  readonly index: ToolSearch.ToolSearch
  /** The tools that the chat found, before this turn and in it. */
  readonly found: FoundTools.FoundTools
  /** Warns a person. The same warning may come again. */
  readonly warn: (words: string) => Effect.Effect<void>
  /** The turn in which calls ask for approval. Without it, tools that need approval are left out. */
  readonly turn?: Omit<GuardedTurn, "agent"> | undefined
}

/**
 * The tools of an agent as they stand: the built-in ones, then those of servers as `Deferral` decides; tools that come
 * later can be searched for and called. An agent whose patterns deny `tool_search` gets no search, so that nothing is
 * left to it. Answers at once.
 */
export const forAgent = Effect.fnUntraced(function*(
  agent: Agent,
  { dialect, found, index, policy, turn, warn }: TurnToolsOptions
): Effect.fn.Return<TurnTools, never, McpRegistry | ResultFiles | WorkspaceTools> {
  const registry = yield* McpRegistry
  const services = yield* Effect.context<McpRegistry | ResultFiles>()
  const approvals = turn === undefined ? ToolApprovals.defaultValue() : yield* ToolApprovals
  // Before the dialect: a person is asked about what the server will get.
  const guarded = approvals.guard({ chat: "", emit: () => Effect.void, earlier: [], ...turn, agent })
  const resources = yield* ResourceTools.forAgent(agent.tools, guarded)
  const builtIn = [...guarded((yield* WorkspaceTools).tools), ...resources].filter(allowedBy(agent)).toSorted(byName)
  const own = yield* NamedTool.builtIn
  const mayUse = DialectTools.make(dialect)
  const view = Effect.map(registry.view(agent.tools ?? undefined, own), ({ tools, warnings }) => ({
    tools: tools.filter(({ name }) => !builtIn.some((tool) => tool.name === name)),
    warnings
  }))
  const refresh = Effect.flatMap(
    view,
    ({ tools }) => mayUse.update(tools, Effect.map(McpToolkit.agentTools(tools), guarded))
  ).pipe(Effect.provideContext(services))

  const { tools, warnings } = yield* view
  yield* refresh
  const servers = (yield* registry.servers).filter(({ name }) => ServerContext.mayUse(agent.tools, name))
  // A server that still connects may bring the name.
  if (!servers.some(({ state }) => state === "connecting")) {
    const asked = yield* AskWarnings.of(agent.ask ?? [], own)
    const askedOfAll = yield* AskWarnings.of(approvals.ask, own)
    const unread = yield* ResourceTools.warning(agent.tools)
    yield* Effect.forEach([
      ...warnings,
      ...(unread === null ? [] : [unread]),
      ...asked.map((words) => `ask: ${words}`),
      ...askedOfAll.map((words) => `approvals.ask in settings.json: ${words}`)
    ], warn)
  }
  const isSearching = maySearch(agent)
  // A model that gets a part of a description can ask for the rest.
  const isDescribing = isSearching && tools.some(({ description }) => isCut(description, dialect))
  const room = Deferral.CAPS[dialect] - builtIn.length - (isDescribing ? 1 : 0)
  const plan = Deferral.plan(tools, isSearching ? policy : { ...policy, mode: "never" }, room)
  if (plan.isOverflowing) yield* warn(overflow(plan, isSearching))

  const mayKnow = ToolGlob.compile(agent.tools ?? ["*"])
  const catalogue: SearchTools.Catalogue = {
    settled: settled(agent, registry),
    current: Effect.gen(function*() {
      yield* refresh
      yield* index.updateInSteps(yield* registry.tools)
      const names = new Set(mayUse.names())
      const rejected = (yield* registry.rejected).filter(({ name }) => !names.has(name) && mayKnow.allows(name))
      return { index, tool: mayUse.get, names, rejected, ...yield* troubles(agent, registry) }
    })
  }
  const isWaiting = policy.mode === "always" && servers.some(({ state }) => state === "connecting")
  const search = isSearching && (plan.deferred.length > 0 || isWaiting)
    ? guarded(SearchTools.make(catalogue, plan.deferred))
    : isDescribing
    ? guarded([SearchTools.describing(catalogue)])
    : []
  const ours = SchemaDialect.speak([...builtIn, ...search], dialect)
  const base = [...ours.tools, ...mayUse.given(plan.shown.map(({ name }) => name))].toSorted(byName)
  yield* unspeakable([...ours.unspeakable, ...mayUse.left(plan.shown.map(({ name }) => name))], warn)

  const based = new Map(base.map((tool) => [tool.name, tool]))
  const limits: FoundTools.Limits = {
    tokensOf: (name) => based.has(name) ? null : mayUse.given([name])[0]?.tokens ?? null,
    count: Math.max(0, Deferral.CAPS[dialect] - base.length),
    tokens: Deferral.FOUND_TOKENS
  }
  let last: ReadonlyArray<AgentTool> = base
  return {
    next: Effect.gen(function*() {
      yield* refresh
      yield* unspeakable(mayUse.left(found.all().filter((name) => !based.has(name))), warn)
      const now = [...base, ...mayUse.given(found.names(limits))]
      if (!DialectTools.isSame(now, last)) last = now
      return last
    }),
    get: (name) => based.get(name) ?? mayUse.callable(name),
    keys: () => new Set([...based.keys(), ...mayUse.names()]),
    life: (server) => ServerContext.life(registry, server)
  }
})

const allowedBy = ({ tools: patterns }: Agent): (tool: AgentTool) => boolean => {
  const glob = ToolGlob.compile(patterns ?? ["*"])
  return ({ name }) => glob.allows(name)
}

/** A search is for every agent: one that lists its tools need not name it, but may deny it. */
const maySearch = ({ tools: patterns }: Agent): boolean => {
  const last = (patterns ?? []).findLast((pattern) => ToolGlob.matches(pattern, SearchTools.SEARCH))
  return last === undefined || !ToolGlob.isDenial(last)
}

const isCut = (description: string | null, dialect: SchemaDialect.SchemaDialect): boolean =>
  (description ?? "").length > SchemaDialect.LONGEST_DESCRIPTION[dialect]

const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name < other.name ? -1 : 1

const PATIENCE = "5 seconds"

type Registry = typeof McpRegistry.Service

const settled = (agent: Agent, registry: Registry): Effect.Effect<void> =>
  Effect.flatMap(registry.servers, (servers) => {
    const awaited = servers.filter(({ name, state }) =>
      state === "connecting" && ServerContext.mayUse(agent.tools, name)
    )
    return awaited.length === 0 ? Effect.void : Effect.asVoid(Effect.timeoutOption(registry.settled, PATIENCE))
  })

const troubles = (agent: Agent, registry: Registry) =>
  Effect.map(registry.servers, (servers) => {
    const some = servers.filter(({ name }) => ServerContext.mayUse(agent.tools, name))
    return {
      waiting: some.filter(({ state }) => state === "connecting").map(({ name }) => name),
      failed: some.filter(({ state }) => state === "failed" || state === "needs-auth").map((
        { error, name, state }
      ) => ({
        server: name,
        why: error?.message ?? state
      }))
    }
  })

const NAMES_SHOWN = 40

const overflow = ({ deferred, shown }: Deferral.Plan<McpTool>, isSearching: boolean): string => {
  const names = deferred.slice(0, NAMES_SHOWN).map(({ name }) => name).join(", ")
  const more = deferred.length > NAMES_SHOWN ? ` and ${deferred.length - NAMES_SHOWN} more` : ""
  const what = `this agent may use ${
    shown.length + deferred.length
  } tools of servers, more than its model takes at once`
  return isSearching
    ? `${what}; it has to search for these: ${names}${more}. Say in AGENTS.md under tools: which ones it needs`
    : `${what}; left out: ${names}${more}. Say in AGENTS.md under tools: which ones it needs, or let it use tool_search`
}

const unspeakable = (
  left: ReadonlyArray<SchemaDialect.Unspeakable>,
  warn: (words: string) => Effect.Effect<void>
): Effect.Effect<void> => {
  if (left.length === 0) return Effect.void
  const some = left.slice(0, NAMES_SHOWN).map(({ name, reason, server }) =>
    `${name} of ${server ?? "BooCode"} (${reason})`
  )
  const more = left.length > NAMES_SHOWN ? ` and ${left.length - NAMES_SHOWN} more` : ""
  return warn(`the model cannot be given ${some.join("; ")}${more}; everything else works`)
}
