/** Approval before the calls of a chat: which calls need it, who answers, and how long an answer holds. */
import type { McpRegistry } from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import { type AgentTool, Approval } from "@boocode/toolkit"
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type { Agent } from "../agents/Agent.ts"
import {
  type AnswerRefused,
  ApprovalClosed,
  ApprovalNotReady,
  GrantNotKept,
  UnknownApproval
} from "../model/ApprovalError.ts"
import type { ApprovalPart, Emit, Part } from "../model/Part.ts"
import { ChatStore, type ChatStoreFailed } from "../store/ChatStore.ts"
import * as AllowedTools from "./AllowedTools.ts"
import type { Grant } from "./AllowedTools.ts"
import { openApprovals, toolsAllowedForChat } from "./AskedParts.ts"
import * as PendingApproval from "./PendingApproval.ts"

/** The turn whose tools are guarded. */
export interface GuardedTurn {
  readonly chat: string
  readonly agent: Pick<Agent, "ask">
  readonly emit: Emit
  /** Every part of the chat so far, those of replaced turns and of this turn included. */
  readonly earlier: ReadonlyArray<Part>
}

/** Makes tools ask. */
export type Guard = (tools: ReadonlyArray<AgentTool>) => ReadonlyArray<AgentTool>

/** A call that waits for a person. */
export type OpenApproval = typeof ApprovalPart.Type & { readonly chat: string }

/** How calls are asked about. */
export interface ToolApprovalsOptions {
  /** The file of the tools that are always allowed, in a folder that no project can write. */
  readonly file: string
  /** Patterns over tool names, whatever the agent. */
  readonly ask: ReadonlyArray<string>
}

/** Approval of calls. Without a layer models do not get the tools that need it, as there is nobody to ask. */
export class ToolApprovals extends Context.Reference<{
  /**
   * One guard a turn. It asks about the tools that the entry of the server, the settings or the agent name, each by
   * itself, so that none takes back what another wants. Calls ask side by side, and wait 24 h at most. A call that
   * asked already in an earlier run of the program waits under the id it has.
   */
  readonly guard: (turn: GuardedTurn) => Guard
  /** Patterns over the names of tools whose calls ask, whatever the agent. */
  readonly ask: ReadonlyArray<string>
  /**
   * Answers an approval; the answer is written down when this is done. An approval of an earlier run of the program is
   * answered once its turn is back, within 20 s.
   */
  readonly answer: (
    chat: string,
    approval: string,
    answer: PendingApproval.Answer
  ) => Effect.Effect<void, AnswerRefused | ChatStoreFailed>
  /** The approvals that wait, in all chats. */
  readonly pending: Effect.Effect<ReadonlyArray<OpenApproval>, ChatStoreFailed>
  /** The tools that are always allowed, sorted by name. */
  readonly granted: Effect.Effect<ReadonlyArray<Grant>>
  /** Revokes the grant of this name; false when there is none. */
  readonly revoke: (name: string) => Effect.Effect<boolean, GrantNotKept>
}>("chat/ToolApprovals", {
  defaultValue: () => ({
    guard: ({ agent }) => {
      const isAsked = asking([agent.ask ?? []])
      return (tools) => tools.filter((tool) => !isAsked(tool))
    },
    ask: [],
    answer: (chat, id) => Effect.fail(new UnknownApproval({ chat, id })),
    pending: Effect.succeed([]),
    granted: Effect.succeed([]),
    revoke: () => Effect.fail(new GrantNotKept({ why: "this program keeps no approvals" }))
  })
}) {
  /** Asks through the parts of chats. */
  static readonly layer = (
    options: ToolApprovalsOptions
  ): Layer.Layer<never, never, ChatStore | FileSystem.FileSystem | McpRegistry | Path.Path> =>
    Layer.effect(ToolApprovals, make(options)).pipe(Layer.provide(Digest.layerWebCrypto))
}

