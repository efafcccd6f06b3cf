/** Approval of the calls of chats: who is asked, who answers, and how long an answer holds. */
import type { McpRegistries } from "@boocode/mcp-registry"
import { ToolGlob } from "@boocode/tool-glob"
import type { AgentTool, Approval, PermissionRule } from "@boocode/toolkit"
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import { Audit } from "../journal/Audit.ts"
import {
  type AnswerRefused,
  ApprovalClosed,
  ApprovalNotReady,
  GrantNotKept,
  UnknownApproval
} from "../model/ApprovalError.ts"
import type { ApprovalPart, Part } from "../model/Part.ts"
import { CallHooks } from "../permissions/CallHooks.ts"
import * as CallRules from "../permissions/CallRules.ts"
import { PermissionFiles } from "../permissions/PermissionFiles.ts"
import * as ServerPaths from "../permissions/ServerPaths.ts"
import { ChatStore, type ChatStoreFailed } from "../store/ChatStore.ts"
import { CurrentUser } from "../users/CurrentUser.ts"
import * as AllowedTools from "./AllowedTools.ts"
import type { Grant } from "./AllowedTools.ts"
import { grantsForChat, openApprovals } from "./AskedParts.ts"
import * as CallGate from "./CallGate.ts"
import type { Guard, GuardedTurn } from "./CallGate.ts"
import type * as PendingApproval from "./PendingApproval.ts"

/** A call that waits for a person. */
export type OpenApproval = typeof ApprovalPart.Type & { readonly chat: string }

/** A call that waits, as those see it whose chat it is not: without what it is to do. */
export interface WaitingApproval extends Pick<OpenApproval, "id" | "name" | "server" | "class"> {
  /** The id of the person whose chat asks. */
  readonly owner: string
  /** When the message was sent whose turn asks: ISO 8601, in UTC. */
  readonly since: string
}

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
   * One guard a turn. Each call is decided about when it comes, by the rules of `PermissionFiles`, of the server's entry,
   * of the settings and of the agent, by what a person granted, and by the write mode of the chat. Calls ask side by
   * side, and wait 24 h at most. A call that asked already in an earlier run of the program waits under the id it has.
   */
  readonly guard: (turn: GuardedTurn) => Guard
  /** Which tools of a turn cannot be called as things stand: models are not given them. */
  readonly denied: (turn: GuardedTurn) => Effect.Effect<CallGate.Denied>
  /**
   * The grants that a person gave a tool, in the chat with these parts and everywhere, and the hash to which they are
   * bound.
   */
  readonly grantsOf: (tool: AllowedTools.Identified, parts: ReadonlyArray<Part>) => Effect.Effect<
    {
      readonly print: string | null
      readonly grants: ReadonlyArray<PermissionRule.Grant>
    },
    never,
    CurrentUser
  >
  /** Patterns over the names of tools whose calls ask, whatever the agent. */
  readonly ask: ReadonlyArray<string>
  /**
   * Answers an approval of the person's own chat; the answer is written down when this is done. An approval of an earlier run of the program is
   * answered once its turn is back, within 20 s.
   */
  readonly answer: (
    chat: string,
    approval: string,
    answer: PendingApproval.Answer
  ) => Effect.Effect<void, AnswerRefused | ChatStoreFailed, CurrentUser>
  /** The approvals that wait, in all chats of the person. */
  readonly pending: Effect.Effect<ReadonlyArray<OpenApproval>, ChatStoreFailed, CurrentUser>
  /** The approvals that wait, in the chats of everybody. For admins. */
  readonly waiting: Effect.Effect<ReadonlyArray<WaitingApproval>, ChatStoreFailed>
  /** Denies an approval of anybody's chat; as `answer` otherwise. For admins, who can give no yes there. */
  readonly deny: (approval: string, reason: string) => Effect.Effect<void, AnswerRefused | ChatStoreFailed>
  /** The tools that the person always allows, sorted by name. */
  readonly granted: Effect.Effect<ReadonlyArray<Grant>, never, CurrentUser>
  /** Revokes the person's grant of this name; false when there is none. */
  readonly revoke: (name: string) => Effect.Effect<boolean, GrantNotKept, CurrentUser>
  /** Revokes all grants of somebody who is gone. */
  readonly forget: (owner: string) => Effect.Effect<void, GrantNotKept>
}>("chat/ToolApprovals", {
  defaultValue: () => ({
    guard: withoutAsked,
    denied: () => Effect.succeed(deniesWriters),
    grantsOf: () => Effect.succeed({ print: null, grants: [] }),
    ask: [],
    answer: (chat, id) => Effect.fail(new UnknownApproval({ chat, id })),
    pending: Effect.succeed([]),
    waiting: Effect.succeed([]),
    deny: (id) => Effect.fail(new UnknownApproval({ chat: null, id })),
    granted: Effect.succeed([]),
    revoke: () => Effect.fail(new GrantNotKept({ why: "this program keeps no approvals" })),
    forget: () => Effect.void
  })
}) {
  /** Asks through the parts of chats. */
  static readonly layer = (
    options: ToolApprovalsOptions
  ): Layer.Layer<never, never, ChatStore | FileSystem.FileSystem | McpRegistries | Path.Path> =>
    Layer.effect(ToolApprovals, make(options)).pipe(Layer.provide(Digest.layerWebCrypto))
}

