/** The tools that an agent may use in one turn, and those that the model is given. */
import { McpRegistry, type McpTool } from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import {
  type AgentTool,
  Deferral,
  Frame,
  McpToolkit,
  type ResultFiles,
  SchemaDialect,
  SearchTools,
  type ToolSearch
} from "@boocode/toolkit"
import { ExecuteTool } from "@boocode/toolkit/code"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { Agent } from "../agents/Agent.ts"
import { openApprovals, openCalls } from "../asking/AskedParts.ts"
import type { GuardedTurn } from "../asking/CallGate.ts"
import { ToolApprovals } from "../asking/ToolApprovals.ts"
import { Undos } from "../journal/Undos.ts"
import { type ChatOff, NOTHING_OFF } from "../model/Chat.ts"
import * as CallRules from "../permissions/CallRules.ts"
import type * as CodeMode from "../programs/CodeMode.ts"
import * as ProgramTools from "../programs/ProgramTools.ts"
import * as DialectTools from "../tools/DialectTools.ts"
import * as NamedTool from "../tools/NamedTool.ts"
import * as ResourceAccess from "../tools/ResourceAccess.ts"
import * as ResourceTools from "../tools/ResourceTools.ts"
import * as ToolsOff from "../tools/ToolsOff.ts"
import { WorkspaceTools } from "../tools/WorkspaceTools.ts"
import { FIRST } from "../users/CurrentUser.ts"
import { askWarnings } from "./OfferedTools.ts"
import * as ServerContext from "./ServerContext.ts"
import * as StandingPrefix from "./StandingPrefix.ts"

/** The tools of one turn. */
export interface TurnTools {
  /** The tools for the next request: the very same list as for the one before when nothing changed. */
  readonly next: Effect.Effect<ReadonlyArray<AgentTool>>
  /** The instructions of servers about their tools, for the beginning of every request of the turn. */
  readonly instructions: string
  /** The changes of the tools since the model was told of them; null for none. They are given once. */
  readonly news: Effect.Effect<Told | null>
  /** A tool that the agent may use, whether the model was given it or not. */
  readonly get: (name: string) => AgentTool | undefined
  /** The names of all tools that the agent may use. */
  readonly keys: () => Iterable<string>
  /** A text that is another after each start of a server; null while it is not ready. */
  readonly life: (server: string) => Effect.Effect<string | null>
}

/** The words for a model at the end of a request. */
export interface Told {
  readonly text: string
  /** For a person, in one line. */
  readonly message: string
}

/** Tools that stay as they are. */
export const of = (tools: ReadonlyArray<AgentTool>): TurnTools => {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  return {
    next: Effect.succeed(tools),
    instructions: "",
    news: Effect.succeed(null),
    get: (name) => byName.get(name),
    keys: () => byName.keys(),
    life: () => Effect.succeed(null)
  }
}

export interface TurnToolsOptions {
  readonly dialect: SchemaDialect.SchemaDialect
  readonly policy: Deferral.Policy
  /** The index of the program; any tools may be in it. */
  readonly index: ToolSearch.ToolSearch
  /** Whether the provider has the definitions that are left to search, and shows those that an answer names. */
  readonly isNative?: boolean | undefined
  /** Whether the model writes programs in which the tools of servers are functions. By default it does not. */
  readonly code?: Omit<CodeMode.Wish, "agent"> | undefined
  /** The beginning of the chat's requests, as it was sent last; null before the first. By default of this turn alone. */
  readonly prefix?: Ref.Ref<StandingPrefix.StandingPrefix | null> | undefined
  /** Warns a person. It may give one warning several times. */
  readonly warn: (words: string) => Effect.Effect<void>
  /** The servers and tools that the person turned off in the chat, as it stands now. Nothing by default. */
  readonly off?: (() => ChatOff) | undefined
  /**
   * The turn whose calls pass the gate of `ToolApprovals`. Without it, tools that need approval are left out, and so are
   * those that write.
   */
  readonly turn?: Omit<GuardedTurn, "agent"> | undefined
}

/**
 * The tools of an agent as they stand: the built-in ones, then those of servers as `Deferral` decides; tools that come
 * later can be searched for and called. An agent whose patterns deny `tool_search` gets no search, so that nothing is
 * left to it. Tools that are turned off in the chat, or whose calls the rules and the write mode all refuse, are left
 * out; the choice is made anew when that changes. Answers at once.
 */
