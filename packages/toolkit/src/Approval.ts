/**
 * A person's yes before a call: who is asked about what, and what their answer does.
 */
import { ToolGlob } from "@boocode/tool-glob"
import * as IdGenerator from "effect/ai/IdGenerator"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { AgentTool, RunOptions } from "./AgentTool.ts"
import * as ToolArguments from "./ToolArguments.ts"
import * as ToolResult from "./ToolResult.ts"
import * as Utf8 from "./Utf8.ts"
import * as CallCheck from "./validation/CallCheck.ts"

/**
 * A call that waits for an answer.
 *
 * @category models
 */
export interface Request {
  /** This call's and no other's: two calls of one tool with the same arguments are two requests (R106). */
  readonly id: string
  /** The id that the model gave the call, to show the request beside it; null when it gave none. */
  readonly callId: string | null
  /** Null for a built-in tool. */
  readonly server: string | null
  /** What the server calls the tool. */
  readonly tool: string
  /** What the model calls it. */
  readonly name: string
  /** False for a server of a project file. */
  readonly isTrusted: boolean
  /** Read, repaired and checked: what is sent after a yes, to the letter. Chosen by the model, so show it as text and nothing else. */
  readonly args: Schema.JsonObject
  /** What the server says of the tool, such as `readOnlyHint`. To show, never a reason to say yes. */
  readonly annotations: Schema.JsonObject
}

/**
 * An answer: yes, with other arguments if `args` is there; or no, with the reason that the model reads.
 *
 * @category models
 */
export type Decision =
  | { readonly isApproved: true; readonly args?: Schema.JsonObject | undefined }
  | { readonly isApproved: false; readonly reason?: string | undefined }

/** Yes. @category constructors */
export const approve: Decision = { isApproved: true }

/** Yes, but with these arguments. @category constructors */
export const approveWith = (args: Schema.JsonObject): Decision => ({ isApproved: true, args })

/** No; the model reads the reason, at most 2,000 bytes of it. @category constructors */
export const deny = (reason?: string): Decision => ({ isApproved: false, reason })

/**
 * Which calls need a yes, and how it is got.
 *
 * @category models
 */
export interface Approval {
  /**
   * Names of tools as models know them, in the language of `@boocode/tool-glob`: `["files_write_*"]`, or
   * `["*", "!files_read_*"]`. The last pattern that matches decides; without a match nobody is asked.
   */
  readonly ask: ReadonlyArray<string>
  /**
   * Asks. It is interrupted when the call is cancelled or the time is over: whoever shows a question takes it away then.
   * Requests come side by side. A defect counts as no.
   */
  readonly decide: (request: Request) => Effect.Effect<Decision>
  /** How long to wait for the answer; no answer is no. 5 minutes unless told. The time limits of a call begin after it. */
  readonly timeout?: Duration.Input | undefined
}

/**
 * The tools, of which those that `ask` names are called after a yes and not otherwise. A no, silence, and arguments that
 * cannot be read are error results that say so; nothing was sent then.
 *
 * @category constructors
 */
export const guard = (tools: ReadonlyArray<AgentTool>, approval: Approval): ReadonlyArray<AgentTool> => {
  const asked = ToolGlob.compile(approval.ask)
  return tools.map((tool) => asked.allows(tool.name) ? guarded(tool, approval) : tool)
}

const guarded = (tool: AgentTool, approval: Approval): AgentTool => ({
  ...tool,
  run: (written, options) =>
    usable(tool, written).pipe(
      Effect.flatMap((args) => decided(tool, approval, args, options)),
      Effect.catch(({ hint, message }) => Effect.succeed(refused(tool, `${message}; ${hint}`)))
    )
})

/** What is sent after a yes. A person is not asked about a call that would be refused in any case. */
const usable = Effect.fnUntraced(function*(tool: AgentTool, written: unknown) {
  const parsed = yield* Effect.fromResult(ToolArguments.parse(tool.name, written))
  const args = ToolArguments.repair(tool.inputSchema, parsed)
  yield* CallCheck.args(tool, args)
  return args
})

const decided = Effect.fnUntraced(function*(
  tool: AgentTool,
  approval: Approval,
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
  if (typeof decision === "string") return refused(tool, decision)
  return decision.isApproved
    ? yield* tool.run(decision.args ?? args, options)
    : refused(tool, saidNo(decision.reason))
})

const DEFAULT_TIMEOUT = Duration.minutes(5)

/** The answer, or why there is none. */
const answer = ({ decide, timeout = DEFAULT_TIMEOUT }: Approval, request: Request): Effect.Effect<Decision | string> =>
  Effect.suspend((): Effect.Effect<Decision | string> => decide(request)).pipe(
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.succeed(`it needs a person's yes, and nobody answered within ${inWords(timeout)}`)
    }),
    Effect.catchDefect((defect) =>
      Effect.as(
        Effect.logError(`nobody could be asked about ${request.name}`, defect),
        "it needs a person's yes, and nobody could be asked"
      )
    )
  )

const inWords = (timeout: Duration.Input): string => {
  const seconds = Duration.toSeconds(timeout)
  return seconds >= 120 ? `${Math.round(seconds / 60)} minutes` : `${seconds} s`
}

const REASON_BYTES = 2000

const saidNo = (reason: string | undefined): string =>
  reason === undefined || reason.trim() === ""
    ? "the person who was asked said no"
    : `the person who was asked said no: ${Utf8.prefix(reason, REASON_BYTES)}`

const refused = (tool: AgentTool, why: string): ToolResult.ToolResult =>
  ToolResult.failure(`${tool.name} was not called: ${why}`, { fault: "call" })