const withoutAsked = ({ agent }: GuardedTurn): Guard => {
  const isAsked = asking([agent.ask ?? []])
  return (tools) => tools.filter((tool) => !isAsked(tool))
}

const deniesWriters = (tool: CallRules.Subject): string | null =>
  CallRules.isWriter(tool) ? "write mode is off, and nobody can be asked" : null

const make = Effect.fnUntraced(function*({ ask, file }: ToolApprovalsOptions) {
  const store = yield* ChatStore
  const files = yield* PermissionFiles
  const always = yield* AllowedTools.make(file)
  const waiting = new Map<string, PendingApproval.PendingApproval>()
  /** The ids of all that ever waited in this run. */
  const known = new Set<string>()
  /** The answers that came before the turn of an earlier run was back wait for it here. */
  const arrivals = new Map<string, Deferred.Deferred<PendingApproval.PendingApproval>>()

  const waitFor = (call: PendingApproval.PendingApproval): Effect.Effect<Approval.Decision> => {
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

  const one = Effect.fnUntraced(function*(chat: string, id: string, answer: PendingApproval.Answer) {
    const call = waiting.get(id) ?? (yield* returning(chat, id))
    if (call.chat !== chat) return yield* new UnknownApproval({ chat, id })
    yield* call.answer(answer)
  })

  /** The approvals that wait in these chats, with what is known of their turns. */
  const openIn = Effect.fnUntraced(function*(ids: ReadonlyArray<string>) {
    const chats = yield* Effect.forEach(ids, store.get)
    return chats.flatMap((chat) =>
      chat === null ? [] : openApprovals(chat.turns.flatMap(({ parts }) => parts)).map((part) => ({ part, chat }))
    )
  })

  const needs = {
    audit: yield* Audit,
    files,
    realOf: yield* ServerPaths.make,
    hooks: yield* CallHooks,
    ask,
    always,
    waitFor
  }

  return {
    guard: (turn: GuardedTurn) => CallGate.guard(needs, turn),
    denied: (turn: GuardedTurn) => CallGate.denied(needs, turn),
    grantsOf: Effect.fnUntraced(function*(tool: AllowedTools.Identified, parts: ReadonlyArray<Part>) {
      const print = yield* always.printOf(tool)
      const { id } = yield* CurrentUser
      return { print, grants: [...grantsForChat(parts), ...yield* always.of(id, tool, print)] }
    }),
    ask,
    answer: Effect.fn("ToolApprovals.answer")(function*(chat: string, id: string, answer: PendingApproval.Answer) {
      if ((yield* store.owner(chat)) !== (yield* CurrentUser).id) return yield* new UnknownApproval({ chat, id })
      yield* one(chat, id, answer)
      const decision = answer.decision === "deny" ? "deny" : "once"
      const others = (answer.also ?? []).filter((other) => other !== id)
      yield* Effect.forEach(others, (other) => Effect.ignore(one(chat, other, { decision, reason: answer.reason })), {
        concurrency: "unbounded",
        discard: true
      })
    }),
    pending: Effect.gen(function*() {
      const { id } = yield* CurrentUser
      const own = yield* Effect.filter(
        yield* store.unfinished,
        (chat) => Effect.map(store.owner(chat), (owner) => owner === id)
      )
      return (yield* openIn(own)).map(({ chat, part }) => ({ ...part, chat: chat.record.id }))
    }),
    waiting: Effect.map(
      Effect.flatMap(store.unfinished, openIn),
      (all) =>
        all.map(({ chat: { record, turns }, part }) => ({
          id: part.id,
          owner: record.owner,
          name: part.name,
          server: part.server,
          ...part.class === undefined ? {} : { class: part.class },
          since: turns.find(({ turn }) => turn === part.turn)?.createdAt ?? record.createdAt
        }))
    ),
    deny: Effect.fn("ToolApprovals.deny")(function*(id: string, reason: string) {
      const found = (yield* openIn(yield* store.unfinished)).find(({ part }) => part.id === id)
      if (found === undefined) return yield* new UnknownApproval({ chat: null, id })
      yield* one(found.chat.record.id, id, { decision: "deny", reason })
    }),
    granted: Effect.flatMap(CurrentUser, ({ id }) => always.list(id)),
    revoke: (name: string) => Effect.flatMap(CurrentUser, ({ id }) => always.remove(id, name)),
    forget: (owner: string) => Effect.asVoid(always.remove(owner, null))
  }
})

/** For the turn of an earlier run, whose servers may still be on their way. */
const PATIENCE = "20 seconds"

/** Whether the calls of a tool need approval: each list decides for itself, and so does the entry of its server. */
export const asking = (lists: ReadonlyArray<ReadonlyArray<string>>) => {
  const globs = lists.map((patterns) => ToolGlob.compile(patterns))
  return ({ name, needsApproval }: Pick<AgentTool, "name" | "needsApproval">): boolean =>
    needsApproval === true || globs.some((glob) => glob.allows(name))
}