const make = Effect.fnUntraced(function*({ ask, file }: ToolApprovalsOptions) {
  const store = yield* ChatStore
  const always = yield* AllowedTools.make(file)
  const waiting = new Map<string, PendingApproval.PendingApproval>()
  /** The ids of all that ever waited in this run. */
  const known = new Set<string>()
  /** The answers that came before the turn of an earlier run was back wait for it here. */
  const arrivals = new Map<string, Deferred.Deferred<PendingApproval.PendingApproval>>()

  const waitFor = (call: PendingApproval.PendingApproval) => {
    const { id } = call.request
    const enter = Effect.suspend(() => {
      waiting.set(id, call)
      known.add(id)
      const awaited = arrivals.get(id)
      return awaited === undefined ? Effect.void : Deferred.succeed(awaited, call)
    })
    const leave = Effect.andThen(call.close, Effect.sync(() => waiting.delete(id)))
    // Entered before it is shown: a reader may answer at once.
    return Effect.acquireUseRelease(enter, () => call.answered, () => leave)
  }

  const guard = ({ agent, chat, earlier, emit }: GuardedTurn): Guard => {
    const isAsked = asking([ask, agent.ask ?? []])
    const forChat = new Set(toolsAllowedForChat(earlier))
    const before = new Map(openApprovals(earlier).map((part) => [part.call, part]))
    const isOpen = ({ name }: AgentTool) => [...before.values()].some((part) => part.name === name)

    const decide = (tool: AgentTool) =>
      Effect.fnUntraced(
        function*({ annotations, args, callId, id, isTrusted, name, server, tool: raw }: Approval.Request) {
          const asked = before.get(callId ?? "")
          // Asked about in an earlier run: another configuration does not answer it.
          if (asked === undefined && !isAsked(tool)) return Approval.approve
          const print = yield* always.printOf(tool)
          if (forChat.has(print) || (yield* always.has(tool))) return Approval.approve
          const fresh = {
            type: "approval",
            id,
            call: callId ?? "",
            name,
            server,
            tool: raw,
            isTrusted,
            print,
            args,
            annotations
          } as const
          const isSame = asked?.print === print && JSON.stringify(asked.args) === JSON.stringify(args)
          const request = isSame ? { ...fresh, id: asked.id } : fresh
          const shown = asked === undefined ? emit(fresh) : Effect.andThen(emit(over(asked.id)), emit(fresh))
          const onChat = () => void forChat.add(print)
          const show = isSame ? null : shown
          return yield* waitFor(PendingApproval.make({ chat, tool, request, emit, always, onChat, show }))
        }
      )
    return (tools) =>
      tools.map((tool) =>
        isAsked(tool) || isOpen(tool) ? Approval.guarded(tool, { decide: decide(tool), timeout: "Infinity" }) : tool
      )
  }

  /** A request of an earlier run, once its turn is back. */
  const returning = Effect.fnUntraced(function*(chat: string, id: string) {
    const stored = yield* store.get(chat)
    // It may have come while the store was read.
    const here = waiting.get(id)
    if (here !== undefined) return here
    const parts = stored?.turns.flatMap((turn) => turn.parts) ?? []
    if (!parts.some((part) => part.type === "approval" && part.id === id)) {
      return yield* new UnknownApproval({ chat, id })
    }
    const answer = parts.find((part) => part.type === "approval-answer" && part.id === id)
    const isOpen = openApprovals(parts).some((part) => part.id === id)
    const decision = answer?.type === "approval-answer" ? answer.decision : null
    if (!isOpen || known.has(id)) return yield* new ApprovalClosed({ id, decision })
    const arrival = arrivals.get(id) ?? Deferred.makeUnsafe<PendingApproval.PendingApproval>()
    arrivals.set(id, arrival)
    return yield* Deferred.await(arrival).pipe(
      Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => new ApprovalNotReady({ id }) }),
      Effect.ensuring(Effect.sync(() => arrivals.delete(id)))
    )
  })

  return {
    guard,
    ask,
    answer: Effect.fn("ToolApprovals.answer")(function*(chat: string, id: string, answer: PendingApproval.Answer) {
      const call = waiting.get(id) ?? (yield* returning(chat, id))
      if (call.chat !== chat) return yield* new UnknownApproval({ chat, id })
      yield* call.answer(answer)
    }),
    pending: Effect.gen(function*() {
      const chats = yield* Effect.forEach(yield* store.unfinished, store.get)
      return chats.flatMap((chat) =>
        chat === null ? [] : openApprovals(chat.turns.flatMap(({ parts }) => parts))
          .map((part) => ({ ...part, chat: chat.record.id }))
      )
    }),
    granted: always.list,
    revoke: always.remove
  }
})

/** For the turn of an earlier run, whose servers may still be on their way. */
const PATIENCE = "20 seconds"

/** The call that an earlier run asked about would be another one now. */
const over = (id: string) => ({
  type: "approval-answer",
  id,
  decision: "expired",
  reason: "the tool has changed since it was asked about, so it asks again"
} as const)

/** Whether the calls of a tool need approval: each list decides for itself, and so does the entry of its server. */
export const asking = (lists: ReadonlyArray<ReadonlyArray<string>>) => {
  const globs = lists.map((patterns) => ToolGlob.compile(patterns))
  return ({ name, needsApproval }: Pick<AgentTool, "name" | "needsApproval">): boolean =>
    needsApproval === true || globs.some((glob) => glob.allows(name))
}