export const forAgent = Effect.fnUntraced(function*(
  agent: Agent,
  {
    code,
    dialect,
    index,
    isNative = false,
    off = () => NOTHING_OFF,
    policy,
    prefix = Ref.makeUnsafe<StandingPrefix.StandingPrefix | null>(null),
    turn,
    warn
  }: TurnToolsOptions
): Effect.fn.Return<TurnTools, never, McpRegistry | ResultFiles | WorkspaceTools> {
  const registry = yield* McpRegistry
  const services = yield* Effect.context<McpRegistry | ResultFiles | WorkspaceTools>()
  const undos = yield* Undos
  const numbers = yield* Frame.Numbers
  const approvals = turn === undefined ? ToolApprovals.defaultValue() : yield* ToolApprovals
  const guardedTurn = { chat: "", owner: "", emit: () => Effect.void, earlier: [], ...turn, agent }
  // Before the dialect: a person is asked about what the server will get.
  const guarded = approvals.guard(guardedTurn)
  const own = yield* NamedTool.builtIn
  const keyOf = (now: ChatOff) =>
    JSON.stringify([dialect, isNative, policy, agent.name, agent.tools, now, code, agent.code])
  const mayKnow = ToolGlob.compile(agent.tools ?? ["*"])
  const { tools: readers, writers } = yield* (yield* WorkspaceTools).of(turn?.owner ?? FIRST.id)
  const workspace = [...readers, ...writers].filter(({ name }) => mayKnow.allows(name))
  const builtInNames = new Set(
    [...ResourceTools.NAMES.filter(mayKnow.allows), ...workspace.map(({ name }) => name)]
  )
  const viewed = registry.view(agent.tools ?? undefined, own)
  const standing = yield* Ref.get(prefix)
  const isGoingOn = openCalls(guardedTurn.earlier).some(({ name }) => name === ExecuteTool.EXECUTE)
  const isCode = yield* ProgramTools.isWanted(
    agent,
    code,
    {
      before: isGoingOn || (standing?.key === keyOf(off()) ? StandingPrefix.hasPrograms(standing) : null),
      off: off()
    },
    Effect.map(viewed, ({ tools }) => Deferral.plan(tools, policy, Deferral.CAPS[dialect]).deferred.length > 0)
  )
  // Functions of a program have the parameters that their servers declare.
  const mayUse = DialectTools.make(isCode ? "raw" : dialect)
  /** Writers that the model was given once: a call of theirs gets its answer when they must not be called any more. */
  const written = new Set(openApprovals(guardedTurn.earlier).map(({ name }) => name))
  /** The tools of servers, of which no call can be made now if `why` gives a reason. */
  const refreshed = Effect.gen(function*() {
    const why = yield* approvals.denied(guardedTurn)
    const writers = (yield* registry.writers).filter(({ name }) => mayKnow.allows(name))
    for (const tool of writers) if (why(CallRules.ofServer(tool)) === null) written.add(tool.name)
    const tools = [...(yield* viewed).tools, ...writers.filter(({ name }) => written.has(name))]
      .filter(({ name }) => !builtInNames.has(name)).toSorted(byName)
    yield* mayUse.update(
      tools,
      Effect.map(McpToolkit.agentTools(tools), (all) => guarded(undos.keeping(all, registry)))
    )
    return { tools, why: (tool: AgentTool | McpTool) => why("tool" in tool ? CallRules.ofServer(tool) : tool) }
  })
  const offered = (yield* refreshed).tools.map(({ name }) => name)
  const { warnings } = yield* registry.view(agent.tools ?? undefined, [...own, ...offered])
  yield* warned(agent, approvals.ask, warnings, own, warn)

  /** The tools that are off and those that cannot be called, as things stand. */
  const look = Effect.gen(function*() {
    const { tools, why } = yield* refreshed
    const denied = [...workspace, ...tools].filter((tool) => why(tool) !== null).map(({ name }) => name)
    const speakers = yield* ServerContext.speakers(agent, off())
    const resources = (yield* ResourceAccess.of(agent.tools)).filter(ResourceAccess.hasResources)
    // The part of it that can be compared at once; a turn looks before each request.
    const print = JSON.stringify([speakers, resources.map(({ name }) => name)])
    return { off: off(), why, tools, denied, speakers, print }
  }).pipe(Effect.provideContext(services))
  /** Built-in tools that the model was given once; the gate answers calls of those that it must not call any more. */
  const known = new Map<string, AgentTool>()

  const choose = Effect.fnUntraced(function*(looked: Effect.Success<typeof look>) {
    const { off: now, speakers, why } = looked
    const isOn = (tool: AgentTool | McpTool) => ToolsOff.isOn(now)(tool) && why(tool) === null
    const isThere = isOf(agent, now)
    const offServers = (yield* ResourceAccess.all).filter(({ status }) => now.servers.includes(status.name))
    const patterns = ToolsOff.without(agent.tools, now, offServers.map(({ name }) => name))
    const resources = yield* ResourceTools.forAgent(patterns, guarded)
    const builtIn = [...guarded(workspace), ...resources].filter((tool) => mayKnow.allows(tool.name))
      .toSorted(byName)
    const tools = looked.tools.filter(isOn)
    const isSearching = maySearch(patterns)
    // A model that gets a part of a description can ask for the rest.
    const isDescribing = isSearching && !isCode && tools.some(({ description }) => isCut(description, dialect))
    const room = Deferral.CAPS[dialect] - builtIn.filter(isOn).length - (isDescribing ? 1 : 0)
    const plan = isCode
      ? { shown: [], deferred: tools.toSorted(byName), isOverflowing: false }
      : Deferral.plan(tools, isSearching ? policy : { ...policy, mode: "never" }, room)
    if (plan.isOverflowing) yield* warn(overflow(plan, isSearching))

    const catalogue: SearchTools.Catalogue = {
      settled: settled(registry, isThere),
      current: Effect.gen(function*() {
        const { tools } = yield* refreshed
        const names = new Set(tools.filter(isOn).map(({ name }) => name))
        yield* index.updateInSteps([...yield* registry.tools, ...yield* registry.writers])
        const rejected = [
          ...(yield* registry.rejected).filter((tool) => !names.has(tool.name) && mayKnow.allows(tool.name)),
          ...tools.flatMap((tool) => {
            const reason = why(tool)
            return reason === null ? [] : [{ ...tool, reason }]
          })
        ].filter(ToolsOff.isOn(now))
        const tool = (name: string) => names.has(name) ? mayUse.get(name) : null
        return { index, tool, names, rejected, ...yield* troubles(registry, isThere) }
      }).pipe(Effect.provideContext(services))
    }
    // A tool that comes later is called through `tool_call`, which has to be there from the beginning.
    const isWaiting = policy.mode !== "never" &&
      (yield* registry.servers).some((server) => server.state === "connecting" && isThere(server))
    const search = isCode
      ? guarded(ProgramTools.make(plan.deferred, looked.tools, isSearching ? catalogue : null))
      : isSearching && (plan.deferred.length > 0 || isWaiting)
      ? guarded((isNative ? SearchTools.native : SearchTools.make)(catalogue, plan.deferred, dialect))
      : isDescribing
      ? guarded([SearchTools.describing(catalogue)])
      : []
    const ours = SchemaDialect.speak([...builtIn, ...search], dialect)
    const shown = plan.shown.map(({ name }) => name)
    const base = [...ours.tools.filter(isOn), ...mayUse.given(shown)].toSorted(byName)
    yield* unspeakable([...ours.unspeakable, ...mayUse.left(shown)], warn)
    for (const tool of ours.tools) if (isOn(tool) || !CallRules.isWriter(tool)) known.set(tool.name, tool)
    const characters = search.length > 1 ? ServerContext.FEW_CHARACTERS : ServerContext.MAX_CHARACTERS
    return {
      ...looked,
      found: isNative && !isCode ? mayUse.given(plan.deferred.map(({ name }) => name)).map(deferred) : [],
      current: {
        key: keyOf(now),
        instructions: ServerContext.of(speakers, numbers, characters),
        speakers,
        base,
        deferred: plan.deferred,
        denied: new Set(looked.denied)
      } satisfies StandingPrefix.Current
    }
  }, Effect.provideContext(services))

  let told: Told | null = null
  const stand = Effect.fnUntraced(function*(current: StandingPrefix.Current) {
    const now = yield* Clock.currentTimeMillis
    const { news, prefix: sent } = StandingPrefix.next(yield* Ref.get(prefix), current, now)
    yield* Ref.set(prefix, sent)
    if (news === null) return sent
    const words = ServerContext.of(news.speakers, numbers, ServerContext.FEW_CHARACTERS)
    const text = words === "" ? news.text : `${news.text}\n${words}`
    told = told === null
      ? { text, message: news.message }
      : { text: `${told.text}\n${text}`, message: `${told.message}; ${news.message}` }
    return sent
  })

  let choice = yield* choose(yield* look)
  let sent = yield* stand(choice.current)
  let given = [...sent.tools, ...choice.found]
  /** A person's choice holds at once. Any other change waits for the next turn, unless the model can be told. */
  const isOther = (now: Effect.Success<typeof look>): boolean =>
    now.off !== choice.off || now.denied.join() !== choice.denied.join() ||
    (StandingPrefix.isTold(sent) && (now.print !== choice.print || !DialectTools.isSame(now.tools, choice.tools)))
  return {
    next: Effect.gen(function*() {
      const now = yield* look
      if (isOther(now)) {
        choice = yield* choose(now)
        sent = yield* stand(choice.current)
        given = [...sent.tools, ...choice.found]
      }
      return given
    }).pipe(Effect.provideContext(services)),
    instructions: sent.instructions,
    news: Effect.sync(() => {
      const news = told
      told = null
      return news
    }),
    get: (name) => {
      const tool = known.get(name) ?? mayUse.callable(name)
      return tool === undefined || ToolsOff.isOn(off())(tool) ? tool : ToolsOff.refusing(tool)
    },
    keys: () => new Set([...known.keys(), ...mayUse.names()]),
    life: (server) => ServerContext.life(registry, server)
  }
})

