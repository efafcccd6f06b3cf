/** The one gate for calls: each is made, waits for a person, or is refused, as rules, grants and the write mode have it. */
import type { McpErrors } from "@boocode/mcp-registry"
import {
  type AgentTool,
  Approval,
  PermissionRule,
  PermissionTable,
  type RunOptions,
  ToolArguments,
  ToolResult
} from "@boocode/toolkit"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type { Agent } from "../agents/Agent.ts"
import * as Audit from "../journal/Audit.ts"
import * as WriteJournal from "../journal/WriteJournal.ts"
import type { ChatWrite } from "../model/Chat.ts"
import type { Emit, Part } from "../model/Part.ts"
import * as CallHooks from "../permissions/CallHooks.ts"
import * as CallRules from "../permissions/CallRules.ts"
import * as GrantSuggestions from "../permissions/GrantSuggestions.ts"
import type { PermissionFiles } from "../permissions/PermissionFiles.ts"
import type { RealOf } from "../permissions/ServerPaths.ts"
import type { AllowedTools } from "./AllowedTools.ts"
import { grantForChat, grantsForChat, openApprovals } from "./AskedParts.ts"
import * as PendingApproval from "./PendingApproval.ts"

/** The turn whose tools are guarded. */
export interface GuardedTurn {
  readonly chat: string
  /** The id of the person whose chat it is. */
  readonly owner: string
  readonly agent: Pick<Agent, "ask"> & Partial<Pick<Agent, "name">>
  readonly emit: Emit
  /** Every part of the chat so far, those of replaced turns and of this turn included. */
  readonly earlier: ReadonlyArray<Part>
  /** The write mode of the chat, as it stands now. None of its own by default. */
  readonly write?: (() => ChatWrite | null) | undefined
  /** The interface through which another application asked; left out for none. */
  readonly via?: "v1" | undefined
  /** Nobody can answer: what needs a yes is refused at once. */
  readonly isUnattended?: boolean | undefined
}

/** Makes tools ask. */
export type Guard = (tools: ReadonlyArray<AgentTool>) => ReadonlyArray<AgentTool>

/** The services that the gates of all turns share. */
export interface GateNeeds {
  readonly files: typeof PermissionFiles.Service
  /** Patterns of the settings over names of tools whose calls ask. */
  readonly ask: ReadonlyArray<string>
  readonly always: AllowedTools
  readonly realOf: RealOf
  readonly hooks: typeof CallHooks.CallHooks.Service
  /** Hears of each call; null where nobody keeps them. */
  readonly audit: typeof Audit.Audit.Service
  /** Shows a request and waits for its answer. */
  readonly waitFor: (call: PendingApproval.PendingApproval) => Effect.Effect<Approval.Decision>
}

/** Why no call of a tool can be made now, whatever its arguments are; null for one that can be called. */
export type Denied = (tool: CallRules.Subject) => string | null

/** The verdict about a call. */
interface Judged {
  readonly outcome: PermissionRule.Outcome
  /** In words that go after `because`. */
  readonly why: string
  /** The rule that asks and its place, for the person to read. Null where the write mode asks. */
  readonly rule: { readonly text: string; readonly source: string } | null
  readonly verdict: PermissionTable.Verdict
  /** The tool's hash; null where it was not needed. */
  readonly print: string | null
}

/** The facts about one call while it is decided about. */
interface Trace {
  permission: WriteJournal.Permission
  isMade: boolean
}

