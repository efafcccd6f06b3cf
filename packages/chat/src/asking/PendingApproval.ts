/** One call that waits for a person's approval. */
import { type AgentTool, Approval, Conditions, ToolArguments } from "@boocode/toolkit"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { ApprovalClosed, type GrantNotKept, UnusableArguments, UnusableConditions } from "../model/ApprovalError.ts"
import type { ApprovalDecision, Emit, TurnPart } from "../model/Part.ts"
import type { AllowedTools } from "./AllowedTools.ts"
import * as PendingAnswer from "./PendingAnswer.ts"

/** The answer of a person. */
export interface Answer {
  readonly decision: Exclude<typeof ApprovalDecision.Type, "expired">
  /** The reason of a no, for the model. */
  readonly reason?: string | null | undefined
  /** The arguments to send in place of those that were shown. */
  readonly args?: Schema.JsonObject | null | undefined
  /**
   * The calls that a yes for more than this one holds for: one of the suggestions, or as a person changed it. It must
   * cover this call. Left out, the yes holds for every call of the tool.
   */
  readonly where?: Conditions.Where | null | undefined
  /**
   * Further approvals of the chat that this answers, such as those of one program that wait at the same moment: a no is theirs as
   * well, and any yes is one for their call alone. Those that are over by then stay as they are.
   */
  readonly also?: ReadonlyArray<string> | null | undefined
}

/** A request as the turn that made it emits it. */
export type Request = Extract<TurnPart, { readonly type: "approval" }>

export interface PendingApproval {
  readonly chat: string
  readonly request: Request
  /** Takes the answer. It is written down when this is done, and the call goes on. */
  readonly answer: (answer: Answer) => Effect.Effect<void, Refused>
  /** Shows the request and gives the answer; `expired` after 24 hours. */
  readonly answered: Effect.Effect<Approval.Decision>
  /**
   * Takes no answer any more. An answer that is being written is written first: nothing follows the end of its turn.
   */
  readonly close: Effect.Effect<unknown>
}

type Refused = ApprovalClosed | GrantNotKept | UnusableArguments | UnusableConditions

const LIMIT = "24 hours"
const HOUR = Duration.toMillis("1 hour")

interface Outcome {
  /** Null when the call ended without an answer, which nobody is told. */
  readonly decision: typeof ApprovalDecision.Type | null
  readonly reason: string | null
  readonly args: Schema.JsonObject | null
  /** Empty for a yes that holds for this call alone, and for one that holds for all calls. */
  readonly where: Conditions.Where
}

const EXPIRED: Outcome = { decision: "expired", reason: null, args: null, where: {} }
const OVER: Outcome = { decision: null, reason: null, args: null, where: {} }

/**
 * A call that waits from now on. `onChat` is run when calls are allowed for the rest of the chat. `show` puts the request
 * into the chat; null when an earlier run of the program did. `realOf` gives where paths among the arguments lead.
 */
export const make = ({ always, chat, emit, onChat, owner, realOf, request, show, tool }: {
  readonly chat: string
  /** The id of the person whose chat it is: a yes that holds longer is theirs. */
  readonly owner: string
  readonly tool: AgentTool
  readonly request: Request
  readonly emit: Emit
  readonly always: AllowedTools
  readonly onChat: (where: Conditions.Where) => void
  readonly realOf: (args: Schema.JsonObject) => Effect.Effect<Conditions.Given["real"]>
  readonly show: Effect.Effect<void> | null
}): PendingApproval => {
  const { id } = request
  const pending = PendingAnswer.make<Outcome>({
    show: show ?? Effect.void,
    isShown: show === null,
    tell: ({ args, decision, reason, where }) =>
      decision === null
        ? Effect.void
        : Effect.andThen(
          emit({
            type: "approval-answer",
            id,
            decision,
            reason,
            ...args === null ? {} : { args },
            ...Object.keys(where).length === 0 ? {} : { where }
          }),
          Effect.sync(() => decision === "chat" ? onChat(where) : undefined)
        )
  })
  const decide = Effect.fnUntraced(function*({ args, decision, reason = null, where: given }: Answer) {
    const changed = decision === "deny" || args === null || args === undefined ? null : yield* usable(tool, args)
    const where = decision === "once" || decision === "deny" ? {} : given ?? {}
    const sent = changed ?? request.args
    const why = Conditions.unmet(where, { args: sent, real: yield* realOf(sent) }, true)
    if (why !== null) return yield* new UnusableConditions({ name: tool.name, why })
    if (decision === "always") yield* always.add(owner, tool, { where, until: null })
    if (decision === "hour") yield* always.add(owner, tool, { where, until: (yield* Clock.currentTimeMillis) + HOUR })
    return { decision, reason, args: changed, where }
  })
  return {
    chat,
    request,
    answer: (answer) =>
      pending.reply((settled): Effect.Effect<Outcome, Refused> =>
        settled === null ? decide(answer) : new ApprovalClosed({ id, decision: settled.decision })
      ),
    answered: Effect.andThen(pending.show, Effect.map(pending.answered(LIMIT, EXPIRED), decisionOf)),
    close: pending.end(OVER)
  }
}

const usable = (tool: AgentTool, args: Schema.JsonObject) =>
  Effect.mapError(
    ToolArguments.usable(tool, args),
    ({ detail }) => new UnusableArguments({ name: tool.name, why: detail })
  )

const decisionOf = ({ args, decision, reason }: Outcome): Approval.Decision => {
  if (decision === "deny") return Approval.deny(reason ?? undefined)
  if (decision === "expired" || decision === null) return Approval.unanswered(`nobody answered within ${LIMIT}`)
  return args === null ? Approval.approve : Approval.approveWith(args)
}
