/** A person's yes before a call: who is asked about what, and what their answer does. */
import { ToolGlob } from "@boocode/tool-glob"
import * as IdGenerator from "effect/ai/IdGenerator"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as ResultStyles from "../results/ResultStyles.ts"
import * as ToolResult from "../results/ToolResult.ts"
import * as Utf8 from "../text/Utf8.ts"
import * as ToolArguments from "../validation/ToolArguments.ts"
import type { AgentTool, RunOptions } from "./AgentTool.ts"

/** A call that waits for an answer. */
export interface Request {
  /** This call's and no other's: two calls of one tool with the same arguments are two requests (R106). */
  readonly id: string
  /** The id that the model gave the call, to show the request beside it; null when it gave none. */
  readonly callId: string | null
  /** Null for a built-in tool. */
  readonly server: string | null
  /** The raw name. */
  readonly tool: string
  /** The name that the model uses. */
  readonly name: string
  /** False for a server of a project file. */
  readonly isTrusted: boolean
  /**
   * Read, repaired and checked: what is sent after a yes, to the letter. Chosen by the model, so show it as text and
   * nothing else.
   */
  readonly args: Schema.JsonObject
  /** The hints of the server, such as `readOnlyHint`. To show, never a reason to say yes. */
  readonly annotations: Schema.JsonObject
}

/**
 * An answer: yes, with other arguments if `args` is there; or no, with the reason that the model reads. `unanswered`
 * says that it is nobody's no, such as `nobody answered within 24 hours`.
 */
export type Decision =
  | { readonly isApproved: true; readonly args?: Schema.JsonObject | undefined }
  | { readonly isApproved: false; readonly reason?: string | undefined; readonly unanswered?: string | undefined }

/** Yes. */
export const approve: Decision = { isApproved: true }

/** Yes, but with these arguments. */
export const approveWith = (args: Schema.JsonObject): Decision => ({ isApproved: true, args })

/** No; the model reads the reason, at most 2,000 bytes of it. */
export const deny = (reason?: string): Decision => ({ isApproved: false, reason })

/** Nobody said yes or no; the model reads these words, such as `nobody answered`. */
export const unanswered = (why: string): Decision => ({ isApproved: false, unanswered: why })

/** Which calls need a yes, and how it is got. */
export interface Approval {
  /**
   * Names of tools as models know them, in the language of `@boocode/tool-glob`: `["files_write_*"]`, or `["*",
   * "!files_read_*"]`. The last pattern that matches decides; without a match nobody is asked. Tools that `ask` of a
   * server's entry names need a yes in any case.
   */
  readonly ask: ReadonlyArray<string>
  /**
   * Asks. It is interrupted when the call is cancelled or the time is over: take a shown question away then.
   * Requests come side by side. A defect counts as no.
   */
  readonly decide: (request: Request) => Effect.Effect<Decision>
  /**
   * How long to wait for the answer; no answer is no. 5 minutes unless told, `"Infinity"` leaves it to `decide`. The
   * time limits of a call begin after it.
   */
  readonly timeout?: Duration.Input | undefined
}

/**
 * The tools, of which those that `ask` names, here or in their server's entry, are called after a yes and not
 * otherwise. A no, silence, and arguments that cannot be read are error results that say so; nothing was sent then.
 */
export const guard = (tools: ReadonlyArray<AgentTool>, approval: Approval): ReadonlyArray<AgentTool> => {
  const asked = ToolGlob.compile(approval.ask)
  return tools.map((tool) => tool.needsApproval === true || asked.allows(tool.name) ? guarded(tool, approval) : tool)
}

/** One tool that is called after a yes and not otherwise, as `guard` does it. */
export const guarded = (tool: AgentTool, approval: Omit<Approval, "ask">): AgentTool => ({
  ...tool,
  needsApproval: false,
  run: (written, options) =>
    options?.isApproved === true ?
      tool.run(written, options) :
      // A person is not asked about a call that would be refused in any case.
      ToolArguments.usable(tool, written).pipe(
        Effect.flatMap((args) => decided(tool, approval, args, options)),
        Effect.catch(({ hint, message }) => Effect.succeed(refused(tool, `${message}; ${hint}`)))
      )
})

const decided = Effect.fnUntraced(function*(
  tool: AgentTool,
  approval: Omit<Approval, "ask">,
  args: Schema.JsonObject,
  options: RunOptions | undefined
) {
  const decision = yield* answer(approval, {
    id: yield* IdGenerator.defaultIdGenerator.generateId(),
    callId: options?.callId ?? null,
    server: tool.server,
    tool: tool.origin?.tool ?? tool.name,
    name: tool.name,
    isTrusted: tool.origin?.isTrusted ?? true,
    args,
    annotations: tool.annotations ?? {}
  })
  if (!decision.isApproved) return refused(tool, whyNot(decision))
  const result = yield* tool.run(decision.args ?? args, { ...options, isApproved: true })
  if (decision.args === undefined) return result
  const before = `${otherArguments(decision.args)}\n\n`
  const styles = result.styles?.map((style) => ResultStyles.moved(style, before.length))
  return { ...result, text: `${before}${result.text}`, ...styles === undefined ? {} : { styles } }
})

const DEFAULT_TIMEOUT = Duration.minutes(5)

/** The answer; there is always one. */
const answer = (
  { decide, timeout = DEFAULT_TIMEOUT }: Omit<Approval, "ask">,
  request: Request
): Effect.Effect<Decision> =>
  Effect.suspend(() => decide(request)).pipe(
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.succeed(unanswered(`nobody answered within ${inWords(timeout)}`))
    }),
    Effect.catchDefect((defect) =>
      Effect.as(
        Effect.logError(`nobody could be asked about ${request.name}`, defect),
        unanswered("nobody could be asked")
      )
    )
  )

const inWords = (timeout: Duration.Input): string => {
  const seconds = Duration.toSeconds(timeout)
  return seconds >= 120 ? `${Math.round(seconds / 60)} minutes` : `${seconds} s`
}

const REASON_BYTES = 2000

const whyNot = ({ reason, unanswered }: Extract<Decision, { readonly isApproved: false }>): string => {
  if (unanswered !== undefined) return `it needs a person's yes, and ${Utf8.prefix(unanswered, REASON_BYTES)}`
  return reason === undefined || reason.trim() === ""
    ? "the person who was asked said no"
    : `the person who was asked said no: ${Utf8.prefix(reason, REASON_BYTES)}`
}

/** The model knows only those it gave itself. */
const otherArguments = (args: Schema.JsonObject): string =>
  `[the person who was asked changed the arguments to ${Utf8.prefix(JSON.stringify(args), REASON_BYTES)}]`

const refused = (tool: AgentTool, why: string): ToolResult.ToolResult =>
  ToolResult.failure(`${tool.name} was not called: ${why}`, { fault: "call" })
