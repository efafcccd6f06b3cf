/** One call that waits for a person's yes: it is answered once, or ends without an answer. */
import { type AgentTool, Approval, ToolArguments } from "@boocode/toolkit"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { ApprovalClosed, type GrantNotKept, UnusableArguments } from "../model/ApprovalError.ts"
import type { ApprovalDecision, Emit, TurnPart } from "../model/Part.ts"
import type { AllowedTools } from "./AllowedTools.ts"

/** What a person answers. */
export interface Answer {
  readonly decision: Exclude<typeof ApprovalDecision.Type, "expired">
  /** What the model reads of a no. */
  readonly reason?: string | null | undefined
  /** What to send instead of the arguments that were shown. */
  readonly args?: Schema.JsonObject | null | undefined
}

/** A request as the turn that made it emits it. */
export type Request = Extract<TurnPart, { readonly type: "approval" }>

export interface PendingApproval {
  readonly chat: string
  readonly request: Request
  /** Takes the answer: when this is done it is written down, and the call goes on. */
  readonly answer: (answer: Answer) => Effect.Effect<void, ApprovalClosed | GrantNotKept | UnusableArguments>
  /** The answer; `expired` after the limit. */
  readonly answered: Effect.Effect<Approval.Decision>
  /**
   * Takes no answer any more. An answer that is being written is written first: nothing follows the end of its turn.
   */
  readonly close: Effect.Effect<void>
}

/** How long a call waits in one run of the program. */
export const LIMIT = "24 hours"

/** A call that waits from now on. `onChat` is run when it is allowed for the rest of its chat. */
export const make = (
  { always, chat, emit, onChat, request, tool }: {
    readonly chat: string
    readonly tool: AgentTool
    readonly request: Request
    readonly emit: Emit
    readonly always: AllowedTools
    readonly onChat: () => void
  }
): PendingApproval => {
  const { id } = request
  const writing = Semaphore.makeUnsafe(1)
  const done = Deferred.makeUnsafe<Approval.Decision>()
  let isOver = false
  let decided: typeof ApprovalDecision.Type | null = null

  const answer = Effect.fnUntraced(function*({ args, decision, reason = null }: Answer) {
    if (isOver || decided !== null) return yield* new ApprovalClosed({ id, decision: decided })
    const others = decision === "deny" || args === null || args === undefined ? null : yield* usable(tool, args)
    if (decision === "always") yield* always.add(tool)
    decided = decision
    yield* emit({ type: "approval-answer", id, decision, reason, ...(others === null ? {} : { args: others }) })
    if (decision === "chat") onChat()
    yield* Deferred.succeed(done, decisionOf(decision, reason, others))
  })

  const expired = writing.withPermit(Effect.suspend(() => {
    if (decided !== null) return Deferred.await(done)
    decided = "expired"
    return Effect.as(
      emit({ type: "approval-answer", id, decision: "expired", reason: null }),
      Approval.unanswered(`nobody answered within ${LIMIT}`)
    )
  })).pipe(Effect.uninterruptible)

  return {
    chat,
    request,
    answer: (given) => Effect.uninterruptible(writing.withPermit(answer(given))),
    answered: Effect.timeoutOrElse(Deferred.await(done), { duration: LIMIT, orElse: () => expired }),
    close: writing.withPermit(Effect.sync(() => {
      isOver = true
    }))
  }
}

const usable = (tool: AgentTool, args: Schema.JsonObject) =>
  Effect.mapError(
    ToolArguments.usable(tool, args),
    ({ detail }) => new UnusableArguments({ name: tool.name, why: detail })
  )

const decisionOf = (
  decision: Answer["decision"],
  reason: string | null,
  args: Schema.JsonObject | null
): Approval.Decision => {
  if (decision === "deny") return Approval.deny(reason ?? undefined)
  return args === null ? Approval.approve : Approval.approveWith(args)
}