/** The guard of a turn. An answer that a person gives for the rest of the chat holds in it from then on. */
export const guard = (needs: GateNeeds, turn: GuardedTurn): Guard => {
  const { always, realOf, waitFor } = needs
  const { chat, earlier, emit, isUnattended = false, owner } = turn
  const forChat: Array<PermissionRule.Grant> = [...grantsForChat(earlier)]
  const before = new Map(openApprovals(earlier).map((part) => [part.call, part]))
  const sources = sourcesOf(needs, turn)

  /** By rules, grants and write mode. */
  const decided = Effect.fnUntraced(function*(tool: AgentTool, args: Schema.JsonObject) {
    const all = yield* sources
    const asked = { args, real: yield* realOf(tool, args), now: yield* Clock.currentTimeMillis }
    const decide = (print: string | null, grants: ReadonlyArray<PermissionRule.Grant>) => {
      const { call, table } = CallRules.of(all, tool, { ...asked, print, grants })
      return { verdict: PermissionTable.decide(table, call), print }
    }
    const first = decide(null, [])
    // No grant changes a call that is allowed anyway, or that a rule denies.
    if (first.verdict.outcome === "allow" || first.verdict.rule?.outcome === "deny") return first
    const print = yield* always.printOf(tool)
    return decide(print, [...forChat, ...yield* always.of(owner, tool, print)])
  })

  /** By all of that, and by hooks, which are asked about the same arguments once. */
  const judged = Effect.fnUntraced(
    function*(tool: AgentTool, args: Schema.JsonObject, isAsked = true): Effect.fn.Return<Judged> {
      const { print, verdict } = yield* decided(tool, args)
      const { outcome, rule, source, why } = verdict
      const found = { outcome, why, verdict, print }
      if (outcome === "deny") return { ...found, why: CallRules.whyDenied(verdict), rule: null }
      const hooks = isAsked ? (yield* sources).contents.flatMap((content) => content.hooks) : []
      const { name, server } = tool
      const call = { tool: name, server, class: verdict.class, args, agent: turn.agent.name ?? null, chat }
      const hook = yield* CallHooks.strictest(needs.hooks, hooks, call)
      if (hook !== null) {
        const words = `the hook at ${hook.source} says ${hook.outcome}: ${hook.reason}`
        return { ...found, outcome: hook.outcome, why: words, rule: { text: hook.reason, source: hook.source } }
      }
      const told = rule === null ? { text: why, source } : { text: PermissionRule.describe(rule), source }
      return { ...found, rule: outcome === "allow" || source === "default" ? null : told }
    }
  )

  /** The call goes to the tool; one that writes gets its entry in the journal. */
  const made = (
    tool: AgentTool,
    args: Schema.JsonObject,
    options: RunOptions,
    permission: WriteJournal.Permission,
    trace: Trace
  ) => {
    trace.permission = permission
    trace.isMade = true
    if (!CallRules.isWriter(tool)) return tool.run(args, options)
    return WriteJournal.journaled(tool, { emit, allowed: () => permission }).run(args, { ...options, writes: true })
  }

  /** Asks about a call. After a yes it judges the call again, with arguments that the person may have changed. */
  const asked = Effect.fnUntraced(function*(
    tool: AgentTool,
    found: Judged,
    args: Schema.JsonObject,
    options: RunOptions,
    trace: Trace
  ) {
    trace.permission = REFUSED
    const print = found.print ?? (yield* always.printOf(tool))
    const afterYes = Effect.fnUntraced(function*(given: unknown, sentWith: RunOptions) {
      const sent = yield* ToolArguments.usable(tool, given)
      if (!(yield* always.isStill(turn.owner, tool, print))) return failure(tool, CHANGED_MEANWHILE)
      const { outcome, why } = yield* judged(tool, sent, JSON.stringify(sent) !== JSON.stringify(args))
      return outcome === "deny" ? failure(tool, why) : yield* made(tool, sent, sentWith, WriteJournal.PERSON, trace)
    })
    const { onWaiting = () => Effect.void } = options
    return yield* Approval.guarded(answering(tool, afterYes), {
      decide: (request) =>
        Effect.tap(
          Effect.andThen(onWaiting(true), decide(tool, { ...found, print }, request)),
          () => onWaiting(false)
        ),
      timeout: "Infinity"
    }).run(args, options)
  })

  const decide = Effect.fnUntraced(function*(
    tool: AgentTool,
    { print: hash, rule, verdict }: Judged & { readonly print: string },
    { annotations, args, callId, id, isTrusted, name, server, tool: raw }: Approval.Request
  ) {
    const earlierAsked = before.get(callId ?? "")
    const real = yield* realOf(tool, args)
    const isSame = earlierAsked?.print === hash && JSON.stringify(earlierAsked.args) === JSON.stringify(args)
    const fresh: PendingApproval.Request = {
      type: "approval",
      id,
      call: callId ?? "",
      name,
      server,
      tool: raw,
      isTrusted,
      print: hash,
      args,
      annotations,
      class: verdict.class,
      rule,
      before: isSame ? null : yield* tool.before?.(args) ?? Effect.succeed(null),
      suggestions: GrantSuggestions.of(name, { args, real })
    }
    const request = isSame ? { ...fresh, id: earlierAsked.id } : fresh
    const shown = earlierAsked === undefined
      ? emit(fresh)
      : Effect.andThen(emit(over(earlierAsked.id, CHANGED)), emit(fresh))
    const onChat = (where: PermissionRule.Grant["where"]) => void forChat.push(grantForChat(hash, name, where))
    const show = isSame ? null : shown
    return yield* waitFor(
      PendingApproval.make({
        chat,
        owner,
        tool,
        request,
        emit,
        always,
        onChat,
        show,
        realOf: (sent) => realOf(tool, sent)
      })
    )
  })

  const run = Effect.fnUntraced(function*(tool: AgentTool, written: unknown, options: RunOptions, trace: Trace) {
    const wasAsked = before.get(options.callId ?? "")
    const now = yield* Clock.currentTimeMillis
    if (wasAsked === undefined && CallRules.isFree(yield* sources, tool, now)) {
      trace.isMade = true
      return yield* tool.run(written, options)
    }
    const args = yield* ToolArguments.usable(tool, written)
    const found = yield* judged(tool, args)
    const { grant, rule, source } = found.verdict
    trace.permission = { by: rule === null ? "default" : "rule", source }
    if (found.outcome === "deny") {
      if (wasAsked !== undefined) yield* emit(over(wasAsked.id, found.why))
      return failure(tool, found.why)
    }
    if (found.outcome === "allow" && grant !== null) {
      return yield* made(tool, args, { ...options, isApproved: true }, { by: "grant", source }, trace)
    }
    // Asked about in an earlier run: another configuration does not answer it.
    if (found.outcome === "allow" && wasAsked === undefined) {
      return yield* made(tool, args, options, trace.permission, trace)
    }
    if (options.isApproved === true) return yield* made(tool, args, options, WriteJournal.PERSON, trace)
    if (isUnattended) return failure(tool, `it needs a person's yes, because ${found.why}, and nobody can answer`)
    return yield* asked(tool, found, args, options, trace)
  })

  /** Told when it is over: also of a call that was cut off, unless it was not made. */
  const noted = Effect.fnUntraced(function*(tool: AgentTool, written: unknown, options: RunOptions) {
    const trace: Trace = { permission: Audit.DEFAULT, isMade: false }
    const { audit } = needs
    if (audit === null) return yield* run(tool, written, options, trace)
    const began = yield* Clock.currentTimeMillis
    return yield* Effect.onExit(run(tool, written, options, trace), (exit) =>
      Effect.gen(function*() {
        const { isMade, permission } = trace
        if (!isMade && Exit.isFailure(exit)) return
        const millis = (yield* Clock.currentTimeMillis) - began
        const outcome = isMade ? WriteJournal.outcomeOf(exit) : "refused"
        const origin = turn.via ?? (options.callId?.includes(".") === true ? "program" : "chat")
        const { name, server } = tool
        const one = { owner, tool: name, server, class: CallRules.classOf(tool), permission }
        yield* audit.note({ ...one, origin, place: chat, outcome, millis })
      }))
  })

  return (tools) =>
    tools.map((tool) => ({
      ...answering(tool, (written, options) => noted(tool, written, options)),
      needsApproval: false
    }))
}