const deferred = (tool: AgentTool): AgentTool => ({ ...tool, isDeferred: true })

/** Warns of patterns that are about nothing, unless a server that still connects may bring what they name. */
const warned = Effect.fnUntraced(function*(
  agent: Agent,
  askedOfAll: ReadonlyArray<string>,
  warnings: ReadonlyArray<string>,
  own: ReadonlyArray<string>,
  warn: TurnToolsOptions["warn"]
) {
  const isComing = isOf(agent, NOTHING_OFF)
  const servers = yield* McpRegistry.use((registry) => registry.servers)
  if (servers.some((server) => server.state === "connecting" && isComing(server))) return
  const asked = yield* askWarnings(agent.ask ?? [], own)
  const all = yield* askWarnings(askedOfAll, own)
  const unread = yield* ResourceTools.warning(agent.tools)
  yield* Effect.forEach([
    ...warnings,
    ...(unread === null ? [] : [unread]),
    ...asked.map((words) => `ask: ${words}`),
    ...all.map((words) => `approvals.ask in settings.json: ${words}`)
  ], warn)
})

/** Whether an agent could use tools of a server that is on. */
const isOf = ({ tools }: Agent, off: ChatOff) => ({ name }: { readonly name: string }): boolean =>
  ServerContext.mayUse(tools, name) && !off.servers.includes(name)

const maySearch = (patterns: ReadonlyArray<string> | null): boolean =>
  ProgramTools.mayFind(patterns, SearchTools.SEARCH)

const isCut = (description: string | null, dialect: SchemaDialect.SchemaDialect): boolean =>
  (description ?? "").length > SchemaDialect.LONGEST_DESCRIPTION[dialect]

const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name < other.name ? -1 : 1

const PATIENCE = "5 seconds"

type Registry = typeof McpRegistry.Service
type IsThere = (server: { readonly name: string }) => boolean

const settled = (registry: Registry, isThere: IsThere): Effect.Effect<void> =>
  Effect.flatMap(
    registry.servers,
    (servers) =>
      servers.some((server) => server.state === "connecting" && isThere(server))
        ? Effect.asVoid(Effect.timeoutOption(registry.settled, PATIENCE))
        : Effect.void
  )

const troubles = (registry: Registry, isThere: IsThere) =>
  Effect.map(registry.servers, (servers) => {
    const some = servers.filter(isThere)
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