/** The tool with another way to run, and with words for arguments that cannot be used. */
const answering = (
  tool: AgentTool,
  run: (args: unknown, options: RunOptions) => Effect.Effect<ToolResult.ToolResult, McpErrors.InvalidArguments>
): AgentTool => ({
  ...tool,
  run: (args, options = {}) =>
    Effect.catch(run(args, options), ({ hint, message }) => Effect.succeed(failure(tool, `${message}; ${hint}`)))
})

/** Tells about tools as rules, the write mode of the chat and its grants are now. */
export const denied = Effect.fnUntraced(
  function*(needs: GateNeeds, turn: GuardedTurn): Effect.fn.Return<Denied> {
    const all = yield* sourcesOf(needs, turn)
    const now = yield* Clock.currentTimeMillis
    return CallRules.denied(all, {
      granted: [...grantsForChat(turn.earlier), ...yield* needs.always.list(turn.owner)],
      now
    })
  }
)

const sourcesOf = (
  { ask, files }: GateNeeds,
  { agent, write = () => null }: GuardedTurn
): Effect.Effect<CallRules.RuleSources> =>
  Effect.map(files.contents, (contents) => ({ contents, ask, caller: { agent, write: write() } }))

const failure = (tool: AgentTool, why: string): ToolResult.ToolResult =>
  ToolResult.failure(`${tool.name} was not called: ${why}`, { fault: "call" })

/** A question of an earlier run is not asked any more. */
const over = (id: string, reason: string) => ({ type: "approval-answer", id, decision: "expired", reason }) as const

/** A person said no, or did not answer. */
const REFUSED: WriteJournal.Permission = { by: "person", source: "" }

const CHANGED_MEANWHILE = "it changed while a person was asked about it. Call it again, and the person is asked anew"
const CHANGED = "the tool has changed since it was asked about, so it asks again"
